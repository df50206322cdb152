"""The page: complete, small, closed to the outside; how it behaves in a browser is in tests/browser."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.report.samples import grown_report

from ragtriage.core.configuration import Configuration
from ragtriage.core.score import Failed, Undefined, Value
from ragtriage.report.formats import html as html_format
from ragtriage.report.formats.html import MAX_BYTES, html_files, html_page
from ragtriage.report.model import Report
from ragtriage.report.sections.case_list import case_list
from ragtriage.report.wording import number
from ragtriage.report.write import write_report

NAMESPACE = "http://www.w3.org/2000/svg"  # the name of a language, and never fetched


def data_of(page: str) -> dict[str, Any]:
    return json.loads(html.unescape(re.search(r'<div id="data" hidden>(.*?)</div>', page, re.DOTALL)[1]))


def part_of(page: str, section: str) -> str:
    part = page.partition(f'id="{section}"')[2].partition("</section>")[0]
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]*>", " ", part)))


def test_the_policy_allows_nothing_but_our_style_and_script(report: Report) -> None:
    page = html_page(report)
    policy = html.unescape(re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)[1])
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    for tag in ("style", "script"):
        body = re.search(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)[1]
        digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    assert not re.search(r"\sstyle=|\son\w+=", page.partition("<style>")[0] + page.partition("</style>")[2])


def test_the_page_names_no_address_outside_itself(report: Report) -> None:
    assert not re.search(r"https?://|//[a-z]|url\(|@import", html_page(report).replace(NAMESPACE, ""))


def test_each_document_is_written_once(report: Report) -> None:
    page = html_page(report)
    for document in report.documents.values():
        assert page.count(document.text) == 1
    assert page.count("A passage that stands in no document.") == 1
    assert page.count(report.cases["kk-monthly-fee"].question) == 1


def test_a_run_of_160_cases_stays_below_a_megabyte(grown: Report) -> None:
    page = html_page(grown)
    assert len(page.encode()) <= MAX_BYTES
    data = data_of(page)
    assert len(data["cases"]) == 160
    rankings = data["parts"].index("rankings")
    held = [one[8][rankings] for one in data["cases"] if len(one) > 8 and len(one[8]) > rankings]
    assert len(held) == 128  # every case that has a trace
    # The rankings of the run hold 40 results, of which the page keeps the first ten.
    assert {len(column[2]) // data["hit_width"] for columns in held for column in columns} == {10}
    assert "To stay below" not in page


def test_a_page_that_cannot_hold_everything_says_what_it_left_out(grown: Report) -> None:
    long = {name: doc.model_copy(update={"text": doc.text + "x" * 300_000}) for name, doc in grown.documents.items()}
    answers = {
        name: trace.model_copy(update={"answer": trace.answer.model_copy(update={"text": "y" * 9_000})})
        for name, trace in grown.traces.items()
    }
    page = html_page(replace(grown, documents=long, traces=answers))
    assert "To stay below 1,000,000 bytes" in page
    assert len(data_of(page)["cases"]) == 160
    assert "x" * 10_000 not in page  # a long document is held in pieces


def test_a_report_of_results_alone_is_drawn(report: Report) -> None:
    page = html_page(Report(results=report.results))
    assert "Fail: do not ship" in page
    assert data_of(page)["cases"][0][0] == "ru-early-repayment"
    assert "No judge ran" in page


def test_a_run_without_a_gate_and_without_faults_says_so(report: Report) -> None:
    counts = report.results.counts.model_copy(update={"ok": 6, "not_ok": 0, "failed": 0, "no_expectation": 0})
    cases = tuple(c.model_copy(update={"ok": True, "diagnosis": None}) for c in report.results.cases)
    fine = report.results.model_copy(update={"gate": None, "counts": counts, "cases": cases, "diagnosis": ()})
    page = html_page(Report(results=fine))
    assert "No gate rule is set. Of 6 cases none is known to be wrong." in page
    assert 'id="gate"' not in page
    assert 'id="waterfall"' not in page


def test_each_rule_stands_with_value_interval_limit_and_counts(report: Report) -> None:
    text = part_of(html_page(report), "gate")
    assert "retrieval.recall@4 evidence 0.5 is below 0.85 0.500 ≥ 0.850 0.000–1.000 4 1 1" in text
    assert "generation.faithfulness uncalibrated proxy rests on an uncalibrated judge 0.750 ≥ 0.700" in text


def test_the_comparison_shows_base_candidate_and_difference_with_its_interval(compared: Report) -> None:
    page = html_page(compared)
    text = part_of(page, "compare")
    assert "1 case broke and 0 were mended, of 5 cases judged in both runs (McNemar p = 1.000)." in text
    row = compared.compared.runs.rows[0]
    low, high = row.interval
    assert (
        f"retrieval.recall@4 evidence 0.750 0.500 −0.250 [−{-low:.3f}, ±{high:.3f}] 1.000 4 1 0 worse, may be chance"
        in text
    )
    assert "en-lost-card How much does a new card cost? retrieval the evidence is in no candidate list" in text
    assert "system reference_rag:older → reference_rag:answer" in text
    assert page.count('<circle class="base"') == 3  # the key, the metric that moved, and a slice of it
    (case,) = [one for one in data_of(page)["cases"] if one[0] == "en-lost-card"]
    assert case[10] == [1, "", "", "2,500 tenge."]


def test_without_the_script_the_page_names_the_broken_cases_by_cause(report: Report) -> None:
    plain = html.unescape(
        re.sub(r"<[^>]*>", " ", html_page(report).partition("<noscript>")[2].partition("</noscript>")[0])
    )
    text = re.sub(r"\s+", " ", plain)
    assert "generation a claim contradicts the context : kk-monthly-fee" in text
    assert "service time-out after 60 s : ar-transfer-limit" in text
    assert "en-block-card" not in text  # it is ok


def test_every_score_of_every_case_can_be_read_from_the_page(report: Report) -> None:
    data, lines = data_of(html_page(report)), case_list(report)
    alphabet, words, ids = data["alphabet"], data["words"], [line.case_id for line in lines]
    units = {(row.name, row.level or ""): row.unit for row in report.results.metrics}
    found = {}
    for name, level, _, _, _, outcomes, column, *_ in data["metrics"]:
        size = len(column) // len(ids)
        for place, case_id in enumerate(ids):
            signs = column[place * size : (place + 1) * size]
            code = sum(alphabet.index(sign) * len(alphabet) ** n for n, sign in enumerate(signs))
            found[case_id, name, level] = outcomes[code]
    for score in report.scores:
        shown = found[score.case_id, score.metric, score.level or ""]
        match score.outcome:
            case Value(value=value, support=support):
                assert shown == f"{number(value, unit=units[score.metric, score.level or ''])}/{support}"
            case Undefined(reason=reason):
                assert words[shown] == reason
            case Failed(stage=stage, error=error, message=message):
                assert words[shown[0]] == f"{stage}: {error}: {message}"
    assert len(found) == len(report.scores)


def test_more_cases_than_fit_one_page_are_a_folder_whose_pages_link_to_each_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(html_format, "MOST_CASES", 20)
    monkeypatch.setattr(html_format, "PAGE_CASES", 10)
    report = grown_report(35)
    place = tmp_path / "out" / "my report.html"  # a name that an address writes otherwise
    write_report(report, place)
    names = ["cases-001.html", "cases-002.html", "cases-003.html", "cases-004.html"]
    assert sorted(path.name for path in (tmp_path / "out" / "my report").iterdir()) == names
    front = place.read_text(encoding="utf-8")
    assert 'data-folder="./my%20report/cases-"' in front
    pages = [(tmp_path / "out" / "my report" / name).read_text(encoding="utf-8") for name in names]
    held = [[one[0] for one in data_of(page)["cases"]] for page in pages]
    assert [len(ids) for ids in held] == [10, 10, 10, 5]
    for one in data_of(front)["cases"]:
        assert one[0] in held[one[9] - 1]
    assert 'href="../my%20report.html"' in pages[1]
    assert re.findall(r'href="(cases-\d+\.html)#cases"', pages[1]) == ["cases-001.html", "cases-003.html"]
    for page in pages:
        assert len(page.encode()) < MAX_BYTES
    # Fewer cases leave no page of the larger report behind, and nothing else is touched.
    (tmp_path / "out" / "my report" / "notes.txt").write_text("mine", encoding="utf-8")
    write_report(grown_report(5), place)
    assert [path.name for path in (tmp_path / "out" / "my report").iterdir()] == ["notes.txt"]


def test_one_page_can_be_had_of_any_number_of_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(html_format, "MOST_CASES", 20)
    page = html_page(grown_report(30))
    assert len(data_of(page)["cases"]) == 30
    assert "data-folder" not in page.partition("<script>")[0]
    assert list(html_files(grown_report(10), "report.html")) == ["report.html"]


def test_the_commands_of_a_case_name_the_folder_and_the_configuration(report: Report) -> None:
    data = data_of(html_page(replace(report, folder="runs/a b", config="my rag.toml")))
    assert (data["diagnose"], data["config"]) == ("ragtriage diagnose 'runs/a b' --case ", "'my rag.toml'")
    assert data_of(html_page(report))["config"] == ""


def test_the_size_of_the_context_is_that_of_the_run(report: Report) -> None:
    settings = Configuration.model_validate({"golden": {"path": "g"}, "system": {"python": "x:y", "context_size": 7}})
    assert data_of(html_page(replace(report, settings=settings)))["context_size"] == 7
    assert data_of(html_page(report))["context_size"] == 0
