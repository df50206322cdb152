"""The two pictures of a run's report that the README shows: `python -m tests.browser.screenshots RUN FOLDER`."""

from __future__ import annotations

import shutil
import sys
import urllib.parse
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, Page, sync_playwright
from tests.browser.settling import settled

from ragtriage.report.model import Report
from ragtriage.report.sections.answer import answer_text
from ragtriage.report.write import write_report
from ragtriage.workflows.run import Run

__all__ = ["shoot", "telling_case"]

_WIDE = {"width": 1280, "height": 900}


def telling_case(report: Report) -> str:
    """Choose a case that is not ok and whose answer shows best why: a guilty claim, one that its sources contradict."""
    broken = [case.case_id for case in report.results.cases if case.ok is False]
    found: list[tuple[int, str]] = []
    for case_id in broken or [case.case_id for case in report.results.cases]:
        trace, judge = report.traces.get(case_id), report.verdicts.get(case_id)
        if trace is None or trace.answer is None:
            continue
        claims = answer_text(trace.answer, judge, report.cases.get(case_id)).claims
        rank = 3 - bool(claims)
        rank = 1 if any(claim.label == "contradicted" for claim in claims) else rank
        found.append((0 if any(claim.guilty for claim in claims) else rank, case_id))
    return min(found, key=lambda one: one[0])[1]


def shoot(browser: Browser, run: Path, folder: Path) -> None:
    """Draw a stored run and photograph its verdict and one of its cases."""
    report = Run.load(run).report()
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as place:
        file = Path(place) / "report.html"
        write_report(report, file)
        page = browser.new_page(viewport=_WIDE, color_scheme="light", reduced_motion="reduce")
        page.goto(file.as_uri())
        _photograph(page, folder / "report-verdict.png", "#pipeline")
        case_id = urllib.parse.quote(telling_case(report), safe="")
        page.goto(f"{file.as_uri()}#ok=no&case={case_id}")
        settled(page)
        page.screenshot(path=folder / "report-case.png")
        page.close()


def _photograph(page: Page, picture: Path, last: str) -> None:
    """Take the page from its top to the end of one of its sections."""
    box = page.locator(last).bounding_box()
    height = box["y"] + box["height"] + 24 if box else _WIDE["height"]
    page.screenshot(path=picture, full_page=True, clip={"x": 0, "y": 0, "width": _WIDE["width"], "height": height})


def main() -> None:
    """Take the pictures with the Chromium of this machine."""
    run, folder = map(Path, sys.argv[1:3])
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        shoot(browser, run, folder)
        browser.close()


if __name__ == "__main__":
    main()
