"""Filter false exclusion: the article's four queries, from documents and traces to the rate."""

from __future__ import annotations

import pytest

from ragtriage.core.configuration import Configuration, GoldenSettings, SystemSettings
from ragtriage.core.records import Case, Document, Evidence, Hit, Predicate, Principal, Ranking, Trace
from ragtriage.core.score import Undefined, Value
from ragtriage.core.views import FilterView
from ragtriage.data.corpus import corpus_of
from ragtriage.data.golden import golden_of
from ragtriage.metrics.filters.false_exclusion_rate import false_exclusion_rate
from ragtriage.runs.viewing import RunViews, build_views

DOCUMENTS = (("d1", "acme", "en-US"), ("d2", "acme", "en-GB"), ("d3", "globex", "en-US"), ("d4", "acme", "en-US"),
             ("d5", "acme", "de-DE"))  # fmt: skip
QUERIES = (
    ("q1", "d2", "locale", "en-US"),
    ("q2", "d4", "tenant", "acme"),
    ("q3", "d3", "tenant", "acme"),
    ("q4", "d5", "locale", "de-DE"),
)


def article(*, tenant_is_access: bool) -> RunViews:
    documents = [
        Document(doc_id=d, text=d, tenant=tenant, metadata={"locale": locale})
        if tenant_is_access
        else Document(doc_id=d, text=d, metadata={"tenant": tenant, "locale": locale})
        for d, tenant, locale in DOCUMENTS
    ]
    cases, traces = [], {}
    for case_id, gold, field, value in QUERIES:
        asks = Principal(tenant="acme")
        cases.append(Case(case_id=case_id, question=case_id, evidence=(Evidence(doc_id=gold),), principal=asks))
        kept = [d for d, tenant, locale in DOCUMENTS if {"tenant": tenant, "locale": locale}[field] == value]
        traces[case_id] = Trace(
            trace_id=case_id,
            case_id=case_id,
            question=case_id,
            predicates=(Predicate(field=field, value=value, mode="hard"),),
            rankings=(Ranking(stage="dense", hits=tuple(Hit(id=d) for d in kept)),),
        )
    return build_views(
        corpus=corpus_of(documents),
        golden=golden_of(cases),
        traces=traces,
        verdicts={},
        failures={},
        chunks=None,
        settings=Configuration(golden=GoldenSettings(path="golden"), system=SystemSettings(traces="t.jsonl")),
    )


def rate(run: RunViews) -> tuple[float, int]:
    scores = [false_exclusion_rate(view) for view in run.of(FilterView) if isinstance(view, FilterView)]
    values = [score.value for score in scores if isinstance(score, Value)]
    return sum(values) / len(values), len(values)


def test_half_of_the_articles_queries_lose_their_answer_to_a_filter() -> None:
    run = article(tenant_is_access=False)
    value, over = rate(run)
    assert f"{value:.2%}" == "50.00%"
    assert over == 4
    excluded = [v for v in run.of(FilterView) if isinstance(v, FilterView) and false_exclusion_rate(v) == Value(1.0, 1)]
    assert [list(v.removed_by) for v in excluded] == [["locale == 'en-US'"], ["tenant == 'acme'"]]


def test_a_naive_recall_over_the_survivors_cannot_tell_a_filter_from_a_retriever() -> None:
    run = article(tenant_is_access=False)
    rankings = run.rankings("document")
    recall = (rankings.hits.sum(axis=1) / rankings.relevant).mean()
    assert f"{recall:.2%}" == "50.00%"


def test_with_tenant_as_access_control_a_hidden_document_is_no_false_exclusion() -> None:
    run = article(tenant_is_access=True)
    value, over = rate(run)
    assert f"{value:.2%}" == "33.33%"
    assert over == 3
    hidden = run.of(FilterView)[2]
    assert isinstance(hidden, FilterView)
    assert false_exclusion_rate(hidden) == Undefined("no eligible gold document")
    assert run.rankings("document").relevant.tolist() == [1, 1, 0, 1]


def test_no_predicates_recorded_is_not_the_same_as_no_predicate() -> None:
    gold = frozenset({"d1"})
    assert isinstance(false_exclusion_rate(FilterView(gold, None)), Undefined)
    assert false_exclusion_rate(FilterView(gold, gold)) == Value(0.0, 1)


@pytest.mark.parametrize(("survivors", "value"), [(set(), 1.0), ({"d1"}, None)])
def test_a_predicate_of_unknown_mode_decides_only_what_the_hard_ones_left_open(
    survivors: set[str], value: float | None
) -> None:
    score = false_exclusion_rate(FilterView(frozenset({"d1"}), frozenset(survivors), {}, ("locale == 'kk'",)))
    if value is None:
        assert score == Undefined("the trace does not tell whether locale == 'kk' is hard or soft")
    else:
        assert score == Value(value, 1)
