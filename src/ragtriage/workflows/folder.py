"""What a run folder holds beside its database: the results and everything that is drawn from them."""

from __future__ import annotations

import json
from pathlib import Path

from ragtriage.core.files import write_atomic
from ragtriage.report.model import Report
from ragtriage.report.write import remove_pages, write_report
from ragtriage.runs.plan import Plan
from ragtriage.workflows.compared import comparison_json
from ragtriage.workflows.review import REVIEW, keep_labelled, write_review

__all__ = ["COMPARISON", "DERIVED", "RESULTS", "SCORES", "remove_derived", "write_folder"]

RESULTS = "results.json"
COMPARISON = "comparison.json"
SCORES = "scores.parquet"
BUNDLE = "bundle.json"
_DRAWN = ("report.html", "report.md", "junit.xml", SCORES)
DERIVED = (RESULTS, *_DRAWN, BUNDLE)  # and, where there is anything in them, the comparison and the list for review


def write_folder(report: Report, plan: Plan, folder: Path) -> None:
    """Write every derived file, each whole or not at all, the results last: where they lie the others lie too."""
    for name in _DRAWN:
        write_report(report, folder / name)
    if report.compared is None:
        (folder / COMPARISON).unlink(missing_ok=True)
    else:
        write_atomic(folder / COMPARISON, comparison_json(report.compared))
    write_review(report, folder / REVIEW)
    document = {"identity": plan.identity, "bundle": dict(sorted(plan.bundle.items()))}
    document["configuration"] = dict(plan.configuration)
    write_atomic(folder / BUNDLE, json.dumps(document, ensure_ascii=False, indent=2, sort_keys=True) + "\n")
    write_report(report, folder / RESULTS)


def remove_derived(folder: Path) -> None:
    """Take away what an older run left; the results first, so that no file ever speaks of another run's records."""
    keep_labelled(folder / REVIEW)  # refuses a file that somebody broke while labelling, before anything is taken away
    for name in (*DERIVED, COMPARISON):
        (folder / name).unlink(missing_ok=True)
    remove_pages(folder / "report.html")
