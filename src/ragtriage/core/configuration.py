"""`ragtriage.toml` as a record. Unknown keys are errors; secrets stand only as `env:NAME`."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import Field, JsonValue, model_validator

from ragtriage.core.configuration_ingest import IngestSettings
from ragtriage.core.configuration_table import ConfigurationTable

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
    "OntologySettings",
    "QuerySettings",
    "RunSettings",
    "SliceSettings",
    "SystemSettings",
]

Positive = Annotated[float, Field(gt=0)]
Share = Annotated[float, Field(ge=0, le=1)]


class CorpusSettings(ConfigurationTable):
    """Where the corpus lies, relative to the configuration file; `source` names a reader of a foreign data set."""

    path: str
    """Folder of the corpus: `corpus.toml`, `documents.jsonl`, optional `chunks.jsonl`."""
    source: str | None = None
    """Reader of a foreign data set that lies in `path`; None: our own format."""


class GoldenSettings(ConfigurationTable):
    """Where the golden set lies; `source` names a reader of a foreign data set (`scifact`, `beir`, ...).

    `split` takes one split of it; `grade_map` maps other scales of grades on reading.
    """

    path: str
    """Folder of the golden set: `golden.toml`, `cases.jsonl`."""
    source: str | None = None
    """Reader of a foreign data set that lies in `path`; None: our own format."""
    split: str | None = None
    """Only the cases of this split; None: all."""
    grade_map: dict[str, int] = Field(default_factory=dict)
    """Other grades for those in the file, all at once: `{"1" = 4}`."""
    min_overlap: Annotated[float, Field(gt=0, le=1)] = 0.5
    """Share of a gold span that must be covered before it counts as found."""


class HttpSystem(ConfigurationTable):
    """An HTTP endpoint: `body` is a template with `{{question}}`, `{{principal.tenant}}`; `fields` are JSONPaths."""

    url: str
    """Address of the endpoint; placeholders in it are percent-encoded."""
    method: Literal["GET", "POST", "PUT"] = "POST"
    """How it is asked."""
    headers: dict[str, str] = Field(default_factory=dict)
    """Headers of every request; a secret stands as `env:NAME`."""
    body: JsonValue = None
    """The JSON that is sent, with placeholders inside its texts; None: no body."""
    fields: dict[str, str] = Field(default_factory=dict)
    """Fields of a trace and the JSONPath of the reply that each is read from."""


class SystemSettings(ConfigurationTable):
    """The system under test: exactly one of `python`, `http`, `traces`.

    What a system does not say of itself stays unknown and makes the metrics that need it undefined.
    """

    python: str | None = None
    """`module:attribute` of a callable; the module may lie beside the configuration file."""
    factors: dict[str, JsonValue] = Field(default_factory=dict)
    """Arguments of a builder: `python` is then called with them and returns the callable."""
    http: HttpSystem | None = None
    """An HTTP endpoint."""
    traces: str | None = None
    """Files of recorded traces, by a pattern such as `traces/*.jsonl`."""
    chunks: str | None = None
    """A `chunks.jsonl` of any chunker, for systems that do not offer `chunks()`; without offsets it needs a corpus."""
    context_size: Annotated[int, Field(ge=1)] = 4
    """Chunks that the generator receives: the k of the retrieval gates."""
    timeout_s: Positive = 60.0
    """The longest a question may take, in seconds."""
    concurrency: Annotated[int, Field(ge=1)] = 4
    """Questions asked at once."""

    @model_validator(mode="after")
    def _one_system(self) -> Self:
        given = [name for name in ("python", "http", "traces") if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError(f"give exactly one of 'python', 'http', 'traces'. Got {given or 'none'} instead")
        return self


class OntologySettings(ConfigurationTable):
    """What the entities of questions are linked to: a taxonomy of products, SNOMED, WordNet."""

    path: str
    """File in JSON, JSON Lines, Turtle or RDF/XML (SKOS or OWL), or the folder of WordNet."""
    base: str = ""
    """What every id of a file in RDF begins with and ids elsewhere leave out: `https://bank.example/`."""


class QuerySettings(ConfigurationTable):
    """Which other forms of every question are searched, so that it can be told what a rewrite wins or loses.

    The system is asked again for each form, so it must take an override of its query.
    """

    compare: tuple[Literal["raw", "rm3", "rewrites"], ...] = ()
    """`raw`: as it was put; `rm3`: expanded by words of the first results; `rewrites`: each rewrite alone."""


class JudgeSettings(ConfigurationTable):
    """Who judges. Without a model only code judges: `lexical` (an uncalibrated proxy) or `none`."""

    code: Literal["lexical", "none"] = "lexical"
    """The judge that is code alone; `none` leaves its metrics out."""
    model: str | None = None
    """A language model that judges in its place: `openai/NAME` for any OpenAI-compatible endpoint, `replay/FILE`."""
    base_url: str | None = None
    """Address of the endpoint, as `http://localhost:8080/v1`; None: OpenAI's own."""
    api_key: str | None = None
    """The key as `env:NAME`; None: the endpoint asks for none."""
    second_model: str | None = None
    """Another model of the same endpoint that also judges cases of high and critical risk; disagreement is listed."""
    embedding: str | None = None
    """An embedding model, as `openai/NAME`; metrics of similarity need one, of sentences where the system has none."""
    embedding_url: str | None = None
    """Address of the embedding model; None: `base_url`."""
    criteria: str | None = None
    """What `system.rubric_score` grades by, in your own words."""
    policy: str | None = None
    """When a person must take over from the system; with it, cases are also judged as requests for support."""
    max_cost_usd: Annotated[float, Field(ge=0)] | None = None
    """The most that a run may pay for judging; it stops before a call that could cost more."""
    input_usd_per_million: Annotated[float, Field(ge=0)] | None = None
    """Price of a million input tokens where the price list has none."""
    output_usd_per_million: Annotated[float, Field(ge=0)] | None = None
    """Price of a million output tokens where the price list has none."""
    embedding_usd_per_million: Annotated[float, Field(ge=0)] | None = None
    """Price of a million tokens of the embedding model where the price list has none."""
    concurrency: Annotated[int, Field(ge=1)] = 8
    """Calls under way at once; fewer after the endpoint asks for it."""
    timeout_s: Positive = 120.0
    """The longest a call may take, with all its attempts, in seconds."""
    max_tokens: Annotated[int, Field(ge=16)] | None = None
    """Most tokens of a reply, more for a model that thinks before it writes; None: what each question needs."""
    seed: Annotated[int, Field(ge=0)] = 20260101
    """Seed of nonces, ids and sampling."""
    cache: str | None = ".ragtriage/judge-cache.sqlite"
    """File of replies that are paid for once, beside this file; empty: none."""
    record: str | None = None
    """File that the conversation is written to, for `replay/FILE`."""
    calibration: str | None = None
    """Trust record that `ragtriage judge calibrate` wrote; where it is of this judge, its metrics are no proxies."""
    require_calibration: bool = False
    """Leave the gate undecidable while the judge has no current calibration, even where `allow_proxy` is set."""

    @model_validator(mode="after")
    def _goes_together(self) -> Self:
        if self.api_key is not None and not self.api_key.startswith("env:"):
            raise ValueError("'api_key' must be given as 'env:NAME', never as a literal")
        if (self.input_usd_per_million is None) != (self.output_usd_per_million is None):
            raise ValueError("'input_usd_per_million' and 'output_usd_per_million' belong together: give both")
        for name in ("base_url", "max_cost_usd"):
            if self.model is None and self.embedding is None and getattr(self, name) is not None:
                raise ValueError(f"{name!r} needs a 'model' or an 'embedding' model")
        for name in ("second_model", "record", "criteria", "policy"):
            if self.model is None and getattr(self, name) is not None:
                raise ValueError(f"{name!r} needs a 'model'")
        return self


class MetricSettings(ConfigurationTable):
    """Which metrics run. A wildcard runs each ranking metric at k = 1, 5, 10 and `context_size`."""

    include: tuple[str, ...] = (
        "ingest.*", "query.*", "ontology.*", "retrieval.*", "filters.*", "context.*", "generation.*", "system.*"
    )  # fmt: skip
    """Names, with parameters where they have any, and wildcards."""
    exclude: tuple[str, ...] = ()
    """What of them is not to run."""


class Expect(ConfigurationTable):
    """When a case is ok: the least `generation.correctness` where only a reference answer is declared."""

    answer: Share = 0.5
    """Least `generation.correctness` of a case that declares a reference answer alone."""


class SliceSettings(ConfigurationTable):
    """Fields of a case to slice by; `a+b` is a pair. Slices under `min_cases` scored cases are shown greyed."""

    by: tuple[str, ...] = ("language", "kind", "origin", "risk", "language+kind")
    """Fields of a case, `tags`, or several joined with `+`."""
    min_cases: Annotated[int, Field(ge=1)] = 10
    """Scored cases under which a slice is shown greyed."""


class GateRule(ConfigurationTable):
    """One rule: a metric, a slice of it, and exactly one of `min`, `max`, `max_drop`.

    `on`: which number is held against the limit: the point value or an end of its interval.
    """

    metric: str
    """Name of the metric, with its parameters."""
    level: Literal["evidence", "chunk", "document"] | None = None
    """Level of relevance; None: the metric's default."""
    slice: dict[str, str] = Field(default_factory=dict)
    """Only cases with these values; empty: all cases."""
    min: float | None = None
    """The number must be at least this."""
    max: float | None = None
    """The number must be at most this."""
    max_drop: Annotated[float, Field(ge=0)] | None = None
    """The paired drop against the baseline must be at most this."""
    on: Literal["value", "lower", "upper"] = "value"
    """The number that is held against `min` or `max`."""
    critical: bool = False
    """Any single case beyond the limit fails the run, whatever the mean says."""
    allow_proxy: bool = False
    """Let a number of an uncalibrated judge decide."""

    @model_validator(mode="after")
    def _one_limit(self) -> Self:
        given = [name for name in ("min", "max", "max_drop") if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError(f"a gate rule has exactly one of 'min', 'max', 'max_drop'. Got {given or 'none'} instead")
        return self


class GatePolicy(ConfigurationTable):
    """When the gate refuses to decide: too many failures, too few scored cases."""

    max_failed_share: Share = 0.02
    """More failed cases than this share: undecidable."""
    min_scored: Annotated[int, Field(ge=1)] = 1
    """Fewer scored cases than this: undecidable."""


class RunSettings(ConfigurationTable):
    """Seed and size of resampling; how many times each question is asked.

    `cluster`: cases that share the document of their first evidence are resampled together (`none`: each alone).
    """

    seed: Annotated[int, Field(ge=0)] = 20260101
    """Seed of all resampling."""
    resamples: Annotated[int, Field(ge=100)] = 1000
    """Bootstrap resamples of each interval."""
    cluster: Literal["document", "none"] = "document"
    """What is resampled together."""
    repeat: Annotated[int, Field(ge=1)] = 1
    """How many times each question is asked."""


class Configuration(ConfigurationTable):
    """The whole of `ragtriage.toml`."""

    corpus: CorpusSettings | None = None
    """The documents."""
    golden: GoldenSettings
    """The questions and what is expected of them."""
    system: SystemSettings
    """What is asked."""
    ontology: OntologySettings | None = None
    """What entities are linked to."""
    ingest: IngestSettings = IngestSettings()
    """What was recorded of the way from documents to the index."""
    query: QuerySettings = QuerySettings()
    """Which other forms of a question are searched."""
    judge: JudgeSettings = JudgeSettings()
    """Who judges what code alone cannot check."""
    metrics: MetricSettings = MetricSettings()
    """What is measured."""
    expect: Expect = Expect()
    """When a case is ok."""
    slices: SliceSettings = SliceSettings()
    """How results are split."""
    gate: tuple[GateRule, ...] = ()
    """Rules of the release decision, an array of tables."""
    gate_policy: GatePolicy = GatePolicy()
    """When the gate refuses to decide."""
    run: RunSettings = RunSettings()
    """Resampling and repeats."""

    def to_json(self) -> dict[str, Any]:
        """Return the configuration as plain data, for hashing and printing."""
        return self.model_dump(mode="json")
