from __future__ import annotations

from dataclasses import replace

import pytest

from ragtriage.core.results import LeafShare
from ragtriage.report.escaping import cells
from ragtriage.report.formats.terminal import terminal
from ragtriage.report.model import Report
from ragtriage.report.wording import LEAVES


def test_the_verdict_stands_in_the_first_line(report: Report) -> None:
    first = terminal(report).splitlines()[0]
    assert first.startswith("\u2717 Fail: do not ship")
    assert first.endswith("run 2026-11-15T09-00-00-4f1c")


def test_a_command_leads_from_the_numbers_to_a_case(report: Report) -> None:
    assert "  ragtriage diagnose runs/latest --case ru-early-repayment" in terminal(report).splitlines()


def test_the_steps_of_the_waterfall_follow_each_other(report: Report) -> None:
    lines = [line for line in terminal(report).splitlines() if "\u2588" in line]
    assert [line.split()[0] for line in lines] == ["filter", "retrieval", "generation", "service"]
    starts = [line.index("\u2588") for line in lines]
    ends = [line.rindex("\u2588") + 1 for line in lines]
    assert starts[1:] == ends[:-1]
    assert [line.split()[2] for line in lines] == ["1"] * 4


@pytest.fixture
def crowded(report: Report) -> Report:
    """Every leaf, 20 gate rules, 20 slices."""
    old = report.results
    rule, row = old.gate.rules[2], old.metrics[0]
    rules = tuple(rule.model_copy(update={"slice": {"language": f"x{n}"}}) for n in range(20))
    slices = tuple(row.model_copy(update={"slice": {"kind": f"k{n}"}, "value": 0.01 * n}) for n in range(20))
    shares = tuple(LeafShare(leaf=leaf, cases=n + 1, share=(n + 1) / 120) for n, leaf in enumerate(LEAVES))
    return Report(
        results=old.model_copy(
            update={
                "gate": old.gate.model_copy(update={"rules": rules}),
                "metrics": old.metrics + slices,
                "diagnosis": shares,
                "counts": old.counts.model_copy(update={"not_ok": 120}),
            }
        )
    )


@pytest.mark.parametrize("width", [60, 80, 200])
def test_a_crowded_run_keeps_to_40_lines_and_the_width(crowded: Report, width: int) -> None:
    lines = terminal(crowded, width=width).splitlines()
    assert len(lines) <= 40
    assert max(map(cells, lines)) <= width
    text = "\n".join(lines)
    assert "and 15 more rules" in text
    for name in ("Gate", "Where the 120 cases", "Worst slices", "Stages", "ragtriage diagnose"):
        assert name in text


def test_the_longest_bars_are_kept_and_the_rest_is_counted(crowded: Report) -> None:
    drawn = terminal(crowded)
    shown = [line.split()[0] for line in drawn.splitlines() if "\u2588" in line]
    assert shown == list(LEAVES)[-6:]
    assert "45 at other leaves, 0 without a diagnosis" in drawn  # 1 + 2 + ... + 9


def test_the_five_worst_slices_are_the_lowest(crowded: Report) -> None:
    lines = terminal(crowded).splitlines()
    start = next(n for n, line in enumerate(lines) if line.startswith("Worst slices"))
    names = [line.split(":")[0].strip() for line in lines[start + 1 : start + 6]]
    # Sorted by how far they lie below 0.5: 0.00, 0.00 (language=ru, in the report), 0.01, 0.02, 0.03.
    assert sorted(names) == ["kind=k0", "kind=k1", "kind=k2", "kind=k3", "language=ru"]


def test_a_case_id_too_long_for_the_line_does_not_break_the_command(report: Report) -> None:
    long = "x" * 200
    cases = tuple(c.model_copy(update={"case_id": long + c.case_id}) for c in report.results.cases)
    drawn = terminal(Report(results=report.results.model_copy(update={"cases": cases})))
    assert "  ragtriage diagnose runs/latest --case ID" in drawn.splitlines()


def test_a_base_run_is_told_in_the_head(compared: Report) -> None:
    lines = terminal(compared).splitlines()
    told = " ".join(lines[:6])
    assert "against base-run: 1 case broke, 0 mended (p = 1.000); 0 of 10 metrics got worse and 0" in told
    assert len(lines) <= 40
    assert max(map(cells, lines)) <= 80


def test_the_mark_of_proxies_is_explained_where_one_is_shown(report: Report) -> None:
    assert "\u2020 uncalibrated proxy" in terminal(report)
    rows = tuple(row.model_copy(update={"proxy": False}) for row in report.results.metrics)
    assert "\u2020" not in terminal(replace(report, results=report.results.model_copy(update={"metrics": rows})))
