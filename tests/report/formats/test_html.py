"""The page: complete, small, closed to the outside, readable in a real browser."""

from __future__ import annotations

import base64
import functools
import hashlib
import html
import json
import re
import shutil
import subprocess
import urllib.parse
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from ragtriage.report.formats.html import MAX_BYTES, html_page
from ragtriage.report.model import Report


def data_of(page: str) -> dict[str, object]:
    return json.loads(html.unescape(re.search(r'<div id="data" hidden>(.*?)</div>', page, re.DOTALL)[1]))


def test_the_policy_allows_nothing_but_our_style_and_script(report: Report) -> None:
    page = html_page(report)
    policy = html.unescape(re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)[1])
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    for tag in ("style", "script"):
        body = re.search(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)[1]
        digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy


def test_the_page_names_no_address_outside_itself(report: Report) -> None:
    assert not re.search(r"https?://|//[a-z]|url\(|@import", html_page(report).replace("// ", ""))


def test_each_document_is_written_once(report: Report) -> None:
    page = html_page(report)
    for document in report.documents.values():
        assert page.count(document.text) == 1
    assert page.count("A passage that stands in no document.") == 1


def test_a_run_of_160_cases_stays_below_a_megabyte(grown: Report) -> None:
    page = html_page(grown)
    assert len(page.encode()) <= MAX_BYTES
    assert page.count('<details class="case ') == 160
    held = data_of(page)["cases"]
    assert len(held) == 160
    assert sum("rankings" in one for one in held) == 128  # every case that has a trace
    # The longest ranking of the run holds 40 results, of which the page keeps the first ten.
    assert max(len(column[2]) for one in held for column in one.get("rankings", ())) == 10


def test_a_page_that_cannot_hold_everything_says_what_it_left_out(grown: Report) -> None:
    long = {name: doc.model_copy(update={"text": doc.text + "x" * 300_000}) for name, doc in grown.documents.items()}
    answers = {
        name: trace.model_copy(update={"answer": trace.answer.model_copy(update={"text": "y" * 9_000})})
        for name, trace in grown.traces.items()
    }
    page = html_page(replace(grown, documents=long, traces=answers))
    assert "To stay below 1,000,000 bytes" in page
    assert page.count('<details class="case ') == 160
    assert "x" * 10_000 not in page  # a long document is held in pieces


def test_a_report_of_results_alone_is_drawn(report: Report) -> None:
    page = html_page(Report(results=report.results))
    assert "Do not ship" in page
    assert page.count('<details class="case ') == 6


def test_a_run_without_a_gate_and_without_faults_says_so(report: Report) -> None:
    counts = report.results.counts.model_copy(update={"ok": 6, "not_ok": 0, "failed": 0, "no_expectation": 0})
    cases = tuple(c.model_copy(update={"ok": True, "diagnosis": None}) for c in report.results.cases)
    fine = report.results.model_copy(update={"gate": None, "counts": counts, "cases": cases, "diagnosis": ()})
    page = html_page(Report(results=fine))
    assert "No gate rule is set. Of 6 cases none is known to be wrong." in page
    assert 'id="gate"' not in page
    assert 'id="waterfall"' not in page


def test_the_comparison_shows_base_candidate_and_difference(compared: Report) -> None:
    page = html_page(compared)
    part = page.partition('id="compare"')[2].partition("</section>")[0]
    text = re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", part))
    assert "retrieval.recall@4 evidence 0.750 0.500 −0.250 worse 4 1 1" in text
    assert "Broke en-lost-card" in text
    assert "The two runs differ in: system." in text


def _chromium(page: Path, profile: Path, *, anchor: str) -> tuple[str, list[str]]:
    """Open a page in a browser; return its document afterwards and what its console said."""
    command = [
        shutil.which("chromium"), "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
        "--disable-background-networking", "--disable-component-update", "--disable-sync", f"--user-data-dir={profile}",
        "--enable-logging=stderr", "--virtual-time-budget=2000", "--dump-dom", f"{page.as_uri()}#{anchor}",
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    return done.stdout, [line for line in done.stderr.splitlines() if "CONSOLE" in line]


@pytest.fixture(scope="module")
def opened(
    whole: Report, tmp_path_factory: pytest.TempPathFactory, capability: Callable[[str], None]
) -> Callable[[str], str]:
    """Open the page at a case; the document as the browser has it then, without a word on the console."""
    capability("chromium")
    folder = tmp_path_factory.mktemp("page")
    (folder / "report.html").write_text(html_page(whole), encoding="utf-8")

    @functools.cache
    def at(case_id: str) -> str:
        dom, console = _chromium(folder / "report.html", folder / f"profile-{case_id}", anchor=f"case-{case_id}")
        assert console == []
        return dom

    return at


def words(dom: str, case_id: str) -> str:
    case = dom.partition(f'id="case-{case_id}"')[2].partition('<details class="case ')[0]
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]*>", " ", case)))


def test_a_case_that_is_linked_to_stands_open_with_each_of_its_stages(opened: Callable[[str], str]) -> None:
    dom = opened("ru-early-repayment")
    assert re.search(r'<details class="case not_ok" id="case-ru-early-repayment"[^>]*\bopen=""', dom)
    text = words(dom, "ru-early-repayment")
    for told in (
        "Broke at filter: eligible evidence removed by predicate version == '2024'",
        "Extract the version from the question, or make it a boost.",
        "Asked by public visitor, as of 2026-11-15, risk high",
        "Rewritten: комиссия досрочное погашение автокредит",
        "Не нашёл ответа в документах.",
        "must say 1 %",
        "dense – · sparse – · fused – · not in the context",
        "version == '2024' hard extracted does not have it kk-car-loan-2026, ru-car-loan-2026",
        "language == 'ru' hard profile has it too kk-car-loan-2026",
        "⊘ ru-car-loan-2024#0 may not be seen by this principal",  # it belongs to another tenant
        "Timings 450 ms, 0.0004 USD retrieve 38 ms generate 412 ms",
        "required_facts 0.000 (n=1)",
        "Show it again: ragtriage diagnose runs/latest --case ru-early-repayment",
    ):
        assert told in text, told
    assert ">6 of 6</output>" in dom


def test_claims_spans_and_gold_are_coloured_and_labelled(opened: Callable[[str], str]) -> None:
    dom = opened("kk-monthly-fee")
    drawn = re.findall(r'<mark class="(\w+)">([^<]*)</mark>(?:<sup class="v \1">([^<]*)</sup>)?', dom)
    assert drawn == [
        ("supported", "Айлық қызмет ақысы 990 теңге.", "1 supported"),
        ("contradicted", "Өтінішті тек кассада бересіз.", "2 contradicted"),
        ("supported", "990 теңге", "1 stated"),
        ("not_in_context", "қосымшада.", "2 missing"),
        ("gold", "Айлық қызмет ақысы 990 теңге", ""),
        ("supported", "Айлық қызмет ақысы 990 теңге.", "supports 1"),
    ]
    text = words(dom, "kk-monthly-fee")
    assert "1. Айлық" not in text
    assert "Answer uncalibrated proxy" in text
    assert "Judge lexical , rubric 9f2c1e uncalibrated proxy" in text
    assert "1 supported 0.970 supported supported 1 supported" in text  # claim 1, as passage 1 shows
    assert "kk-car-loan-2026#70 ▲1" in text
    assert "A passage that stands in no document." in text


@pytest.mark.parametrize("hostile_text", ["break_out"], indirect=True)
def test_a_browser_runs_nothing_that_a_text_brought(
    hostile: Report, hostile_text: str, tmp_path: Path, capability: Callable[[str], None]
) -> None:
    capability("chromium")
    (tmp_path / "report.html").write_text(html_page(hostile), encoding="utf-8")
    dom, console = _chromium(
        tmp_path / "report.html", tmp_path / "profile", anchor=f"case-{urllib.parse.quote(hostile_text, safe='')}"
    )
    assert console == []
    assert "<title>pwned</title>" not in dom
    assert dom.count("<script") == 1
    assert "<img" not in dom
    case = dom.partition('<details class="case ')[2].partition('<details class="case ')[0]
    drawn = html.unescape(re.sub(r"<[^>]*>", "\0", case))
    assert drawn.count(f"\0{hostile_text}\0") >= 12  # question, answer, citation, reference, rules, ids, ...
