"""Tables of HTML against lxml where the markup is whole, and against the rules of browsers where it is not."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import lxml.html
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtriage.text.tables import Cell, Table, read_table, without_sections

Node = str | tuple[str, int, int, tuple[str, ...]]


def by_lxml(html: str) -> list[Node]:
    """The nodes of the first table in post order; the content of a cell as characters and tags."""
    parser = lxml.html.HTMLParser(remove_comments=True, encoding="utf-8")
    table = lxml.html.fromstring(html.encode(), parser=parser).xpath("//table")[0]
    found: list[Node] = []

    def content(element: lxml.html.HtmlElement) -> list[str]:
        inside = list(element.text or "")
        for child in element:
            inside += [f"<{child.tag}>", *content(child), f"</{child.tag}>", *(child.tail or "")]
        return inside

    def add(element: lxml.html.HtmlElement) -> None:
        if element.tag in {"td", "th"}:
            spans = (int(element.get("colspan", "1")), int(element.get("rowspan", "1")))
            found.append((element.tag, *spans, tuple(content(element))))
            return
        for child in element:
            if child.tag in {"thead", "tbody", "tfoot", "tr", "td", "th"}:
                add(child)
        found.append(element.tag)

    add(table)
    return found


def plain(table: Table | None) -> list[Node]:
    assert table is not None
    return [label if isinstance(label, str) else cell(label) for label in table.labels]


def cell(label: Cell) -> Node:
    tokens = [t for at, part in enumerate(label.content) for t in ((part,) if at % 2 else part)]
    return (label.tag, label.colspan, label.rowspan, tuple(tokens))


TEXTS = st.sampled_from(["", " ", "1", "a b", "&lt;b&gt;", "&amp;", "&nbsp;", "é", "退", "<!-- x -->", "&#8804; 5"])
INLINE = st.recursive(
    TEXTS,
    lambda inner: (
        st.builds("<{0}>{1}</{0}>".format, st.sampled_from(["b", "i", "sup", "span"]), inner)
        | st.builds("{}{}".format, inner, inner)
        | st.builds("{}<br>{}".format, inner, inner)
    ),
    max_leaves=4,
)
SPANS = st.sampled_from(["", ' colspan="2"', ' rowspan="3"', ' class="x" colspan="2" rowspan="2"', " COLSPAN=3"])
CELLS = st.builds("<{0}{2}>{1}</{0}>".format, st.sampled_from(["td", "th", "TD"]), INLINE, SPANS).map(
    lambda html: html.replace("</TD>", "</td>")
)
ROWS = st.lists(CELLS, max_size=4).map(lambda cells: f"<tr>{''.join(cells)}</tr>")
SECTIONS = st.builds(
    lambda tag, rows: f"\n<{tag}>\n{''.join(rows)}</{tag}>",
    st.sampled_from(["thead", "tbody", "tfoot"]),
    st.lists(ROWS, max_size=3),
)
PARTS = st.lists(SECTIONS | ROWS, max_size=4).map("".join)


@settings(max_examples=300, deadline=None)
@given(PARTS, st.sampled_from(["", ' border="1"', " border=1"]), st.booleans())
def test_whole_markup_is_read_as_lxml_reads_it(parts: str, border: str, page: bool) -> None:  # noqa: FBT001
    html = f"<table{border}><caption>Fees</caption><colgroup><col></colgroup>{parts}</table>"
    html = f"<html><body><p>Before</p>{html}<p>After</p></body></html>" if page else html
    assert plain(read_table(html)) == by_lxml(html)


def test_real_tables_are_read_as_lxml_reads_them(shared: Callable[[str], Path]) -> None:
    folder = shared("data/pubtabnet")
    truth = [one["html"] for one in json.loads((folder / "gt.json").read_text()).values()]
    predicted = list(json.loads((folder / "pred.json").read_text()).values())
    for html in [*truth, *predicted]:
        assert plain(read_table(html)) == by_lxml(html)


@pytest.mark.parametrize(
    ("html", "labels"),
    [
        ("<table><tr><td>1<td>2<tr><td>3</table>", "td td tr td tr table"),  # end tags left out
        ("<table><td>1</td></table>", "td tr table"),  # a cell opens a row
        ("<table><thead><tr><th>1<tbody><tr><td>2", "th tr thead td tr tbody table"),  # the file ends
        ("<tr><td>0</td></tr><table><tr><td>1</td></tr></table>", "td tr table"),  # before the table
        ("<table><tr><td>1</td></tr></table><table><tr><td>2</td><td>3</td></tr></table>", "td tr table"),
        ("<table><tr><td><table><tr><td>in</td></tr></table></td><td>2</td></tr></table>", "td td tr table"),
        ("<table><tr><td>1</tr></td></table>", "td tr table"),  # crossed
        ("<table></tr></td><tr></tr></table>", "tr table"),  # ended and never begun
        ("<table><caption>a <table><tr><td>x</td></tr></table></caption><tr><td>1</td></tr></table>", "td tr table"),
        ("<table>", "table"),
        ("<TABLE><TR><TD>1</TD></TR></TABLE>", "td tr table"),
        ("<table><thead></thead><tr><td>1</td></tr></table>", "thead td tr table"),
    ],
)
def test_broken_markup_is_read_as_a_browser_would(html: str, labels: str) -> None:
    table = read_table(html)
    assert table is not None
    assert [label if isinstance(label, str) else label.tag for label in table.labels] == labels.split()
    assert len(table.starts) == len(table.labels)
    assert all(0 <= start <= at for at, start in enumerate(table.starts))


@pytest.mark.parametrize(
    ("inside", "text"),
    [
        ("a < b", "a < b"),
        ("1<2", "1<2"),
        ("a<!-- <td>x</td> -->b", "ab"),
        ("a<!-->b", "ab"),
        ("a<![x]>b", "ab"),
        ("a<?php x ?>b", "ab"),
        ("a</3>b", "ab"),
        ("a<!-- never ended <td>b</td>", "a"),
        ("a<b", "a"),  # the file ends inside a tag
        ("&lt;td&gt; &amp &eacute;", "<td> & é"),
        ("a<script>if (a</td>b) {}</script>b", "aif (a</td>b) {}b"),
        ("a<script>never ended</td>", "anever ended</td>"),
        ('a<b title="<td> > 1">b</b>', "ab"),
        ("a<b title='</td>' x=\"y\" z=it's>b</b>", "ab"),
    ],
)
def test_text_is_what_a_browser_shows(inside: str, text: str) -> None:
    table = read_table(f"<table><tr><td>{inside}")
    assert table is not None
    assert isinstance(table.labels[0], Cell)
    assert table.labels[0].text == text
    assert table.labels[1:] == ("tr", "table")


@pytest.mark.parametrize(
    "part",
    ["<", "<!--", "<!-- >", "<!x", "<?x", "<![x", "</x", "<a ", "<b>", "<p>", "<script>", "<![CDATA[", "&#", "<td =",
     "<table>", "<td>1", "</b>", '<a b="', "<a b='>", "<table><tr><td>", "<b></i>", '<a b="x>"', "<title>", "<i><b>"],
)  # fmt: skip
def test_broken_markup_of_any_length_is_read(part: str) -> None:
    """20,000 times the same: where the time grew with the square of the length, the test would run out of it."""
    for before in ("<table>", "<table><tr><td>x", ""):
        table = read_table(before + part * 20_000)
        assert table is None or table.labels[-1] == "table"


def test_what_holds_no_table_is_none() -> None:
    for html in ("", "text", "<td>1</td>", "<p>a</p></table>", "<tab", "<!-- <table> -->"):
        assert read_table(html) is None


def test_the_tags_inside_a_cell_are_ended_where_the_cell_ends() -> None:
    table = read_table("<table><tr><td>a<b>b<i>c</td><td>d</b></td></tr></table>")
    assert table is not None
    assert plain(table)[:2] == [
        ("td", 1, 1, ("a", "<b>", "b", "<i>", "c", "</i>", "</b>")),
        ("td", 1, 1, ("d",)),
    ]


@pytest.mark.parametrize(
    ("given_as", "span"),
    [("2", 2), (" 3 ", 3), ("+2", 2), ("2.5", 2), ("x", 1), ("", 1), ("-1", 1), ("9" * 5000, 999_999_999)],
)
def test_a_span_is_the_number_that_it_begins_with(given_as: str, span: int) -> None:
    table = read_table(f'<table><tr><td colspan="{given_as}">1</td></tr></table>')
    assert table is not None
    assert isinstance(table.labels[0], Cell)
    assert table.labels[0].colspan == span


def test_without_sections_the_rows_stand_in_their_order() -> None:
    table = read_table(
        "<table><thead><tr><td>1</td></tr></thead><tbody></tbody><tr></tr><tfoot><tr></tr></tfoot></table>"
    )
    assert table is not None
    flat = without_sections(table)
    assert [label if isinstance(label, str) else label.tag for label in flat.labels] == [
        "td",
        "tr",
        "tr",
        "tr",
        "table",
    ]
    assert flat.starts == (0, 0, 2, 3, 0)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.sampled_from(["<table>", "</table>", "<tr>", "</tr>", "<td>", "</td>", "<tbody>", "x", "<b>", "</b>", "<p>"])
    )
)
def test_any_order_of_tags_gives_a_tree(parts: list[str]) -> None:
    table = read_table("".join(parts))
    if table is None:
        return
    assert table.labels[-1] == "table"
    assert table.starts[-1] == 0
    children = {child for node in range(table.size) for child in table.children(node)}
    assert children == set(range(table.size - 1))  # every node but the root is the child of one
