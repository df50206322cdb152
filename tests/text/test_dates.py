"""Dates in many languages and forms."""

from __future__ import annotations

import pytest

from ragtriage.text.dates import dates_agree, find_dates


@pytest.mark.parametrize(
    "text",
    [
        "2026-03-01", "2026/03/01", "01.03.2026", "1.3.26", "1 марта 2026 года", "1 марта 2026 г.",
        "1 березня 2026 року",
        "2026 жылғы 1 наурыз", "2026 жылғы 1 наурыздан", "1 March 2026", "1st of March 2026", "March 1, 2026",
        "Mar. 1, 2026", "1. März 2026", "1 mars 2026", "1 de marzo de 2026", "2026年3月1日", "٠١.٠٣.٢٠٢٦",
    ],
)  # fmt: skip
def test_one_day_in_many_forms(text):
    assert [d.readings for d in find_dates(text)] == [((2026, 3, 1),)]


def test_parts_that_are_not_written_stay_open():
    assert find_dates("1 березня")[0].readings == ((None, 3, 1),)
    assert find_dates("март 2026")[0].readings == ((2026, 3, None),)
    assert dates_agree(find_dates("март 2026")[0], find_dates("01.03.2026")[0])
    assert not dates_agree(find_dates("март 2026")[0], find_dates("01.04.2026")[0])


def test_slashes_are_ambiguous_without_a_language():
    assert find_dates("03/04/2026")[0].readings == ((2026, 4, 3), (2026, 3, 4))
    assert find_dates("03/04/2026", language="kk")[0].readings == ((2026, 4, 3),)
    assert find_dates("13/04/2026")[0].readings == ((2026, 4, 13),)


@pytest.mark.parametrize("text", ["31.02.2026", "45.13.2026", "may 5%", "2026-99-99", "march on", "version 1.2.3"])
def test_what_is_no_day_is_no_date(text):
    assert find_dates(text) == []
