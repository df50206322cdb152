"""Personal data by form and checksum: published test numbers, and numbers whose check digits are worked out here."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtriage.text.personal_data import find_personal_data, luhn


def found(text):
    return [(span.label, text[span.start : span.end]) for span in find_personal_data(text)]


def test_the_case_b67(shared):
    texts = json.loads(shared("cases/inputs/B67.json").read_text())["texts"]
    assert [[label for label, _ in found(text)] for text in texts] == [["card"], ["card"], ["card"], [], []]


@pytest.mark.parametrize(
    "number",
    [  # test numbers that the schemes and payment companies publish
        "4111111111111111", "4222222222222", "5555555555554444", "2223003122003222", "2720990000000007",
        "378282246310005", "6011111111111117", "3530111333300000", "30569309025904", "38520000023237",
        "36227206271667", "6205500000000000004", "6759649826438453", "2200123456789019",
    ],
)  # fmt: skip
def test_cards_of_every_scheme_are_found_in_any_grouping(number):
    assert luhn(number)
    assert found(f"Карта {number}.") == [("card", number)]
    grouped = " ".join(number[i : i + 4] for i in range(0, len(number), 4))
    assert found(f"card: {grouped}!") == [("card", grouped)]
    assert found(f"x{number}") == []
    wrong = number[:-1] + str((int(number[-1]) + 1) % 10)
    assert "card" not in [label for label, _ in found(wrong)]


@pytest.mark.parametrize(
    "text",
    [
        "GB82 WEST 1234 5698 7654 32", "DE89370400440532013000", "FR1420041010050500013M02606",
        "KZ86 125K ZT50 0410 0100", "UA213223130000026007233566001",
    ],
)  # fmt: skip
def test_account_numbers_are_found_where_length_and_checksum_hold(text):
    assert found(f"IBAN {text}, bank") == [("iban", text)]
    digit = text[3]
    broken = text[:3] + str((int(digit) + 1) % 10) + text[4:]
    assert "iban" not in [label for label, _ in found(broken)]


def iin(first_eleven):
    check = sum(int(d) * w for d, w in zip(first_eleven, range(1, 12), strict=True)) % 11
    if check == 10:
        check = sum(int(d) * w for d, w in zip(first_eleven, [3, 4, 5, 6, 7, 8, 9, 10, 11, 1, 2], strict=True)) % 11
    return None if check == 10 else first_eleven + str(check)


@given(st.dates(), st.integers(1, 6), st.integers(0, 9999))
@settings(max_examples=100, deadline=None)
def test_an_iin_is_found_where_its_day_exists_and_its_check_holds(day, century, serial):
    number = iin(f"{day:%y%m%d}{century}{serial:04d}")
    if number is None:
        return
    assert found(f"ИИН {number}")[0][1] == number
    wrong = number[:-1] + str((int(number[-1]) + 1) % 10)
    assert "kz_iin" not in [label for label, _ in found(wrong)]


def test_a_number_of_twelve_digits_without_a_day_is_no_iin():
    number = iin("99133230001")  # the 33rd day of month 13
    assert number is None or "kz_iin" not in [label for label, _ in found(number)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("СНИЛС 112-233-445 95", [("ru_snils", "112-233-445 95")]),  # the example of the pension fund
        ("СНИЛС 112-233-445 96", []),
        ("ИНН 7707083893", [("ru_inn", "7707083893")]),  # a bank's own, published
        ("ИНН 7707083894", []),
        ("ИНН 500100732259", [("ru_inn", "500100732259")]),  # the tax service's example of a person
        ("РНОКПП 3184710691", [("ua_rnokpp", "3184710691")]),
        ("Позвоните +7 (701) 123-45-67 сегодня", [("phone", "+7 (701) 123-45-67")]),
        ("8 701 123 45 67", [("phone", "8 701 123 45 67")]),
        ("067 123 45 67", [("phone", "067 123 45 67")]),
        ("+380441234567", [("phone", "+380441234567")]),
        ("+44 20 7946 0958", [("phone", "+44 20 7946 0958")]),
        ("mail ivan.petrov+a@bank.kz, now", [("email", "ivan.petrov+a@bank.kz")]),
        ("почта@пример.рф", [("email", "почта@пример.рф")]),
        ("a@b", []),
        ("@name and name@", []),
        ("5 000 000 тенге или 8 000 000 000", []),
        ("1 000 000 000 теңге", []),  # whose digits are a tax number by their checksum
        ("1000000000", [("ua_rnokpp", "1000000000")]),
        ("с 01.03.2026 по 31.12.2026", []),
        ("версия 3.2.1, заказ 20261201", []),
        ("٤٢٤٢٤٢٤٢٤٢٤٢٤٢٤٢", [("card", "٤٢٤٢٤٢٤٢٤٢٤٢٤٢٤٢")]),
        ("", []),
    ],
)
def test_each_kind_is_found_and_what_only_looks_like_it_is_not(text, expected):
    assert found(text) == expected


@given(st.text(max_size=80))
@settings(max_examples=200, deadline=None)
def test_spans_lie_in_the_text_and_never_overlap(text):
    spans = find_personal_data(text)
    assert all(0 <= s.start < s.end <= len(text) for s in spans)
    assert all(a.end <= b.start for a, b in pairwise(spans))


def test_the_pages_of_the_bank_hold_none_but_published_phones(root):
    lines = (root / "examples" / "bank" / "corpus" / "documents.jsonl").read_text(encoding="utf-8").splitlines()
    kinds = {span.label for line in lines for span in find_personal_data(json.loads(line)["text"])}
    assert kinds <= {"phone", "email"}
