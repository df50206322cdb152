"""Where sentences and clauses end."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtriage.text.clauses import clauses
from ragtriage.text.sentences import sentences

LINES = st.lists(
    st.sampled_from(
        ["# Fees", "- item 1.", "| a | b |", "|---|---|", "A. B c.", "Цена 5 000 ₸. Да!", "完了。次", "", "  x"]
    ),
    max_size=6,
).map("\n".join)


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(max_size=60), LINES))
def test_every_sentence_and_clause_stands_where_it_says(text):
    last = 0
    for sentence in sentences(text):
        assert text[sentence.start : sentence.end] == sentence.text
        assert sentence.start >= last
        last = sentence.end
        inner = 0
        for clause in clauses(sentence.text):
            assert sentence.text[clause.start : clause.end] == clause.text
            assert clause.start >= inner
            inner = clause.end


@settings(max_examples=200, deadline=None)
@given(st.one_of(st.text(max_size=60), LINES))
def test_no_word_of_the_text_is_lost(text):
    kept = "".join(c for s in sentences(text) for c in s.text if c.isalpha())
    marks = "".join(c for c in text if c.isalpha())
    assert len(kept) >= len(marks) - text.count("\n") - 1  # a list mark such as "a)" is no text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ставка 1.5 % с 2026 г. действует. См. п. 3.", ["Ставка 1.5 % с 2026 г. действует.", "См. п. 3."]),
        ("Договор от 2026 г. Банк платит.", ["Договор от 2026 г.", "Банк платит."]),
        ("Офис в г. Алматы закрыт. Да.", ["Офис в г. Алматы закрыт.", "Да."]),
        ("Mr. J. Smith, e.g. Bob, paid $1.5. Then he left.", ["Mr. J. Smith, e.g. Bob, paid $1.5.", "Then he left."]),
        ("Сумма 5 млн. тенге. Срок 3 мес.", ["Сумма 5 млн. тенге.", "Срок 3 мес."]),
        ("यह सच है। हाँ।", ["यह सच है।", "हाँ।"]),
        ("退款完成。请等待！", ["退款完成。", "请等待！"]),
        ("هل هذا صحيح؟ نعم.", ["هل هذا صحيح؟", "نعم."]),
        ('He said "Stop." Then left.', ['He said "Stop."', "Then left."]),
        ("It is 1%. [1] Next [2].", ["It is 1%. [1]", "Next [2]."]),
        ("prices of 7 . 8 per cent . Next .", ["prices of 7 . 8 per cent .", "Next ."]),
        ("1. First thing.\n2) Second thing.", ["First thing.", "Second thing."]),
        ("", []),
    ],
)
def test_full_stops_of_many_kinds(text, expected):
    assert [s.text for s in sentences(text)] == expected


def test_headings_rows_and_items_are_told_apart():
    text = "## Fees\n\n| Card | Fee |\n|---|---|\n| Start | 5 ₸ |\n\n- Free of\n  charge"
    assert [(s.kind, s.text) for s in sentences(text)] == [
        ("heading", "Fees"),
        ("header", "| Card | Fee |"),
        ("row", "| Start | 5 ₸ |"),
        ("item", "Free of\n  charge"),
    ]


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("Mars has two moons, Phobos and Deimos.", "en", 1),
        ("Нужны паспорт, ИИН и справка о доходах.", "ru", 1),
        ("Ставки 13,1 %, 13,7 % и 14,2 %.", "ru", 1),
        ("5 000 ₸ за карту, 3 000 ₸ за перевыпуск", "ru", 2),
        ("Если платёж просрочен, начисляется неустойка.", "ru", 1),
        ("Карту можно заказать в приложении, а получить её можно в отделении.", "ru", 2),
        ("The fee is 1%, which is charged once, and the review takes two days.", "en", 2),
        ("Комісію стягують одразу; повернення триває 3 дні.", "uk", 2),
        ("Комиссия 1 000,50 ₸", "ru", 1),
    ],
)
def test_a_sentence_is_cut_only_between_statements(text, language, expected):
    assert len(clauses(text, language=language)) == expected
