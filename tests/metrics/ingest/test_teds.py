"""TEDS against the numbers of PubTabNet's tables, against apted on the same trees, and by hand."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import lxml.html
import pytest
from apted import APTED, Config
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from ragtriage.core.score import Undefined, Value
from ragtriage.core.table_views import TablesView
from ragtriage.metrics.ingest.teds import teds
from ragtriage.metrics.ingest.teds_structure import teds_structure
from ragtriage.text import tree_distance

GOLD = "<table><tr><td>Year</td><td>Sales</td></tr><tr><td>2023</td><td>10</td></tr></table>"


def pair(reference: str, extracted: str) -> TablesView:
    return TablesView((reference,), (extracted,))


class Node:
    """A node as the published algorithm has it."""

    def __init__(self, element: lxml.html.HtmlElement) -> None:
        self.tag = element.tag
        self.spans = (element.get("colspan", "1"), element.get("rowspan", "1"))
        self.content = tokens(element) if element.tag == "td" else []
        self.children = [Node(child) for child in element] if element.tag != "td" else []

    def size(self) -> int:
        return 1 + sum(child.size() for child in self.children)


def tokens(element: lxml.html.HtmlElement) -> list[str]:
    found = list(element.text or "")
    for child in element:
        found += [f"<{child.tag}>", *tokens(child), f"</{child.tag}>", *(child.tail or "")]
    return found


class Costs(Config):
    def rename(self, node1: Node, node2: Node) -> float:
        if node1.tag != node2.tag or node1.spans != node2.spans:
            return 1.0
        if not node1.content and not node2.content:
            return 0.0
        return float(Levenshtein.normalized_distance(node1.content, node2.content))


def by_apted(first: str, second: str) -> float:
    one, other = (Node(lxml.html.fromstring(html)) for html in (first, second))
    return 1 - APTED(one, other, Costs()).compute_edit_distance() / max(one.size(), other.size())


@pytest.mark.parametrize("numba", [True, False])
def test_real_tables_have_the_expected_values(
    shared: Callable[[str], Path],
    monkeypatch: pytest.MonkeyPatch,
    numba: bool,  # noqa: FBT001
) -> None:
    folder = shared("data/pubtabnet")
    truth, predicted, expected = (
        json.loads((folder / f"{name}.json").read_text()) for name in ("gt", "pred", "teds_expected")
    )
    if not numba:
        monkeypatch.setattr(tree_distance, "_compiled", lambda: None)
    assert len(expected) == 10
    for name, values in expected.items():
        view = pair(truth[name]["html"], predicted[name])
        for score, value in (
            (teds(view), values["teds_inline_tags"]),
            (teds(view, profile="text"), values["teds_text"]),
            (teds_structure(view), values["teds_structure"]),
            (teds_structure(view, profile="text"), values["teds_structure"]),
        ):
            assert isinstance(score, Value)
            assert score.value == pytest.approx(value, abs=1e-6)


CELLS = st.builds(
    "<td{}>{}</td>".format,
    st.sampled_from(["", "", "", ' colspan="2"', ' rowspan="2"']),
    st.sampled_from(["1", "12", "123", "fee", "Fees", "<b>fee</b>", "a<br>b", "&lt;b&gt;", "退款"]),
)
ROWS = st.lists(CELLS, min_size=1, max_size=4).map(lambda cells: f"<tr>{''.join(cells)}</tr>")
BODIES = st.lists(ROWS, min_size=1, max_size=5).map("".join)
TABLES = st.builds("<table>{}</table>".format, BODIES) | st.builds(
    "<table><thead>{}</thead><tbody>{}</tbody></table>".format, ROWS, BODIES
)


@settings(max_examples=200, deadline=None)
@given(TABLES, TABLES)
def test_random_tables_have_the_values_of_apted(first: str, second: str) -> None:
    score = teds(pair(first, second))
    assert isinstance(score, Value)
    assert score.value == pytest.approx(by_apted(first, second), abs=1e-6)


@settings(max_examples=100, deadline=None)
@given(TABLES, TABLES)
def test_it_is_the_same_both_ways_and_1_for_the_table_itself(first: str, second: str) -> None:
    assert teds(pair(first, second)) == teds(pair(second, first))
    assert teds(pair(first, first)) == Value(1.0, 1)


def test_optional_markup_costs_nothing_in_the_profile_content_and_an_empty_table_scores_0(
    shared: Callable[[str], Path],
) -> None:
    case = json.loads(shared("cases/inputs/B63.json").read_text())
    values = [teds(pair(case["gold"], predicted), profile="content") for predicted in case["pred"]]
    assert values == [Value(1.0, 1), Value(1.0, 1), Value(0.0, 1), Value(0.0, 1)]
    wrapped = f"<html><body>{case['gold']}</body></html>"
    assert teds(pair(wrapped, case["gold"])) == Value(1.0, 1)
    for empty in ("", "<table></table>"):
        assert isinstance(teds(pair(empty, empty)), Undefined)
        assert isinstance(teds(pair(empty, empty), profile="content"), Undefined)


def test_nothing_is_normalised_as_published() -> None:
    body = GOLD.replace("<table>", "<table><tbody>").replace("</table>", "</tbody></table>")
    header = GOLD.replace("<td>Year</td><td>Sales</td>", "<th>Year</th><th>Sales</th>")
    assert teds(pair(GOLD, body)) == Value(1 - 1 / 8, 1)  # one tbody inserted, 8 nodes
    assert teds(pair(GOLD, header)) == Value(1 - 2 / 7, 1)  # two cells renamed, 7 nodes
    assert teds(pair(GOLD, "<table></table>")) == Value(1 - 6 / 7, 1)


def test_spans_must_match_and_the_structure_ignores_what_cells_hold() -> None:
    wide = GOLD.replace("<td>Year</td>", '<td colspan="2">Yearly</td>')
    assert teds(pair(GOLD, wide)) == Value(1 - 1 / 7, 1)
    misread = GOLD.replace("2023", "2028").replace("Sales", "S<b>a</b>les")
    assert teds_structure(pair(GOLD, misread)) == Value(1.0, 1)
    assert teds(pair(GOLD, misread)).value == pytest.approx(1 - (1 / 4 + 2 / 7) / 7, abs=1e-9)
    assert teds(pair(GOLD, misread), profile="text").value == pytest.approx(1 - (1 / 4) / 7, abs=1e-9)


def test_the_tables_of_a_document_are_paired_by_what_they_hold() -> None:
    other = "<table><tr><td>Fee</td><td>1 %</td></tr></table>"
    lost = TablesView((GOLD, other), (other,))
    assert teds(lost) == Value(0.5, 2)  # the first is lost, the second whole
    assert teds(TablesView((GOLD, other), (other, GOLD))) == Value(1.0, 2)
    assert teds(TablesView((other,), (GOLD, other))) == Value(0.5, 2)  # one was made up
    assert teds(TablesView((GOLD, GOLD), (GOLD, GOLD))) == Value(1.0, 2)
    assert teds(TablesView((GOLD, ""), (GOLD,))) == Value(1.0, 1)  # one that is empty on both sides is none


def test_without_tables_there_is_nothing_to_measure() -> None:
    assert teds(TablesView((), ())) == Undefined("both sides have no table cell")
    assert teds(TablesView((GOLD,), None)) == Undefined("no tables were extracted")
    assert teds(TablesView((GOLD,), ())) == Value(0.0, 1)
    assert teds(TablesView((), (GOLD,))) == Value(0.0, 1)


def test_tables_too_large_to_compare_are_undefined_and_say_so() -> None:
    rows = [f"<tr>{''.join(f'<td>{i * 10 + j}</td>' for j in range(10))}</tr>" for i in range(600)]
    large = f"<table>{''.join(rows)}</table>"
    turned = f"<table>{''.join(rows[::-1])}</table>"
    score = teds(pair(large, turned))
    assert isinstance(score, Undefined)
    assert "6601 and 6601 nodes are too large" in score.reason
    assert teds(pair(large, large)) == Value(1.0, 1)  # what is equal is never too large
    assert teds(pair(large, large.replace("<td>5995</td>", "<td>5996</td>"))).value == pytest.approx(1 - 0.25 / 6601)


def test_a_cell_that_holds_a_private_character_is_no_inline_tag() -> None:
    private = GOLD.replace("Year", "\U000f0000Year")
    tagged = GOLD.replace("Year", "<img>Year")
    assert teds(pair(private, tagged)).value == pytest.approx(1 - (2 / 6) / 7)
