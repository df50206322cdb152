"""The page can be read by everybody: without sight of colours, enlarged, on a phone, on paper, without the script."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.browser.settling import settled
from tests.report.samples import REPORT, compared_report, grown_report

from ragtriage.core.records import Ranking, Timing
from ragtriage.report.formats import html as html_format
from ragtriage.report.wording import again, command
from ragtriage.report.write import write_report

if TYPE_CHECKING:
    from playwright.sync_api import Page

VIEWS = ("", "#cases", "#case=kk-monthly-fee&claim=2", "#case=ru-early-repayment")
_OPEN = "document.querySelectorAll('details').forEach((one) => { one.open = true; })"


@pytest.fixture(scope="module")
def compared_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of the six cases beside a base run: every section there is."""
    place = tmp_path_factory.mktemp("compared") / "report.html"
    write_report(replace(compared_report(), config="ragtriage.toml"), place)
    return place


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("view", VIEWS)
def test_axe_finds_nothing_serious(open_page: Callable[..., Page], compared_file: Path, view: str, scheme: str) -> None:
    from axe_playwright_python.sync_playwright import Axe  # noqa: PLC0415 - only where there is a browser

    page = open_page(compared_file, view, color_scheme=scheme)
    page.evaluate(_OPEN)
    found = Axe().run(page).response["violations"]
    grave = [one for one in found if one["impact"] in {"serious", "critical"}]
    assert [(one["id"], [node["html"][:200] for node in one["nodes"][:3]]) for one in grave] == []


def test_the_help_is_a_dialog_that_axe_accepts(open_page: Callable[..., Page], compared_file: Path) -> None:
    from axe_playwright_python.sync_playwright import Axe  # noqa: PLC0415

    page = open_page(compared_file)
    page.get_by_role("button", name="Keys").click()
    assert page.get_by_role("dialog", name="Keys").is_visible()
    found = Axe().run(page).response["violations"]
    assert [one["id"] for one in found if one["impact"] in {"serious", "critical"}] == []


# A window of 1280 pixels enlarged to 400 % is one of 320.
@pytest.mark.parametrize("view", VIEWS)
def test_nothing_has_to_be_scrolled_sideways_on_a_phone_or_at_400_percent(
    open_page: Callable[..., Page], compared_file: Path, view: str
) -> None:
    page = open_page(compared_file, view, viewport={"width": 320, "height": 256}, device_scale_factor=4)
    page.evaluate(_OPEN)
    wide = page.evaluate(
        """() => [...document.querySelectorAll('body *')].filter((one) => {
            const box = one.getBoundingClientRect();
            return box.width > 0 && box.right > innerWidth + 1 && !one.closest('.scroll, .bar, .hidden, .skip, svg');
        }).map((one) => one.outerHTML.slice(0, 120))"""
    )
    assert wide == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 320


def test_on_a_phone_a_case_takes_the_place_of_the_list(open_page: Callable[..., Page], report_file: Path) -> None:
    page = open_page(report_file, "#cases", viewport={"width": 390, "height": 800}, has_touch=True)
    page.locator(".row").first.tap()
    settled(page)
    assert page.locator("article h2").is_visible()
    assert not page.locator(".list").is_visible()
    page.get_by_role("link", name="All cases").tap()
    settled(page)
    assert page.locator(".list").is_visible()


def test_each_colour_has_a_word_beside_it(open_page: Callable[..., Page], report_file: Path) -> None:
    page = open_page(report_file, "#case=kk-monthly-fee")
    assert page.locator("a.claim").all_inner_texts() == [
        "Айлық қызмет ақысы 990 теңге.1 supported",
        "Өтінішті тек кассада бересіз.2 contradicted",
        "990 теңге1 stated",
        "қосымшада.2 missing",
    ]
    assert page.locator(".passages a.v").all_inner_texts() == ["supports 1"]
    assert page.locator(".list .row .state").all_inner_texts()[0] == "not ok"
    assert "gold evidence" in page.locator("ol.passages li").first.inner_text()


def test_without_the_script_the_page_says_whether_to_ship_and_what_broke(
    open_page: Callable[..., Page], report_file: Path
) -> None:
    page = open_page(report_file, java_script_enabled=False)
    assert page.locator(".top h1").inner_text() == "Fail: do not ship"
    text = page.locator("noscript").inner_text()
    assert "a claim contradicts the context: kk-monthly-fee" in text
    assert not page.locator("#cases").is_visible()
    assert not page.locator("#data").is_visible()


def printed(page: Page) -> int:
    """Count the pages of paper."""
    return page.pdf(format="A4").count(b"/Type /Page\n") or page.pdf(format="A4").count(b"/Type /Page")


def test_report_and_case_can_be_printed(open_page: Callable[..., Page], compared_file: Path) -> None:
    page = open_page(compared_file)
    assert 1 <= printed(page) <= 8
    page.emulate_media(media="print")
    assert not page.locator("nav.bar").is_visible()
    assert page.locator("#gate").is_visible()
    page.goto(compared_file.as_uri() + "#case=kk-monthly-fee")
    settled(page)
    assert 1 <= printed(page) <= 4
    assert page.locator("article").is_visible()
    assert not page.locator(".list").is_visible()


def test_the_pages_of_a_large_report_lead_to_each_other_from_disk(
    open_page: Callable[..., Page], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(html_format, "MOST_CASES", 20)
    monkeypatch.setattr(html_format, "PAGE_CASES", 10)
    write_report(grown_report(35), tmp_path / "my report.html")
    page = open_page(tmp_path / "my report.html", "#leaf=generation")
    assert page.locator("output").inner_text() == "7 of 35"
    page.locator(".row").nth(6).click()  # filter and retrieval go before: the last of 21 cases, ten a page
    page.wait_for_url("**/my%20report/cases-003.html#case=case-0031")
    assert page.locator("article h2").inner_text().startswith("Айлық қызмет ақысы")
    page.keyboard.press("c")
    assert page.locator(".claim.current").inner_text().endswith("2 contradicted")
    page.get_by_role("link", name="Page 4").click()
    page.wait_for_url("**/cases-004.html#cases")
    assert page.locator("output").inner_text() == "5 of 5"
    page.get_by_role("link", name="Fail: do not ship").click()
    page.wait_for_url("**/my%20report.html")
    assert page.locator(".top h1").is_visible()
    page.goto((tmp_path / "my report.html").as_uri() + "#case=case-0034")  # a link to a case finds its page
    page.wait_for_url("**/cases-004.html#case=case-0034")
    assert page.locator("article h2").is_visible()


@pytest.mark.parametrize("case_id", ["plain-1", "it's", 'with "quotes" $HOME `x` !', "-dash", "путь/к делу", "a\\b"])
def test_the_commands_are_quoted_as_a_shell_reads_them(
    open_page: Callable[..., Page], tmp_path: Path, case_id: str
) -> None:
    report: Any = grown_report(5)
    old = report.results.cases[1].case_id
    report = replace(
        report,
        results=report.results.model_copy(
            update={"cases": (report.results.cases[1].model_copy(update={"case_id": case_id}),)}
        ),
        cases={case_id: report.cases[old].model_copy(update={"case_id": case_id})},
        traces={case_id: report.traces[old]},
        folder="runs/my run",
        config="my rag.toml",
    )
    write_report(report, tmp_path / "report.html")
    page = open_page(tmp_path / "report.html")
    page.keyboard.press("j")
    lines = page.locator("article .command code").all_text_contents()
    assert lines == [again("my rag.toml", case_id), command("runs/my run", case_id)]
    words = shlex.split(lines[0])
    assert words[words.index("--where") + 1] == "case_id = '" + case_id.replace("'", "''") + "'"
    assert shlex.split(lines[1])[-1] == case_id


def test_the_report_of_results_alone_opens(open_page: Callable[..., Page], tmp_path: Path) -> None:
    write_report(replace(REPORT, cases={}, traces={}, verdicts={}, documents={}, scores=()), tmp_path / "report.html")
    page = open_page(tmp_path / "report.html")
    page.keyboard.press("j")
    assert "Broke at filter" in page.locator("article").inner_text()


def test_a_case_of_which_little_was_recorded_is_drawn_as_far_as_it_goes(
    open_page: Callable[..., Page], tmp_path: Path
) -> None:
    trace, case_id = REPORT.traces["kk-monthly-fee"], "kk-monthly-fee"
    nothing = dict.fromkeys(("rewrites", "predicates", "rankings", "context", "answer", "timings", "cost"))
    silent = trace.answer.model_copy(update={"text": "", "citations": ()})
    odd: dict[str, dict[str, Any]] = {
        "empty-list": {"rankings": (Ranking(stage="dense"),)},
        "one-empty-list": {"rankings": (Ranking(stage="dense"), trace.rankings[1])},
        "no-lists": {"rankings": ()},
        "empty-context": {"context": ()},
        "no-answer": {"answer": None},
        "empty-answer": {"answer": silent},
        "no-time": {"timings": (Timing(stage="all", start_ms=0, duration_ms=0),)},
        "nothing": nothing,
    }
    old = next(one for one in REPORT.results.cases if one.case_id == case_id)
    report = replace(
        REPORT,
        results=REPORT.results.model_copy(
            update={"cases": tuple(old.model_copy(update={"case_id": name}) for name in odd)}
        ),
        cases={name: REPORT.cases[case_id].model_copy(update={"case_id": name}) for name in odd},
        traces={name: trace.model_copy(update={"case_id": name, **change}) for name, change in odd.items()},
        verdicts=dict.fromkeys(list(odd)[:4], REPORT.verdicts[case_id]),
    )
    write_report(report, tmp_path / "report.html")
    page = open_page(tmp_path / "report.html")
    for name in odd:
        page.goto(f"{(tmp_path / 'report.html').as_uri()}#case={name}")
        settled(page)
        page.evaluate(_OPEN)
        assert page.locator("article .ids").inner_text().split()[2] == name
        page.keyboard.press("c")
    text = page.locator("article").inner_text()
    assert "The trace does not record: rankings, predicates, context, citations, timings." in text
    assert "No answer was recorded." in text
