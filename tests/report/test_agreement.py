"""Every output shows how many cases a number was scored on, undefined for and failed in, and all outputs agree."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from markdown_it import MarkdownIt

from ragtriage.core.tables import read_parquet
from ragtriage.report.formats._notebook import comparison_html, run_html
from ragtriage.report.formats.csv import csv_metrics
from ragtriage.report.formats.html import html_page
from ragtriage.report.formats.json import json_results
from ragtriage.report.formats.md import markdown
from ragtriage.report.formats.parquet import parquet_scores
from ragtriage.report.formats.prom import prometheus
from ragtriage.report.formats.terminal import terminal
from ragtriage.report.formats.tex import latex
from ragtriage.report.formats.xml import junit
from ragtriage.report.model import Report
from ragtriage.report.wording import interval, number, signed_interval
from ragtriage.workflows.compared import comparison_json

# Metric -> scored, undefined, failed over all cases, counted by hand from the outcomes in conftest.
COUNTS = {
    "retrieval.recall@4": (4, 1, 1),
    "retrieval.candidate_ceiling@50": (4, 1, 1),
    "filters.false_exclusion_rate": (4, 1, 1),
    "filters.access_violations": (5, 0, 1),
    "context.evidence_recall": (4, 1, 1),
    "generation.required_facts": (3, 2, 1),
    "generation.faithfulness": (2, 2, 2),
    "generation.nugget_recall": (0, 5, 1),
    "system.errors": (6, 0, 0),
    "system.latency_p95": (6, 0, 0),
}
SIGNS = {"\u2705", "\u274c", "\u2754"}
PROXIES = {"generation.faithfulness", "generation.nugget_recall"}
CASES = {"cases": 6, "traced": 5, "failed": 1, "ok": 1, "not_ok": 4, "no_expectation": 1}

Counted = dict[str, tuple[int, int, int]]


class Tables(HTMLParser):
    """The rows of the tables in one section of a page, cell by cell, and the words of its tally."""

    def __init__(self, section: str) -> None:
        super().__init__()
        self.section, self.inside, self.rows, self.open = section, False, [], False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "section":
            self.inside = ("id", self.section) in attrs
        elif self.inside and tag == "tr":
            self.rows.append([])
        elif self.inside and tag == "td":
            self.rows[-1].append("")
            self.open = True
        elif tag == "br" and self.open:
            self.rows[-1][-1] += "\n"

    def handle_endtag(self, tag: str) -> None:
        if tag in {"td", "table"}:
            self.open = False

    def handle_data(self, data: str) -> None:
        if self.inside and self.open:
            self.rows[-1][-1] += data


def in_json(report: Report, _: Path) -> Counted:
    rows = json.loads(json_results(report))["metrics"]
    return {r["name"]: (r["scored"], r["undefined"], r["failed"]) for r in rows if r["slice"] == {}}


def in_csv(report: Report, _: Path) -> Counted:
    rows = csv.DictReader(io.StringIO(csv_metrics(report)))
    return {r["metric"]: (int(r["scored"]), int(r["undefined"]), int(r["failed"])) for r in rows if not r["slice"]}


def in_html(report: Report, _: Path) -> Counted:
    parser = Tables("metrics")
    parser.feed(html_page(report))
    return {cells[0].split()[0]: tuple(map(int, cells[3:6])) for cells in parser.rows if cells}


def in_junit(report: Report, _: Path) -> Counted:
    found = {}
    for one in ET.fromstring(junit(report)).iter("property"):  # noqa: S314 - our own output
        numbers = re.search(r"scored=(\d+) undefined=(\d+) failed=(\d+)", one.get("value"))
        found[one.get("name").split()[0]] = tuple(map(int, numbers.groups()))
    return found


def in_markdown(report: Report, _: Path) -> Counted:
    found = {}
    for cells in markdown_rows(markdown(report)):
        name = cells[0].partition(" ")[0] if cells else ""
        if name in COUNTS and len(cells) == 6:
            found[name] = tuple(map(int, cells[3:6]))
    return found


def markdown_rows(text: str) -> list[list[str]]:
    rows: list[list[str]] = []
    for token in MarkdownIt("commonmark").enable("table").parse(text):
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline" and rows and token.level > 3:
            parts = [t.content for t in token.children if t.type in {"text", "code_inline"}]
            rows[-1].append("".join(parts))
    return rows


def in_prometheus(report: Report, _: Path) -> Counted:
    lines = prometheus(report).splitlines()
    found: dict[str, dict[str, int]] = {}
    for line in lines:
        hit = re.fullmatch(r'ragtriage_metric_(\w+)\{metric="([^"]+)",slice="",.*\} (\d+)', line)
        if hit:
            found.setdefault(hit[2], {})[hit[1]] = int(hit[3])
    return {name: (c["scored"], c["undefined"], c["failed"]) for name, c in found.items()}


@pytest.mark.parametrize("read", [in_json, in_csv, in_html, in_junit, in_markdown, in_prometheus])
def test_an_output_counts_scored_undefined_and_failed(
    read: Callable[[Report, Path], Counted], report: Report, tmp_path: Path
) -> None:
    assert read(report, tmp_path) == COUNTS


def test_the_scores_table_counts_the_same_from_its_rows(report: Report, tmp_path: Path) -> None:
    (tmp_path / "scores.parquet").write_bytes(parquet_scores(report))
    rows = list(read_parquet(tmp_path / "scores.parquet"))
    counted = Counter((row["metric"], row["status"]) for row in rows)
    for name, (scored, undefined, failed) in COUNTS.items():
        if name != "system.latency_p95":  # one number over all cases, no score of a case
            assert [counted[name, s] for s in ("scored", "undefined", "failed")] == [scored, undefined, failed]
    assert all((row["value"] is None) == (row["status"] != "scored") for row in rows)
    assert all((row["support"] is None) == (row["status"] != "scored") for row in rows)
    assert all((row["reason"] is None) == (row["status"] == "scored") for row in rows)


def test_the_terminal_counts_the_same_for_what_it_shows(report: Report) -> None:
    shown = {}
    for line in terminal(report).splitlines():
        cells = line.split()
        if cells and cells[0] in COUNTS and cells[-3:] and all(c.isdigit() for c in cells[-3:]):
            shown[cells[0]] = tuple(map(int, cells[-3:]))
    assert len(shown) >= 8
    assert shown == {name: COUNTS[name] for name in shown}


def test_all_outputs_count_the_cases_alike(report: Report) -> None:
    assert json.loads(json_results(report))["counts"] == CASES
    suite = ET.fromstring(junit(report)).find("testsuite")  # noqa: S314 - our own output
    counts = {key: int(suite.get(key)) for key in ("tests", "failures", "errors", "skipped")}
    # Of the four that are not ok one failed as a whole, so it is an error and no failure.
    assert counts == {"tests": 6, "failures": 3, "errors": 1, "skipped": 1}
    assert "6 cases: 1 ok, 4 not ok, 1 failed, 1 without expectation; 5 traced" in terminal(report)
    assert ["6", "1", "4", "1", "1", "5"] in markdown_rows(markdown(report))
    head = re.sub(r"</?a[^>]*>", "", html_page(report).partition("</header>")[0])
    tally = re.findall(r"<dt>([a-z ]+)</dt><dd>(\d+)</dd>", head)
    assert {name.replace(" ", "_"): int(n) for name, n in tally} == CASES
    assert 'ragtriage_cases{state="not_ok"} 4' in prometheus(report)


def test_every_output_marks_proxies(report: Report) -> None:
    for text in (csv_metrics(report), markdown(report), html_page(report), junit(report), terminal(report)):
        assert "uncalibrated proxy" in text
    marked = {r["metric"] for r in csv.DictReader(io.StringIO(csv_metrics(report))) if "proxy" in r["note"]}
    assert marked == PROXIES
    assert 'metric="generation.faithfulness",slice="",proxy="true"' in prometheus(report)


def test_a_number_that_does_not_exist_is_shown_with_its_reason(report: Report) -> None:
    assert "no value: no nuggets declared" in re.sub(r"</?bdi>", "", html_page(report))
    assert "no value: no nuggets declared" in markdown(report)
    assert "no value scored=0 undefined=5 failed=1" in junit(report)
    row = next(r for r in csv.DictReader(io.StringIO(csv_metrics(report))) if r["metric"] == "generation.nugget_recall")
    assert (row["value"], row["reason"]) == ("", "no nuggets declared")
    assert not re.search(r'ragtriage_metric\{metric="generation.nugget_recall"', prometheus(report))


def words_of(name: str, level: str | None, where: dict[str, str] | None = None) -> Callable[[Report], tuple[str, str]]:
    """Value and interval of a row as every output words them."""

    def find(report: Report) -> tuple[str, str]:
        row = report.results.row(name, level=level, where=where)
        return number(row.value, unit=row.unit), interval(row.interval, unit=row.unit)

    return find


def html_cells(report: Report, section: str) -> list[list[str]]:
    parser = Tables(section)
    parser.feed(html_page(report))
    return [[" ".join(cell.split()) for cell in cells] for cells in parser.rows if cells]


def test_value_and_interval_are_the_same_words_everywhere(report: Report) -> None:
    shown_in_page = {cells[0].split()[0]: (cells[1], cells[2]) for cells in html_cells(report, "metrics")}
    shown_in_markdown = {c[0].partition(" ")[0]: (c[1], c[2]) for c in markdown_rows(markdown(report)) if len(c) == 6}
    shown_in_csv = {r["metric"]: r for r in csv.DictReader(io.StringIO(csv_metrics(report))) if not r["slice"]}
    in_notebook = re.sub(r"<[^>]*>", "\0", run_html(report))
    in_tex = latex(report)
    for row in report.results.metrics:
        if row.slice:
            continue
        said = words_of(row.name, row.level)(report)
        assert shown_in_page[row.name] == said
        assert shown_in_markdown[row.name] == said
        held = shown_in_csv[row.name]
        assert held["value"] == ("" if row.value is None else str(row.value))
        assert (held["interval_low"], held["interval_high"]) == tuple(map(str, row.interval or ("", "")))
        if row.value is not None:
            assert said[0].replace("\u2013", "--") in in_tex
            assert re.search(rf"\x00{re.escape(row.name)}\x00.*?\x00{re.escape(said[0])}\x00", in_notebook)
    assert next(cells[:6] for cells in html_cells(report, "metrics") if cells[0].startswith("retrieval.recall")) == [
        "retrieval.recall@4 evidence",
        "0.500",
        "0.000\u20131.000",
        "4",
        "1",
        "1",
    ]


def test_the_gate_and_the_broken_stages_agree(report: Report) -> None:
    page, text = html_page(report), terminal(report)
    gate = json.loads(json_results(report))["gate"]
    suite = ET.fromstring(junit(report)).findall("testsuite")[1]  # noqa: S314 - our own output
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("3", "1", "1")
    page_rules = {cells[1].split()[0]: (cells[0].strip(), cells[2]) for cells in html_cells(report, "gate")}
    md_rules = {
        c[1].split()[0]: (c[0].split()[1], c[3])
        for c in markdown_rows(markdown(report))
        if len(c) == 8 and c[0][:1] in SIGNS
    }
    for rule in gate["rules"]:
        said = rule["verdict"], number(rule["value"], unit="violations" if "violations" in rule["metric"] else "")
        assert page_rules[rule["metric"]] == said
        assert md_rules[rule["metric"]] == said
    leaves = {
        share["leaf"]: share["cases"] for share in json.loads(json_results(report))["diagnosis"] if not share["slice"]
    }
    drawn = {c[0]: int(c[3]) for c in markdown_rows(markdown(report)) if c and c[0] in leaves and len(c) == 5}
    fall = re.findall(r'class="leaf" href="[^"]*">(\w+)</a>.*?<td class="n strong">(\d+)</td>', page)
    assert drawn == leaves == {leaf: int(cases) for leaf, cases in fall}
    assert {
        line.split()[0]: int(line.split()[2])
        for line in text.splitlines()
        if line.split()[:1] and line.split()[0] in leaves
    } == leaves
    for leaf, cases in leaves.items():
        assert f'ragtriage_broken_cases{{leaf="{leaf}"}} {cases}' in prometheus(report)


def test_a_comparison_agrees_in_every_output(compared: Report) -> None:
    row = compared.compared.runs.rows[0]
    ends = signed_interval(row.interval)
    page = next(c for c in html_cells(compared, "compare") if c and c[0].startswith("retrieval.recall@4"))
    assert [page[n] for n in (2, 3, 4, 5, 7)] == ["0.750", "0.500", "\u22120.250", ends, "4"]
    md = next(c for c in markdown_rows(markdown(compared)) if len(c) == 7 and c[0].startswith("retrieval.recall"))
    assert md[1:6] == ["0.750", "0.500", "\u22120.250", ends, "4"]
    assert json.loads(comparison_json(compared.compared))["runs"]["rows"][0]["interval"] == list(row.interval)
    plain = re.sub(r"<[^>]*>", "\0", comparison_html(compared.compared.runs))
    assert re.search(rf"\x00\u22120\.250\x00+{re.escape(ends)}\x00", plain)
