"""The page: complete, small, closed to the outside, readable in a real browser."""

from __future__ import annotations

import base64
import hashlib
import html
import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from ragtriage.report.formats.html import MAX_BYTES, html_page
from ragtriage.report.model import Report


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
    assert page.count('<table class="ranks">') >= 128 * 3 // 4  # every broken case that has a trace keeps its rankings


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


def test_a_case_shows_each_stage(report: Report) -> None:
    page = html_page(report)
    case = page.partition('id="case-ru-early-repayment"')[2].partition('<details class="case ')[0]
    text = re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]*>", " ", case)))
    assert "Broke at filter: eligible evidence removed by predicate version == '2024'" in text
    assert "Extract the version from the question, or make it a boost." in text
    assert "Не нашёл ответа в документах." in text
    assert "Rewritten: комиссия досрочное погашение автокредит" in text
    assert "version == '2024' hard extracted does not have it kk-car-loan-2026, ru-car-loan-2026" in text
    assert "language == 'ru' hard profile has it too kk-car-loan-2026" in text
    assert "ru-car-loan-2024#0 may not be seen by this principal" in text  # it belongs to another tenant
    assert "retrieve 38 ms generate 412 ms" in text
    assert "ragtriage diagnose runs/latest --case ru-early-repayment" in text


def test_claims_are_coloured_and_labelled(report: Report) -> None:
    drawn = re.findall(r'<mark class="(\w+)">([^<]*)</mark><sup class="v \1">([^<]*)</sup>', html_page(report))
    assert [one for one in drawn if "Call" not in one[1]] == [
        ("supported", "Айлық қызмет ақысы 990 теңге.", "1 supported"),
        ("contradicted", "Өтінішті тек кассада бересіз.", "2 contradicted"),
        ("supported", "990 теңге", "1 stated"),
        ("not_in_context", "қосымшада.", "2 missing"),
    ]


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


def test_a_browser_opens_the_page_without_complaint_and_fills_in_the_excerpts(
    report: Report, tmp_path: Path, capability: Callable[[str], None]
) -> None:
    capability("chromium")
    (tmp_path / "report.html").write_text(html_page(report), encoding="utf-8")
    dom, console = _chromium(tmp_path / "report.html", tmp_path / "profile", anchor="case-kk-monthly-fee")
    assert console == []
    assert re.search(r'<details class="case not_ok" id="case-kk-monthly-fee"[^>]*\bopen=""', dom)
    # Gold evidence in its document, and the span of the context that a claim rests on.
    assert '<mark class="gold">Айлық қызмет ақысы 990 теңге</mark>. Өтінішті қосымшада' in dom
    assert '<sup class="v supported">supports 1</sup>' in dom
    assert ">6 of 6</output>" in dom


@pytest.mark.parametrize("hostile_text", ["break_out"], indirect=True)
def test_a_browser_runs_nothing_that_a_text_brought(
    hostile: Report, hostile_text: str, tmp_path: Path, capability: Callable[[str], None]
) -> None:
    capability("chromium")
    (tmp_path / "report.html").write_text(html_page(hostile), encoding="utf-8")
    dom, console = _chromium(tmp_path / "report.html", tmp_path / "profile", anchor="cases")
    assert console == []
    assert "<title>pwned</title>" not in dom
    assert dom.count("<script") == 1
    assert "<img" not in dom
    assert html.escape(hostile_text, quote=False) in dom
