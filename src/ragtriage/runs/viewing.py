"""From cases, traces and verdicts to the views that metrics see; each kind is built when it is first asked for."""

from __future__ import annotations

import typing
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeVar

from ragtriage.core.chunk_views import EvidenceSplitView
from ragtriage.core.configuration import Configuration
from ragtriage.core.declare import Level, Metric
from ragtriage.core.index_views import ServedView
from ragtriage.core.ontology import Ontology
from ragtriage.core.ontology_views import AuditView, LinksView, OutputView
from ragtriage.core.query_views import IntentView, MultiQueryView, RouteView
from ragtriage.core.records import Case, Chunk, Trace
from ragtriage.core.score import Failed, Undefined
from ragtriage.core.verdicts import Verdicts
from ragtriage.core.views import (
    AnswerView,
    Candidates,
    ClaimsView,
    ConfidenceView,
    ContextView,
    CoverageView,
    ExclusionTable,
    FilterView,
    ItemsView,
    JudgedAnswerView,
    LengthView,
    NuggetsView,
    PositionView,
    PredicatesView,
    PreferenceView,
    RankingPair,
    Rankings,
    RedundancyView,
    RepeatsView,
    ScoredView,
    ServiceView,
)
from ragtriage.data.chunk_viewing import evidence_split_view
from ragtriage.data.corpus import Corpus
from ragtriage.data.golden import Golden
from ragtriage.data.relevance import Gold, coverable_groups, found_at, gold_of, split_groups
from ragtriage.runs.asks import asks_of
from ragtriage.runs.given import Given
from ragtriage.runs.populations import Populations
from ragtriage.runs.units import Population
from ragtriage.runs.viewing_answers import answer_view, claims_view, nuggets_view, service_view
from ragtriage.runs.viewing_changes import ChangeLog
from ragtriage.runs.viewing_context import context_view, redundancy_view, relevant_items
from ragtriage.runs.viewing_documents import Survivors, coverage_view, filter_view, items_view, predicates_view
from ragtriage.runs.viewing_judged import confidence_view, judged_answer_view, length_view, repeats_view
from ragtriage.runs.viewing_ontology import audit_view, links_view, output_view
from ragtriage.runs.viewing_places import Places
from ragtriage.runs.viewing_query import intent_view, multi_query_view, route_view
from ragtriage.runs.viewing_quotes import quotes_of
from ragtriage.runs.viewing_ranked import scored_view, why_none
from ragtriage.runs.viewing_rankings import Missing, RankedRun
from ragtriage.runs.viewing_stages import final_hits, pool, recorded, without_repeats

__all__ = ["Missing", "RunViews", "build_views"]

_READ = {ClaimsView: ("claims",), AuditView: ("claims",), NuggetsView: ("nuggets",)}
_NOT_ASKED = Failed("system", "missing", "no trace of this case was recorded")
P = TypeVar("P", bound=RankingPair)
V = TypeVar("V")


class RunViews:
    """All views of one run, one per case in golden order. Rows of failed or unmeasurable cases say why they are."""

    def __init__(
        self,
        *,
        corpus: Corpus | None,
        golden: Golden,
        traces: Mapping[str, Trace],
        verdicts: Mapping[str, Verdicts],
        failures: Mapping[str, Failed],
        chunks: tuple[Chunk, ...] | None,
        settings: Configuration,
        repeats: Mapping[str, Sequence[str]] | None = None,
        given: Given | None = None,
        ontology: Ontology | None = None,
    ) -> None:
        self.cases: tuple[Case, ...] = golden.cases
        self.case_ids: tuple[str, ...] = tuple(case.case_id for case in golden.cases)
        self.corpus = corpus
        self.places = Places(corpus, chunks)
        self.populations = Populations(corpus, self.places, given or Given())
        self.changes = ChangeLog(given.changes or ()) if given is not None else ChangeLog(())
        self._traces = traces
        self._verdicts = verdicts
        self._failures = failures
        self._repeats = repeats or {}
        self._ontology = ontology
        self._least = settings.expect.answer
        self._min_overlap = settings.golden.min_overlap
        self._k = settings.system.context_size
        self._limit_ms = settings.system.timeout_s * 1000.0
        self._views: dict[type, tuple[Any, ...]] = {}

    @cached_property
    def golds(self) -> tuple[Gold, ...]:
        """What is relevant to each case."""
        return tuple(gold_of(case, self.corpus) for case in self.cases)

    @cached_property
    def ranked(self) -> RankedRun:
        """The rankings of all cases."""
        traces = [self.trace(index) for index in range(len(self.cases))]
        return RankedRun(traces, self.golds, self.places, self._min_overlap)

    def trace(self, index: int) -> Trace | Failed:
        """Return the trace of a case, or what broke before there was a usable one (a judge's failure is none)."""
        case_id = self.case_ids[index]
        trace, failed = self._traces.get(case_id), self._failures.get(case_id)
        if failed is not None and (trace is None or failed.stage != "judge"):
            return failed
        if trace is None:
            return _NOT_ASKED
        if trace.error is not None:
            return Failed(trace.error.stage, trace.error.type, trace.error.message)
        return trace

    def of(self, view_type: type[V]) -> tuple[V | Missing, ...]:
        """Return a view of each case; what a run has nothing to show of is undefined for each of them."""
        if view_type not in self._views:
            self._views[view_type] = self._build(view_type)
        return self._views[view_type]

    def population(self, view_type: type[Any]) -> Population | Undefined:
        """Return the views of one type over the units of its population, or why the run has none."""
        return self.populations.of(view_type)

    def rankings(self, level: Level) -> Rankings:
        """Return the final rankings."""
        found: Rankings = self.ranked.table(Rankings, level)[0]
        return found

    def candidates(self, level: Level) -> Candidates:
        """Return the candidate pools."""
        found: Candidates = self.ranked.table(Candidates, level)[0]
        return found

    def pair(self, pair_type: type[P], level: Level) -> P:
        """Return rankings before and after a step: FusionPair or RerankPair; KeyError for another type."""
        found: P = self.ranked.table(pair_type, level)[0]
        return found

    def unavailable(self, level: Level, of: type[Rankings | RankingPair] = Rankings) -> tuple[Missing | None, ...]:
        """Say of each case why its row means nothing at this level; None where it does mean something."""
        return self.ranked.table(of, level)[1]

    def group_ranks(self, index: int) -> dict[str, dict[str, int]]:
        """Return for each recorded ranking by stage the 1-based rank at which each needed group was found.

        A ranking whose results do not say where in their documents they stand is left out.
        """
        trace, gold = self.trace(index), self.golds[index]
        if isinstance(trace, Failed):
            return {}
        found: dict[str, dict[str, int]] = {}
        for ranking in trace.rankings or ():
            passages = self.ranked.passages(without_repeats(ranking.hits))
            if why_none(self._group_level(gold), gold, passages, listed=None) is None:
                at = found_at(gold, passages, min_overlap=self._min_overlap)
                found[ranking.stage] = {group: place + 1 for group, place in at.items()}
        return found

    def coverable(self, index: int) -> frozenset[str] | None:
        """Return the needed groups that the indexed chunks can cover; None where the system lists no chunks."""
        if self.places.chunks is None:
            return None
        return coverable_groups(self.golds[index], self.places.chunks_of, min_overlap=self._min_overlap)

    def split(self, index: int) -> frozenset[str] | None:
        """Return the needed groups that no single chunk covers; None where the system lists no chunks."""
        if self.places.chunks is None:
            return None
        return split_groups(self.golds[index], self.places.chunks_of, min_overlap=self._min_overlap)

    @cached_property
    def calibrated(self) -> bool:
        """Whether every verdict comes from a judge whose agreement with people was measured; no verdicts: False."""
        return bool(self._verdicts) and all(verdict.calibrated for verdict in self._verdicts.values())

    def calibrated_for(self, metric: Metric[Any, Any]) -> bool:
        """Say whether every verdict that a metric counts comes from a judge that may be believed in this."""
        asks = asks_of(metric)
        if self.calibrated:
            return True
        return bool(self._verdicts and asks) and all(asks <= set(v.trusted) for v in self._verdicts.values())

    @cached_property
    def repeats_removed(self) -> int:
        """How many results of final rankings repeated an id and were removed."""
        count = 0
        for index in range(len(self.cases)):
            trace = self.trace(index)
            rankings = None if isinstance(trace, Failed) else recorded(trace)
            if rankings:
                count += len(rankings[-1].hits) - len(without_repeats(rankings[-1].hits))
        return count

    def _build(self, view_type: type[Any]) -> tuple[Any, ...]:
        if view_type is ServiceView:
            return tuple(self._service(case_id) for case_id in self.case_ids)
        if view_type in {ExclusionTable, PositionView}:
            reason = Undefined("needs the system to be asked again with one stage changed")
            return tuple(reason for _ in self.cases)
        if view_type is PreferenceView:
            return tuple(Undefined("needs the answers of two systems") for _ in self.cases)
        if view_type is EvidenceSplitView:  # how the index was cut does not depend on what was asked
            return tuple(self._split_evidence(case) for case in self.cases)
        if view_type not in self._builders:
            return tuple(Undefined("a run has nothing to measure it by") for _ in self.cases)
        build = self._builders[view_type]
        judged = view_type in {ClaimsView, NuggetsView, AuditView}
        found = []
        for index in range(len(self.cases)):
            trace = self.trace(index)
            failed = self._failures.get(self.case_ids[index]) if judged else None
            failed = failed or self._unread(index, _READ.get(view_type, ()))
            found.append(trace if isinstance(trace, Failed) else failed or build(index, trace))
        return tuple(found)

    def seen_by(self, metric: Metric[Any, Any]) -> tuple[Any, ...]:
        """Return the views of a metric, with those as failed of which the judge said nothing that could be read."""
        kind = typing.get_args(metric.view)[0] if metric.takes_many else metric.view
        asks = asks_of(metric)
        views = self.of(kind)
        if not asks:
            return views
        unread = (self._unread(index, asks) for index in range(len(self.cases)))
        return tuple(
            failed if failed is not None and not isinstance(view, Failed) else view
            for view, failed in zip(views, unread, strict=True)
        )

    def _unread(self, index: int, asks: Collection[str]) -> Failed | None:
        """Say what the judge was asked of a case and could not be read, of these things."""
        verdict = self.verdict(index)
        lost = next((f for f in (verdict.failed if verdict is not None else ()) if f.ask in asks), None)
        return None if lost is None else Failed("judge", lost.kind, lost.message)

    @cached_property
    def _builders(self) -> dict[type, Callable[[int, Trace], Any]]:
        places = self.places
        return {
            CoverageView: lambda i, trace: coverage_view(self.golds[i], trace, places),
            PredicatesView: lambda i, trace: predicates_view(self.cases[i], trace),
            FilterView: self._filter,
            ItemsView: lambda i, trace: items_view(
                self.cases[i], trace, places, self._survivors, quoted=self._quotes[i]
            ),
            ContextView: self._context,
            ClaimsView: lambda i, trace: claims_view(
                trace,
                self.verdict(i),
                relevant_ids=relevant_items(self.golds[i], trace, places, min_overlap=self._min_overlap),
            ),
            NuggetsView: lambda i, _: nuggets_view(self.verdict(i)),
            AnswerView: lambda i, trace: answer_view(self.cases[i], trace, self.verdict(i), places),
            JudgedAnswerView: lambda i, _: judged_answer_view(self.cases[i], self.verdict(i)),
            RepeatsView: lambda i, trace: repeats_view(trace, self._repeats.get(self.case_ids[i], ())),
            ConfidenceView: self._confidence,
            LengthView: self._length,
            RedundancyView: lambda _, trace: redundancy_view(trace, places),
            ScoredView: self._scored,
            ServedView: lambda _, trace: self.changes.served(trace.asked_at),
            MultiQueryView: lambda i, trace: multi_query_view(
                self.golds[i], trace, self.ranked.passages, min_overlap=self._min_overlap
            ),
            IntentView: lambda i, trace: intent_view(self.cases[i], trace),
            RouteView: lambda i, trace: route_view(self.cases[i], trace),
            LinksView: lambda i, trace: links_view(self.cases[i], trace, self._ontology),
            OutputView: lambda i, trace: output_view(self.cases[i], trace),
            AuditView: lambda i, trace: audit_view(trace, self.verdict(i), places),
        }

    def _split_evidence(self, case: Case) -> EvidenceSplitView | Undefined:
        if self.corpus is None:
            return Undefined("there is no corpus to say where the evidence stands")
        return evidence_split_view(case, self.corpus, self.places.spans)

    def verdict(self, index: int) -> Verdicts | None:
        """Return what the judge said of a case; None where no judge ran."""
        return self._verdicts.get(self.case_ids[index])

    @cached_property
    def _survivors(self) -> Survivors:
        return Survivors(self.corpus) if self.corpus is not None else Survivors(_no_corpus())

    @cached_property
    def _quotes(self) -> list[tuple[str, ...] | None]:
        traces = [self.trace(index) for index in range(len(self.cases))]
        return quotes_of(self.cases, [None if isinstance(t, Failed) else t for t in traces], self.corpus)

    def _filter(self, index: int, trace: Trace) -> FilterView | Undefined:
        if self.corpus is None:
            return Undefined("there is no corpus to say what predicates remove")
        return filter_view(self.golds[index], trace, self._survivors, self.corpus)

    def _context(self, index: int, trace: Trace) -> ContextView | Undefined:
        gold = self.golds[index]
        found: dict[str, frozenset[str] | None] = {}
        for name, hits in (("candidates", pool(trace)), ("first_k", final_hits(trace))):
            wanted = hits if hits is None or name == "candidates" else hits[: self._k]
            known = (
                wanted is not None
                and why_none(self._group_level(gold), gold, self.ranked.passages(wanted), listed=None) is None
            )
            at = found_at(gold, self.ranked.passages(wanted or ()), min_overlap=self._min_overlap)
            found[name] = frozenset(at) if known else None
        return context_view(
            gold, trace, self.verdict(index), self.places, found=found,
            min_overlap=self._min_overlap,
        )  # fmt: skip

    def _confidence(self, index: int, trace: Trace) -> ConfidenceView | Missing:
        answer, claims = self.of(AnswerView)[index], self.of(ClaimsView)[index]
        if isinstance(answer, Undefined | Failed):
            return answer
        if isinstance(claims, Undefined | Failed):
            return claims
        return confidence_view(trace, answer, claims, least=self._least)

    def _length(self, index: int, trace: Trace) -> LengthView | Missing:
        claims = self.of(ClaimsView)[index]
        return claims if isinstance(claims, Undefined | Failed) else length_view(self.cases[index], trace, claims)

    def _group_level(self, gold: Gold) -> Level:
        return "evidence" if gold.has_spans else "document"

    def _scored(self, index: int, trace: Trace) -> ScoredView | Missing:
        level: Level = "chunk" if self.golds[index].has_spans else "document"
        why = self.unavailable(level)[index]
        if why is not None and level == "chunk":
            level, why = "document", self.unavailable("document")[index]
        if why is not None:
            return why
        del trace
        return scored_view(self.rankings(level), index)

    def _service(self, case_id: str) -> ServiceView | Failed:
        failed, trace = self._failures.get(case_id), self._traces.get(case_id)
        if trace is None and failed is None:
            return _NOT_ASKED
        return service_view(trace, failed, limit_ms=self._limit_ms, corpus=self.corpus)


def build_views(
    *,
    corpus: Corpus | None,
    golden: Golden,
    traces: Mapping[str, Trace],
    verdicts: Mapping[str, Verdicts],
    failures: Mapping[str, Failed],
    chunks: tuple[Chunk, ...] | None,
    settings: Configuration,
    repeats: Mapping[str, Sequence[str]] | None = None,
    given: Given | None = None,
    ontology: Ontology | None = None,
) -> RunViews:
    """Make the views of a run from what was stored of it, by case id; cases keep the golden set's order.

    `repeats`: answers of later repeats of a question. `chunks`: those that the system indexed, else the corpus's own,
    else None.
    """
    indexed = chunks if chunks is not None or corpus is None else corpus.chunks
    return RunViews(
        corpus=corpus,
        golden=golden,
        traces=traces,
        verdicts=verdicts,
        failures=failures,
        chunks=indexed,
        settings=settings,
        repeats=repeats,
        given=given,
        ontology=ontology,
    )


def _no_corpus() -> Corpus:
    return Corpus("", "", "", {})
