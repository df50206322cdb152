"""Text under test is drawn as text: no output obeys it, and what is drawn equals what was given."""

from __future__ import annotations

import csv
import io
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

from markdown_it import MarkdownIt

from ragtriage.report.escaping import cells, visible
from ragtriage.report.formats.csv import csv_metrics, restored
from ragtriage.report.formats.html import html_page
from ragtriage.report.formats.json import json_results
from ragtriage.report.formats.md import escaped, markdown
from ragtriage.report.formats.prom import prometheus
from ragtriage.report.formats.terminal import terminal
from ragtriage.report.formats.tex import latex
from ragtriage.report.formats.xml import junit
from ragtriage.report.model import Report


class Page(HTMLParser):
    """The tags of a page, its attributes, its text, and the text of elements by class."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text: list[str] = []
        self.by_class: dict[str, list[str]] = {}
        self.by_id: dict[str, str] = {}
        self._id = ""
        self._open: list[tuple[str, str]] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        name = dict(attrs).get("class") or ""
        self._id = dict(attrs).get("id") or ""
        if tag not in {"meta", "br", "input", "link", "img"}:
            self._open.append((tag, name))
        self.by_class.setdefault(name, []).append("")

    def handle_endtag(self, tag: str) -> None:
        if tag in {"rect", "circle", "path"}:
            return
        while self._open and self._open.pop()[0] != tag:
            pass

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.text.append(data)
        if self._open:
            self.by_class[self._open[-1][1]][-1] += data
        if self._id:
            self.by_id[self._id] = self.by_id.get(self._id, "") + data


def test_the_page_holds_no_element_that_the_text_brought(hostile: Report, report: Report) -> None:
    page, harmless = Page(html_page(hostile)), Page(html_page(report))
    assert page.tags.count("script") == 1
    assert page.tags.count("style") == 1
    assert set(page.tags) <= set(harmless.tags)
    names = {name for name, _ in page.attributes}
    assert names <= {name for name, _ in harmless.attributes} | {"open"}
    assert not [name for name in names if name.startswith("on") or name in {"src", "srcset", "style", "action"}]
    assert all(value.startswith("#") for name, value in page.attributes if name == "href")


def strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from strings(inner)


def test_the_page_holds_the_text_unchanged(hostile: Report, hostile_text: str) -> None:
    page = Page(html_page(hostile))
    data = json.loads(page.by_id["data"])
    held = Counter(strings(data))
    # Question, id, quoted answer, reference, what is expected, ids of hits; repeated texts stand among the words once.
    assert held[hostile_text] >= 12
    assert f"{hostile_text} and {hostile_text}" in held
    assert f"loose {hostile_text}" in held
    assert data["cases"][0][:2] == [hostile_text, hostile_text]
    assert data["hits"][0][0] == hostile_text
    assert hostile_text in data["words"]
    # What stands above the cases: rules, slices, judge, bundle, notes.
    shown = "".join(text for text in page.text if text != page.by_id["data"])
    assert shown.replace(page.by_id["data"], "").count(hostile_text) >= 12


def test_the_terminal_gets_no_control_and_no_line_too_long(hostile: Report) -> None:
    for width in (60, 80, 132):
        drawn = terminal(hostile, width=width)
        controls = {c for c in drawn if unicodedata.category(c) in {"Cc", "Cf", "Zl", "Zp"}} - {"\n"}
        assert not controls
        lines = drawn.split("\n")
        assert len(lines) <= 41  # 40 and the end of the last
        copied = ("  ragtriage diagnose ", "  report: ")  # whole or useless, so a terminal breaks these where it must
        assert max(cells(line) for line in lines if not line.startswith(copied)) <= width


def test_the_terminal_writes_no_escape_sequence_unless_colour_is_asked_for(report: Report) -> None:
    assert "\x1b" not in terminal(report)
    assert "\x1b[" in terminal(report, color=True)


def test_colours_change_nothing_but_colours(hostile: Report) -> None:
    coloured = re.sub(r"\x1b\[[0-9;]*m", "", terminal(hostile, color=True))
    assert [line.rstrip() for line in coloured.splitlines()] == terminal(hostile).splitlines()


def test_markdown_tables_keep_their_cells_and_obey_nothing(hostile: Report) -> None:
    drawn = markdown(hostile)
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(drawn)
    heads = row = 0
    for token in tokens:
        if token.type == "thead_open":
            heads = 0
        heads += token.type == "th_open"
        if token.type == "tr_open":
            row = 0
        row += token.type in {"td_open", "th_open"}
        if token.type == "tr_close":
            assert row == heads
    inline = [child for token in tokens for child in token.children or ()]
    assert {child.type for child in inline} <= {
        "text",
        "html_inline",
        "softbreak",
        "strong_open",
        "strong_close",
        "code_inline",
    }
    elements = {child.content for child in inline if child.type == "html_inline"}
    assert elements <= {"<code>", "</code>", "<span>", "</span>", "<sub>", "</sub>", "<br>"}
    for block in (token.content for token in tokens if token.type == "html_block"):
        assert set(re.findall(r"<[^>]*>", block)) <= {
            "<!-- ragtriage -->", "<details>", "</details>", "<summary>", "</summary>", "<span>", "</span>", "<br>",
        }  # fmt: skip
    # What GitHub finds only after drawing stands apart or is broken up.
    assert not re.search(r"://|(?<!<span>)@|www\.|(?<!<span>)(?<!&)#\d", drawn, re.IGNORECASE)


def test_markdown_gives_the_text_back(hostile_text: str) -> None:
    table = f"| a | b |\n| --- | --- |\n| {escaped(hostile_text)} | 0.5 |\n"
    tokens = MarkdownIt("commonmark").enable("table").parse(table)
    found = [token for token in tokens if token.type == "inline"]
    assert len(found) == 4
    parts = ("\n" if child.content == "<br>" else child.content for child in found[2].children
             if child.type == "text" or child.content == "<br>")  # fmt: skip
    lines = hostile_text.replace("\r\n", "\n").replace("\r", "\n")
    assert "".join(parts) == visible(lines).strip(" ")
    assert found[3].content == "0.5"


def test_no_cell_of_the_csv_is_run_by_a_spreadsheet(hostile: Report, hostile_text: str) -> None:
    rows = list(csv.reader(io.StringIO(csv_metrics(hostile), newline="")))
    assert len({len(row) for row in rows}) == 1
    for row in rows[1:]:
        for text in (row[0], row[1], row[2], row[-1]):
            bare = text.strip().strip("\u200b").lstrip()
            assert not bare.startswith(("=", "+", "-", "@", "\t", "\r"))
    assert restored(rows[1][0]) == hostile_text


def test_junit_is_xml_whatever_the_text_holds(hostile: Report, hostile_text: str) -> None:
    root = ET.fromstring(junit(hostile))  # noqa: S314 - our own output
    case = root.find("testsuite/testcase")
    drawn = hostile_text.replace("\r", "\u240d")
    for char in hostile_text:
        if unicodedata.category(char) == "Cc" and char not in "\t\n\r":
            drawn = drawn.replace(char, visible(char))
    assert case.get("name") == drawn
    assert case.find("failure").get("message") == drawn


def test_json_keeps_the_text_as_it_is(hostile: Report, hostile_text: str) -> None:
    found = json.loads(json_results(hostile))
    assert found["run_id"] == hostile_text
    assert found["cases"][0]["diagnosis"]["cause"] == hostile_text


def test_each_prometheus_sample_stays_on_its_line(hostile: Report) -> None:
    for line in prometheus(hostile).split("\n")[:-1]:
        assert line.startswith("# ") or re.fullmatch(r'\w+\{(\w+="(?:[^"\\\n]|\\["\\n])*",?)*\} [0-9.e+-]+', line)


def test_latex_rows_keep_their_cells(hostile: Report) -> None:
    rows = latex(hostile).split("\\midrule\n")[1].split("\\bottomrule")[0].splitlines()
    assert len(rows) == 3
    for row in rows:
        bare = re.sub(r"\\[&%$#_{}]|\\text\w+\{\}", "", row).removesuffix(r"\\")
        assert bare.count("&") == 5
        assert not set(bare) & set("%$#_{}\\~^")
