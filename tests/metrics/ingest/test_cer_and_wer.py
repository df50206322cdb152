"""CER and WER against jiwer, value for value."""

from __future__ import annotations

import json

import jiwer
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ragtriage.core.extraction_views import ExtractionView
from ragtriage.core.score import Undefined, Value
from ragtriage.metrics.ingest.cer import cer
from ragtriage.metrics.ingest.wer import wer

SPACES = st.sampled_from(" \t\n\r\v\f\u00a0\u2003\u2028\u3000\x1c\x85abcé")
PIECES = st.sampled_from(["e\u0301", "é", "😀", "\U0001d538", "a", "moons", "  ", " ", "\n", "\t \n", "\u200b"])
ODD = st.text(SPACES | st.characters(codec="utf-8"), max_size=25) | st.lists(PIECES).map("".join)


@settings(max_examples=400, deadline=None)
@given(ODD, ODD)
@example("a\nb", "a b")
@example(" \u3000a  b ", "a b")
@example("e\u0301 \U0001d538", "é 𝔸")
def test_both_equal_jiwer_on_any_text(reference, extracted):
    view = ExtractionView(reference, extracted)
    for ours, theirs in ((cer(view), jiwer.cer), (wer(view), jiwer.wer)):
        if isinstance(ours, Value):
            assert ours.value == theirs(reference, extracted)
        else:
            assert not reference.strip()


def test_an_empty_reference_has_insertions_only():
    view = ExtractionView(" \n", "two words")
    assert cer(view) == Undefined("insertions only: 9 characters")
    assert wer(view) == Undefined("insertions only: 2 words")
    assert cer(ExtractionView("", " ")) == wer(ExtractionView("", " ")) == Undefined("the reference is empty")


def test_what_was_not_extracted_has_no_error_rate_and_an_empty_text_has_lost_all():
    assert cer(ExtractionView("two words", None)) == wer(ExtractionView("a", None))
    assert isinstance(cer(ExtractionView("two words", None)), Undefined)
    assert cer(ExtractionView("two words", "")) == Value(1.0, 9)
    assert wer(ExtractionView("two words", "")) == Value(1.0, 2)


def test_both_equal_jiwer_and_the_published_cer_on_every_line_of_old_newspapers(shared):
    lines = [json.loads(line) for line in (shared("data/ocr_bln600") / "pairs.jsonl").read_text().splitlines()]
    assert len(lines) == 1410
    errors = length = published = 0
    for line in lines:
        view = ExtractionView(line["Ground Truth"], line["OCR Text"])
        ours = cer(view)
        assert ours.value == jiwer.cer(view.reference, view.extracted)
        assert wer(view).value == jiwer.wer(view.reference, view.extracted)
        published += ours.value == pytest.approx(float(line["CER"]), abs=1e-9)
        errors, length = errors + ours.value * ours.support, length + ours.support
    assert published / len(lines) > 0.95  # theirs treats some white space otherwise
    together = jiwer.cer([line["Ground Truth"] for line in lines], [line["OCR Text"] for line in lines])
    assert errors / length == pytest.approx(together)
