"""Prices are dated, exact, and unknown where they are not listed."""

from __future__ import annotations

from datetime import date

import pytest

from ragtriage.core.errors import BadInput
from ragtriage.models.ports import Usage
from ragtriage.models.prices import Price, PriceList, read_prices, shipped_prices


def test_every_shipped_price_has_a_day_and_none_lies_in_the_future():
    prices = shipped_prices().prices
    assert prices
    assert all(price.as_of is not None and date(2026, 1, 1) <= price.as_of <= date.today() for price in prices.values())  # noqa: DTZ011 - a day
    assert all(price.input_usd > 0 for price in prices.values())
    assert all(price.cached_input_usd is None or price.cached_input_usd < price.input_usd for price in prices.values())


def test_a_snapshot_costs_what_its_model_costs_and_another_host_is_unknown():
    listed = PriceList({("h", "m"): Price(1.0, 2.0), ("h", "m-2024-01-01"): Price(3.0, 4.0)})
    assert listed.find(host="h", model="m-2025-02-03") == Price(1.0, 2.0)
    assert listed.find(host="h", model="m-2024-01-01") == Price(3.0, 4.0)
    assert listed.find(host="other", model="m") is None
    assert listed.find(host="h", model="m-mini") is None


def test_cached_tokens_cost_less_where_a_price_says_so():
    usage = Usage(input_tokens=1_000_000, output_tokens=100_000, cached_tokens=400_000)
    assert Price(2.0, 8.0, 0.5).pico(usage) == 2_200_000_000_000  # 0.6 x 2 + 0.4 x 0.5 + 0.1 x 8 = 2.2 USD
    assert Price(2.0, 8.0).pico(usage) == 2_800_000_000_000


def test_a_millionth_of_a_cent_is_not_rounded_away():
    assert Price(0.0375, 0.0).pico(Usage(1, 0)) == 37_500


ENTRY = '[[price]]\nhost = "h"\nmodel = "m"\ninput = 1.0\noutput = 1.0\nas_of = 2026-01-01\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "'schema' must be"),
        ('schema = "ragtriage.prices/1"\n[[price]]\nhost = "h"\n', "'model' is missing"),
        (f'schema = "ragtriage.prices/1"\n{ENTRY}{ENTRY}', "listed twice"),
        (f'schema = "ragtriage.prices/1"\n{ENTRY.replace("1.0", "-1.0")}', "greater than or equal to 0"),
        (f'schema = "ragtriage.prices/1"\n{ENTRY.replace("1.0", "nan")}', "input"),
        (f'schema = "ragtriage.prices/1"\n{ENTRY.replace("as_of", "asof")}', "Did you mean 'as_of'"),
    ],
)
def test_a_list_with_faults_is_refused(tmp_path, text, said):
    path = tmp_path / "prices.toml"
    path.write_text(text)
    with pytest.raises(BadInput, match=said):
        read_prices(path)
