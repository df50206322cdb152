"""A thousand texts that a browser would obey, in every field of a report: none is run, none fetched, each is shown."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel
from tests.browser.settling import settled
from tests.report.hostile_samples import HOSTILE, payloads, worded_report

from ragtriage.report.model import Report
from ragtriage.report.write import write_report

if TYPE_CHECKING:
    from playwright.sync_api import Page

TEXTS = [*HOSTILE.values(), *payloads(1_000 - len(HOSTILE))]
KNOWN = set(TEXTS)
OURS = {
    *("A", "ARTICLE", "B", "BDI", "BODY", "BR", "BUTTON", "CITE", "CODE", "DD", "DETAILS", "DIALOG", "DIV", "DL", "DT"),
    *("FORM", "H1", "H2", "H3", "H4", "HEAD", "HEADER", "HTML", "I", "INPUT", "KBD", "LABEL", "LI", "MAIN", "MARK"),
    *("META", "NAV", "NOSCRIPT", "OL", "OPTION", "OUTPUT", "P", "SCRIPT", "SECTION", "SELECT", "SMALL", "SPAN"),
    *("STRONG", "STYLE", "SUMMARY", "SUP", "TABLE", "TBODY", "TD", "TH", "THEAD", "TITLE", "TR", "UL", "WBR"),
    *("svg", "rect", "circle", "path", "line"),
}
_ELEMENTS = "[...new Set([...document.querySelectorAll('*')].map((one) => one.tagName))]"
_ATTRIBUTES = """[...document.querySelectorAll('*')].flatMap((one) => [...one.attributes])
    .filter(({ name, value }) => name.startsWith('on') || ['src', 'srcset', 'style', 'action', 'srcdoc'].includes(name)
        || (name === 'href' && !value.startsWith('#'))).map(({ name }) => name)"""
_OPEN = "document.querySelectorAll('details').forEach((one) => { one.open = true; })"


def strings(value: object) -> Iterable[str]:
    """Every text of a record, at any depth."""
    if isinstance(value, str):
        yield value
    if isinstance(value, BaseModel):
        value = [getattr(value, name) for name in type(value).model_fields]
    if isinstance(value, dict):
        value = [*value, *value.values()]
    for part in value if isinstance(value, list | tuple) else ():
        yield from strings(part)


def given_in(texts: Iterable[str]) -> set[str]:
    """The texts that hold one of ours."""
    return {text for text in texts if any(one in text for one in KNOWN)}


def shown_of_case(report: Report, case_id: str) -> set[str]:
    """The texts of a case that its view has to show as they are."""
    case, trace, verdicts = report.cases[case_id], report.traces[case_id], report.verdicts[case_id]
    result = next(one for one in report.results.cases if one.case_id == case_id)
    claims = [(claim.text, claim.cited) for claim in verdicts.claims]
    records = [case, result, trace, verdicts.judge, claims, report.documents[trace.context[0].doc_id]]
    # Values of predicates and of fields are written with quotes and escapes; costs by stage are summed up elsewhere.
    written = {*strings([case.expected.fields, [one.value for one in trace.predicates], trace.cost])}
    return given_in(strings(records)) - written


def shown_above(report: Report) -> set[str]:
    """The texts that the report itself has to show as they are."""
    results = report.results
    listed = [results.metrics[:2], results.gate, results.diagnosis]
    records = [results.run_id, listed, results.notes, results.bundle, results.left_out, report.folder]
    return given_in(strings(records))


def lost(page: Page, where: str, texts: Iterable[str]) -> list[str]:
    """The texts that the content of an element does not hold exactly as they were given."""
    found: list[str] = page.evaluate(
        "([where, texts]) => texts.filter((text) => !document.querySelector(where).textContent.includes(text))",
        [where, list(texts)],
    )
    return found


def test_a_thousand_payloads_are_texts_and_nothing_else(open_page: Callable[..., Page], tmp_path: Path) -> None:
    assert len(KNOWN) == 1_000
    given = itertools.cycle(TEXTS)
    report = worded_report(lambda: next(given), cases=45)
    write_report(report, tmp_path / "report.html")
    page = open_page(tmp_path / "report.html")
    title, address = page.title(), page.url
    page.evaluate(_OPEN)
    above = shown_above(report)
    # NUL may stand in no page; where the template writes it, its picture stands.
    assert lost(page, "#summary", (text.replace("\0", "\u2400") for text in above)) == []
    seen, elements = set(above), set(page.evaluate(_ELEMENTS))
    for case_id in report.cases:
        page.goto(f"{address}#case={page.evaluate('encodeURIComponent', case_id)}")
        page.evaluate(_OPEN)
        page.wait_for_selector("article .document")
        texts = shown_of_case(report, case_id)
        assert lost(page, "article", texts) == []
        seen |= texts
        elements |= set(page.evaluate(_ELEMENTS))
        assert page.title() == title
    assert {text for text in KNOWN if not any(text in one for one in seen)} == set()
    assert elements <= OURS
    assert page.evaluate(_ATTRIBUTES) == []
    assert page.evaluate("document.scripts.length") == 1


def test_what_is_typed_or_stands_in_the_address_is_a_text_too(open_page: Callable[..., Page], tmp_path: Path) -> None:
    given = itertools.cycle(TEXTS)
    write_report(worded_report(lambda: next(given), cases=30), tmp_path / "report.html")
    page = open_page(tmp_path / "report.html")
    title, address = page.title(), page.url
    for text in TEXTS[::80]:
        page.goto(f"{address}#cases")
        settled(page)
        page.locator("input[name=q]").fill(text)
        coded = page.evaluate("encodeURIComponent", text)
        for name in ("q", "case", "metric", "sort", "state", "language", "nothing"):
            page.goto(f"{address}#case=x&{name}={coded}")
    page.goto(f"{address}#%E0%A4%A")  # no text at all
    assert page.title() == title
    assert page.evaluate(_ATTRIBUTES) == []
