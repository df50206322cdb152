"""The pipeline stage by stage: how many cases broke there, and the few numbers that tell most about it."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from ragtriage.core.results import Leaf, MetricRow
from ragtriage.report.model import Report
from ragtriage.report.wording import base_name

__all__ = ["MetricGroup", "Stage", "key_rows", "metric_groups", "pipeline"]


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage of the pipeline; `broken` cases at its leaves; `rows`: its key numbers over all cases."""

    name: str
    leaves: tuple[Leaf, ...]
    broken: int
    rows: tuple[MetricRow, ...]


@dataclass(frozen=True, slots=True)
class MetricGroup:
    """All metrics of one stage over all cases."""

    name: str
    rows: tuple[MetricRow, ...]


@dataclass(frozen=True, slots=True)
class _Plan:
    """Which leaves and which metrics, the most telling first, belong to a stage; it shows so many `numbers` of them."""

    name: str
    leaves: tuple[Leaf, ...]
    telling: tuple[str, ...]
    prefixes: tuple[str, ...] = ()
    numbers: int = 3


_PIPELINE = (
    _Plan(
        "Ingest",
        ("ingest",),
        (
            "ingest.cer",
            "ingest.evidence_split",
            "ingest.pii_recall",
            "ingest.false_merge_rate",
            "ingest.stale_query_share",
            "ingest.ann_recall",
            "ingest.chunk_attribution",
            "ingest.teds",
            "ingest.ner_f1",
            "ingest.boundary_quality",
            "ingest.missed_merge_rate",
            "ingest.boilerplate_recall",
            "ingest.probe_neighbour_overlap",
            "ingest.embedding_probe_drift",
        ),
        ("ingest.",),
        numbers=4,  # of texts, chunks, personal data, duplicates ...: none speaks for another
    ),
    _Plan(
        "Query",
        ("query", "ontology"),
        (
            "query.expansion_uplift",
            "query.routing_accuracy",
            "query.intent_f1",
            "ontology.mention_f1",
            "ontology.disambiguation",
        ),
        ("query.",),
    ),
    _Plan(
        "Filters",
        ("access", "filter"),
        ("filters.access_violations", "filters.false_exclusion_rate", "filters.stale_source_rate"),
        ("filters.",),
    ),
    _Plan(
        "Retrieval",
        ("retrieval",),
        ("retrieval.candidate_ceiling", "retrieval.recall", "retrieval.ndcg"),
        ("retrieval.",),
    ),
    _Plan(
        "Ranking",
        ("fusion", "rerank"),
        ("retrieval.fusion_uplift", "retrieval.rerank_uplift", "retrieval.rerank_lost_gold"),
    ),
    _Plan(
        "Context",
        ("assembly",),
        ("context.evidence_recall", "context.dropped_evidence", "context.utilisation"),
        ("context.",),
    ),
    _Plan(
        "Generation",
        ("generation", "citation", "format"),
        (
            "generation.required_facts",
            "generation.number_grounding",
            "generation.faithfulness",
            "generation.citation_precision",
            "generation.abstention_recall",
        ),
        ("generation.",),
    ),
    _Plan("Service", ("service",), ("system.errors", "system.latency_p95", "system.cost_p50"), ("system.",)),
)


def pipeline(report: Report) -> tuple[Stage, ...]:
    """Return the stages from left to right; a stage with no metric and no broken case is left out."""
    broken: dict[Leaf, int] = defaultdict(int)
    for share in report.results.diagnosis:
        if not share.slice:
            broken[share.leaf] += share.cases
    stages = (Stage(p.name, p.leaves, sum(broken[leaf] for leaf in p.leaves), _chosen(report, p)) for p in _PIPELINE)
    return tuple(stage for stage in stages if stage.rows or stage.broken)


def key_rows(report: Report) -> tuple[MetricRow, ...]:
    """Return the key numbers of all stages, in pipeline order."""
    return tuple(row for stage in pipeline(report) for row in stage.rows)


def metric_groups(report: Report) -> tuple[MetricGroup, ...]:
    """Return every row over all cases, grouped by the first part of the metric's name, in the order of the run."""
    groups: dict[str, list[MetricRow]] = defaultdict(list)
    for row in report.results.metrics:
        if not row.slice:
            groups[row.name.partition(".")[0]].append(row)
    return tuple(MetricGroup(name, tuple(rows)) for name, rows in groups.items())


def _chosen(report: Report, plan: _Plan) -> tuple[MetricRow, ...]:
    """Choose the key numbers of a stage: what the gate does not let pass, then what tells most."""
    rows = [row for row in report.results.metrics if not row.slice]
    found = [row for name in plan.telling if (row := _telling(report, rows, name)) is not None]
    if not found and plan.prefixes:
        found = [row for row in rows if row.name.startswith(plan.prefixes)]
    with_number = [row for row in found if row.value is not None]
    gate = report.results.gate
    stopped = {rule.metric for rule in (gate.rules if gate is not None else ()) if rule.verdict != "pass"}
    candidates = with_number or found
    kept = sorted(candidates, key=lambda row: row.name not in stopped)[: plan.numbers]
    return tuple(row for row in candidates if row in kept)


def _telling(report: Report, rows: Sequence[MetricRow], name: str) -> MetricRow | None:
    """Choose among the cut-offs of one metric: the one that the gate asks for, else the size of the context."""
    mine = [row for row in rows if base_name(row.name) == name]
    gate = report.results.gate
    asked = [rule.metric for rule in gate.rules] if gate is not None else []
    for wanted in (*asked, f"{name}@{_context_size(report)}"):
        for row in mine:
            if row.name == wanted:
                return row
    return mine[0] if mine else None


def _context_size(report: Report) -> int:
    """Return how many passages the generator is given: as configured, else as most traces show."""
    if report.settings is not None:
        return report.settings.system.context_size
    sizes = [len(trace.context) for trace in report.traces.values() if trace.context]
    return statistics.mode(sizes) if sizes else 0
