"""Words of any script, and their places."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtriage.text.tokens import count_words, tokens, words


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=60))
def test_every_token_stands_where_it_says_and_in_order(text):
    last = 0
    for token in tokens(text):
        assert text[token.start : token.end] == token.text
        assert token.start >= last
        assert token.end > token.start
        last = token.end


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Возврат средств", ["возврат", "средств"]),
        ("धनवापसी चौदह दिनों", ["धनवापसी", "चौदह", "दिनों"]),
        ("退款在十四天", ["退", "款", "在", "十", "四", "天"]),
        ("カード番号123", ["カ", "ー", "ド", "番", "号", "123"]),
        ("สวัสดี ๑๒", ["ส", "วั", "ส", "ดี", "12"]),
        ("ກຳ", ["ກຳ"]),
        ("ភាសា", ["ភា", "សា"]),
        ("Café, don't — 3.5!", ["café", "don", "t", "3", "5"]),
        ("Об'єкт п’ять", ["об'єкт", "п'ять"]),
        ("می‌خواهم", ["می\u200cخواهم"]),
        ("", []),
        ("... — !", []),
    ],
)
def test_words_of_many_scripts(text, expected):
    assert words(text) == expected
    assert count_words(text) == len(expected)


def test_a_combining_mark_stays_with_its_letter():
    assert [t.text for t in tokens("cafe\u0301 x")] == ["cafe\u0301", "x"]
