"""What must stay whole, in English, Russian, Ukrainian and Kazakh."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtriage.text.borders import borders
from ragtriage.text.wholes import wholes


def found(text: str, kind: str) -> list[str]:
    return [text[w.start : w.end] for w in wholes(text) if w.kind == kind]


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        ("4.2. The fee is 1 %.\nIt is due at once.\n4.3 Limits apply.\n\nText.",
         ["4.2. The fee is 1 %.\nIt is due at once.", "4.3 Limits apply."]),
        ("Article 7. Fees\nThe fee is 1 %.\n\nSection 8\nNone.",
         ["Article 7. Fees\nThe fee is 1 %.", "Section 8\nNone."]),
        ("Статья 12. Комиссии\nКомиссия 1 %.\n\nп. 3.2. Срок 5 дней.",
         ["Статья 12. Комиссии\nКомиссия 1 %.", "п. 3.2. Срок 5 дней."]),
        ("Стаття 5. Комісії\nРозмір 1 %.\n\n1.1. Строк п'ять днів.",
         ["Стаття 5. Комісії\nРозмір 1 %.", "1.1. Строк п'ять днів."]),
        ("5-бап. Комиссия\nМөлшері 1 %.\n\n3-тармақ. Мерзімі бес күн.",
         ["5-бап. Комиссия\nМөлшері 1 %.", "3-тармақ. Мерзімі бес күн."]),
        ("§ 5. Fees\nNone.", ["§ 5. Fees\nNone."]),
        ("The rate rose to\n1.5 млн, as\nп. 3.2 договора says, on\n12.03.26 Monday.", []),
    ],
)  # fmt: skip
def test_a_numbered_clause_reaches_to_the_next_one_or_a_blank_line(text: str, clauses: list[str]) -> None:
    assert found(text, "clause") == clauses


@pytest.mark.parametrize("mark", ["-", "*", "•", "1.", "2)", "(3)", "а)", "(b)", "ә)"])
def test_a_list_item_holds_its_wrapped_lines(mark: str) -> None:
    text = f"Список:\n{mark} первый\n  и дальше\n{mark} второй\n\nКонец."
    assert found(text, "item") == [f"{mark} первый\n  и дальше", f"{mark} второй"]


@pytest.mark.parametrize(
    "table",
    [
        "| a | b |\n|---|---|\n| 1 | 2 |",
        "Ставка | Срок | Сумма\n--- | --- | ---\n5 % | год | 100",
        "+---+---+\n| a | b |\n+---+---+",
        "Мерзімі\tМөлшері\tСомасы\n5\t6\t7",
        "<table><tr><td>\n\n1</td></tr></table>",
    ],
)
def test_a_table_is_one_piece_without_sentences_inside(table: str) -> None:
    text = f"Before it. And more.\n\n{table}\n\nBehind it."
    assert found(text, "table") == [table]
    assert found(text, "sentence") == ["Before it.", "And more.", "Behind it."]


def test_one_row_is_no_table() -> None:
    assert found("| a | b |", "table") == []


def test_code_stands_between_fences_and_holds_nothing_else() -> None:
    code = "```python\n- no item. No sentence.\n\n| no | table |\n|---|---|\n```"
    text = f"See. It works.\n\n{code}\n\n- an item"
    assert found(text, "code") == [code]
    assert found(text, "item") == ["- an item"]
    assert found(text, "table") == []
    assert found("~~~\nnever closed\n- x", "code") == ["~~~\nnever closed\n- x"]
    assert found("<pre>one.\ntwo.</pre> Three.", "code") == ["<pre>one.\ntwo.</pre>"]


@pytest.mark.parametrize(
    ("text", "at", "kinds"),
    [
        ("The fee is 1 %. It is due.", 8, {"sentence"}),
        ("Ставка 5 % с 2026 г. действует. Да.", 21, {"sentence"}),
        ("Ставка 5 % с 2026 г. действует. Да.", 32, set()),
        ("Розмір комісії 1 %. Строк.", 7, {"sentence"}),
        ("Мөлшері 1 %. Мерзімі бес күн.", 20, {"sentence"}),
        ("- One ends. Two ends.\n- Three.", 12, {"item"}),
        ("1.1. Одна. Другая.\n1.2. Третья.", 11, {"clause"}),
        ("| a | b |\n|---|---|\n| 1 | 2 |", 20, {"table"}),
        ("```\none\ntwo\n```", 8, {"code"}),
        ("One.\n\nTwo.", 5, set()),
    ],
)
def test_a_border_says_what_it_cuts(text: str, at: int, kinds: set[str]) -> None:
    [border] = borders(text, [(at, len(text)), (0, at)])
    assert border.cuts == kinds


def test_what_an_overlap_holds_whole_is_not_cut() -> None:
    text = "One is here. Two is here. Three is here."
    assert [b.cuts for b in borders(text, [(0, 20), (13, 40)])] == [frozenset()]
    assert [b.cuts for b in borders(text, [(0, 20), (14, 40)])] == [{"sentence"}]


def test_a_piece_over_several_chunks_is_cut_by_each_border_and_what_lies_in_a_gap_by_none() -> None:
    text = "word " * 9 + "end. Other. Last."
    assert [b.cuts for b in borders(text, [(0, 10), (10, 20), (20, 49), (50, 66)])] == [{"sentence"}] * 2 + [
        frozenset()
    ]
    assert [b.cuts for b in borders(text, [(0, 49), (57, 62)])] == [frozenset()]


def test_a_chunk_inside_another_makes_no_border() -> None:
    assert borders("One ends. Two ends.", [(0, 19), (0, 9), (3, 12), (0, 19), (5, 5)]) == []


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.sampled_from(["- a\n", "| a | b |\n", "|---|---|\n", "```\n", "1.1. A. ", "B c. ", "\n", "# H\n", " "]),
        max_size=20,
    ).map("".join)
)
def test_pieces_are_trimmed_lie_in_the_text_and_one_of_a_kind_never_overlaps_another(text: str) -> None:
    pieces = wholes(text)
    assert all(text[w.start : w.end] == text[w.start : w.end].strip() != "" for w in pieces)
    for kind in ("table", "item", "clause", "code", "sentence"):
        same = [w for w in pieces if w.kind == kind]
        assert all(a.end <= b.start for a, b in itertools.pairwise(same))


def test_hostile_texts_take_linear_time_and_a_tag_that_is_never_closed_holds_nothing() -> None:
    for text in (
        "<table>" * 20_000,
        "<pre " * 20_000,
        "| a " * 20_000,
        "a\t" * 50_000,
        "```\n" * 20_001,
        "1.1. A\n" * 20_000,
    ):
        wholes(text)
    assert found("<table> One. Two.", "table") == []
    assert found("<table><tr><td><table></table> x</td></tr></table>", "table") == [
        "<table><tr><td><table></table> x</td></tr></table>"
    ]
