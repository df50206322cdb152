"""Passages in which two texts differ."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ragtriage.text.differences import Passage, differing_passages

WORDS = st.lists(st.sampled_from(["a", "b", "c", "dd"]), max_size=12).map(" ".join)


@given(WORDS, WORDS)
def test_equal_texts_differ_nowhere_and_others_somewhere(reference, extracted):
    assert (differing_passages(reference, extracted) == ()) == (reference == extracted)
    for passage in differing_passages(reference, extracted):
        assert passage.reference != passage.extracted
        assert passage.reference in reference
        assert passage.extracted in extracted


def test_the_largest_changes_come_in_the_order_of_the_text():
    reference = "one two three four five six seven eight nine ten"
    extracted = "one 2 three four five six SEVENTH EIGHTH nine ten eleventh"
    assert differing_passages(reference, extracted, most=2) == (
        Passage("one two three four five six", "seven eight", "SEVENTH EIGHTH", "nine ten"),
        Passage("five six seven eight nine ten", "", "eleventh", ""),
    )


def test_a_long_loss_is_shown_by_its_ends():
    (lost,) = differing_passages(" ".join(f"w{i}" for i in range(100)), "")
    assert lost.reference.startswith("w0 w1")
    assert "… 82 words …" in lost.reference
    assert lost.reference.endswith("w99")
    assert (lost.extracted, lost.before, lost.after) == ("", "", "")
