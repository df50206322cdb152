"""What a run says: scores of cases, rows of metrics, diagnosis, gate. Schema `ragtriage.results/1`.

Reports and decisions work on these alone, so they work on a run made elsewhere.
Fields that depend on time or on the chance of scheduling carry `x-time-dependent` in the published schema; all others
are byte-identical between equal runs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from ragtriage.core.score import Failed, Outcome, Undefined, Value

__all__ = [
    "CASES",
    "TIME_DEPENDENT_METRICS",
    "CaseResult",
    "CaseScore",
    "Counts",
    "Diagnosis",
    "GateResult",
    "Leaf",
    "LeafShare",
    "MetricRow",
    "Results",
    "RuleResult",
    "UnitResult",
    "UnitScore",
    "Verdict",
    "listed_units",
]

TIME_DEPENDENT_METRICS = ("system.latency_p50", "system.latency_p95", "system.latency_p99", "system.first_token_p95",
                          "system.throughput", "ingest.stale_query_share")  # fmt: skip

CASES = "cases"
Leaf = Literal[
    "golden",
    "ingest",
    "access",
    "query",
    "ontology",
    "filter",
    "retrieval",
    "fusion",
    "rerank",
    "assembly",
    "generation",
    "citation",
    "format",
    "service",
    "judge",
]
Verdict = Literal["pass", "fail", "undecidable"]
_TIME = {"x-time-dependent": True}


@dataclass(frozen=True, slots=True)
class CaseScore:
    """One metric of one case; `metric` carries its parameters (`retrieval.recall@4`), `level` is None off rankings."""

    case_id: str
    metric: str
    level: str | None
    outcome: Outcome


class Result(BaseModel):
    """What every part of the results shares."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class MetricRow(Result):
    """One metric over one slice (`{}` = all cases), with how many cases it was scored on, undefined for, failed in.

    `population`: what is counted: golden cases, or documents, chunks ..., which then have outcomes of their own.
    `interval`: 95 % bootstrap. `micro`: the corpus ratio where the metric is a mean of ratios, and `macro` the mean
    where it is a corpus ratio. `missing`: questions that were asked and brought no ranking; they score 0. `proxy`:
    rests on an uncalibrated judge. `small`: below the minimum n of slices. `reason`: why there is no value.
    """

    name: str
    level: str | None = None
    population: str = CASES
    slice: dict[str, str] = Field(default_factory=dict)
    value: float | None
    interval: tuple[float, float] | None = None
    scored: int
    undefined: int
    failed: int
    missing: int = 0
    unit: str
    better: Literal["higher", "lower", "neither"]
    aggregate: Literal["mean", "micro", "median", "set"] = "mean"
    micro: float | None = None
    macro: float | None = None
    proxy: bool = False
    small: bool = False
    reason: str | None = None


class Diagnosis(Result):
    """The first stage that broke a case, with the evidence that shows it and the advice that follows."""

    leaf: Leaf
    cause: str
    evidence: dict[str, JsonValue] = Field(default_factory=dict)
    advice: str


class CaseResult(Result):
    """One case: `ok` None = it declares nothing that could fail. `broken`: expectations that do not hold."""

    case_id: str
    ok: bool | None
    broken: tuple[str, ...] = ()
    critical: tuple[str, ...] = ()
    diagnosis: Diagnosis | None = None


class UnitScore(Result):
    """One metric of one unit: `value` and `support` where it is scored, else why it is not in `reason`."""

    value: float | None = None
    support: int | None = None
    status: Literal["scored", "undefined", "failed"] = "scored"
    reason: str | None = None

    @classmethod
    def of(cls, outcome: Outcome) -> UnitScore:
        """Write an outcome.

        >>> UnitScore.of(Undefined("the reference is empty")).status
        'undefined'
        """
        match outcome:
            case Value(value=value, support=support):
                return cls(value=value, support=support)
            case Undefined(reason=reason):
                return cls(status="undefined", reason=reason)
            case Failed(stage=stage, error=error, message=message):
                return cls(status="failed", reason=f"{stage}: {error}: {message}")

    @property
    def outcome(self) -> Outcome:
        """The outcome that was written."""
        if self.status == "scored" and self.value is not None and self.support is not None:
            return Value(self.value, self.support)
        if self.status == "undefined":
            return Undefined(self.reason or "")
        stage, _, rest = (self.reason or "").partition(": ")
        error, _, message = rest.partition(": ")
        return Failed(stage, error, message)


class UnitResult(Result):
    """One document, chunk or other unit of a population that is not the golden cases, with its scores by metric.

    `fields`: what it can be sliced by. `document`: the one that it belongs to or is. `members`: the first documents of
    a group, which has `size` of them.
    """

    population: str
    unit_id: str
    document: str | None = None
    fields: dict[str, str] = Field(default_factory=dict)
    members: tuple[str, ...] = ()
    size: int | None = None
    scores: dict[str, UnitScore] = Field(default_factory=dict)


def listed_units(units: Iterable[UnitResult], *, most: int = 1000) -> tuple[UnitResult, ...]:
    """Return the units that `results.json` lists: of each population the first `most`; Parquet holds all of them.

    >>> len(listed_units([UnitResult(population="chunks", unit_id=str(i)) for i in range(3)], most=2))
    2
    """
    counts: Counter[str] = Counter()
    found = []
    for unit in units:
        counts[unit.population] += 1
        if counts[unit.population] <= most:
            found.append(unit)
    return tuple(found)


class Counts(Result):
    """How many cases there are and what became of them."""

    cases: int
    traced: int
    failed: int
    ok: int
    not_ok: int
    no_expectation: int


class LeafShare(Result):
    """Cases that broke at one leaf and their share of the cases that are not ok; by slice where asked."""

    leaf: Leaf
    cases: int
    share: float
    slice: dict[str, str] = Field(default_factory=dict)


class RuleResult(Result):
    """One gate rule: what was measured against which limit, and what follows."""

    metric: str
    level: str | None = None
    slice: dict[str, str] = Field(default_factory=dict)
    kind: Literal["min", "max", "max_drop", "policy"]
    value: float | None
    interval: tuple[float, float] | None = None
    scored: int = 0
    limit: float
    critical: bool = False
    verdict: Verdict
    reason: str


class GateResult(Result):
    """The release decision: fail if any rule fails, else undecidable if any is, else pass; no rules: pass."""

    verdict: Verdict
    rules: tuple[RuleResult, ...] = ()


class Results(Result):
    """`results.json` of a run folder."""

    schema_: Literal["ragtriage.results/1"] = Field("ragtriage.results/1", alias="schema")
    run_id: Annotated[str, Field(json_schema_extra=_TIME)]
    status: Literal["complete", "incomplete", "interrupted"]
    bundle: dict[str, str]
    counts: Counts
    metrics: Annotated[
        tuple[MetricRow, ...],
        Field(json_schema_extra={"x-time-dependent-names": list(TIME_DEPENDENT_METRICS)}),
    ]
    cases: tuple[CaseResult, ...]
    units: tuple[UnitResult, ...] = ()
    diagnosis: tuple[LeafShare, ...] = ()
    gate: GateResult | None = None
    left_out: dict[str, str] = Field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def row(self, name: str, *, level: str | None = None, where: dict[str, str] | None = None) -> MetricRow | None:
        """Find the row of a metric over a slice; without a level the metric's first (its default) level."""
        wanted = where or {}
        for row in self.metrics:
            if row.name == name and row.slice == wanted and level in (None, row.level):
                return row
        return None

    def to_json(self) -> dict[str, Any]:
        """Return the document that `results.json` holds."""
        return self.model_dump(mode="json", by_alias=True)
