"""The page in a browser, walked by keyboard and by links: filters, order, addresses, from numbers to sentences."""

from __future__ import annotations

import urllib.parse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.browser.settling import settled
from tests.report.samples import compared_report

if TYPE_CHECKING:
    from playwright.sync_api import Page

BROKEN = ["ru-early-repayment", "en-lost-card", "kk-monthly-fee", "ar-transfer-limit"]  # filter, retrieval, generation
ALL = [*BROKEN, "en-block-card", "ru-open"]


def choice(page: Page) -> dict[str, str]:
    """What the address says."""
    settled(page)
    return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(page.url).fragment))


def listed(page: Page) -> list[str]:
    """The ids of the cases in the list, in order."""
    settled(page)
    ids = page.locator(".list .row .id").all_text_contents()
    return [text.split(" \u00b7 ")[0] for text in ids]


def focused(page: Page) -> str:
    """The text of the element that has the focus."""
    settled(page)
    return page.evaluate("document.activeElement.textContent")


def marked(page: Page) -> tuple[str, str]:
    """The texts that are pointed at, in the answer and in the context."""
    settled(page)
    said, shown = (page.locator(f"article {kind}.current").all_text_contents() for kind in (".claim", ".passages mark"))
    return "".join(said), "".join(shown)


def test_the_page_opens_from_disk_and_says_whether_to_ship(open_page: Callable[..., Page], report_file: Path) -> None:
    page = open_page(report_file)
    assert page.title().startswith("Fail: do not ship")
    assert page.locator(".top h1").inner_text() == "Fail: do not ship"
    assert page.locator("#gate tbody tr").count() == 3
    assert not page.locator("#cases").is_visible()


def test_keys_lead_through_the_cases(open_page: Callable[..., Page], report_file: Path) -> None:
    page = open_page(report_file)
    page.keyboard.press("j")
    assert choice(page) == {"case": BROKEN[0]}
    assert focused(page).startswith("Какую комиссию")
    page.keyboard.press("j")
    assert choice(page)["case"] == BROKEN[1]
    page.keyboard.press("k")
    page.keyboard.press("k")  # there is none before the first
    assert choice(page)["case"] == BROKEN[0]
    page.keyboard.press("d")
    assert focused(page).startswith("Broke at filter: eligible evidence removed by predicate")
    page.keyboard.press("?")
    assert page.locator("dialog").is_visible()
    page.keyboard.press("j")  # keys do nothing behind the help
    assert choice(page)["case"] == BROKEN[0]
    page.keyboard.press("Escape")
    assert not page.locator("dialog").is_visible()
    page.keyboard.press("Escape")
    assert page.url.endswith("#cases")
    assert BROKEN[0] in focused(page)  # the list, at the case that was open
    page.keyboard.press("Enter")
    assert choice(page)["case"] == BROKEN[0]
    page.keyboard.press("Escape")
    page.keyboard.press("f")
    assert page.evaluate("document.activeElement.name") == "state"
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.name") == "q"
    page.keyboard.type("jk")  # letters are text there
    assert choice(page) == {"q": "jk"}
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    assert page.locator("#summary").is_visible()


def test_from_any_number_to_its_cases_and_on_to_the_guilty_sentence_by_keyboard(
    open_page: Callable[..., Page], report_file: Path
) -> None:
    page = open_page(report_file)
    page.locator("#waterfall .leaf", has_text="generation").focus()
    page.keyboard.press("Enter")  # one action: the cases of the number
    assert listed(page) == ["kk-monthly-fee"]
    page.keyboard.press("j")  # two: the case
    assert choice(page) == {"leaf": "generation", "case": "kk-monthly-fee"}
    page.keyboard.press("c")  # three: the claim that the context contradicts, which no passage shows
    assert choice(page)["claim"] == "2"
    assert focused(page).startswith("Өтінішті тек кассада бересіз.")
    assert marked(page) == ("Өтінішті тек кассада бересіз.2 contradicted", "")
    assert "No passage of the context shows it." in page.locator(".bar-of-claim").inner_text()
    page.keyboard.press("c")  # then what the reference says and the answer does not
    assert choice(page)["claim"] == "r2"
    assert focused(page).startswith("қосымшада.")
    page.keyboard.press("c")  # then what is supported, at the passage that shows it
    assert marked(page) == ("Айлық қызмет ақысы 990 теңге.1 supported", "Айлық қызмет ақысы 990 теңге.")
    assert page.evaluate("document.activeElement.closest('.passages') !== null")
    page.keyboard.press("c")
    assert choice(page)["claim"] == "2"


@pytest.mark.parametrize(
    ("number", "cases"),
    [
        (".tally .good a", ["en-block-card"]),
        (".tally .bad a", BROKEN),
        (".tally .warn a", ["ar-transfer-limit"]),
        ("#gate tr:nth-child(1) td:nth-child(8) a", ["en-lost-card"]),
        ("#pipeline li:has-text('Filters') .broke a", ["ru-early-repayment"]),
        ("#slices .worst a", ["ru-early-repayment", "ru-open"]),
        ("#slices tr:has-text('kk') td:nth-child(2) a", ["kk-monthly-fee"]),
        (".metrics tr:has-text('recall@4') td:nth-child(6) a", ["ar-transfer-limit"]),
        (".metrics tr:has-text('latency_p95') td:nth-child(2) a", ALL),
    ],
)
def test_each_number_is_a_link_to_the_cases_behind_it(
    open_page: Callable[..., Page], report_file: Path, number: str, cases: list[str]
) -> None:
    page = open_page(report_file)
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    link = page.locator(number).first
    if number.startswith("#gate"):  # of the failing rule, recall: undefined for one case
        link = page.locator("#gate tr:has-text('recall') td:nth-child(8) a")
        cases = ["ru-open"]
    link.press("Enter")
    assert sorted(listed(page)) == sorted(cases)


def test_a_metric_sorts_its_cases_the_worst_first_and_shows_their_scores(
    open_page: Callable[..., Page], report_file: Path
) -> None:
    page = open_page(report_file, "#metric=generation.required_facts&is=scored")
    assert listed(page) == ["ru-early-repayment", "kk-monthly-fee", "en-block-card"]
    assert page.locator(".row .score").all_text_contents() == ["0.000 (n=1)", "0.500 (n=1)", "1.000 (n=1)"]
    page.locator("select[name=is]").select_option("undefined")
    assert page.locator(".row .score").all_text_contents() == ["undefined: none declared"] * 2
    page.locator("select[name=is]").select_option("failed")
    assert page.locator(".row .score").all_text_contents() == ["failed: system: TimeoutError: no answer within 60 s"]


def test_search_and_filters_narrow_the_list_and_stand_in_the_address(
    open_page: Callable[..., Page], report_file: Path
) -> None:
    page = open_page(report_file, "#cases")
    assert listed(page) == ALL
    search = page.locator("input[name=q]")
    search.fill("КОМИССИЮ автокредит")  # words in any case and order
    assert listed(page) == ["ru-early-repayment"]
    search.fill("кассада")  # stands in the answer alone
    assert listed(page) == ["kk-monthly-fee"]
    search.fill("nothing like it")
    assert listed(page) == []
    assert page.locator(".none").is_visible()
    page.get_by_role("button", name="Clear").click()
    assert listed(page) == ALL
    page.locator("select[name=state]").select_option("not_ok")
    assert listed(page) == BROKEN[:3]
    page.get_by_text("More filters").click()
    page.locator("select[name=language]").select_option("en")
    assert listed(page) == ["en-lost-card"]
    assert choice(page) == {"state": "not_ok", "language": "en"}
    assert page.locator("output").inner_text() == "1 of 6"
    page.reload()
    assert listed(page) == ["en-lost-card"]
    assert page.locator("select[name=language]").input_value() == "en"


def test_a_metric_that_is_chosen_decides_the_order_until_another_is_asked_for(
    open_page: Callable[..., Page], report_file: Path
) -> None:
    page = open_page(report_file, "#sort=id")
    page.locator("select[name=metric]").select_option("generation.required_facts")
    assert choice(page) == {"metric": "generation.required_facts"}
    assert page.locator("select[name=sort]").input_value() == "score"
    assert listed(page)[:3] == ["ru-early-repayment", "kk-monthly-fee", "en-block-card"]
    page.locator("select[name=sort]").select_option("broke")
    assert choice(page) == {"metric": "generation.required_facts", "sort": "broke"}
    assert listed(page) == ALL
    page.locator("select[name=metric]").select_option("")
    assert choice(page) == {}
    assert page.locator("select[name=sort]").input_value() == "broke"


def test_the_list_can_be_put_in_another_order(open_page: Callable[..., Page], report_file: Path) -> None:
    page = open_page(report_file, "#cases")
    order = page.locator("select[name=sort]")
    order.select_option("id")
    assert listed(page) == sorted(ALL)
    order.select_option("slowest")
    assert listed(page)[:3] == ["ru-early-repayment", "kk-monthly-fee", "en-block-card"]  # 450, 421 and 252 ms
    order.select_option("dearest")
    assert listed(page)[:2] == ["kk-monthly-fee", "ru-early-repayment"]  # 0.0006 and 0.0004 USD


def test_an_address_opens_a_case_at_a_claim_and_back_leads_where_one_came_from(
    open_page: Callable[..., Page], report_file: Path
) -> None:
    page = open_page(report_file, "#language=kk&case=kk-monthly-fee&claim=1")
    assert page.locator("article h2.question").inner_text().startswith("Айлық қызмет ақысы")
    assert all(marked(page))
    page.goto(report_file.as_uri() + "#state=not_ok")
    page.locator(".row", has_text="en-lost-card").click()
    assert choice(page) == {"state": "not_ok", "case": "en-lost-card"}
    page.go_back()
    assert choice(page) == {"state": "not_ok"}
    assert not page.locator("article").is_visible()
    assert "en-lost-card" in focused(page)
    page.go_forward()
    settled(page)
    assert page.locator("article h2").is_visible()
    page.goto(report_file.as_uri() + "#case=nobody")
    assert not page.locator("article").is_visible()
    assert listed(page) == ALL


def test_back_returns_to_the_number_that_was_followed(open_page: Callable[..., Page], report_file: Path) -> None:
    page = open_page(report_file)
    link = page.locator("#waterfall .leaf", has_text="service")
    link.scroll_into_view_if_needed()
    before = page.evaluate("scrollY")
    link.click()
    assert listed(page) == ["ar-transfer-limit"]
    page.go_back()
    page.wait_for_function("!document.getElementById('summary').hidden")
    assert abs(page.evaluate("scrollY") - before) < 5


def test_a_click_on_a_claim_points_at_its_span_and_a_click_there_leads_back(
    open_page: Callable[..., Page], report_file: Path
) -> None:
    page = open_page(report_file, "#case=kk-monthly-fee")
    page.locator("a.claim", has_text="990 теңге.").first.click()
    assert choice(page)["claim"] == "1"
    assert marked(page)[1] == "Айлық қызмет ақысы 990 теңге."
    span = page.locator(".passages mark.current").first
    assert span.evaluate(
        "(node) => { const box = node.getBoundingClientRect(); return box.top > 0 && box.bottom < innerHeight; }"
    )
    page.go_back()
    settled(page)
    assert page.locator(".current").count() == 0
    page.locator(".passages a.v", has_text="supports 1").click()
    assert choice(page)["claim"] == "1"
    page.get_by_role("link", name="Close").click()
    assert "claim" not in choice(page)


def test_a_case_shows_what_each_stage_did_to_it(open_page: Callable[..., Page], report_file: Path) -> None:
    page = open_page(report_file, "#case=ru-early-repayment")
    text = " ".join(page.locator("article").inner_text().split())
    for told in (
        "Asked by public visitor, as of 2026-11-15, risk high",
        "Rewritten: комиссия досрочное погашение автокредит",
        "Broke at filter: eligible evidence removed by predicate version == '2024'",
        "Extract the version from the question, or make it a boost.",
        "Не нашёл ответа в документах.",
        "behaviour answer did abstain",
        "must say 1 % not stated",
        "dense not there sparse not there fused not there context not there",
        "version == '2024' hard extracted does not have it kk-car-loan-2026, ru-car-loan-2026",
        "⊘ ru-car-loan-2024#0",
        "Timings 450 ms, 0.0004 USD retrieve 38 ms generate 412 ms",
        "ragtriage diagnose runs/latest --case ru-early-repayment",
    ):
        assert told in text, told
    page.get_by_text("In its document").first.click()
    held = page.locator(".document").first
    assert held.inner_text().startswith("Тариф «Автокредит")
    assert held.locator("mark.gold").inner_text() == "Досрочное погашение в первые шесть месяцев: 1 %"
    page.locator(".ranks button", has_text="en-card").first.click()
    assert "Card replacement" in page.locator(".peek").inner_text()


def test_moves_and_marks_stand_in_the_rankings(open_page: Callable[..., Page], report_file: Path) -> None:
    page = open_page(report_file, "#case=en-block-card")
    rows = [" ".join(text.split()) for text in page.locator(".ranks tbody tr").all_inner_texts()]
    assert rows == ["1 ar-limits#0 ● en-card#0 ▲1", "2 ● en-card#0 ar-limits#0 ▼1"]
    page.get_by_text("Scores", exact=True).click()
    assert "retrieval.recall@4 evidence 1.000 (n=1)" in " ".join(page.locator("article").inner_text().split())


def test_text_from_right_to_left_is_set_so(open_page: Callable[..., Page], report_file: Path) -> None:
    page = open_page(report_file, "#case=ar-transfer-limit")
    assert page.locator("h2.question").evaluate("(node) => getComputedStyle(node).direction") == "rtl"
    assert page.locator(".passages .text").first.evaluate("(node) => getComputedStyle(node).direction") == "rtl"
    assert page.locator(".row[aria-current] .q").evaluate("(node) => getComputedStyle(node).direction") == "rtl"
    assert page.locator("h3").first.evaluate("(node) => getComputedStyle(node).direction") == "ltr"


def test_the_base_run_stands_beside_this_one(open_page: Callable[..., Page], tmp_path: Path) -> None:
    from ragtriage.report.write import write_report  # noqa: PLC0415 - used here alone

    write_report(compared_report(), tmp_path / "report.html")
    page = open_page(tmp_path / "report.html")
    page.locator("#compare .turned a").press("Enter")
    settled(page)
    text = " ".join(page.locator("article").inner_text().split())
    assert "In the base run ok It answered: 2,500 tenge." in text
    assert "Against the base run Worse retrieval.recall@4" in text
    page.go_back()
    page.locator("#compare td a").first.press("Enter")  # the one case in which recall is worse
    assert choice(page) == {"metric": "retrieval.recall@4/evidence", "moved": "worse"}
    assert listed(page) == ["en-lost-card"]


def test_thousands_of_cases_are_filtered_and_walked(open_page: Callable[..., Page], many_file: Path) -> None:
    page = open_page(many_file, "#cases")
    assert page.locator("output").inner_text() == "2000 of 2000"
    assert 0 < page.locator(".list li").count() < 500  # the others are drawn when the list is scrolled to them
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    page.wait_for_function("document.querySelectorAll('.list li').length > 300")
    page.locator("select[name=leaf]").select_option("retrieval")
    settled(page)
    assert page.locator("output").inner_text() == "400 of 2000"
    page.goto(many_file.as_uri() + "#sort=id&case=case-1900")
    assert page.locator(".row[aria-current]").inner_text().count("case-1900") == 1
    page.keyboard.press("j")
    assert choice(page)["case"] == "case-1901"
