"""Words of four languages and numbers in many forms."""

from __future__ import annotations

import pytest

from reference_rag.languages import detect_language, stem
from reference_rag.tokens import numbers, terms, words


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("15 000 000 ₸", "15000000"),
        ("15\u00a0000\u202f000", "15000000"),
        ("1,000", "1000"),
        ("1.250,50", "1250.50"),
        ("1,250.50", "1250.50"),
        ("19,5 %", "19.5"),
        ("0,125", "0.125"),
        ("2026", "2026"),
        ("٥٠٠٠", "5000"),
        ("1,234,567", "1234567"),
    ],
)
def test_a_number_has_one_form(written: str, plain: str) -> None:
    assert numbers(written) == {plain}


def test_two_numbers_side_by_side_are_not_one() -> None:
    assert list(words("in 2025 10 cars, 5 2026")) == ["in", "2025", "10", "cars", "5", "2026"]


@pytest.mark.parametrize(
    ("one", "other", "language"),
    [
        ("кредита", "кредиту", "ru"),
        ("погашение", "погашения", "ru"),
        ("картка", "картки", "uk"),
        ("рахунок", "рахунок", "uk"),
        ("переказу", "перекази", "uk"),
        ("картаның", "картаға", "kk"),
        ("салымдар", "салымды", "kk"),
        ("deposits", "deposit", "en"),
        ("Swift".casefold(), "swift", "ru"),
    ],
)
def test_forms_of_one_word_share_a_stem(one: str, other: str, language: str) -> None:
    assert stem(one, language) == stem(other, language)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Какая ставка?", "ru"),
        ("Скільки коштує переказ?", "uk"),
        ("Карта қанша тұрады?", "kk"),
        ("What is the fee?", "en"),
        ("كم الرسوم؟", "ar"),
        ("12 345", None),
    ],
)
def test_the_language_of_a_question_shows_in_its_letters(text: str, language: str | None) -> None:
    assert detect_language(text) == language


def test_apostrophes_of_every_kind_stay_inside_a_word() -> None:
    assert list(words("п’ять п'ять пʼять bank's")) == ["п'ять", "п'ять", "п'ять", "bank"]


def test_stop_words_say_nothing() -> None:
    assert terms("What is the fee?", language="en") == ["fee"]
    assert terms("Какая комиссия за перевод?", language="ru") == [stem("комиссия", "ru"), stem("перевод", "ru")]
