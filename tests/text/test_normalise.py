"""Folding changes how text is compared, never where it stands."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtriage.text.normalise import fold, fold_digits, fold_text, nfc

TEXT = st.text(max_size=40)
LANGUAGES = st.sampled_from([None, "tr", "en", "az-Latn"])


def test_a_span_found_in_folded_turkish_text_points_at_the_original(shared):
    case = json.loads(shared("cases/inputs/B23.json").read_text(encoding="utf-8"))
    folded = fold(case["text"])
    at = folded.text.find(case["needle"])
    start, end = folded.original(at, at + len(case["needle"]))
    assert [start, end] == case["expected_span"]
    assert case["text"][start:end] == case["needle"]


def test_with_a_turkish_locale_dotted_and_dotless_i_match(shared):
    case = json.loads(shared("cases/inputs/B23.json").read_text(encoding="utf-8"))
    for first, second in case["names"]:
        assert fold(first, language="tr").text == fold(second, language="tr").text
    first, second = case["names"][1]
    assert fold(first).text != fold(second).text


@settings(max_examples=300, deadline=None)
@given(TEXT, LANGUAGES)
def test_folding_maps_every_code_point_back_in_order(text, language):
    folded = fold(text, language=language, digits=True)
    last = 0
    for i in range(len(folded.text)):
        start, end = folded.original(i, i + 1)
        assert 0 <= start < end <= len(text)
        assert start >= last or end > last
        last = start
    if folded.text:
        assert folded.original(0, len(folded.text)) == (0, len(text))


@settings(max_examples=300, deadline=None)
@given(TEXT)
def test_folding_is_the_canonical_casefold_of_unicode(text):
    expected = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
    assert unicodedata.normalize("NFC", fold(text).text) == expected


@settings(max_examples=200, deadline=None)
@given(TEXT)
def test_folded_digits_keep_the_length(text):
    assert len(fold_digits(text)) == len(text)


def test_a_span_outside_of_the_text_is_refused():
    with pytest.raises(ValueError, match=r"\[2, 9\)"):
        fold("ab").original(2, 9)


def test_composed_and_decomposed_letters_are_one_text():
    assert fold_text("cafe\u0301") == fold_text("CAFÉ")
    assert nfc("и\u0306") == "й"


def test_invisible_characters_and_curly_apostrophes_do_not_count():
    assert fold_text("об\u00adʼєкт") == fold_text("об'єкт") == fold_text("ОБ’ЄКТ")


def test_superscripts_and_circled_numbers_are_no_digits():
    assert fold_digits("x² ① ٣ ３ ३") == "x² ① 3 3 3"
