"""When two forms are one word, what carries content, and what is denied."""

from __future__ import annotations

import pytest

from ragtriage.text.content import WordSet, content_words, same_word
from ragtriage.text.entities import find_entities
from ragtriage.text.language import guess_language, language_of
from ragtriage.text.markers import blank_markers
from ragtriage.text.negation import negated_words, negations


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("заявление", "заявления"), ("подаётся", "подать"), ("комиссией", "комиссии"), ("отделение", "отделениях"),
        ("погашение", "погашения"), ("заблокувати", "заблокуйте"), ("переказ", "переказів"), ("картка", "картки"),
        ("карта", "карталарының"), ("аударым", "аударымдар"), ("төлем", "төлемді"), ("fee", "fees"),
        ("policy", "policies"), ("charge", "charged"), ("landing", "landed"), ("жыл", "жылы"),
    ],
)  # fmt: skip
def test_inflected_forms_are_one_word(first, second):
    assert same_word(first, second)
    assert same_word(second, first)
    assert first in WordSet([second])


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("company", "compare"), ("contract", "control"), ("процент", "процесс"),
        ("кар", "карта"), ("a1", "a12"), ("car", "care"), ("банк", "бант"), ("приложение", "предложение"),
    ],
)  # fmt: skip
def test_words_that_only_begin_alike_are_not(first, second):
    assert not same_word(first, second)
    assert first not in WordSet([second])


def test_stop_words_and_bare_numbers_carry_no_content():
    found = content_words("The fee is 5 and it was not charged")
    assert [w.text for w in found] == ["fee", "charged"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Комиссия не взимается", ["взимается"]),
        ("кешбэк берілмейді", ["берілмейді"]),
        ("бұл мүмкіндік жоқ", ["мүмкіндік"]),
        ("no fee is charged", ["fee"]),
        ("It is not significantly lower", ["significantly", "lower"]),
        ("не менее 5 000 ₸ и не более двух раз", []),
        ("not only cash", []),
    ],
)
def test_a_negation_denies_the_next_word(text, expected):
    words = content_words(text)
    assert [words[i].text for i in sorted(negated_words(text, words))] == expected


def test_polite_kazakh_forms_deny_nothing():
    assert negations("Сіз картаны ала аласыз") == []
    assert negations("Комиссиясыз беріледі") != []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Какая комиссия за перевод?", "ru"), ("Яка комісія за переказ?", "uk"), ("Аударым комиссиясы қанша?", "kk"),
        ("Интернеттегі сатып алу лимиті айына", "kk"), ("The fee is charged once", "en"), ("退款在十四天内", "zh"),
        ("これは本です", "ja"), ("الوديعة", "ar"), ("धनवापसी", "hi"), ("Die Gebühr ist nicht fällig", "de"),
        ("42", None),
    ],
)  # fmt: skip
def test_the_language_shows_in_letters_and_common_words(text, expected):
    assert guess_language(text) == expected


def test_a_short_text_is_taken_to_be_of_its_case_language():
    assert language_of("Он екі ай", "kk") == "kk"
    assert language_of("The fee is charged once", "kk") == "en"


def test_citation_marks_leave_and_offsets_stay():
    text = "Fee 1% [2], due [doc-7; doc-9] or [sic] [link](x)"
    blanked = blank_markers(text, {"doc-7", "doc-9"})
    assert len(blanked) == len(text)
    assert "2" not in blanked
    assert "doc" not in blanked
    assert "[sic] [link](x)" in blanked


def test_entities_are_told_by_form():
    text = "Спросите Анну Берг из Kaspi Bank: help@bank.kz, https://bank.kz/a, форма R-14, до 50 000 долларов США."
    assert [(e.kind, e.text) for e in find_entities(text)] == [
        ("name", "Анну Берг"),
        ("name", "Kaspi Bank"),
        ("email", "help@bank.kz"),
        ("url", "https://bank.kz/a"),
        ("code", "R-14"),
    ]
