"""What a notebook shows of a run, a comparison and a case: HTML without script, the data as text."""

from __future__ import annotations

import html
import re
from html.parser import HTMLParser

import pytest

from ragtriage.core.errors import UnknownName
from ragtriage.report.escaping import visible
from ragtriage.report.model import Report
from ragtriage.workflows.compare import Comparison
from ragtriage.workflows.run import Run

ELEMENTS = {
    *("div", "p", "b", "small", "span", "sup", "code", "br", "table", "caption", "thead", "tbody", "tr", "th", "td"),
}


class Elements(HTMLParser):
    """The elements and attributes of a piece of HTML, and whether each that opens closes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.attributes: set[str] = set()
        self.open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def words(drawn: str) -> str:
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]*>", " ", drawn)))


def of_run(report: Report) -> str:
    return Run(report)._repr_html_()


def of_case(report: Report, case_id: str) -> str:
    return Run(report).case(case_id)._repr_html_()


def of_comparison(compared: Report) -> str:
    runs = compared.compared.runs
    fields = ("base_id", "candidate_id", "rows", "ok", "bundle", "only_base", "only_candidate")
    return Comparison(**{name: getattr(runs, name) for name in fields})._repr_html_()


def test_a_run_says_whether_to_ship_and_where_it_broke(report: Report) -> None:
    text = words(of_run(report))
    assert text.startswith(" ✗ Fail: do not ship 1 of 3 gate rules fails, 1 more cannot be decided.")
    assert "✗ fail retrieval.recall@4 evidence 0.500 ≥ 0.850 0.000–1.000 4 0.5 is below 0.85" in text
    assert "filter 1 25 % evidence removed by a predicate" in text
    assert "generation.faithfulness uncalibrated proxy 0.750 0.500–1.000 2 2 2" in text


def test_a_comparison_says_what_moved(compared: Report) -> None:
    text = words(of_comparison(compared))
    assert "1 case broke and 0 were mended, of 5 cases judged in both runs (McNemar p = 1.000)." in text
    assert "broke: en-lost-card" in text
    assert "retrieval.recall@4 evidence 0.750 0.500 −0.250" in text
    assert "system reference_rag:older reference_rag:answer" in text


def test_a_case_is_told_in_full(report: Report) -> None:
    text = words(of_case(report, "kk-monthly-fee"))
    assert "not ok kk-monthly-fee multi_hop, kk, asked by public visitor" in text
    assert "Broke at generation: a claim contradicts the context Ask for quotations before the answer." in text
    assert "Айлық қызмет ақысы 990 теңге. 1 supported" in text
    assert "Өтінішті тек кассада бересіз. 2 contradicted" in text
    assert "must say қосымшада not stated" in text
    assert "1 ● gold kk-car-loan-2026#70" in text
    assert "Broke at generation" not in words(of_case(report, "en-block-card"))


def test_a_case_that_is_not_there_is_named_with_the_nearest(report: Report) -> None:
    with pytest.raises(UnknownName, match=r"Did you mean 'kk-monthly-fee'\?"):
        Run(report).case("kk-monthly-fees")


def test_no_text_becomes_an_element(hostile: Report, hostile_text: str) -> None:
    for drawn in (of_run(hostile), of_case(hostile, hostile_text)):
        found = Elements(drawn)
        assert found.names <= ELEMENTS
        assert found.attributes <= {"style", "dir"}
        assert found.open == []
        assert visible(hostile_text) in html.unescape(re.sub(r"<[^>]*>", "", drawn))
