from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from markdown_it import MarkdownIt

from ragtriage.core.results import CaseResult
from ragtriage.report.formats.md import MARKER, escaped, markdown
from ragtriage.report.model import Report

COMMENT = 65_536


def test_the_marker_and_the_verdict_come_first(report: Report) -> None:
    lines = markdown(report).splitlines()
    assert lines[:2] == [MARKER, "## \u274c Fail: do not ship"]


def test_case_b47_keeps_its_rows_cells_and_text(shared: Callable[[str], Path]) -> None:
    given = json.loads(shared("cases/inputs/B47.json").read_text(encoding="utf-8"))["rows"]
    rows = "".join(f"| {escaped(r['id'])} | {escaped(r['answer'])} | {r['score']} |\n" for r in given)
    tokens = MarkdownIt("commonmark").enable("table").parse(f"| id | answer | score |\n| --- | --- | --- |\n{rows}")
    assert sum(token.type == "tr_open" for token in tokens) == 3
    cells = [
        "".join("\n" if child.content == "<br>" else child.content for child in token.children)
        for token in tokens
        if token.type == "inline"
    ]
    assert cells == ["id", "answer", "score", "r1", "a | b\nsecond line", "0.5", "r2", "`code | x` \\| end", "1.0"]


def test_base_candidate_and_difference_stand_side_by_side(compared: Report) -> None:
    drawn = markdown(compared)
    assert "### Against <code>base-run</code>" in drawn
    assert "1 case broke, 0 were mended, of 5 judged in both runs" in drawn
    found = re.search(r"recall<span>@</span>4</code> \(evidence\) \|(.*)\|", drawn.partition("### Against")[2])[1]
    cells = [cell.strip() for cell in found.split("|")]
    assert cells[:3] == ["0.750", "0.500", "**\u22120.250**"]
    assert re.fullmatch("\\[\u22120\\.\\d{3}, \u00b10\\.000\\]", cells[3])
    assert cells[4:] == ["4", "worse, may be chance"]
    assert "The runs differ in: <code>system</code>." in drawn


def test_no_more_than_ten_cases_that_broke_are_folded_away(compared: Report) -> None:
    assert "<details><summary>1 case that broke</summary>" in markdown(compared)
    names = tuple(f"case-{n}" for n in range(12))
    runs = replace(compared.compared.runs, ok=replace(compared.compared.runs.ok, broke=names))
    drawn = markdown(replace(compared, compared=replace(compared.compared, runs=runs)))
    part = drawn.partition("<details><summary>12 cases that broke, the first 10</summary>")[2].partition("</details>")[
        0
    ]
    assert re.findall(r"<code>(case-\d+)</code>", part) == list(names[:10])


def test_a_comment_holds_even_a_run_with_many_long_cases(report: Report) -> None:
    old = report.results
    found = old.cases[0].diagnosis.model_copy(update={"cause": "@long|" * 500, "advice": "[x](y) " * 500})
    cases = tuple(CaseResult(case_id=f"case-{n}", ok=False, diagnosis=found) for n in range(3_000))
    rows = tuple(old.metrics[0].model_copy(update={"name": f"retrieval.m{n}"}) for n in range(2_000))
    drawn = markdown(Report(results=old.model_copy(update={"cases": cases, "metrics": rows})))
    assert len(drawn.encode("utf-16-le")) // 2 < COMMENT
    assert drawn.count("<details>") == drawn.count("</details>")
    assert "more in the HTML report" in drawn
    assert "What did not fit into a comment" in drawn
