from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from ragtriage.report.formats.csv import csv_metrics, guarded, restored
from ragtriage.report.model import Report


def test_case_b51_dangerous_cells_get_an_apostrophe_and_come_back(shared: Callable[[str], Path]) -> None:
    answers = json.loads(shared("cases/inputs/B51.json").read_text(encoding="utf-8"))["answers"]
    assert [guarded(text)[0] == "'" for text in answers] == [True] * 8 + [False]
    assert [restored(guarded(text)) for text in answers] == answers


@pytest.mark.parametrize("text", ["'", "''", "'=1", "''=1", "'a", "", "=", "\uff1d1", "\u00a0=1", "\ufeff-1", "\r=1"])
def test_every_text_comes_back(text: str) -> None:
    assert restored(guarded(text)) == text


def test_a_negative_number_stays_a_number(report: Report) -> None:
    row = report.results.metrics[0].model_copy(update={"value": -0.25, "interval": (-0.5, 0.0)})
    results = report.results.model_copy(update={"metrics": (row,)})
    read = list(csv.DictReader(io.StringIO(csv_metrics(Report(results=results)), newline="")))
    assert (read[0]["value"], read[0]["interval_low"]) == ("-0.25", "-0.5")
