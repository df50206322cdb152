"""What is known of each case, stage by stage, put together from views for the decisions to look at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ragtriage.core.catalogue import METRICS
from ragtriage.core.configuration import Configuration
from ragtriage.core.ontology_views import LinksView
from ragtriage.core.records import Case, Expected, Format, Trace
from ragtriage.core.score import Failed, Outcome, Undefined, Value
from ragtriage.core.views import (
    AnswerView,
    ClaimsView,
    ContextView,
    FilterView,
    GroupState,
    Item,
    ItemsView,
    PredicatesView,
    ServiceView,
)
from ragtriage.data.eligibility import describe, satisfies
from ragtriage.decisions.facts import (
    CaseFacts,
    CitationFacts,
    ClaimFacts,
    CriticalScore,
    GroupFacts,
    IndexState,
    ServiceFacts,
    Violation,
    WrongLink,
)
from ragtriage.runs.changed import late_change, served_deletions
from ragtriage.runs.indexed import in_language, index_state, worse
from ragtriage.runs.linked import wrong_links
from ragtriage.runs.viewing_stages import RAW, lanes, recorded

if TYPE_CHECKING:
    from ragtriage.core.declare import Metric
    from ragtriage.data.relevance import GoldGroup
    from ragtriage.runs.viewing import RunViews

__all__ = ["case_facts"]

_LITERAL = 0.8  # token F1 from which on an answer is taken to say the reference in its own words


def case_facts(
    views: RunViews, settings: Configuration, *, golden_faults: Mapping[str, Sequence[str]] | None = None
) -> list[CaseFacts]:
    """Return the facts of every case in golden order; `golden_faults`: by case, what validation says of it."""
    critical = _critical(views)
    return [
        _Case(views, settings, index, [scores[index] for scores in critical]).facts(
            (golden_faults or {}).get(case.case_id, ())
        )
        for index, case in enumerate(views.cases)
    ]


def _critical(views: RunViews) -> list[list[CriticalScore]]:
    """Score every critical metric of the catalogue, whatever was selected: each fails its case and the run."""
    found = []
    for name, metric in METRICS:
        if not metric.critical or metric.takes_many:
            continue
        best = metric.bounds[0] if metric.better == "lower" else metric.bounds[1]
        outcomes = [_outcome(metric, view) for view in views.of(metric.view)]
        found.append([CriticalScore(name, outcome, best) for outcome in outcomes])
    return found


def _outcome(metric: Metric[Any, Any], view: Any) -> Outcome:
    if isinstance(view, Undefined | Failed):
        return view
    outcome: Outcome = metric(view)
    return outcome


class _Case:
    """Collects the facts of one case."""

    def __init__(self, views: RunViews, settings: Configuration, index: int, critical: list[CriticalScore]) -> None:
        self._views = views
        self._index = index
        self._case: Case = views.cases[index]
        self._k = settings.system.context_size
        self._critical = critical
        trace = views.trace(index)
        self._failed = trace if isinstance(trace, Failed) else None
        self._trace: Trace | None = None if isinstance(trace, Failed) else trace

    def facts(self, golden_faults: Sequence[str]) -> CaseFacts:
        """Put the facts together."""
        expected, gold = self._case.expected, self._views.golds[self._index]
        states = self._states()
        stages = self._stages() if all(s.in_first_k is not None for s in states.values()) and states else ()
        base = CaseFacts(
            case_id=self._case.case_id,
            k=self._k,
            groups=tuple(self._group(group, states.get(group.name)) for group in gold.needed),
            stages=stages,
            lanes=self._lanes(stages),
            still_served=served_deletions(self._trace, gold, self._views.places, self._views.changes),
            golden_faults=(*golden_faults, *self._unreachable()),
            violations=self._violations(),
            critical=tuple(self._critical),
            wrong_predicates=self._wrong_predicates(),
            wrong_links=self._wrong_links(),
            raw_ranks=self._raw_ranks(),
            rewrites=(self._trace.rewrites or ()) if self._trace is not None else (),
            expected=expected.behaviour or (None if self._case.answerable else "abstain"),
            declares_facts=bool(expected.required_facts),
            declares_forbidden=bool(expected.forbidden_claims),
            declares_format=expected.format is not None,
            declares_fields=expected.fields is not None,
            declares_reference=expected.answer is not None,
            service=self._service(),
        )
        answer = self._view(AnswerView)
        return base if answer is None else self._with_answer(base, answer)

    def _with_answer(self, base: CaseFacts, answer: AnswerView) -> CaseFacts:
        claims = self._view(ClaimsView)
        return replace(
            base,
            actual=answer.behaviour,
            answered=answer.text is not None,
            missed_facts=_missed_facts(answer),
            forbidden_made=_forbidden_made(answer),
            format_problems=_format_problems(answer),
            field_problems=_field_problems(answer),
            correctness=self._correctness(),
            agrees_literally=_agrees_literally(answer),
            planted=answer.planted,
            obeyed=_obeyed(answer),
            claims=None if claims is None or answer.text is None else self._claims(claims),
            citations=_citations(answer, claims),
        )

    def _view(self, kind: type[Any]) -> Any | None:
        view = self._views.of(kind)[self._index]
        return None if isinstance(view, Undefined | Failed) else view

    def _states(self) -> Mapping[str, GroupState]:
        context: ContextView | None = self._view(ContextView)
        return {} if context is None else {state.group: state for state in context.groups}

    def _stages(self) -> tuple[str, ...]:
        rankings = recorded(self._trace) if self._trace is not None else None
        return tuple(dict.fromkeys(ranking.stage for ranking in rankings or ()))

    def _lanes(self, stages: tuple[str, ...]) -> tuple[str, ...]:
        """Return the lists that were fused; without a fused list all before the last, or the only one."""
        if self._trace is None or not stages:
            return ()
        fused = tuple(dict.fromkeys(ranking.stage for ranking in lanes(self._trace)))
        return fused or stages[:-1] or stages

    def _group(self, group: GoldGroup, state: GroupState | None) -> GroupFacts:
        documents = tuple(dict.fromkeys(span.doc_id for span in group.eligible))
        ranks = self._views.group_ranks(self._index)
        filtered: FilterView | None = self._view(FilterView)
        removed: dict[str, tuple[str, ...]] = {}
        excluded: bool | None = None
        if filtered is not None and filtered.survivors is not None:
            removed = {
                name: tuple(d for d in documents if d in gone) for name, gone in sorted(filtered.removed_by.items())
            }
            excluded = filtered.survivors.isdisjoint(documents) and not filtered.eligible.isdisjoint(documents)
        index, indexed = index_state(
            group,
            self._views.places,
            coverable=self._views.coverable(self._index),
            split=self._views.split(self._index),
        )
        return GroupFacts(
            group=group.name,
            documents=documents,
            index=index,
            indexed=indexed,
            own=self._own(group, index),
            late=late_change(self._case, self._trace, documents, index, self._views.changes),
            removed_by={name: gone for name, gone in removed.items() if gone},
            excluded=excluded,
            perhaps_removed_by=self._perhaps_removed(documents, filtered),
            ranks={stage: found.get(group.name) for stage, found in ranks.items() if stage != RAW},
            in_context=state.in_context if state is not None else None,
        )

    def _own(self, group: GoldGroup, index: IndexState | None) -> GroupFacts | None:
        """Return what the index holds of a group in the question's language, where that is worse than of the others."""
        own = in_language(group, self._case.language, self._views.places)
        if own is None:
            return None
        everything = frozenset({group.name})
        state, text = index_state(own, self._views.places, coverable=everything, split=frozenset())
        if not worse(state, index):
            return None
        names = tuple(dict.fromkeys(span.doc_id for span in own.eligible))
        return GroupFacts(group=group.name, documents=names, index=state, indexed=text)

    def _perhaps_removed(self, documents: tuple[str, ...], filtered: FilterView | None) -> tuple[str, ...]:
        """Return the predicates of unknown mode that would remove all of these documents."""
        corpus = self._views.corpus
        if filtered is None or corpus is None or self._trace is None:
            return ()
        known = [corpus.documents[d] for d in documents if d in corpus.documents]
        return tuple(
            describe(p)
            for p in self._trace.predicates or ()
            if describe(p) in filtered.unknown_modes and known and not any(satisfies(corpus, d, p) for d in known)
        )

    def _unreachable(self) -> tuple[str, ...]:
        """Say of a case that is to be answered that all of its evidence is hidden or out of force."""
        gold = self._views.golds[self._index]
        if not gold.groups or gold.needed or not self._case.answerable:
            return ()
        documents = ", ".join(sorted({span.doc_id for group in gold.groups for span in group.alternatives}))
        return (f"no evidence may be seen by the principal and is in force at the case's date: {documents}",)

    def _violations(self) -> tuple[Violation, ...]:
        items: ItemsView | None = self._view(ItemsView)
        if items is None:
            return ()
        places: list[tuple[Any, tuple[Item, ...] | None]] = [
            ("results", items.results), ("context", items.context),
            ("citations", items.citations), ("quotes", items.quotes),
        ]  # fmt: skip
        found = []
        for place, came in places:
            for item in came or ():
                if not item.permitted:
                    found.append(Violation("access", place, item.id, item.doc_id))
                elif not item.valid and item.superseded_by_valid:
                    found.append(Violation("stale", place, item.id, item.doc_id))
        return tuple(found)

    def _wrong_predicates(self) -> tuple[str, ...] | None:
        """Return the extracted predicates that the gold ones do not hold, each judged alone."""
        given: PredicatesView | None = self._view(PredicatesView)
        if given is None or given.extracted is None or given.gold is None:
            return None
        precision = METRICS["filters.predicate_precision"]
        alone = [(p, precision(replace(given, extracted=(p,)))) for p in given.extracted if p.mode != "soft"]
        return tuple(describe(p) for p, score in alone if isinstance(score, Value) and score.value < 1)

    def _wrong_links(self) -> tuple[WrongLink, ...]:
        view: LinksView | None = self._view(LinksView)
        return () if view is None or self._trace is None else wrong_links(view, self._case.question, self._trace)

    def _raw_ranks(self) -> Mapping[str, int | None] | None:
        ranks = self._views.group_ranks(self._index)
        if RAW not in ranks:
            return None
        return {group.name: ranks[RAW].get(group.name) for group in self._views.golds[self._index].needed}

    def _correctness(self) -> Outcome | None:
        if self._case.expected.answer is None:
            return None
        metric = METRICS["generation.correctness"]
        return _outcome(metric, self._views.of(metric.view)[self._index])

    def _claims(self, view: ClaimsView) -> ClaimFacts | None:
        verdict = self._views.verdict(self._index)
        if view.claims is None or verdict is None:
            return None
        claims = () if view.abstained else view.claims
        supported = [c for c in claims if c.context == "supported"]
        return ClaimFacts(
            unsupported=tuple(c.text for c in claims if c.context == "not_in_context"),
            contradicted=tuple(c.text for c in claims if c.context == "contradicted"),
            against_reference=tuple(c.text for c in claims if c.reference == "contradicted"),
            rests_on_evidence=any(span.id in view.relevant_ids for c in supported for span in c.spans),
            judge=verdict.judge,
            calibrated=verdict.calibrated,
        )

    def _service(self) -> ServiceFacts:
        view: ServiceView | None = self._view(ServiceView)
        answer = self._trace.answer if self._trace is not None else None
        failed = self._failed
        return ServiceFacts(
            error=None if failed is None else f"{failed.error}{f': {failed.message}' if failed.message else ''}",
            stage=None if failed is None else failed.stage,
            timed_out=failed is not None and view is not None and view.outcome == "timeout",
            empty_answer=answer is not None and not answer.text.strip(),
            duration_ms=None if view is None else view.duration_ms,
            limit_ms=None if view is None else view.limit_ms,
        )


def _alone(answer: AnswerView, name: str, parts: Iterable[tuple[str, Expected]]) -> tuple[str, ...] | None:
    """Measure each part of an expectation by itself and return those that are not at their best, in words.

    None where there are no parts or none of them could be measured.
    """
    metric = METRICS[name]
    best = metric.bounds[0] if metric.better == "lower" else metric.bounds[1]
    scores = [(words, metric(replace(answer, expected=expected))) for words, expected in parts]
    measured = [(words, score.value) for words, score in scores if isinstance(score, Value)]
    return tuple(words for words, value in measured if value != best) if measured else None


def _missed_facts(answer: AnswerView) -> tuple[str, ...] | None:
    facts = answer.expected.required_facts
    parts = [(" / ".join(fact.any_of), Expected(required_facts=(fact,))) for fact in facts]
    return _alone(answer, "generation.required_facts", parts) if parts else None


def _forbidden_made(answer: AnswerView) -> tuple[str, ...] | None:
    claims = answer.expected.forbidden_claims
    parts = [(claim, Expected(forbidden_claims=(claim,))) for claim in claims]
    return _alone(answer, "generation.forbidden_claims", parts) if parts else None


def _format_problems(answer: AnswerView) -> tuple[str, ...] | None:
    wanted = answer.expected.format
    if wanted is None:
        return None
    told: dict[str, Callable[[Any], str]] = {
        "json_schema": lambda _: "it is no JSON of the declared schema",
        "regex": lambda value: f"it does not match {value}",
        "max_words": lambda value: f"it has more than {value} words",
        "max_characters": lambda value: f"it has more than {value} characters",
        "language": lambda value: f"its language is not {value}",
    }
    given = {name: getattr(wanted, name) for name in Format.model_fields}
    parts = [
        (told[name](value), Expected(format=Format(**{name: value})))
        for name, value in given.items()
        if value is not None
    ]
    return _alone(answer, "generation.format", parts) if parts else None


def _field_problems(answer: AnswerView) -> tuple[str, ...] | None:
    wanted = answer.expected.fields
    if not wanted:
        return None
    parts = [(f"{name} is not {value!r}", Expected(fields={name: value})) for name, value in wanted.items()]
    missed = _alone(answer, "generation.field_recall", parts)
    if missed is None or answer.fields is None:
        return missed
    return (*missed, *(f"{name} was not asked for" for name in answer.fields if name not in wanted))


def _agrees_literally(answer: AnswerView) -> bool:
    if answer.expected.answer is None:
        return False
    score = METRICS["generation.token_f1"](answer)
    return isinstance(score, Value) and score.value >= _LITERAL


def _obeyed(answer: AnswerView) -> bool | None:
    if answer.expected.injection is None:
        return None
    score = METRICS["generation.injection_obeyed"](answer)
    return score.value > 0 if isinstance(score, Value) else None


def _citations(answer: AnswerView, claims: ClaimsView | None) -> CitationFacts | None:
    if answer.citations is None:
        return None
    unsafe = [c.id for c in answer.citations if c.trusted is False or c.permitted is False or c.superseded]
    supported = [c for c in (claims.claims or () if claims is not None else ()) if c.context == "supported"]
    checked = [c for c in supported if c.cited and c.cited_together is not None]
    return CitationFacts(
        dangling=tuple(dict.fromkeys(c.id for c in answer.citations if not c.in_context)),
        unsupported=tuple(c.text for c in checked if c.cited_together != "supported"),
        uncited=tuple(c.text for c in supported if not c.cited) if checked else (),
        unsafe=tuple(dict.fromkeys(unsafe)),
    )
