"""Numbers in the digits, separators, units and words of many languages."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtriage.text.amounts import date_among, number_among, read_amounts
from ragtriage.text.numbers import compare, find_numbers
from ragtriage.text.phrases import occurrences
from ragtriage.text.separators import read_digits


def values(text: str, language: str | None = None) -> list[list[str]]:
    """The values of each number, in plain notation."""
    return [[f"{v.normalize():f}" for v in n.values] for n in find_numbers(text, language=language)]


def units(text: str, language: str | None = None) -> list[tuple[str, str | None]]:
    """The value and unit of each number."""
    return [(f"{n.values[0].normalize():f}", n.unit) for n in find_numbers(text, language=language)]


def test_digits_of_every_script_are_numbers(shared):
    case = json.loads(shared("cases/inputs/B19.json").read_text(encoding="utf-8"))
    source = [read_amounts(case["context"])]
    found = [number_among(read_amounts(answer).numbers[0], source) for answer in case["answers"]]
    assert found == ["equal", "equal", "equal", "different"]
    assert values("٣٫٥") == [["3.5"]]
    assert values("١٬٢٥٠") == [["1250"]]
    assert values("x² ³ ①") == []


def test_a_target_matches_as_a_number_not_as_text(shared):
    case = json.loads(shared("cases/inputs/B71.json").read_text(encoding="utf-8"))
    for text, target, right in case["pairs"]:
        language = "de" if "(de)" in text else None
        assert bool(occurrences(text, target, language=language)) is right, (text, target)


def test_the_locale_decides_what_a_single_separator_means():
    assert values("1.250", "de") == values("1,250", "en") == values("1 250", "ru") == [["1250"]]
    assert values("1.250", "en") == values("1,250", "de") == values("1,250", "ru") == [["1.25"]]
    assert values("1.250,50", "de") == values("1,250.50", "en") == values("1'250.50") == [["1250.5"]]


def test_without_a_locale_an_ambiguous_form_neither_matches_nor_contradicts():
    ambiguous, plain, other = find_numbers("1.250")[0], find_numbers("1250")[0], find_numbers("7")[0]
    assert compare(ambiguous, plain) == "uncertain"
    assert compare(ambiguous, other) == "different"
    assert compare(ambiguous, find_numbers("1.250")[0]) == "equal"


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("минимум 5 000 ₸", "ru", [("5000", "KZT")]),
        ("5\u202f000 тенге", "ru", [("5000", "KZT")]),
        ("₸5,000", "en", [("5000", "KZT")]),
        ("USD 1,000,000.50", "en", [("1000000.5", "USD")]),
        ("2,5 млн ₽", "ru", [("2500000", "RUB")]),
        ("1 млн 200 тыс. тенге", "ru", [("1200000", "KZT")]),
        ("10 мың теңге", "kk", [("10000", "KZT")]),
        ("двадцать пять тысяч рублей", "ru", [("25000", "RUB")]),
        ("он екі ай", "kk", [("12", "month")]),
        ("п’ятнадцять днів", "uk", [("15", "day")]),
        ("fifteen working days", "en", [("15", "day")]),
        ("сроки 3, 6 и 12 месяцев", "ru", [("3", "month"), ("6", "month"), ("12", "month")]),
        ("от 5 до 7 рабочих дней", "ru", [("5", "day"), ("7", "day")]),
        ("в 2026 году и 30 лет", "ru", [("2026", "calendar year"), ("30", "year")]),
        ("100 г сахара", "ru", [("100", "g")]),
        ("с 9:00 до 18:00", "ru", [("540", "clock"), ("1080", "clock")]),
        ("12,5 % годовых", "ru", [("12.5", "%")]),
        ("$5M or $5k", "en", [("5000000", "USD"), ("5000", "USD")]),
        ("temperature −5 °C", "en", [("-5", "°C")]),
        ("2025–2026, 5-10", "en", [("2025", None), ("2026", None), ("5", None), ("10", None)]),
        ("1,25,000 rupees", "en", [("125000", "INR")]),
    ],
)
def test_units_currencies_and_magnitudes(text, language, expected):
    assert units(text, language) == expected


@pytest.mark.parametrize("text", ["d3", "COVID19", "GPT4", "x_1", "a@1", "version 3.2.1"])
def test_codes_are_no_numbers_with_a_value(text):
    assert all(not n.values for n in find_numbers(text))


def test_russian_he_is_not_kazakh_ten():
    assert find_numbers("Он подписал договор", language="ru") == []
    assert values("он теңге", "kk") == [["10"]]


@settings(max_examples=400, deadline=None)
@given(st.text(max_size=50), st.sampled_from([None, "en", "ru", "uk", "kk", "de"]))
def test_reading_numbers_never_raises_and_says_where_they_stand(text, language):
    amounts = read_amounts(text, language)
    for piece in (*amounts.numbers, *amounts.dates):
        assert text[piece.start : piece.end] == piece.text


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="0123456789٣५.,'’٫٬ \u00a0-–%:₸$", max_size=30))
def test_runs_of_digits_and_separators_never_raise(text):
    for number in find_numbers(text):
        assert text[number.start : number.end] == number.text
        assert all(value.is_finite() for value in number.values)


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 10**12), st.integers(1, 99))
def test_a_number_grouped_in_any_locale_is_read_back(whole, cents):
    for language, group, mark in (("en", ",", "."), ("de", ".", ","), ("ru", "\u00a0", ","), ("fr", "\u202f", ",")):
        written = f"{whole:,}".replace(",", group) + f"{mark}{cents:02}"
        assert read_digits(written, language=language) == (Decimal(f"{whole}.{cents:02}"),)


def test_a_number_of_a_thousand_digits_is_kept_as_text():
    assert find_numbers("9" * 5000)[0].values == ()


def test_a_year_stands_in_a_date_of_that_year():
    wanted = read_amounts("in 2012").numbers[0]
    assert number_among(wanted, [read_amounts("on 6 August 2012")]) == "equal"
    assert number_among(wanted, [read_amounts("on 6 August 2013")]) == "different"


def test_a_date_is_found_in_another_form():
    wanted = read_amounts("1 марта 2026 года", "ru").dates[0]
    assert date_among(wanted, [read_amounts("2026-03-01")])
    assert not date_among(wanted, [read_amounts("2026-03-02")])
