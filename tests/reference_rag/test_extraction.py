"""What a question says about where its answer stands."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest

from ragtriage.core.records import Document
from ragtriage.core.system import Question
from reference_rag.dates import day_in
from reference_rag.extraction import PredicateExtraction


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("What was the rate on 1 March 2026?", date(2026, 3, 1)),
        ("on March 1st, 2026", date(2026, 3, 1)),
        ("in February 2024", date(2024, 2, 29)),
        ("Какая ставка была в марте 2025 года?", date(2025, 3, 31)),
        ("на 1 марта 2026", date(2026, 3, 1)),
        ("Яка ставка була 15 липня 2025 року?", date(2025, 7, 15)),
        ("у квітні 2026", date(2026, 4, 30)),
        ("2026 жылғы 5 наурызда", date(2026, 3, 5)),
        ("as of 2026-01-20", date(2026, 1, 20)),
        ("01.03.2026", date(2026, 3, 1)),
        ("from 2 May 2025 to 3 June 2026", date(2025, 5, 2)),
        ("on 31 February 2026", None),
        ("2026-13-01", None),
        ("May I pay 2026 tenge?", None),
        ("through the market 2026", None),
        ("no date", None),
    ],
)
def test_a_day_is_read_in_four_languages(text: str, day: date | None) -> None:
    assert day_in(text) == day


@pytest.fixture
def extraction(bank: tuple[Document, ...]) -> Callable[..., PredicateExtraction]:
    def made(*, hard: tuple[str, ...] = ("valid_on",), now: date | None = None) -> PredicateExtraction:
        return PredicateExtraction.of(bank, hard=hard, now=now)

    return made


def said(extraction: PredicateExtraction, text: str, **fields: Any) -> dict[str, tuple[str, object, str]]:
    return {p.field: (p.op, p.value, p.mode) for p in extraction.extract(Question(text, "c", **fields))}


def test_language_product_and_day_are_read_off_the_question(
    extraction: Callable[..., PredicateExtraction],
) -> None:
    assert said(extraction(), "Какая ставка по автокредиту была 1 мая 2025 года?") == {
        "locale": ("==", "ru-KZ", "soft"),
        "product": ("==", "car_loan", "soft"),
        "valid_on": ("==", "2025-05-01", "hard"),
    }


def test_the_date_of_asking_comes_before_the_question_and_that_before_now(
    extraction: Callable[..., PredicateExtraction],
) -> None:
    by_now = extraction(now=date(2024, 1, 1))
    asked = said(by_now, "deposit on 1 May 2025", as_of=date(2026, 11, 15))
    assert asked["valid_on"][1] == "2026-11-15"
    assert said(by_now, "deposit on 1 May 2025")["valid_on"][1] == "2025-05-01"
    assert said(by_now, "deposit")["valid_on"][1] == "2024-01-01"
    assert "valid_on" not in said(extraction(), "deposit")


def test_two_products_are_alternatives_and_more_say_nothing(extraction: Callable[..., PredicateExtraction]) -> None:
    assert said(extraction(), "deposit or card")["product"] == ("in", ["card", "deposit"], "soft")
    assert "product" not in said(extraction(), "deposit, card or car")


def test_a_field_named_hard_filters(extraction: Callable[..., PredicateExtraction]) -> None:
    assert said(extraction(hard=("locale",)), "deposit", as_of=date(2026, 1, 1)) == {
        "locale": ("==", "en-KZ", "hard"),
        "product": ("==", "deposit", "soft"),
        "valid_on": ("==", "2026-01-01", "soft"),
    }


def test_a_corpus_that_does_not_tell_languages_apart_gets_no_predicate_on_them() -> None:
    plain = PredicateExtraction.of([Document(doc_id="d", text="x", language="en")], hard=(), now=None)
    assert plain.extract(Question("What is it?", "c")) == ()


def test_without_locales_the_language_itself_is_the_predicate() -> None:
    two = [Document(doc_id=name, text="x", language=name) for name in ("en", "ru")]
    assert said(PredicateExtraction.of(two, hard=(), now=None), "Что это?") == {"language": ("==", "ru", "soft")}
