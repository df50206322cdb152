"""Which headings a piece of a text stands under."""

from __future__ import annotations

import pytest

from ragtriage.text.sections import page_starts, sections_of


def path(text: str, piece: str) -> tuple[str, ...]:
    start = text.index(piece)
    return sections_of(text).path(start, start + len(piece))


TEXT = (
    "Before.\n\n# A #\n\nIn A.\n\n### C\n\nIn C.\n\n## B\n\nIn B.\n\n```\n# no heading\n```\n\n"
    "Still B.\n\n# D\n\n## E\n"
)


@pytest.mark.parametrize(
    ("piece", "expected"),
    [
        ("Before.", ()),
        ("In A.", ("A",)),
        ("In C.", ("A", "C")),
        ("In B.", ("A", "B")),
        ("Still B.", ("A", "B")),
        ("# A #\n\nIn A.", ("A",)),
        ("In A.\n\n### C\n\nIn C.", ("A",)),
        ("In C.\n\n## B\n\nIn B.", ("A",)),
        ("Before.\n\n# A #\n\nIn A.", ()),
        ("In A.\n\n### C", ("A",)),
        ("## B", ("A", "B")),
        ("# D\n\n## E", ("D", "E")),
    ],
)
def test_a_piece_stands_under_the_headings_that_all_its_statements_share(piece: str, expected: tuple[str, ...]) -> None:
    assert path(TEXT, piece) == expected


def test_underlined_and_html_headings_count_and_rules_do_not() -> None:
    text = "Fees\n====\n\nOne.\n\n<h2 id='x'>The <b>limits</b></h2><p>Two.</p>\n\nThree.\n\n---\n\n- item\n---\n\nFour."
    assert path(text, "One.") == ("Fees",)
    assert path(text, "Two.") == ("Fees", "The limits")
    assert path(text, "Four.") == ("Fees", "The limits")


def test_a_text_without_headings_has_no_path() -> None:
    assert sections_of("Plain.").path(0, 6) == ()
    assert sections_of("").path(0, 0) == ()


def test_pages_are_counted_by_form_feeds_blank_ones_too() -> None:
    assert page_starts("a\fb\f\fc") == [0, 2, 4, 5]
    assert page_starts("a\f \n") == [0]
    assert page_starts("no pages") == []


def test_hostile_texts_take_linear_time() -> None:
    for text in (
        "<h1>" * 20_000,
        "a" + " " * 100_000 + "x",
        "# a" + " " * 100_000 + "x",
        "<h1 " * 20_000,
        "=" * 100_000,
    ):
        sections_of(text)
