import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests

from ragtriage.core.configuration import RunSettings
from ragtriage.core.records import Case, Evidence
from ragtriage.core.results import CaseResult, CaseScore, Counts, MetricRow, Results
from ragtriage.core.score import Failed, Undefined, Value
from ragtriage.decisions.baseline import Baseline, differences, not_comparable, pairs_of
from ragtriage.decisions.comparison import compare_rows, ok_change
from ragtriage.stats.aggregate import aggregate
from ragtriage.stats.bootstrap import bootstrap_mean

RANDOM = np.random.default_rng(3)
CASES = [
    Case(case_id=f"c{i:02}", question="?", language="kk" if i % 2 else "ru", evidence=(Evidence(doc_id=f"d{i:02}"),))
    for i in range(24)
]
ALONE = RunSettings(resamples=300)


def run_of(columns, *, better="higher", how="mean", bundle=None, ok=None, slices=({},)):
    """A run with one metric a column; a column holds a value, a reason or a failure for each case."""
    scores, rows = [], []
    for name, column in columns.items():
        outcomes = [v if isinstance(v, Undefined | Failed | Value) else Value(float(v), 1) for v in column]
        scores += [CaseScore(c.case_id, name, None, o) for c, o in zip(CASES, outcomes, strict=False)]
        for where in slices:
            inside = [o for c, o in zip(CASES, outcomes, strict=False) if where.get("language") in {None, c.language}]
            total = aggregate(inside, how="mean" if how == "set" else how)
            rows.append(
                MetricRow(name=name, slice=where, value=total.value, scored=total.scored, undefined=total.undefined,
                          failed=total.failed, unit="fraction", better=better, aggregate=how)
            )  # fmt: skip
    ok = ok or {}
    results = Results(
        schema="ragtriage.results/1",
        run_id="r",
        status="complete",
        bundle={"golden": "g1", **(bundle or {})},
        counts=Counts(cases=24, traced=24, failed=0, ok=0, not_ok=0, no_expectation=24),
        metrics=tuple(rows),
        cases=tuple(CaseResult(case_id=c.case_id, ok=ok.get(c.case_id)) for c in CASES),
    )
    return Baseline(results, tuple(scores))


def test_a_metric_is_compared_over_the_cases_that_both_runs_scored():
    before = [0.5, 1.0, Undefined("x"), 1.0, 0.0]
    after = [1.0, 0.0, 1.0, Failed("judge", "Timeout", ""), 0.0]
    row = compare_rows(run_of({"m": before}), run_of({"m": after}), CASES[:5])[0]
    assert (row.pairs, row.base, row.candidate) == (3, 0.5, pytest.approx(1 / 3))
    assert row.difference == pytest.approx(1 / 3 - 0.5)
    assert (row.lost, row.gained) == (("c03",), ("c02",))
    assert (row.regressed, row.improved) == (("c01",), ("c00",))
    assert row.worse


def test_where_lower_is_better_a_rise_is_a_regression():
    row = compare_rows(run_of({"m": [0.0, 0.5]}, better="lower"), run_of({"m": [1.0, 0.5]}, better="lower"), CASES)[0]
    assert (row.difference, row.regressed, row.improved, row.worse) == (0.5, ("c00",), (), True)


def test_interval_and_p_are_those_of_the_paired_bootstrap_and_the_randomisation_test():
    before, after = RANDOM.random(10), RANDOM.random(10)
    row = compare_rows(run_of({"m": before}), run_of({"m": after}), CASES[:10], settings=ALONE)[0]
    assert row.interval == pytest.approx(bootstrap_mean(after - before, resamples=300, seed=ALONE.seed))
    reference = stats.permutation_test(
        (after, before),
        lambda x, y, axis: np.mean(x - y, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=np.inf,
    )
    assert row.p == pytest.approx(reference.pvalue, abs=1e-9)


def test_p_is_adjusted_over_metrics_and_over_slices_apart():
    languages = ({}, {"language": "kk"}, {"language": "ru"})
    before = {name: RANDOM.random(24) for name in "abc"}
    after = {name: np.clip(values + RANDOM.normal(0.1, 0.1, 24), 0, 2) for name, values in before.items()}
    rows = compare_rows(run_of(before, slices=languages), run_of(after, slices=languages), CASES, settings=ALONE)
    for family in ([r for r in rows if not r.slice], [r for r in rows if r.slice]):
        expected = multipletests([r.p for r in family], method="holm")[1]
        assert [r.p_adjusted for r in family] == pytest.approx(list(expected))
    assert {tuple(r.slice.items()): r.pairs for r in rows} == {
        (): 24,
        (("language", "kk"),): 12,
        (("language", "ru"),): 12,
    }


def test_a_micro_average_and_a_median_are_compared_as_such():
    before, after = [Value(1.0, 1), Value(0.0, 3)], [Value(0.0, 1), Value(1.0, 3)]
    micro = compare_rows(run_of({"m": before}, how="micro"), run_of({"m": after}, how="micro"), CASES)[0]
    assert (micro.base, micro.candidate) == (0.25, 0.75)
    columns = {"m": [1.0, 2.0, 9.0]}, {"m": [1.0, 5.0, 9.0]}
    median = compare_rows(run_of(columns[0], how="median"), run_of(columns[1], how="median"), CASES)[0]
    assert (median.base, median.candidate, median.interval) == (2.0, 5.0, None)


def test_a_set_level_metric_shows_both_values_and_no_pairs():
    row = compare_rows(run_of({"m": [0.0, 1.0]}, how="set"), run_of({"m": [1.0, 1.0]}, how="set"), CASES)[0]
    assert (row.base, row.candidate, row.difference, row.pairs, row.p, row.interval) == (0.5, 1.0, 0.5, 0, None, None)


def test_cases_of_one_document_have_no_interval():
    shared = [case.model_copy(update={"evidence": (Evidence(doc_id="d"),)}) for case in CASES]
    before, after = run_of({"m": [0.0, 1.0, 0.5]}), run_of({"m": [1.0, 0.0, 0.75]})
    assert compare_rows(before, after, shared)[0].interval is None


def test_metrics_that_only_one_run_has_are_left_out():
    assert compare_rows(run_of({"m": [1.0]}), run_of({"n": [1.0]}), CASES) == ()


def test_cases_that_broke_and_were_mended_are_tested_by_mcnemar():
    names = [case.case_id for case in CASES]
    before = run_of({}, ok=dict(zip(names, [True] * 9 + [False] * 5 + [True] * 4 + [None] * 6, strict=True)))
    after = run_of({}, ok=dict(zip(names, [False] * 8 + [True] * 10 + [True] * 6, strict=True)))
    change = ok_change(before.results, after.results)
    assert (change.pairs, change.broke, change.mended) == (18, tuple(names[:8]), tuple(names[9:14]))
    assert change.p == pytest.approx(mcnemar([[5, 8], [5, 0]], exact=True).pvalue, abs=1e-9)


def test_runs_are_comparable_where_they_share_the_golden_set():
    one, other = run_of({}).results, run_of({}, bundle={"golden": "g2"}).results
    assert not_comparable(one, one) is None
    assert "different golden sets (g1 and g2)" in not_comparable(one, other)
    nameless = one.model_copy(update={"bundle": {}})
    assert not_comparable(nameless, nameless) is not None


def test_every_difference_of_the_bundles_is_told():
    one = run_of({}, bundle={"corpus": "a", "system.python": "x"}).results
    other = run_of({}, bundle={"corpus": "b", "system.code": "y"}).results
    assert differences(one, other) == (("corpus", "a", "b"), ("system.code", None, "y"), ("system.python", "x", None))


def test_pairs_keep_the_order_of_the_cases():
    values = {name: Value(1.0, 1) for name in ("a", "b", "c")}
    assert [p.case_id for p in pairs_of(values, values, cases=["c", "a", "x"]).pairs] == ["c", "a"]
    assert pairs_of({}, {}, cases=["a"]).lost_share == 0.0


def test_units_appear_where_the_base_run_had_nothing_to_measure_of_them():
    """A group of documents that a detector makes anew is its doing; a case or document that is new is nobody's."""
    base = {"same": Value(1.0, 1), "silent": Undefined("nothing was found"), "broken": Failed("ingest", "Missing", "")}
    now = {name: Value(0.0, 1) for name in ("same", "silent", "broken", "new")}
    for population, appeared in (("groups", ("silent", "new")), ("documents", ("silent",))):
        pairs = pairs_of(base, now, cases=list(now), population=population)
        assert (pairs.gained, pairs.appeared) == (("silent", "broken", "new"), appeared)
    assert pairs.appeared_share == 1 / 2
    assert pairs_of({}, {}, cases=["a"]).appeared_share == 0.0
