"""No combination of missing things passes: rules are tried against an independent reading of what a pass needs."""

import itertools
import json

import pytest

from ragtriage.core.configuration import (
    Configuration,
    GatePolicy,
    GateRule,
    GoldenSettings,
    RunSettings,
    SystemSettings,
)
from ragtriage.core.records import Case, Evidence
from ragtriage.core.results import CaseResult, CaseScore, Counts, MetricRow, Results
from ragtriage.core.score import Failed, Undefined, Value
from ragtriage.decisions.baseline import Baseline
from ragtriage.decisions.gate import decide, verdict_of
from ragtriage.stats.aggregate import aggregate

RECALL = "retrieval.recall@4"
LEAKS = "filters.access_violations"


def configuration(*rules, **policy):
    return Configuration(
        golden=GoldenSettings(path="golden"),
        system=SystemSettings(traces="traces.jsonl"),
        gate=tuple(GateRule(**rule) for rule in rules),
        gate_policy=GatePolicy(**policy),
        run=RunSettings(resamples=200),
    )


def row(name=RECALL, value=0.9, *, scored=10, failed=0, **more):
    facts = {"unit": "fraction", "better": "higher", "undefined": 0, "interval": (0.8, 0.95), **more}
    return MetricRow(name=name, value=value, scored=scored, failed=failed, **facts)


def results(*rows, status="complete", cases=10, failed=0, critical=(), golden="g1"):
    return Results(
        schema="ragtriage.results/1",
        run_id="r",
        status=status,
        bundle={"golden": golden},
        counts=Counts(cases=cases, traced=cases, failed=failed, ok=cases, not_ok=0, no_expectation=0),
        metrics=rows,
        cases=tuple(CaseResult(case_id=i, ok=False, critical=(m,)) for i, m in critical),
    )


def cases(count, *, shared=False):
    return [
        Case(case_id=f"c{i:02}", question="?", evidence=(Evidence(doc_id="d" if shared else f"d{i:02}"),))
        for i in range(count)
    ]


def scores(values, *, metric=RECALL, level=None):
    outcomes = [value if isinstance(value, Undefined | Failed) else Value(value, 1) for value in values]
    return tuple(CaseScore(f"c{i:02}", metric, level, outcome) for i, outcome in enumerate(outcomes))


def run_of(values, *, metric=RECALL, **more):
    """A run as it would have been measured: the row follows from the scores."""
    table = scores(values, metric=metric)
    total = aggregate([s.outcome for s in table])
    facts = {k: more.pop(k) for k in ("better", "aggregate", "proxy") if k in more}
    measured = row(
        metric, total.value, scored=total.scored, failed=total.failed, undefined=total.undefined, reason=total.reason,
        interval=None, **facts,
    )  # fmt: skip
    return results(measured, cases=len(table), **more), table


def verdict(run, rules, *, baseline=None, members=None, **policy):
    found, table = run
    members = cases(found.counts.cases) if members is None else members
    settings = configuration(*rules, **policy)
    return decide(found, table, members, settings, baseline=Baseline(*baseline) if baseline else None)


@pytest.mark.parametrize("kind", ["min", "max"])
@pytest.mark.parametrize("on", ["value", "lower", "upper"])
def test_no_combination_of_missing_things_passes(kind, on):
    tried = passed = 0
    options = itertools.product(
        [None, 0.5, 0.85, 0.9],  # value
        [None, (0.8, 0.95), (0.85, 0.9), (0.7, 0.85)],  # interval
        [0, 1, 3, 100],  # scored
        [0, 1, 3],  # failed
        [False, True],  # proxy
        [False, True],  # allow_proxy
        [False, True],  # critical
        [1, 3],  # min_scored
        ["complete", "incomplete", "interrupted"],
        [0, 1],  # failed cases of 100 in the run, at most 2 % may
    )
    for value, interval, scored, failed, proxy, allowed, critical, least, status, broken in options:
        if (value is None) != (scored == 0):
            continue
        tried += 1
        measured = row(
            value=value, interval=interval if value is not None else None, scored=scored, failed=failed, proxy=proxy,
            reason=None if scored else "nothing",
        )  # fmt: skip
        rule = {"metric": RECALL, kind: 0.85, "on": on, "critical": critical, "allow_proxy": allowed}
        run = results(measured, status=status, cases=100, failed=broken * 3)
        got = decide(run, (), [], configuration(rule, min_scored=least)).verdict
        number = {"value": value, "lower": (interval or [None])[0], "upper": (interval or [None])[-1]}[on]
        measured_well = (
            value is not None
            and number is not None
            and scored >= least
            and failed <= 0.02 * (scored + failed)
            and not (critical and failed)
            and (allowed or not proxy)
        )
        right = number is not None and (number >= 0.85 if kind == "min" else number <= 0.85)
        if not measured_well:
            assert got == "undecidable"
        elif not right:
            assert got == "fail"
        else:
            assert got == ("pass" if status == "complete" and not broken else "undecidable")
            passed += got == "pass"
    assert tried > 1000
    assert passed > 0


def test_a_metric_that_was_not_computed_is_undecidable():
    for rule in (
        {"metric": "retrieval.recall@5", "min": 0.1},
        {"metric": RECALL, "min": 0.1, "slice": {"kind": "no_answer"}},
        {"metric": RECALL, "min": 0.1, "level": "chunk"},
    ):
        found = verdict((results(row()), ()), [rule])
        assert found.verdict == "undecidable"
        assert "has no row" in found.rules[0].reason


def test_a_judge_that_crashes_on_bad_answers_does_not_pass(shared):
    case = json.loads(shared("cases/inputs/B33.json").read_text())
    values = [
        Failed("judge", error, "") if score is None else score
        for score, error in zip(case["scores"], case["errors"], strict=True)
    ]
    found = verdict(run_of(values), [{"metric": RECALL, "min": case["gate"]}], max_failed_share=case["max_unscored"])
    assert found.verdict == "undecidable"
    assert found.rules[0].value == pytest.approx(0.9)
    assert found.rules[0].reason == "8 of 10 cases failed (80.0%); at most 5.0%"


def test_a_slice_is_held_by_its_own_row():
    rows = (row(value=0.95), row(value=0.5, slice={"language": "kk"}))
    found = verdict((results(*rows), ()), [{"metric": RECALL, "min": 0.9, "slice": {"language": "kk"}}])
    assert found.verdict == "fail"
    assert found.rules[0].value == 0.5


def test_a_name_with_spaces_means_the_same_metric():
    found = verdict((results(row("retrieval.ndcg@10(gain=linear)")), ()), [
        {"metric": "retrieval.ndcg@10 (gain = linear)", "min": 0.5}
    ])  # fmt: skip
    assert found.verdict == "pass"


def test_the_limit_itself_passes():
    # 0.1 + 0.7 + ... in floating point: a mean of the limit must not fail for its last bit
    values = [0.7, 0.8, 0.9] * 10
    assert verdict(run_of(values), [{"metric": RECALL, "min": 0.8}]).verdict == "pass"


def test_one_case_beyond_the_limit_fails_a_critical_rule_whatever_the_mean():
    run = run_of([0.0] * 9 + [1.0], metric=LEAKS, better="lower")
    assert verdict(run, [{"metric": LEAKS, "max": 0.2}]).verdict == "pass"
    found = verdict(run, [{"metric": LEAKS, "max": 0.2, "critical": True}])
    assert found.verdict == "fail"
    assert "c09" in found.rules[0].reason


def test_a_critical_rule_wants_every_case_measured():
    values = [0.0] * 99 + [Failed("system", "Timeout", "")]
    found = verdict(run_of(values, metric=LEAKS, better="lower"), [{"metric": LEAKS, "max": 0, "critical": True}])
    assert found.verdict == "undecidable"
    assert verdict(run_of(values, metric=LEAKS, better="lower"), [{"metric": LEAKS, "max": 0}]).verdict == "pass"


def test_a_critical_metric_that_fired_fails_the_run_without_any_rule():
    found = verdict((results(row(), critical=[("c01", LEAKS)]), ()), [{"metric": RECALL, "min": 0.5}])
    assert found.verdict == "fail"
    assert [(r.metric, r.critical, r.verdict) for r in found.rules[1:]] == [(LEAKS, True, "fail")]
    assert "c01" in found.rules[1].reason


def test_without_rules_a_whole_run_passes():
    assert verdict((results(row()), ()), []).verdict == "pass"


@pytest.mark.parametrize(
    ("more", "name"),
    [
        ({"cases": 100, "failed": 3}, "gate_policy.failed_share"),
        ({"status": "interrupted"}, "gate_policy.complete"),
        ({"cases": 0}, "gate_policy.cases"),
    ],
)
def test_a_run_that_is_not_whole_is_undecidable(more, name):
    found = verdict((results(row(), **more), ()), [{"metric": RECALL, "min": 0.5}])
    assert found.verdict == "undecidable"
    assert found.rules[-1].metric == name


def test_a_rule_that_fails_is_not_softened_by_what_is_undecidable():
    found = verdict((results(row(value=0.1), status="incomplete"), ()), [{"metric": RECALL, "min": 0.5}])
    assert found.verdict == "fail"
    assert verdict_of(["pass", "undecidable", "fail"]) == "fail"


DROP = {"metric": RECALL, "max_drop": 0.02}
GOOD = [1.0, 0.5, 1.0, 0.75, 1.0, 0.5, 1.0, 1.0, 0.25, 1.0, 1.0, 1.0]


def test_an_equal_run_has_not_dropped():
    found = verdict(run_of(GOOD), [DROP], baseline=run_of(GOOD))
    assert found.verdict == "pass"
    assert (found.rules[0].value, found.rules[0].interval, found.rules[0].scored) == (0.0, (0.0, 0.0), 12)


def test_a_clear_drop_fails_and_an_unclear_one_is_undecidable():
    worse = [value - 0.25 for value in GOOD]
    assert verdict(run_of(worse), [DROP], baseline=run_of(GOOD)).verdict == "fail"
    assert verdict(run_of(GOOD), [DROP], baseline=run_of(worse)).verdict == "pass"
    one_case = [0.0, *GOOD[1:]]
    found = verdict(run_of(one_case), [DROP], baseline=run_of(GOOD))
    assert found.verdict == "undecidable"
    assert found.rules[0].value == pytest.approx(1 / 12)
    low, high = found.rules[0].interval
    assert low == 0.0
    assert high > 0.02


def test_for_a_metric_that_should_be_low_a_drop_is_a_rise():
    high, low = [value + 1 for value in GOOD], GOOD
    slower = run_of(high, metric="system.errors", better="lower")
    faster = run_of(low, metric="system.errors", better="lower")
    rule = {**DROP, "metric": "system.errors"}
    assert verdict(slower, [rule], baseline=faster).verdict == "fail"
    assert verdict(faster, [rule], baseline=slower).verdict == "pass"


def test_without_a_comparable_baseline_a_drop_is_undecidable():
    candidate = run_of(GOOD)
    for baseline, told in (
        (None, "no baseline"),
        (run_of(GOOD, golden="g2"), "different golden sets"),
        (run_of(GOOD, status="incomplete"), "the baseline is incomplete"),
        (run_of(GOOD, metric="retrieval.recall@5"), "0 cases are scored in both runs"),
        (run_of([Undefined("x")] * 11 + [1.0]), "1 cases are scored in both runs"),
    ):
        found = verdict(candidate, [DROP], baseline=baseline)
        assert found.verdict == "undecidable"
        assert told in found.rules[0].reason


@pytest.mark.parametrize("gone", [Undefined("abstained"), Failed("judge", "Timeout", "")])
def test_a_candidate_that_leaves_out_the_hard_cases_does_not_pass(gone):
    hard = [value if value > 0.9 else gone for value in GOOD]
    found = verdict(run_of(hard), [DROP], baseline=run_of(GOOD), max_failed_share=0.1)
    assert found.verdict == "undecidable"
    assert verdict(run_of(hard), [DROP], baseline=run_of(GOOD), max_failed_share=0.5).verdict == "pass"


def test_pairs_of_one_document_say_nothing_of_the_spread():
    worse = [0.0, *GOOD[1:]]
    found = verdict(run_of(worse), [DROP], baseline=run_of(GOOD), members=cases(12, shared=True))
    assert found.verdict == "undecidable"
    assert "share one document" in found.rules[0].reason


def test_a_set_level_metric_has_no_pairs():
    found = verdict(run_of(GOOD, aggregate="set"), [DROP], baseline=run_of(GOOD, aggregate="set"))
    assert found.verdict == "undecidable"


def test_an_uncalibrated_judge_neither_passes_nor_blocks_a_drop():
    worse, good = run_of([0.0] * 12, proxy=True), run_of(GOOD, proxy=True)
    assert verdict(worse, [DROP], baseline=good).verdict == "undecidable"
    assert verdict(good, [DROP], baseline=worse).verdict == "undecidable"
    assert verdict(worse, [{**DROP, "allow_proxy": True}], baseline=good).verdict == "fail"


def test_many_rules_of_drop_are_held_together_more_strictly_than_one():
    # four of twelve cases lose a quarter. The chance to draw none of them in twelve is (2/3)^12 = 0.8 %: more than the
    # tail of eight rules (0.3 %), less than that of one (2.5 %), so only the first interval begins at no drop at all
    before = [1.0] * 12
    after = [0.75] * 4 + [1.0] * 8
    alone = verdict(run_of(after), [DROP], baseline=run_of(before)).rules[0]
    together = verdict(run_of(after), [DROP] * 8, baseline=run_of(before)).rules[0]
    assert alone.value == together.value == pytest.approx(1 / 12)
    assert together.interval[0] < alone.interval[0]
    assert together.interval[1] > alone.interval[1]
    assert (alone.verdict, together.verdict) == ("fail", "undecidable")


def test_a_drop_in_a_slice_looks_at_the_slice_alone():
    members = [case.model_copy(update={"language": "kk" if i < 6 else "ru"}) for i, case in enumerate(cases(12))]
    before, after = run_of([1.0] * 12), run_of([0.5] * 6 + [1.0] * 6)
    sliced = after[0].model_copy(
        update={"metrics": tuple(
            row(value=v, slice=s, interval=None, scored=n)
            for v, s, n in ((0.75, {}, 12), (0.5, {"language": "kk"}, 6), (1.0, {"language": "ru"}, 6))
        )}
    )  # fmt: skip
    for language, expected in (("kk", "fail"), ("ru", "pass")):
        rule = {**DROP, "slice": {"language": language}}
        assert verdict((sliced, after[1]), [rule], baseline=before, members=members).verdict == expected
