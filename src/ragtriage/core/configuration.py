"""`ragtriage.toml` as a record. Unknown keys are errors; secrets stand only as `env:NAME`."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import Field, JsonValue, model_validator

from ragtriage.core.records import Record

__all__ = [
    "Configuration",
    "CorpusSettings",
    "Expect",
    "GatePolicy",
    "GateRule",
    "GoldenSettings",
    "HttpSystem",
    "JudgeSettings",
    "MetricSettings",
    "RunSettings",
    "SliceSettings",
    "SystemSettings",
]

Positive = Annotated[float, Field(gt=0)]
Share = Annotated[float, Field(ge=0, le=1)]


class CorpusSettings(Record):
    """Where the corpus lies, relative to the configuration file; `source` names a reader of a foreign data set."""

    path: str
    source: str | None = None


class GoldenSettings(Record):
    """Where the golden set lies; `source` names a reader of a foreign data set (`scifact`, `beir`, ...).

    `split` takes one split of it; `grade_map` maps other scales of grades on reading.
    """

    path: str
    source: str | None = None
    split: str | None = None
    grade_map: dict[str, int] = Field(default_factory=dict)
    min_overlap: Annotated[float, Field(gt=0, le=1)] = 0.5


class HttpSystem(Record):
    """An HTTP endpoint: `body` is a template with `{{question}}`, `{{principal.tenant}}`; `fields` are JSONPaths."""

    url: str
    method: Literal["GET", "POST", "PUT"] = "POST"
    headers: dict[str, str] = Field(default_factory=dict)
    body: JsonValue = None
    fields: dict[str, str] = Field(default_factory=dict)


class SystemSettings(Record):
    """The system under test: exactly one of `python`, `http`, `traces`.

    `context_size`: chunks that the generator receives, the k of the retrieval gates. `chunks`: a chunks.jsonl for
    systems that do not offer `chunks()`. `limit_ms`-like time-outs are in seconds: `timeout_s`.
    """

    python: str | None = None
    factors: dict[str, JsonValue] = Field(default_factory=dict)
    http: HttpSystem | None = None
    traces: str | None = None
    chunks: str | None = None
    context_size: Annotated[int, Field(ge=1)] = 4
    timeout_s: Positive = 60.0
    concurrency: Annotated[int, Field(ge=1)] = 4

    @model_validator(mode="after")
    def _one_system(self) -> Self:
        given = [name for name in ("python", "http", "traces") if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError(f"give exactly one of 'python', 'http', 'traces'. Got {given or 'none'} instead")
        return self


class JudgeSettings(Record):
    """Who judges. Without a model only code judges: `lexical` (an uncalibrated proxy) or `none`."""

    code: Literal["lexical", "none"] = "lexical"


class MetricSettings(Record):
    """Which metrics run. A wildcard runs each ranking metric at k = 1, 5, 10 and `context_size`."""

    include: tuple[str, ...] = ("retrieval.*", "filters.*", "context.*", "generation.*", "system.*")
    exclude: tuple[str, ...] = ()


class Expect(Record):
    """When a case is ok: the least `generation.correctness` where only a reference answer is declared."""

    answer: Share = 0.5


class SliceSettings(Record):
    """Fields of a case to slice by; `a+b` is a pair. Slices under `min_cases` scored cases are shown greyed."""

    by: tuple[str, ...] = ("language", "kind", "origin", "risk", "language+kind")
    min_cases: Annotated[int, Field(ge=1)] = 10


class GateRule(Record):
    """One rule: a metric, a slice of it, and exactly one of `min`, `max`, `max_drop`.

    `on`: which number is held against the limit: the point value or an end of its interval.
    """

    metric: str
    level: Literal["evidence", "chunk", "document"] | None = None
    slice: dict[str, str] = Field(default_factory=dict)
    min: float | None = None
    max: float | None = None
    max_drop: Annotated[float, Field(ge=0)] | None = None
    on: Literal["value", "lower", "upper"] = "value"
    critical: bool = False
    allow_proxy: bool = False

    @model_validator(mode="after")
    def _one_limit(self) -> Self:
        given = [name for name in ("min", "max", "max_drop") if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError(f"a gate rule has exactly one of 'min', 'max', 'max_drop'. Got {given or 'none'} instead")
        return self


class GatePolicy(Record):
    """When the gate refuses to decide: too many failures, too few scored cases."""

    max_failed_share: Share = 0.02
    min_scored: Annotated[int, Field(ge=1)] = 1


class RunSettings(Record):
    """Seed and size of resampling; how many times each question is asked.

    `cluster`: cases that share the document of their first evidence are resampled together (`none`: each alone).
    """

    seed: int = 20260101
    resamples: Annotated[int, Field(ge=100)] = 1000
    cluster: Literal["document", "none"] = "document"
    repeat: Annotated[int, Field(ge=1)] = 1


class Configuration(Record):
    """The whole of `ragtriage.toml`."""

    corpus: CorpusSettings | None = None
    golden: GoldenSettings
    system: SystemSettings
    judge: JudgeSettings = JudgeSettings()
    metrics: MetricSettings = MetricSettings()
    expect: Expect = Expect()
    slices: SliceSettings = SliceSettings()
    gate: tuple[GateRule, ...] = ()
    gate_policy: GatePolicy = GatePolicy()
    run: RunSettings = RunSettings()

    def to_json(self) -> dict[str, Any]:
        """Return the configuration as plain data, for hashing and printing."""
        return self.model_dump(mode="json")
