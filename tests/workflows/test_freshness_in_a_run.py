"""Changes of an index in a run: lags by numpy, stale questions and late documents by hand, gate, comparison, report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.workflows.projects import write_project

import ragtriage as rt
from ragtriage.core.clock import SystemClock
from ragtriage.core.errors import BadInput, NotComparable
from ragtriage.core.results import Results
from ragtriage.core.score import Undefined, Value
from ragtriage.core.tables import read_parquet
from ragtriage.workflows.inputs import read_inputs
from ragtriage.workflows.rescore import rescore
from ragtriage.workflows.settings import read_settings
from ragtriage.workflows.single_case import CaseAsker, metric_for

TEXTS = {
    "fees": "The fee for early repayment is 1 %.",
    "rates": "The rate is 17 % a year.",
    "cards": "A lost card is blocked by calling 7711.",
    "old": "The fee for early repayment is 3 %.",
}
WRITTEN_MS = [120_000.0, 250.0, 40.0]  # and one that no search showed


def moment(minute: int, second: float = 0.0) -> str:
    return f"2026-05-04T10:{minute:02}:{second:06.3f}Z"


def change(name: str, committed: str | None, seen: str | None, **more: Any) -> dict[str, Any]:
    return {
        "doc_id": name,
        "kind": "written",
        "committed_at": committed,
        "searchable_at": seen,
        "deadline_ms": 600_000,
        **more,
    }


CHANGES = [
    change("fees", moment(0), moment(2)),
    change("rates", moment(0, 30), moment(0, 30.25)),
    change("rates", moment(1), moment(1, 0.04)),
    change("cards", moment(5), None, deadline_ms=60_000),
    change("old", moment(0), moment(3), kind="deleted"),
    change("temp", None, None, failure={"error": "HTTP503", "message": "busy"}),
]
# case -> (document of the evidence, when it was asked, what was found, whether a change was on its way by hand)
ASKED = {
    "early": ("fees", moment(1), "rates", True),
    "seen": ("fees", moment(4), "rates", False),
    "found": ("rates", moment(4), "rates", False),
    "unseen": ("cards", moment(5, 30), "rates", True),
    "later": ("rates", moment(9), "rates", None),  # whether the change of `cards` was seen by then nothing tells
    "untold": ("rates", None, "rates", None),
}
STALE = {name: case[3] for name, case in ASKED.items()}


def project(
    folder: Path, *, settings: str = "", changes: list[Any] | None = None, ingest: str = 'changes = "changes.jsonl"'
) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    lines = [line if isinstance(line, str) else json.dumps(line) for line in (CHANGES if changes is None else changes)]
    (folder / "changes.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    traces = []
    for name, (_, asked, found, _) in ASKED.items():
        trace = {
            "trace_id": name,
            "case_id": name,
            "question": f"Q {name}?",
            "rankings": [{"stage": "dense", "hits": [{"id": found, "doc_id": found}]}],
        }
        traces.append(trace if asked is None else {**trace, "asked_at": asked})
    return write_project(
        folder,
        documents=[{"doc_id": name, "text": text, "language": "en"} for name, text in TEXTS.items()],
        cases=[
            {"case_id": name, "question": f"Q {name}?", "evidence": [{"doc_id": case[0]}]}
            for name, case in ASKED.items()
        ],
        traces=traces,
        settings=f"{f'[ingest]{chr(10)}{ingest}{chr(10)}' if ingest else ''}[slices]\nmin_cases = 1\n{settings}",
    )


def run_of(config: Path, name: str = "run", **more: Any) -> rt.Run:
    return rt.evaluate(config, output=config.parent / name, **more)


def counts(results: Results, name: str, **where: str) -> tuple[float | None, int, int, int]:
    row = results.row(name, where=where)
    assert row is not None
    return row.value, row.scored, row.undefined, row.failed


def test_lags_have_the_percentiles_of_numpy_and_what_was_not_seen_stands_behind_them(tmp_path: Path) -> None:
    results = run_of(project(tmp_path)).results
    median = float(np.percentile([*WRITTEN_MS, np.inf], 50, method="linear"))
    assert counts(results, "ingest.freshness_lag") == (median, 4, 1, 1)  # 1 deletion, 1 refused
    assert counts(results, "ingest.freshness_lag", kind="written") == (median, 4, 0, 1)
    assert counts(results, "ingest.freshness_lag", language="en") == (median, 4, 1, 0)
    slow = results.row("ingest.freshness_lag(percentile=99)")
    assert slow is not None
    assert (slow.value, slow.population) == (None, "events")
    assert slow.reason is not None
    assert "1 of 4 changes were not seen within their deadline (60000 ms)" in slow.reason
    assert counts(results, "ingest.deletion_lag", kind="deleted") == (180_000.0, 1, 0, 0)
    assert counts(results, "ingest.unseen_changes") == (0.2, 5, 0, 1)
    assert counts(results, "ingest.unseen_changes", kind="written") == (0.25, 4, 0, 1)


def test_an_interval_never_forgets_the_changes_that_no_search_showed(tmp_path: Path) -> None:
    seen = [change(f"d{i}", moment(0), moment(0, i / 10)) for i in range(12)]
    results = run_of(project(tmp_path / "seen", changes=seen)).results
    row = results.row("ingest.freshness_lag")
    assert row is not None
    assert row.value == np.percentile(np.arange(12) * 100.0, 50)
    assert row.interval is not None
    lost = [*seen[:7], *(change(f"d{i}", moment(0), None) for i in range(7, 12))]
    row = run_of(project(tmp_path / "lost", changes=lost)).results.row("ingest.freshness_lag")
    assert row is not None
    assert (row.value, row.interval) == (550.0, None)  # the median of many a resample is one that was never seen
    one = run_of(project(tmp_path / "one")).results.row("ingest.deletion_lag")
    assert one is not None
    assert (one.scored, one.interval) == (1, None)


def test_a_question_is_stale_by_when_it_was_asked_and_undefined_where_nothing_tells(tmp_path: Path) -> None:
    run = run_of(project(tmp_path))
    told = [stale for stale in STALE.values() if stale is not None]
    assert counts(run.results, "ingest.stale_query_share") == (sum(told) / len(told), len(told), 2, 0)
    rows = {
        row["case_id"]: row
        for row in read_parquet(run.folder / "scores.parquet")
        if row["metric"] == "ingest.stale_query_share"
    }
    assert {name: None if row["value"] is None else bool(row["value"]) for name, row in rows.items()} == STALE
    assert (
        rows["later"]["reason"] == "a change was not seen within its deadline, and nothing tells whether it was by then"
    )
    assert rows["untold"]["reason"] == "the trace does not say when it was asked"


def test_a_late_document_is_the_cause_and_retrieval_only_once_a_search_showed_it(tmp_path: Path) -> None:
    results = run_of(project(tmp_path)).results
    causes = {case.case_id: case.diagnosis for case in results.cases if case.diagnosis is not None}
    assert {name: diagnosis.leaf for name, diagnosis in causes.items()} == {
        "early": "ingest", "seen": "retrieval", "unseen": "ingest",
    }  # fmt: skip
    assert causes["early"].cause == (
        "fees was written at 2026-05-04T10:00:00Z and not searchable when the question was asked: "
        "searches showed it from 2026-05-04T10:02:00Z on, 120.0 s later"
    )
    assert causes["unseen"].evidence["searchable_at"] is None
    assert "`ingest.freshness_lag`" in causes["early"].advice
    assert {(share.leaf, share.cases) for share in results.diagnosis if not share.slice} == {
        ("ingest", 2), ("retrieval", 1),
    }  # fmt: skip


def test_each_change_is_a_unit_of_its_own_and_followed_in_every_file(tmp_path: Path) -> None:
    run = run_of(project(tmp_path))
    units = {unit.unit_id: unit for unit in run.results.units if unit.population == "events"}
    assert list(units) == [
        "fees written", "old deleted", "rates written", "rates written 2", "cards written", "temp written",
    ]  # fmt: skip
    assert units["cards written"].fields == {"kind": "written", "language": "en"}
    assert units["temp written"].scores["ingest.unseen_changes"].reason == "write: HTTP503: busy"
    stored = [row for row in read_parquet(run.folder / "scores.parquet") if row["population"] == "events"]
    assert list(dict.fromkeys(row["unit_id"] for row in stored)) == list(units)
    lags = {name: unit.scores["ingest.freshness_lag"].value for name, unit in units.items()}
    assert lags == {
        "fees written": 120_000.0, "old deleted": None, "rates written": 250.0, "rates written 2": 40.0,
        "cards written": None, "temp written": None,
    }  # fmt: skip
    assert units["old deleted"].scores["ingest.deletion_lag"].value == 180_000.0
    assert units["cards written"].scores["ingest.freshness_lag"].status == "undefined"
    assert rt.Run.load(run.folder).report().units == run.report().units
    for name in ("report.md", "report.html"):
        text = (run.folder / name).read_text(encoding="utf-8")
        assert "cards written" in text
        assert "2026-05-04T10:02:00Z" in text


@pytest.mark.parametrize(
    ("rule", "verdict", "told"),
    [
        (
            'metric = "ingest.deletion_lag"\nmax = 180000\nslice = {kind = "deleted"}',
            "pass",
            "180000 is at most 180000",
        ),
        (
            'metric = "ingest.deletion_lag"\nmax = 60000\nslice = {kind = "deleted"}',
            "fail",
            "180000 is not at most 60000",
        ),
        ('metric = "ingest.freshness_lag(percentile=99)"\nmax = 1000', "undecidable", "not seen within their deadline"),
        ('metric = "ingest.freshness_lag"\nmax = 1e6', "undecidable", "1 of 5 events failed"),
        ('metric = "ingest.freshness_lag"\nmax = 1e6\nslice = {language = "en"}', "pass", "is at most"),
        ('metric = "ingest.unseen_changes"\nmax = 0.5\nslice = {language = "en"}', "pass", "is at most"),
        ('metric = "ingest.unseen_changes"\nmax = 0.5\ncritical = true', "fail", "1 event: cards written"),
        ('metric = "ingest.unseen_changes"\nmax = 0.1\nslice = {language = "kk"}', "undecidable", "no row"),
        ('metric = "ingest.stale_query_share"\nmax = 0.5', "pass", "is at most"),
        ('metric = "ingest.stale_query_share"\nmax = 0.4', "fail", "is not at most"),
        ('metric = "ingest.stale_query_share"\nmax_drop = 0.1', "undecidable", "no baseline"),
    ],
)
def test_a_gate_holds_lags_and_shares(tmp_path: Path, rule: str, verdict: str, told: str) -> None:
    gate = run_of(project(tmp_path, settings=f"[[gate]]\n{rule}\n")).results.gate
    assert gate is not None
    assert (gate.rules[0].verdict, told in gate.rules[0].reason) == (verdict, True), gate.rules[0].reason


def test_changes_are_paired_with_those_of_a_base_run_by_document_and_kind(tmp_path: Path) -> None:
    base = run_of(project(tmp_path / "one"), gate=False)
    worse = [change(one["doc_id"], one["committed_at"], None, kind=one["kind"]) if one["committed_at"] else one
             for one in CHANGES]  # fmt: skip
    settings = '[[gate]]\nmetric = "ingest.unseen_changes"\nmax_drop = 0.1\n[run]\ncluster = "none"\n'
    after = run_of(project(tmp_path / "two", settings=settings, changes=worse), baseline=base.folder)
    compared = after.report().compared
    assert compared is not None
    rows = {row.metric: row for row in compared.runs.rows if not row.slice}
    unseen = rows["ingest.unseen_changes"]
    assert (unseen.base, unseen.candidate, unseen.pairs) == (0.2, 1.0, 5)
    assert unseen.regressed == ("fees written", "old deleted", "rates written", "rates written 2")
    assert rows["ingest.deletion_lag"].base == 180_000.0
    assert after.results.gate is not None
    assert after.results.gate.rules[0].verdict == "fail"


def test_markers_of_two_measurements_have_no_pairs_and_a_rule_of_drop_says_so(tmp_path: Path) -> None:
    markers = [[change(f"marker-{run}{i}", moment(0), moment(1)) for i in range(3)] for run in "ab"]
    base = run_of(project(tmp_path / "one", changes=markers[0]), gate=False)
    rule = '[[gate]]\nmetric = "ingest.unseen_changes"\nmax_drop = 0.1\n'
    after = run_of(project(tmp_path / "two", changes=markers[1], settings=rule), baseline=base.folder)
    assert after.results.gate is not None
    assert after.results.gate.rules[0].verdict == "undecidable"
    assert after.results.gate.rules[0].reason.startswith("0 events are scored in both runs")


def test_every_fault_is_told_at_its_line_and_nothing_is_written(tmp_path: Path) -> None:
    wrong = [
        change("fees", "2026-05-04T10:00:00", moment(2)),
        CHANGES[1],
        "{broken",
        change("rates", moment(2), moment(1)),
        CHANGES[1],
    ]
    config = project(tmp_path, changes=wrong)
    with pytest.raises(BadInput) as told:
        run_of(config)
    text = str(told.value)
    for line, fault in ((1, "timezone"), (3, "is not JSON"), (4, "lies before"), (5, "stands in line 2 already")):
        assert f"changes.jsonl:{line}: " in text
        assert fault in text
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("name", ["freshness_lag", "deletion_lag", "unseen_changes", "stale_query_share"])
def test_without_the_key_a_metric_is_left_out_with_the_reason_and_refused_where_it_is_named(
    tmp_path: Path, name: str
) -> None:
    results = run_of(project(tmp_path / "one", ingest="")).results
    assert results.row(f"ingest.{name}") is None
    assert results.left_out[f"ingest.{name}"] == "it needs changes of the index; name their file with [ingest] changes"
    rule = f'[[gate]]\nmetric = "ingest.{name}"\nmax = 1\n'
    with pytest.raises(BadInput, match=rf"ingest\.{name} cannot run: it needs changes of the index"):
        run_of(project(tmp_path / "two", ingest="", settings=rule))


def test_a_file_without_changes_leaves_lags_and_stale_questions_undefined(tmp_path: Path) -> None:
    results = run_of(project(tmp_path, changes=[], settings='[metrics]\ninclude = ["ingest.freshness_lag", '
                     '"ingest.unseen_changes", "ingest.stale_query_share"]\n')).results  # fmt: skip
    reasons = {row.name: (row.value, row.reason) for row in results.metrics if not row.slice}
    assert reasons["ingest.freshness_lag"] == (None, "no document was written")
    assert reasons["ingest.stale_query_share"][0] is None
    assert reasons["ingest.unseen_changes"][0] is None
    assert {case.diagnosis.leaf for case in results.cases if case.diagnosis is not None} == {"retrieval"}


def test_a_run_is_scored_again_alike_and_not_with_other_changes(tmp_path: Path) -> None:
    run = run_of(project(tmp_path))
    again = rescore(run.folder)
    assert again.results.metrics == run.results.metrics
    assert again.results.cases == run.results.cases
    (tmp_path / "changes.jsonl").write_text(json.dumps(CHANGES[0]))
    with pytest.raises(NotComparable, match="has changed since this run: changes"):
        rescore(run.folder)


def test_equal_runs_have_equal_results(tmp_path: Path) -> None:
    first, second = (run_of(project(tmp_path), name).results for name in ("a", "b"))
    assert first.units == second.units
    assert first.cases == second.cases
    assert [row for row in first.metrics if row.name.startswith("ingest.")] == [
        row for row in second.metrics if row.name.startswith("ingest.")
    ]


def test_a_case_that_is_asked_alone_has_the_cause_and_the_score_that_it_has_in_the_run(tmp_path: Path) -> None:
    config = project(tmp_path)
    causes = {case.case_id: case.diagnosis for case in run_of(config).results.cases}
    inputs = read_inputs(read_settings(config), limit=None, where=None)
    asker = CaseAsker(inputs, clock=SystemClock(), environment={})
    try:
        for case in inputs.golden.cases:
            alone = asker.ask(case)
            assert alone.result.diagnosis == causes[case.case_id]
            (score,) = alone.scores(metric_for("ingest_stale_query_share", context_size=4))
            stale = STALE[case.case_id]
            assert (
                score.outcome == Value(float(stale), 1) if stale is not None else isinstance(score.outcome, Undefined)
            )
    finally:
        asker.close()


def test_a_live_system_is_held_against_the_moment_in_which_it_was_asked(tmp_path: Path) -> None:
    """The change is on its way from before the run until after it."""
    (tmp_path / "live_pipeline.py").write_text(
        "def answer(question):\n"
        "    hit = {'id': 'rates', 'doc_id': 'rates'}\n"
        "    return {'answer': 'none', 'rankings': [{'stage': 'dense', 'hits': [hit]}]}\n"
    )
    waiting = change("fees", "2020-01-01T00:00:00Z", "2199-01-01T00:00:00Z", deadline_ms=1e14)
    config = project(tmp_path, changes=[waiting])
    config.write_text(config.read_text().replace('traces = "traces.jsonl"', 'python = "live_pipeline:answer"'))
    results = run_of(config).results
    assert counts(results, "ingest.stale_query_share") == (1.0, len(ASKED), 0, 0)
    assert {case.case_id for case in results.cases if case.diagnosis and case.diagnosis.leaf == "ingest"} == {
        "early", "seen",
    }  # fmt: skip


@pytest.mark.parametrize("percentile", ["25", "25.0", "25.50"])
def test_a_percentile_that_the_gate_alone_asks_for_has_one_row_and_is_decided(tmp_path: Path, percentile: str) -> None:
    rule = (
        f'[[gate]]\nmetric = "ingest.deletion_lag(percentile={percentile})"\nmax = 1e7\nslice = {{kind = "deleted"}}\n'
    )
    run = run_of(project(tmp_path, settings=f'[metrics]\ninclude = ["ingest.unseen_changes"]\n{rule}'))
    assert run.results.gate is not None
    assert run.results.gate.rules[0].verdict == "pass", run.results.gate.rules[0].reason
    plain = {"25.0": "25", "25.50": "25.5"}.get(percentile, percentile)
    names = {row.name for row in run.results.metrics if row.name.startswith("ingest.deletion_lag")}
    assert names == {f"ingest.deletion_lag(percentile={plain})"}
