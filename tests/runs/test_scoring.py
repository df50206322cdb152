from types import SimpleNamespace

import numpy as np
import pytest

from ragtriage.core.catalogue import METRICS
from ragtriage.core.configuration import (
    Configuration,
    GateRule,
    GoldenSettings,
    RunSettings,
    SliceSettings,
    SystemSettings,
)
from ragtriage.core.rankings import Rankings
from ragtriage.core.records import (
    Answer,
    Case,
    Document,
    Evidence,
    Expected,
    Hit,
    Ranking,
    RequiredFact,
    Timing,
    Trace,
)
from ragtriage.core.results import CaseScore
from ragtriage.core.score import Failed, Undefined, Value
from ragtriage.core.verdicts import BehaviourVerdict, Verdicts
from ragtriage.data.corpus import corpus_of
from ragtriage.data.golden import golden_of
from ragtriage.runs.scoring import metric_rows, score_cases
from ragtriage.runs.selection import select
from ragtriage.runs.viewing import build_views
from ragtriage.stats.bootstrap import bootstrap_mean, bootstrap_median
from ragtriage.stats.slices import clusters_of

DOCUMENTS = [Document(doc_id=f"d{i}", text=f"Text number {i}.") for i in range(8)]
# case, gold document, what came (None: the request broke), language
ASKED = [
    ("c0", "d0", ["d0", "d1"], "ru"),
    ("c1", "d1", ["d0", "d1"], "ru"),
    ("c2", "d2", ["d0", "d1"], "kk"),
    ("c3", "d3", [], "kk"),
    ("c4", "d4", None, "kk"),
    ("c5", None, ["d0"], "kk"),
    ("c6", "d0", ["d3", "d4", "d0"], None),
]


def configuration(**more):
    options = {"slices": SliceSettings(by=("language",), min_cases=3), "run": RunSettings(resamples=200), **more}
    return Configuration(golden=GoldenSettings(path="g"), system=SystemSettings(traces="t", context_size=2), **options)


def views_of(settings, asked=ASKED, **more):
    cases = [
        Case(case_id=i, question="?", language=language, evidence=(Evidence(doc_id=gold),) if gold else ())
        for i, gold, _, language in asked
    ]
    traces = {
        i: Trace(
            trace_id=i,
            case_id=i,
            question="?",
            rankings=(Ranking(stage="dense", hits=tuple(Hit(id=d, doc_id=d) for d in came)),),
            timings=(Timing(stage="total", start_ms=0, duration_ms=100.0 + len(came)),),
        )
        for i, _, came, _ in asked
        if came is not None
    }
    failures = {i: Failed("system", "TimeoutError", "60 s") for i, _, came, _ in asked if came is None}
    given = {"verdicts": {}, "chunks": None, **more}
    return build_views(
        corpus=corpus_of(DOCUMENTS),
        golden=golden_of(cases),
        traces=traces,
        failures=failures,
        settings=settings,
        **given,
    )


def measured(*names, asked=ASKED, settings=None, **more):
    settings = settings or configuration()
    views = views_of(settings, asked, **more)
    selection = select(names, context_size=2)
    scores = score_cases(views, selection)
    return scores, metric_rows(views, selection, scores, settings)


def test_every_case_has_a_value_a_reason_or_a_failure():
    scores, _ = measured("retrieval.recall@2")
    assert [(s.case_id, s.level, s.outcome) for s in scores] == [
        ("c0", "document", Value(1.0, 1)),
        ("c1", "document", Value(1.0, 1)),
        ("c2", "document", Value(0.0, 1)),
        ("c3", "document", Value(0.0, 1)),
        ("c4", "document", Failed("system", "TimeoutError", "60 s")),
        ("c5", "document", Undefined("nothing is relevant")),
        ("c6", "document", Value(0.0, 1)),
    ]


def test_a_row_counts_what_was_scored_undefined_failed_and_missing():
    _, rows = measured("retrieval.recall@2")
    whole = rows[0]
    assert (whole.value, whole.scored, whole.undefined, whole.failed, whole.missing) == (0.4, 5, 1, 1, 1)
    assert whole.slice == {}
    assert not whole.small
    kazakh = next(row for row in rows if row.slice == {"language": "kk"})
    assert (kazakh.value, kazakh.scored, kazakh.undefined, kazakh.failed, kazakh.missing) == (0.0, 2, 1, 1, 1)
    assert kazakh.small


def test_a_row_without_a_number_says_why():
    _, rows = measured("retrieval.rerank_lost_gold@2", "filters.predicate_recall")
    assert [row.reason for row in rows if not row.slice] == [
        "the case has no gold predicates (6 cases; 1 for other reasons)",
        "the trace records no reranking (6 cases; 1 for other reasons)",
    ]
    assert all(row.value is None and row.interval is None for row in rows)


def test_the_interval_is_the_bootstrap_of_the_scored_values():
    _, rows = measured("retrieval.recall@3", settings=configuration(run=RunSettings(resamples=300, cluster="none")))
    plain = bootstrap_mean([1, 1, 0, 0, 1], resamples=300, seed=20260101)
    assert rows[0].interval == pytest.approx(plain, abs=1e-9)
    _, rows = measured("retrieval.recall@3", settings=configuration(run=RunSettings(resamples=300)))
    clusters = ["document d0", "document d1", "document d2", "document d3", "document d0"]
    shared = bootstrap_mean([1, 1, 0, 0, 1], resamples=300, seed=20260101, clusters=clusters)
    assert rows[0].interval == pytest.approx(shared, abs=1e-9)
    assert rows[0].interval != pytest.approx(plain)


def test_one_document_alone_has_no_interval():
    asked = [(f"c{i}", "d0", ["d0"] if i else ["d1"], "ru") for i in range(4)]
    _, rows = measured("retrieval.recall@2", asked=asked)
    assert (rows[0].value, rows[0].interval) == (0.75, None)


def test_cases_are_clustered_by_the_document_of_their_first_relevant_evidence():
    case = Case(case_id="c", question="?", evidence=(Evidence(doc_id="a", grade=0), Evidence(doc_id="b")))
    assert clusters_of([case, Case(case_id="b", question="?")]) == ["document b", "case b"]


def test_a_median_is_drawn_as_a_median():
    _, rows = measured("retrieval.first_relevant_rank")
    assert (rows[0].value, rows[0].scored, rows[0].undefined) == (2.0, 3, 3)
    clusters = ["document d0", "document d1", "document d0"]
    drawn = bootstrap_median([1, 2, 3], resamples=200, seed=20260101, clusters=clusters)
    assert rows[0].interval == pytest.approx(drawn)


def test_a_set_level_metric_is_computed_anew_for_each_slice():
    _, rows = measured("retrieval.coverage")
    by_slice = {tuple(row.slice.items()): row for row in rows}
    # golden d0..d3 (c4 failed, c5 has none): d0, d1, d3 came somewhere
    assert by_slice[()].value == 0.75
    assert by_slice[("language", "kk"),].value == 0.0
    assert by_slice[("language", "ru"),].value == 1.0
    assert by_slice[()].failed == 1
    low, high = by_slice[()].interval
    assert 0.0 <= low <= 0.75 <= high <= 1.0
    assert by_slice[("language", "kk"),].interval is None  # under the minimum of cases


def test_an_interval_that_does_not_hold_its_own_number_is_not_shown():
    # each question finds the next one's document: all are covered, but in a resample hardly ever
    asked = [(f"c{i}", f"d{i}", [f"d{(i + 1) % 8}"], "ru") for i in range(8)]
    _, rows = measured("retrieval.coverage", asked=asked)
    assert (rows[0].value, rows[0].interval) == (1.0, None)


def test_failed_requests_count_at_their_limit_in_the_latency():
    _, rows = measured("system.latency_p99")
    assert rows[0].value > 50_000
    assert (rows[0].scored, rows[0].failed) == (7, 0)


def test_a_corpus_ratio_stands_beside_the_mean_of_ratios_alone():
    asked = [("c0", "d0", ["d0"], "ru"), ("c1", "d1", ["d1", "d2", "d3"], "ru")]
    _, rows = measured("retrieval.precision@4", "retrieval.ndcg@4", "filters.access_violations", asked=asked)
    by_name = {row.name: row for row in rows if not row.slice}
    assert by_name["retrieval.precision@4"].micro == 0.25
    assert by_name["retrieval.ndcg@4"].micro is None
    assert by_name["filters.access_violations"].micro is None


def test_levels_that_say_nothing_of_the_golden_set_have_no_rows():
    scores, _ = measured("retrieval.recall@2")
    assert {s.level for s in scores} == {"document"}
    asked = [(i, gold, None, language) for i, gold, _, language in ASKED]
    scores, rows = measured("retrieval.recall@2", asked=asked)
    assert {s.level for s in scores} == {"evidence"}  # where nothing came, the first level says so
    assert rows[0].failed == 7


def test_a_slice_that_a_gate_rule_asks_for_is_there():
    settings = configuration(gate=(GateRule(metric="retrieval.recall@2", min=0.5, slice={"kind": "lookup"}),))
    _, rows = measured("retrieval.recall@2", settings=settings)
    assert {"kind": "lookup"} in [row.slice for row in rows]


def test_what_is_undefined_for_every_case_has_no_slices_but_those_a_rule_asks_for():
    names = ("generation.exact_match", "context.position_sensitivity", "system.cache_hit_rate", "retrieval.recall@2")
    answered = [row for row in ASKED if row[2] is not None]
    _, rows = measured(*names, asked=answered)
    assert [(row.name, row.scored) for row in rows if row.slice and row.name != "retrieval.recall@2"] == []
    whole = [row for row in rows if not row.slice]
    assert [row.value is None and bool(row.reason) for row in whole] == [True, True, False, True]
    rule = GateRule(metric="generation.exact_match", min=0.5, slice={"language": "kk"})
    _, rows = measured(*names, asked=answered, settings=configuration(gate=(rule,)))
    assert [row.slice for row in rows if row.name == "generation.exact_match"] == [{}, {"language": "kk"}]
    _, rows = measured("generation.exact_match")  # c4 failed: in which slice is told
    assert {"language": "kk"} in [row.slice for row in rows]


def test_a_case_without_a_score_counts_as_failed():
    settings = configuration()
    views, selection = views_of(settings), select(["retrieval.recall@2"], context_size=2)
    scores = [s for s in score_cases(views, selection) if s.case_id != "c0"]
    row = metric_rows(views, selection, scores, settings)[0]
    assert (row.scored, row.failed) == (4, 2)


def test_scores_of_other_cases_are_left_out():
    settings = configuration()
    views, selection = views_of(settings), select(["retrieval.recall@2"], context_size=2)
    scores = score_cases(views, selection)
    strange = CaseScore("c99", "retrieval.recall@2", "document", Value(1.0, 1))
    assert metric_rows(views, selection, [strange, *scores], settings) == metric_rows(
        views, selection, scores, settings
    )


@pytest.mark.parametrize("calibrated", [True, False, None])
def test_a_row_over_an_uncalibrated_judge_is_marked(calibrated):
    verdicts = {}
    if calibrated is not None:
        verdicts = {i: Verdicts(case_id=i, judge="j", rubric="r", claims=(), calibrated=calibrated) for i, *_ in ASKED}
    _, rows = measured("generation.faithfulness", "filters.access_violations", verdicts=verdicts)
    assert {row.name: row.proxy for row in rows} == {
        "generation.faithfulness": not calibrated,
        "filters.access_violations": False,
    }


def behaviours(*asked, calibrated=False):
    """Measure what reads behaviours; each case: answerable, demanded, recorded by the trace, said by the judge."""
    settings = configuration()
    cases, traces, verdicts = [], {}, {}
    for number, (answerable, demanded, recorded, said) in enumerate(asked):
        i = f"c{number}"
        expected = Expected(behaviour=demanded, required_facts=(RequiredFact(any_of=("x",)),))
        kind = "lookup" if answerable else "no_answer"
        cases.append(Case(case_id=i, question="?", kind=kind, expected=expected, language="ru"))
        traces[i] = Trace(trace_id=i, case_id=i, question="?", answer=Answer(text="x", behaviour=recorded))
        behaviour = None if said is None else BehaviourVerdict(behaviour=said)
        verdicts[i] = Verdicts(case_id=i, judge="j", rubric="r", behaviour=behaviour, calibrated=calibrated)
    views = build_views(
        corpus=None, golden=golden_of(cases), traces=traces, verdicts=verdicts, failures={}, chunks=None,
        settings=settings,
    )  # fmt: skip
    names = ["abstention_precision", "abstention_recall", "resolution", "escalation", "exact_match"]
    selection = select([f"generation.{name}" for name in names], context_size=2)
    rows = metric_rows(views, selection, score_cases(views, selection), settings)
    return {row.name.removeprefix("generation.") for row in rows if row.proxy}


def test_a_row_is_marked_where_a_judge_and_not_the_trace_said_what_an_answer_does():
    recorded = [(True, "answer", "answer", "abstain"), (False, "abstain", "escalate", "abstain")]
    assert behaviours(*recorded) == set()
    silent = [(True, "answer", None, "answer"), (False, "abstain", None, "escalate")]
    assert behaviours(*silent) == {"abstention_precision", "abstention_recall", "resolution", "escalation"}
    assert behaviours(*silent, calibrated=True) == set()
    assert behaviours((True, "answer", None, None)) == set()


def test_a_judged_behaviour_that_a_metric_did_not_use_marks_nothing():
    mixed = [(True, "answer", None, "answer"), (False, "abstain", "abstain", "answer")]
    # recall asks unanswerable questions alone, and nothing had to be or was escalated
    assert behaviours(*mixed) == {"abstention_precision", "resolution"}


def test_equal_input_gives_equal_rows():
    assert measured("retrieval.*", "system.*") == measured("retrieval.*", "system.*")


def test_views_of_single_cases_are_scored_one_by_one():
    settings = configuration()
    expected = Expected(required_facts=(RequiredFact(any_of=("8 %",)), RequiredFact(any_of=("12 months",))))
    case = Case(case_id="c", question="?", expected=expected)
    trace = Trace(trace_id="c", case_id="c", question="?", answer=Answer(text="It is 8 %."))
    views = build_views(
        corpus=None, golden=golden_of([case]), traces={"c": trace}, verdicts={}, failures={}, chunks=None,
        settings=settings,
    )  # fmt: skip
    scores = score_cases(views, select(["generation.required_facts"], context_size=2))
    assert [s.outcome for s in scores] == [Value(0.5, 2)]


def test_many_cases_are_columns():
    count = 20_000
    random = np.random.default_rng(1)
    grades = random.integers(0, 2, (count, 5))
    batch = Rankings(
        grades=grades,
        ideal=np.ones((count, 1), dtype=np.int64),
        relevant=np.ones(count, dtype=np.int64),
        judged_nonrelevant=np.zeros(count, dtype=np.int64),
        listed=np.ones(count, dtype=bool),
    )
    cases = tuple(Case(case_id=str(i), question="?", language="ru" if i % 2 else "kk") for i in range(count))
    views = SimpleNamespace(
        cases=cases,
        case_ids=tuple(str(i) for i in range(count)),
        calibrated=False,
        golds=(SimpleNamespace(needed=True),) * count,
        rankings=lambda _: batch,
        unavailable=lambda _, __: (None,) * count,
    )
    settings = configuration(run=RunSettings(resamples=100))
    selection = select(["retrieval.hit_rate@5"], context_size=2)
    scores = score_cases(views, selection)
    rows = metric_rows(views, selection, scores, settings)
    share = float(METRICS["retrieval.hit_rate"](batch, k=5).values.mean())
    assert rows[0].value == pytest.approx(share)
    low, high = rows[0].interval
    assert low < share < high
    assert high - low == pytest.approx(2 * 1.96 * (share * (1 - share) / count) ** 0.5, rel=0.3)
    assert {row.scored for row in rows if row.slice} == {count // 2}
