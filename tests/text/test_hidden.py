"""What a text hides, and what only looks so."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtriage.core.extraction_views import TextView
from ragtriage.core.score import Undefined, Value
from ragtriage.metrics.ingest.invisible_characters import invisible_characters
from ragtriage.metrics.ingest.unicode_stability import unicode_stability
from ragtriage.text.hidden import hidden_in


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("pay\u200bment", "zero width"),
        ("pay\u200cment", "zero width"),
        ("pay\u200dment", "zero width"),
        ("pay\u2060ment", "zero width"),
        ("pay\ufeffment", "zero width"),
        ("hi\U000e0041\U000e0042", "zero width"),
        ("a\ufe00\ufe01\ufe02", "zero width"),
        ("abc\u202edef", "bidi control"),
        ("abc\u2066def\u2069", "bidi control"),
        ("עברית\u200f", "bidi control"),
        ("trans\u00adfer", "soft hyphen"),
        ("Р\u0430yment", "letter of another script"),  # Cyrillic Р and а
        ("p\u0430yment", "letter of another script"),
        ("тариф\u0061", "letter of another script"),  # Latin a
        ("Кoмиссия", "letter of another script"),  # Latin o
        ("\u039fne", "letter of another script"),  # Greek Ο
        ("қазaқ", "letter of another script"),  # Latin a in a Kazakh word
    ],
)
def test_what_a_reader_does_not_see_is_found(text, kind):
    assert {found.kind for found in hidden_in(text)} == {kind}
    assert invisible_characters(TextView(text)) == Value(1.0, 1)


@pytest.mark.parametrize(
    "text",
    [
        "می\u200cخواهم",  # Persian needs the non-joiner
        "کتاب\u200cها",
        "ه\u200d",  # an abbreviation that keeps its joining shape
        "क्\u200dष और क्\u200cष",  # Hindi
        "ശ്\u200dറീ",
        "ක්\u200dෂ",
        "👩🏽\u200d💻 👨\u200d👩\u200d👧 🏳️\u200d🌈 ❤️",
        "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",  # the flag of Scotland
        "ភាសា\u200bខ្មែរ",  # Khmer divides words by it
        "3D-принтер, SMSка, IT-отдел, кВт·ч, μm, Ωm, α-тест",
        "Комиссия, комісія, төлем, fee",
        "ґудзик і їжак, Әріп",
        "plain ASCII",
    ],
)
def test_what_a_script_needs_is_not_hidden(text):
    assert list(hidden_in(text)) == []
    assert invisible_characters(TextView(text)) == Value(0.0, 1)


def test_places_are_those_of_the_text():
    text = "a\u00adb тaриф"
    assert [(text[h.start : h.end], h.kind) for h in hidden_in(text)] == [
        ("\u00ad", "soft hyphen"),
        ("тaриф", "letter of another script"),
    ]


@given(st.text(max_size=30))
def test_stability_is_that_of_unicodedata(text):
    stable = unicodedata.normalize("NFC", text) == unicodedata.normalize("NFKC", text)
    assert unicode_stability(TextView(text)) == Value(float(stable), 1)


def test_a_document_that_was_not_extracted_has_neither():
    assert isinstance(unicode_stability(TextView(None)), Undefined)
    assert isinstance(invisible_characters(TextView(None)), Undefined)
