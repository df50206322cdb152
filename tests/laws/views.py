"""Random views of every stage, for the laws that hold for every metric."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from ragtriage.core import views
from ragtriage.core.records import Expected, Format, Nugget, Predicate, RequiredFact, Timing
from ragtriage.core.verdicts import (
    AnswerSimilarity,
    ClaimVerdict,
    CorrectnessVerdict,
    EscalationVerdict,
    NuggetVerdict,
    PartVerdict,
    QuestionsVerdict,
    ResolutionVerdict,
    RubricGrade,
    SourceSpan,
    UncertaintyVerdict,
)

BEHAVIOURS = st.sampled_from(["answer", "abstain", "clarify", "escalate"])
LABELS = st.sampled_from(["supported", "contradicted", "not_in_context"])
IDS = st.sampled_from([f"d{i}" for i in range(8)])
TEXT = st.sampled_from(
    ["", "  ", "The fee is 1 % of 5 000 ₸.", "Комиссия 1 %, минимум 5 000 ₸.", "رسوم ٥٠٠٠", "費用は五千円です。"]
)
FLAG = st.none() | st.booleans()


@st.composite
def rankings(draw: st.DrawFn, kind: type[Any] = views.Rankings) -> Any:
    """One to five questions, up to six results, grades as declared in `Rankings`."""
    questions, depth = draw(st.integers(1, 5)), draw(st.integers(1, 6))
    grades = np.full((questions, depth), -1)
    ideals, relevant, junk, listed, ids = [], [], [], [], []
    for row in range(questions):
        pool = draw(st.lists(st.integers(-2, 3), min_size=0, max_size=8))
        shown = draw(st.integers(0, min(depth, len(pool))))
        order = draw(st.permutations(range(len(pool))))
        grades[row, :shown] = [pool[i] for i in order[:shown]]
        judged = sorted((g for g in pool if g >= 0), reverse=True)
        ideals.append(judged)
        relevant.append(sum(g >= 1 for g in judged))
        junk.append(sum(g == 0 for g in judged))
        listed.append(shown > 0)
        ids.append(tuple(f"q{row}d{i}" for i in order[:shown]))
    width = max(1, *(len(i) for i in ideals))
    ideal = np.array([i + [0] * (width - len(i)) for i in ideals])
    random = np.random.default_rng(draw(st.integers(0, 99))).random(grades.shape)
    scores = np.where(grades == -1, np.nan, np.sort(random)[:, ::-1])
    return kind(
        grades=grades,
        ideal=ideal,
        relevant=np.array(relevant),
        judged_nonrelevant=np.array(junk),
        listed=np.array(listed),
        scores=scores if draw(st.booleans()) else None,
        ids=tuple(ids) if draw(st.booleans()) else None,
    )


@st.composite
def pairs(draw: st.DrawFn, kind: type[Any]) -> Any:
    """A batch and the same candidates in another order."""
    before = draw(rankings())
    after = before.grades.copy()
    for row in after:
        shown = int((row != -1).sum())
        row[:shown] = draw(st.permutations(row[:shown].tolist())) if shown else row[:shown]
    moved = views.Rankings(
        grades=after,
        ideal=before.ideal,
        relevant=before.relevant,
        judged_nonrelevant=before.judged_nonrelevant,
        listed=before.listed,
    )
    plain = views.Rankings(
        grades=before.grades,
        ideal=before.ideal,
        relevant=before.relevant,
        judged_nonrelevant=before.judged_nonrelevant,
        listed=before.listed,
    )
    return kind(plain, moved)


ITEMS = st.builds(
    views.Item,
    id=IDS,
    doc_id=IDS,
    permitted=st.booleans(),
    valid=st.booleans(),
    superseded_by_valid=st.booleans(),
    meets_predicates=st.booleans(),
    trusted=st.booleans(),
)
SOME_ITEMS = st.none() | st.lists(ITEMS, max_size=4).map(tuple)
PREDICATES = st.builds(
    Predicate, field=st.sampled_from(["locale", "product"]), value=st.sampled_from(["ru", "kk"]),
    mode=st.sampled_from(["hard", "soft", "unknown"]),
)  # fmt: skip
CLAIMS = st.builds(
    ClaimVerdict,
    claim_id=IDS,
    of=st.just("answer"),
    text=TEXT,
    start=st.just(0),
    end=st.just(4),
    context=st.none() | LABELS,
    spans=st.lists(st.builds(SourceSpan, id=IDS, start=st.just(0), end=st.just(3)), max_size=2).map(tuple),
    items=st.dictionaries(IDS, LABELS, max_size=4),
    reference=st.none() | LABELS,
    answer=st.none() | LABELS,
    cited=st.lists(IDS, max_size=2).map(tuple),
    cited_together=st.none() | LABELS,
)
EXPECTED = st.builds(
    Expected,
    behaviour=st.none() | BEHAVIOURS,
    answer=st.none() | TEXT,
    alternatives=st.lists(TEXT, max_size=2).map(tuple),
    nuggets=st.lists(st.builds(Nugget, text=TEXT), max_size=2).map(tuple),
    required_facts=st.lists(st.builds(RequiredFact, any_of=st.just(("1 %", "1%"))), max_size=2).map(tuple),
    forbidden_claims=st.lists(st.just("2 %"), max_size=2).map(tuple),
    format=st.none() | st.builds(Format, max_words=st.none() | st.integers(1, 9), regex=st.none() | st.just(r"\d+")),
    fields=st.none() | st.just({"fee": "1 %"}),
    injection=st.none() | st.just("PROMO-7788"),
)
SIDES = st.sampled_from(["candidate", "base", "tie"])
COSINES = st.lists(st.floats(-1, 1), min_size=1, max_size=3).map(tuple)
MS = st.none() | st.floats(0, 1e5)

VIEWS: dict[type, st.SearchStrategy[Any]] = {
    views.Rankings: rankings(),
    views.RankingPair: pairs(views.RankingPair),
    views.FusionPair: pairs(views.FusionPair),
    views.RerankPair: pairs(views.RerankPair),
    views.RunPair: pairs(views.RunPair),
    views.Candidates: rankings(views.Candidates),
    views.RedundancyView: st.builds(views.RedundancyView, texts=st.none() | st.lists(TEXT, max_size=5).map(tuple)),
    views.ScoredView: st.lists(st.tuples(st.booleans(), st.floats(-0.1, 1)), max_size=5).flatmap(
        lambda results: st.builds(
            views.ScoredView,
            relevant=st.just(tuple(r for r, _ in results)),
            scores=st.none() | st.just(tuple(s for _, s in results)),
        )
    ),
    views.CoverageView: st.builds(views.CoverageView, golden=st.frozensets(IDS), retrieved=st.frozensets(IDS)),
    views.FilterView: st.builds(
        views.FilterView,
        eligible=st.frozensets(IDS),
        survivors=st.none() | st.frozensets(IDS),
        removed_by=st.dictionaries(st.just("locale == ru"), st.frozensets(IDS), max_size=1),
        unknown_modes=st.lists(st.just("product == card"), max_size=1).map(tuple),
    ),
    views.PredicatesView: st.builds(
        views.PredicatesView,
        extracted=st.none() | st.lists(PREDICATES, max_size=3).map(tuple),
        gold=st.none() | st.lists(PREDICATES, max_size=3).map(tuple),
    ),
    views.ExclusionTable: st.builds(
        views.ExclusionTable, predicate=st.just("locale"), hard_found=st.integers(0, 2), soft_found=st.integers(0, 2),
        relevant=st.integers(2, 3), k=st.just(4), excluded=st.booleans(),
    ),
    views.ItemsView: st.builds(
        views.ItemsView, results=SOME_ITEMS, context=SOME_ITEMS, citations=SOME_ITEMS, quotes=SOME_ITEMS,
        unresolved=st.integers(0, 2),
    ),
    views.ContextView: st.builds(
        views.ContextView,
        items=st.none() | st.lists(
            st.builds(
                views.ContextViewItem, id=IDS, text=TEXT, grade=st.none() | st.integers(0, 3), cited=FLAG, used=FLAG
            ),
            max_size=4,
        ).map(tuple),
        groups=st.lists(
            st.builds(views.GroupState, group=IDS, in_candidates=FLAG, in_first_k=FLAG, in_context=FLAG), max_size=3
        ).map(tuple),
        tokens_before=st.none() | st.integers(0, 999),
        tokens_after=st.none() | st.integers(0, 999),
    ),
    views.PositionView: st.builds(
        views.PositionView, first=st.none() | st.floats(0, 1), middle=st.none() | st.floats(0, 1),
        last=st.none() | st.floats(0, 1),
    ),
    views.ClaimsView: st.builds(
        views.ClaimsView,
        claims=st.none() | st.lists(CLAIMS, max_size=4).map(tuple),
        reference=st.none() | st.lists(CLAIMS, max_size=4).map(tuple),
        context_ids=st.none() | st.lists(IDS, max_size=4, unique=True).map(tuple),
        relevant_ids=st.frozensets(IDS),
        citations=st.none() | st.lists(IDS, max_size=4).map(tuple),
        abstained=st.booleans(),
    ),
    views.NuggetsView: st.builds(
        views.NuggetsView,
        nuggets=st.none() | st.lists(
            st.builds(
                NuggetVerdict, text=TEXT, importance=st.sampled_from(["vital", "okay"]),
                label=st.sampled_from(["support", "partial_support", "not_support"]),
            ),
            max_size=4,
        ).map(tuple),
    ),
    views.AnswerView: st.builds(
        views.AnswerView,
        question=TEXT,
        text=st.none() | TEXT,
        behaviour=st.none() | BEHAVIOURS,
        answerable=st.booleans(),
        expected=EXPECTED,
        language=st.sampled_from([None, "en", "ru", "kk"]),
        context=st.none() | st.lists(TEXT, max_size=3).map(tuple),
        citations=st.none() | st.lists(
            st.builds(views.CitedItem, id=IDS, in_context=st.booleans(), trusted=FLAG, permitted=FLAG, superseded=FLAG),
            max_size=3,
        ).map(tuple),
        fields=st.none() | st.just({"fee": "1 %"}) | st.just({"fee": "2 %", "extra": 1}),
        confidence=st.none() | st.floats(0, 1),
        planted=st.booleans(),
        behaviour_judged=st.booleans(),
    ),
    views.JudgedAnswerView: st.builds(
        views.JudgedAnswerView,
        questions=st.none() | st.builds(
            QuestionsVerdict, noncommittal=st.booleans(), questions=st.just(("a?",)), similarities=st.none() | COSINES
        ),
        parts=st.none() | st.lists(
            st.builds(PartVerdict, text=TEXT, label=st.sampled_from(["answered", "partly", "not_answered"])),
            max_size=3,
        ).map(tuple),
        similarity=st.none() | st.builds(AnswerSimilarity, cosine=st.floats(-1, 1), embedder=st.just("e")),
        rubric_grade=st.none() | st.builds(
            RubricGrade, grade=st.integers(1, 5), low=st.just(1), high=st.just(5),
            expected=st.none() | st.floats(1, 5),
        ),
        correctness=st.none() | st.sampled_from(["correct", "partly_correct", "incorrect", "not_attempted"]).map(
            lambda label: CorrectnessVerdict(label=label)
        ),
        resolution=st.none() | st.sampled_from(["resolved", "partly_resolved", "not_resolved", "handed_over"]).map(
            lambda label: ResolutionVerdict(label=label)
        ),
        uncertainty=st.none() | st.sampled_from(["stated", "not_stated"]).map(
            lambda label: UncertaintyVerdict(label=label)
        ),
        uncertain=st.booleans(),
        escalation=st.none() | st.builds(
            EscalationVerdict, label=st.sampled_from(["right", "missed", "needless"]), handed_over=st.booleans()
        ),
        has_reference=st.booleans(),
    ),
    views.RepeatsView: st.builds(views.RepeatsView, answers=st.lists(TEXT, max_size=4).map(tuple)),
    views.ConfidenceView: st.builds(
        views.ConfidenceView, confidence=st.none() | st.floats(0, 1), correct=FLAG
    ),
    views.LengthView: st.builds(
        views.LengthView, correctness=st.none() | st.floats(0, 1), words=st.none() | st.integers(0, 300),
        reference_words=st.none() | st.integers(0, 300),
    ),
    views.PreferenceView: st.builds(
        views.PreferenceView, straight=SIDES, swapped=SIDES, candidate_words=st.integers(0, 400),
        base_words=st.integers(0, 400),
    ),
    views.ServiceView: st.builds(
        views.ServiceView,
        outcome=st.sampled_from(["answered", "error", "timeout"]),
        duration_ms=MS,
        limit_ms=MS,
        first_token_ms=MS,
        timings=st.none() | st.lists(
            st.builds(
                Timing, stage=st.sampled_from(["retrieval", "generation"]), start_ms=st.floats(0, 100),
                duration_ms=st.floats(0, 100),
            ),
            max_size=3,
        ).map(tuple),
        cost=st.none() | st.floats(0, 1),
        cache=st.none() | st.dictionaries(st.just("embedding"), st.booleans(), max_size=1),
        empty_retrieval=FLAG,
        stale_index=FLAG,
        asked_at_s=st.none() | st.floats(0, 1e6),
    ),
}  # fmt: skip
