from dataclasses import replace

import pytest

from ragtriage.core.records import Case
from ragtriage.core.results import CaseResult, Diagnosis
from ragtriage.core.score import Value
from ragtriage.decisions.advice import ADVICE
from ragtriage.decisions.diagnosis import LEAVES, diagnose, waterfall
from ragtriage.decisions.expectations import judge_case
from ragtriage.decisions.facts import (
    CaseFacts,
    CitationFacts,
    ClaimFacts,
    CriticalScore,
    GroupFacts,
    IndexedText,
    LateChange,
    ServiceFacts,
    Violation,
    WrongLink,
)

STAGES = ("dense", "sparse", "fused", "reranked")
THERE = GroupFacts("a", ("d1",), index="whole", excluded=False, ranks=dict.fromkeys(STAGES, 1), in_context=True)
RIGHT = CaseFacts(
    case_id="c",
    k=4,
    groups=(THERE,),
    stages=STAGES,
    lanes=("dense", "sparse"),
    expected="answer",
    actual="answer",
    answered=True,
    declares_facts=True,
    missed_facts=(),
    claims=ClaimFacts(judge="lexical", rests_on_evidence=True),
    citations=CitationFacts(),
)
WRONG = replace(RIGHT, missed_facts=("8 %",))  # an answer that lacks what it must say, evidence in the context


def cause(facts):
    return diagnose(facts, judge_case(facts))


def leaf(facts):
    found = cause(facts)
    return None if found is None else found.leaf


def lost(**more):
    """The facts where the only group did not reach the context."""
    group = replace(THERE, ranks=dict.fromkeys(STAGES), in_context=False)
    return replace(WRONG, groups=(replace(group, **more),))


def ranked(dense, sparse, fused, reranked):
    return lost(ranks=dict(zip(STAGES, (dense, sparse, fused, reranked), strict=True)))


def test_a_case_that_is_ok_has_no_cause():
    assert cause(RIGHT) is None
    assert cause(replace(RIGHT, expected=None, declares_facts=False, groups=())) is None


def test_a_fault_of_the_case_is_named_before_the_system():
    found = cause(replace(lost(index="missing"), golden_faults=("the quote is not in the corpus",)))
    assert found.leaf == "golden"
    assert "the quote is not in the corpus" in found.cause


@pytest.mark.parametrize("place", ["results", "context", "citations", "quotes"])
def test_a_forbidden_document_is_named_whatever_the_answer_and_whatever_else_is_wrong(place):
    leak = CriticalScore("filters.access_violations", Value(1.0, 4), 0.0)
    violation = Violation("access", place, "x#1", "x")
    for facts in (RIGHT, WRONG, lost(index="missing"), replace(WRONG, golden_faults=("broken",))):
        found = cause(replace(facts, violations=(violation,), critical=(leak,)))
        assert found.leaf == "access"
        assert found.evidence["places"] == {place: ["x"]}


def test_a_stale_document_counts_where_the_generator_saw_it():
    stale = Violation("stale", "context", "old#1", "old")
    assert leaf(replace(WRONG, violations=(stale,))) == "access"
    assert leaf(replace(WRONG, violations=(replace(stale, place="results"),))) == "generation"
    no_context = replace(WRONG, groups=(replace(THERE, in_context=None),))
    assert leaf(replace(no_context, violations=(replace(stale, place="results"),))) == "access"


@pytest.mark.parametrize("index", ["missing", "lost", "garbled", "split"])
def test_text_that_never_entered_the_index_is_named(index):
    found = cause(lost(index=index))
    assert (found.leaf, found.evidence["index"]) == ("ingest", index)
    assert "d1" in found.cause


def test_a_span_that_was_put_together_again_is_no_fault_of_ingestion():
    assert leaf(replace(WRONG, groups=(replace(THERE, index="split"),))) == "generation"
    assert leaf(replace(WRONG, groups=(replace(THERE, index="garbled"),))) == "ingest"


def test_a_damaged_text_is_shown_with_its_error_rate_or_its_mistake():
    garbled = IndexedText("the fee is 1 %", "thc fcc ls l %", cer=0.286)
    found = cause(lost(index="garbled", indexed=garbled))
    assert "error rate of 0.29" in found.cause
    assert (found.evidence["quote"], found.evidence["found"], found.evidence["cer"]) == (
        "the fee is 1 %", "thc fcc ls l %", 0.286,
    )  # fmt: skip
    misread = cause(lost(index="garbled", indexed=IndexedText("тариф", "С‚Р°СЂРёС„", decoding="UTF-8 read as cp1251")))
    assert misread.cause.endswith(": UTF-8 read as cp1251")
    assert len({cause(lost(index=state)).advice for state in ("missing", "lost", "garbled", "moved", "split")}) == 5


def test_a_text_that_stands_elsewhere_counts_only_where_it_did_not_reach_the_generator():
    assert leaf(lost(index="moved")) == "ingest"
    assert leaf(replace(WRONG, groups=(replace(THERE, index="moved"),))) == "generation"


LATE = LateChange("d1", "written", "2026-05-04T10:00:00Z", "2026-05-04T10:02:00Z", 120_000.0, 600_000.0)


@pytest.mark.parametrize("index", [None, "whole", "missing"])
def test_a_document_on_its_way_into_the_index_is_named_with_its_times_and_the_lag(index):
    found = cause(lost(index=index, late=LATE))
    assert found.leaf == "ingest"
    assert found.cause == (
        "d1 was written at 2026-05-04T10:00:00Z and not searchable when the question was asked: "
        "searches showed it from 2026-05-04T10:02:00Z on, 120.0 s later"
    )
    assert found.evidence == {
        "group": "a", "documents": ["d1"], "change": "written", "lag_ms": 120_000.0, "deadline_ms": 600_000.0,
        "committed_at": "2026-05-04T10:00:00Z", "searchable_at": "2026-05-04T10:02:00Z",
    }  # fmt: skip
    assert "ingest.freshness_lag" in found.advice
    assert found.advice != ADVICE["ingest_missing"]


def test_a_document_that_no_search_showed_in_time_is_named_with_the_deadline():
    found = cause(lost(late=replace(LATE, searchable_at=None, lag_ms=None, deadline_ms=500.0)))
    assert found.cause.endswith("no searches showed it within 500 ms")


@pytest.mark.parametrize("index", ["lost", "garbled", "moved", "split"])
def test_a_late_document_whose_text_is_damaged_stays_damaged_when_it_comes(index):
    assert cause(lost(index=index, late=LATE)).evidence["index"] == index


def test_a_late_change_explains_nothing_where_the_evidence_was_found():
    assert leaf(replace(WRONG, groups=(replace(THERE, late=LATE),))) == "generation"
    dropped = dict(zip(STAGES, (3, None, None, None), strict=True))
    assert leaf(lost(late=LATE, ranks=dropped)) == "fusion"
    assert leaf(replace(lost(late=LATE), raw_ranks={"a": 2})) == "query"


def test_a_cited_document_that_had_been_deleted_is_named_before_the_generator():
    gone = replace(LATE, document="d9", kind="deleted")
    answered = replace(WRONG, expected="abstain", groups=())
    assert leaf(answered) == "generation"
    found = cause(replace(answered, still_served=(gone,)))
    assert (found.leaf, found.evidence["documents"]) == ("ingest", ["d9"])
    assert found.cause == (
        "d9 is cited although it was deleted at 2026-05-04T10:00:00Z: "
        "searches were without it from 2026-05-04T10:02:00Z on, 120.0 s later"
    )
    assert "ingest.deletion_lag" in found.advice
    assert leaf(replace(WRONG, still_served=(gone,))) == "ingest"
    assert leaf(replace(lost(), still_served=(gone,))) == "retrieval"  # which is why it was not there
    assert cause(replace(RIGHT, still_served=(gone,))) is None


def test_a_wrong_link_is_named_where_it_decided_a_predicate_or_the_answer():
    link = WrongLink("Classic", "card:classic", "card:platinum", decided="product=='platinum'")
    filtered = replace(lost(excluded=True), wrong_links=(link,))
    found = cause(filtered)
    assert (found.leaf, found.evidence["linked"]) == ("ontology", "card:platinum")
    assert "'Classic' was linked to card:platinum" in found.cause
    assert leaf(replace(filtered, wrong_links=(replace(link, decided="answer"),))) == "ontology"
    assert leaf(replace(filtered, wrong_links=(replace(link, decided=None),))) == "filter"
    assert leaf(replace(WRONG, wrong_links=(replace(link, decided="answer"),))) == "generation"


def test_a_rewriting_that_lost_what_the_raw_question_finds_is_named():
    facts = replace(lost(), raw_ranks={"a": 2}, rewrites=("something else",))
    found = cause(facts)
    assert (found.leaf, found.evidence["raw_rank"]) == ("query", 2)
    assert leaf(replace(facts, raw_ranks={"a": 5})) == "retrieval"  # behind the first k
    assert leaf(replace(facts, raw_ranks={"a": None})) == "retrieval"
    assert leaf(replace(ranked(3, None, 9, 9), raw_ranks={"a": 1})) == "fusion"  # the rewritten one finds it too


def test_the_predicate_that_removes_the_evidence_is_named():
    facts = lost(excluded=True, removed_by={"locale == 'en-US'": ("d1",), "tenant == 'acme'": ()})
    found = cause(facts)
    assert found.leaf == "filter"
    assert found.cause.startswith("eligible evidence removed by predicate locale == 'en-US' (")
    assert found.evidence["predicates"] == ["locale == 'en-US'"]


def test_a_predicate_is_said_to_be_wrong_or_too_hard_where_gold_predicates_tell():
    facts = lost(excluded=True, removed_by={"locale == 'en-US'": ("d1",)})
    wrong = cause(replace(facts, wrong_predicates=("locale == 'en-US'",)))
    hard = cause(replace(facts, wrong_predicates=()))
    assert "extracted wrongly" in wrong.cause
    assert wrong.advice == ADVICE["filter_wrong"]
    assert "too hard" in hard.cause
    assert hard.advice == ADVICE["filter"]


def test_predicates_that_remove_the_evidence_only_together_are_all_named():
    group = {"documents": ("d1", "d2"), "excluded": True, "removed_by": {"p": ("d1",), "q": ("d2",)}}
    assert cause(lost(**group)).evidence["predicates"] == ["p", "q"]


def test_a_predicate_of_unknown_mode_is_named_where_the_evidence_is_nowhere():
    facts = lost(perhaps_removed_by=("locale == 'en-US'",))
    assert leaf(facts) == "filter"
    assert "the trace does not tell" in cause(facts).cause
    seen = replace(facts, groups=(replace(facts.groups[0], ranks={"dense": 9}),))
    assert leaf(seen) != "filter"


@pytest.mark.parametrize(
    ("ranks", "expected"),
    [
        ((None, None, None, None), "retrieval"),  # in no candidate list
        ((2, None, 7, 7), "fusion"),  # pushed out of the first 4
        ((2, None, 7, 9), "fusion"),  # the first step that lost it
        ((2, None, None, None), "fusion"),  # cut off
        ((9, None, None, None), "fusion"),  # was low and is dropped
        ((2, 3, 2, 8), "rerank"),
        ((2, 3, 2, None), "rerank"),
        ((9, 9, 6, 20), "rerank"),  # to lift it is its work, and it moved it down
        ((9, 9, 6, None), "rerank"),
        ((19, None, 19, 19), "retrieval"),  # the reranker left it where it stood
        ((19, None, 22, 19), "retrieval"),
        ((19, 30, 19, 8), "retrieval"),  # lifted, too little
        ((3, None, 19, 19), "fusion"),  # the first that had it outside the first 4
    ],
)
def test_the_ranking_step_that_lost_the_evidence_is_named(ranks, expected):
    found = cause(ranked(*ranks))
    assert found.leaf == expected
    assert found.evidence["ranks"] == dict(zip(STAGES, ranks, strict=True))


def test_evidence_that_one_list_ranks_low_is_a_matter_of_retrieval():
    alone = replace(lost(ranks={"dense": 8}), stages=("dense",), lanes=("dense",))
    assert (leaf(alone), cause(alone).advice) == ("retrieval", ADVICE["low"])
    assert cause(alone).cause == "evidence in d1 stands at rank 8, below the first 4"
    kept = ranked(19, None, 19, 19)
    assert cause(kept).cause == "evidence in d1 stands at rank 19 of dense, below the first 4"
    fused = replace(lost(ranks={"dense": 8, "sparse": 9, "fused": 8}), stages=STAGES[:3])
    assert leaf(fused) == "retrieval"
    reranked = replace(lost(ranks={"dense": 2, "reranked": 8}), stages=("dense", "reranked"), lanes=("dense",))
    assert leaf(reranked) == "rerank"


def test_of_several_lost_groups_the_one_that_broke_first_is_named():
    first = ranked(2, 3, 2, 8).groups[0]
    second = replace(first, group="b", ranks=dict.fromkeys(STAGES))
    assert leaf(replace(WRONG, groups=(first, second))) == "retrieval"
    filtered = replace(second, excluded=True, removed_by={"p": ("d1",)})
    assert leaf(replace(WRONG, groups=(first, filtered))) == "filter"


def test_evidence_in_the_first_k_and_not_in_the_context_was_lost_by_assembly():
    found = cause(ranked(1, 1, 1, 3))
    assert (found.leaf, found.evidence["ranks"]) == ("assembly", {"a": 3})


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"missed_facts": ("8 %",)}, "leaves out a required fact"),
        ({"actual": "abstain", "missed_facts": ("8 %",)}, "abstained although the evidence was in its context"),
        ({"forbidden_made": ("free",), "declares_forbidden": True}, "forbidden claim"),
        ({"missed_facts": ("8 %",), "claims": ClaimFacts(contradicted=("9 %",))}, "the context contradicts"),
        ({"missed_facts": ("8 %",), "claims": ClaimFacts(unsupported=("9 %",))}, "nothing in the context supports"),
        ({"missed_facts": ("8 %",), "obeyed": True, "planted": True}, "planted in a document"),
        ({"expected": "escalate"}, "had to escalate"),
        ({"declares_fields": True, "field_problems": ("rate is not 8",)}, "extracted fields are wrong"),
    ],
)
def test_with_the_evidence_in_the_context_the_answer_is_to_blame(more, told):
    found = cause(replace(RIGHT, **more))
    assert found.leaf == "generation"
    assert told in found.cause


def test_an_answer_where_the_corpus_holds_none_is_no_matter_of_retrieval():
    facts = replace(lost(index="missing"), expected="abstain", actual="answer", declares_facts=False, missed_facts=None)
    found = cause(facts)
    assert (found.leaf, found.advice) == ("generation", ADVICE["no_abstention"])


def test_a_critical_effect_of_a_planted_instruction_is_not_blamed_on_missing_evidence():
    fired = CriticalScore("generation.injection_obeyed", Value(1.0, 1), 0.0)
    facts = replace(lost(), missed_facts=(), critical=(fired,), obeyed=True)
    assert leaf(facts) == "generation"


@pytest.mark.parametrize("kind", ["dangling", "unsupported", "uncited", "unsafe"])
def test_a_right_answer_with_a_wrong_citation(kind):
    fired = CriticalScore("generation.unsafe_citation", Value(1.0, 1), 0.0)
    facts = replace(RIGHT, citations=CitationFacts(**{kind: ("x",)}), critical=(fired,))
    assert (leaf(facts), cause(facts).evidence) == ("citation", {kind: ["x"]})


def test_a_missed_form_is_not_blamed_on_the_content():
    form = {"declares_format": True, "format_problems": ("it is no JSON",)}
    unsure = ClaimFacts(unsupported=("9 %",), judge="lexical")
    for facts in (replace(RIGHT, **form), replace(lost(), missed_facts=(), **form, claims=unsure)):
        assert leaf(facts) == "format"


def test_a_request_that_broke_is_a_matter_of_the_service():
    broke = ServiceFacts(error="ConnectError: refused", stage="retriever")
    nothing = replace(RIGHT, answered=False, actual=None, missed_facts=None, claims=None, citations=None, stages=())
    groups = (replace(THERE, ranks={}, in_context=None, index="missing"),)
    found = cause(replace(nothing, service=broke, groups=groups))
    assert (found.leaf, found.evidence["stage"]) == ("service", "retriever")
    late = cause(replace(nothing, service=replace(broke, timed_out=True)))
    assert "timed out" in late.cause


def test_an_empty_answer_is_a_matter_of_the_service():
    found = cause(replace(WRONG, service=ServiceFacts(empty_answer=True)))
    assert (found.leaf, found.cause) == ("service", "the answer is empty")


def test_a_verdict_that_nothing_explains_goes_to_people():
    reference = {"declares_facts": False, "missed_facts": None, "declares_reference": True}
    facts = replace(RIGHT, **reference, correctness=Value(0.2, 3))
    assert leaf(facts) == "judge"  # the answer rests on the evidence
    adrift = replace(facts, claims=ClaimFacts(rests_on_evidence=False))
    assert leaf(adrift) == "generation"
    assert leaf(replace(adrift, agrees_literally=True)) == "judge"
    assert leaf(replace(facts, claims=ClaimFacts(against_reference=("9 %",)))) == "generation"


def test_every_leaf_has_an_advice():
    assert set(LEAVES) <= set(ADVICE)


def test_the_waterfall_counts_where_cases_broke_by_slice():
    cases = [Case(case_id=str(i), question="?", language="kk" if i < 2 else "ru") for i in range(5)]
    leaves = ["filter", "generation", "filter", None, "ingest"]
    results = [
        CaseResult(
            case_id=str(i),
            ok=leaf is None,
            diagnosis=None if leaf is None else Diagnosis(leaf=leaf, cause="", advice=""),
        )
        for i, leaf in enumerate(leaves)
    ]
    found = [(s.slice, s.leaf, s.cases, s.share) for s in waterfall(results, cases, by=["language"])]
    assert found == [
        ({}, "ingest", 1, 0.25),
        ({}, "filter", 2, 0.5),
        ({}, "generation", 1, 0.25),
        ({"language": "kk"}, "filter", 1, 0.5),
        ({"language": "kk"}, "generation", 1, 0.5),
        ({"language": "ru"}, "ingest", 1, 0.5),
        ({"language": "ru"}, "filter", 1, 0.5),
    ]
