"""How chunk size and overlap move retrieval, on a golden set of yours: a table, two charts, and the knee point.

    python -m benchmarks.chunk_study examples/bank/ragtriage.toml [--sizes 128,256,512,1024] [--overlaps 0,10,20,30]
        [--chunker recursive] [--mode bm25] [--as-configured] [--limit N] [-o report/chunks]

One factor at a time, the others at their base. The system is `reference_rag` with the factors of the configuration;
without `--as-configured` it ranks by BM25 alone and without a reranker, so that nothing is embedded. Every number is
taken on the level of evidence, whose gold spans do not depend on the chunking (of documents, where the golden set has
no spans); the first `context_size` chunks (or documents) count.
Intervals are 95 % bootstrap intervals over questions, differences are paired on the same questions.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import click
import numpy as np
from numpy.typing import NDArray

import reference_rag
from ragtriage.core.errors import BadInput, RagtriageError
from ragtriage.core.files import write_atomic
from ragtriage.core.records import Case, Trace
from ragtriage.core.score import Value
from ragtriage.core.system import Question
from ragtriage.core.views import Rankings
from ragtriage.data.corpus import Corpus
from ragtriage.data.relevance import gold_of
from ragtriage.metrics.retrieval.ndcg import ndcg
from ragtriage.metrics.retrieval.recall import recall
from ragtriage.report.figures import Line, Point, line_chart
from ragtriage.runs.viewing_places import Places
from ragtriage.runs.viewing_rankings import RankedRun
from ragtriage.stats.bootstrap import bootstrap_mean
from ragtriage.stats.knee import knee_point
from ragtriage.workflows.inputs import read_inputs
from ragtriage.workflows.settings import read_settings
from reference_rag.tokens import count_tokens

RESAMPLES, SEED, DEPTH = 10_000, 20261201, 10
BM25_ALONE = {"mode": "bm25", "rerank": False}
_PLACES = ("cache_dir", "extracted_dir", "ontology_path")  # factors that start from the configuration's folder
CHUNKERS = ("recursive", "fixed", "structural")
THINGS = {"evidence": "evidence", "document": "documents"}
COUNTED = {"evidence": "chunks", "document": "documents"}


@dataclass(frozen=True)
class Estimate:
    """A mean with its interval; `questions`: how many it is taken over."""

    value: float
    low: float
    high: float
    questions: int

    @classmethod
    def of(cls, values: NDArray[np.float64]) -> Estimate:
        """Bootstrap a mean."""
        low, high = bootstrap_mean(values, resamples=RESAMPLES, seed=SEED)
        return cls(float(values.mean()), low, high, len(values))

    def __str__(self) -> str:
        """Write it for a table."""
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}]"


@dataclass(frozen=True)
class Row:
    """One setting: how large its index is, what the generator would read, and what was found."""

    chunk_size: int
    overlap: int
    chunks: int
    index_kib: float
    context_tokens: float
    recall: Estimate
    difference: Estimate
    ndcg: Estimate


@dataclass(frozen=True)
class Measured:
    """One setting, question by question; NaN where a question has no number."""

    chunk_size: int
    overlap: int
    chunks: int
    index_bytes: int
    context_tokens: float
    recall: NDArray[np.float64]
    ndcg: NDArray[np.float64]


@dataclass(frozen=True)
class Bench:
    """What stays the same over all settings."""

    corpus: Corpus
    cases: tuple[Case, ...]
    factors: Mapping[str, Any]
    k: int
    min_overlap: float

    @cached_property
    def level(self) -> Literal["evidence", "document"]:
        """Evidence where the golden set has spans, else documents, whose parts no chunk can miss."""
        return "evidence" if any(gold_of(case, self.corpus).has_spans for case in self.cases) else "document"

    def measure(self, *, size: int, overlap: int) -> Measured:
        """Build the pipeline with one setting and ask it every question."""
        factors = {**self.factors, "chunk_size": size, "overlap": overlap}
        pipeline = reference_rag.build(documents=self.corpus.documents.values(), **factors)
        return self.measure_with(pipeline, size=size, overlap=overlap)

    def measure_with(self, pipeline: Any, *, size: int, overlap: int) -> Measured:
        """Ask a pipeline every question."""
        traces = [self._asked(pipeline, case) for case in self.cases]
        chunks = pipeline.chunks()
        golds = [gold_of(case, self.corpus) for case in self.cases]
        run = RankedRun(traces, golds, Places(self.corpus, chunks), self.min_overlap)
        rankings, reasons = run.table(Rankings, self.level)

        def each(scores: Any) -> NDArray[np.float64]:
            pairs = zip(scores, reasons, strict=True)
            return np.array([s.value if isinstance(s, Value) and why is None else np.nan for s, why in pairs])

        texts = {chunk.chunk_id: chunk.text for chunk in chunks}
        read = [
            sum(count_tokens(texts[hit.id]) for hit in trace.rankings[-1].hits[: self.k])
            for trace in traces
            if trace.rankings
        ]
        return Measured(
            size,
            overlap,
            len(chunks),
            sum(len(text.encode()) for text in texts.values()),
            float(np.mean(read)),
            each(recall(rankings, k=self.k)),
            each(ndcg(rankings, k=DEPTH)),
        )

    def _asked(self, pipeline: Any, case: Case) -> Trace:
        trace: Trace = pipeline(Question(case.question, case.case_id, case.principal, case.as_of, case.language))
        return trace


def rows_of(measured: Sequence[Measured]) -> list[Row]:
    """Put numbers beside each other on the questions that have one in every setting; differences are to the first."""
    both = ~np.isnan([[m.recall, m.ndcg] for m in measured]).any(axis=(0, 1))
    if not both.any():
        raise BadInput("no question has gold evidence that the principal may see: nothing can be measured")
    return [
        Row(
            m.chunk_size,
            m.overlap,
            m.chunks,
            m.index_bytes / 1024,
            m.context_tokens,
            Estimate.of(m.recall[both]),
            Estimate.of((m.recall - measured[0].recall)[both]),
            Estimate.of(m.ndcg[both]),
        )
        for m in measured
    ]


def table(rows: Sequence[Row], *, k: int, share: bool) -> str:
    """Write rows as a Markdown table; `share` names them by overlap in percent, else by size."""
    first = "overlap" if share else "tokens a chunk"
    lines = [
        f"| {first} | chunks | index KiB | tokens in {k} | recall@{k} | difference | nDCG@{DEPTH} |",
        "|---|---|---|---|---|---|---|",
    ]
    for number, row in enumerate(rows):
        name = f"{percent(row)} %" if share else str(row.chunk_size)
        difference = (
            "-"
            if number == 0
            else f"{row.difference.value:+.3f} [{row.difference.low:+.3f}, {row.difference.high:+.3f}]"
        )
        cells = [name, f"{row.chunks:,}", f"{row.index_kib:,.0f}", f"{row.context_tokens:,.0f}", str(row.recall)]
        lines.append(f"| {' | '.join([*cells, difference, str(row.ndcg)])} |")
    return "\n".join(lines)


def percent(row: Row) -> int:
    """Return the overlap as a share of the size."""
    return round(100 * row.overlap / row.chunk_size)


def chart(rows: Sequence[Row], *, bench: Bench, share: bool, title: str, knee: int | None) -> str:
    """Draw recall and nDCG over size or overlap."""
    things = THINGS[bench.level]

    def line(name: str, pick: str) -> Line:
        estimates = [(row, getattr(row, pick)) for row in rows]
        return Line(
            name,
            tuple(
                Point(percent(row) if share else row.chunk_size, e.value, e.low, e.high) for row, e in estimates
            ),
        )  # fmt: skip

    return line_chart(
        [line(f"recall@{bench.k} of {things}", "recall"), line(f"nDCG@{DEPTH} of {things}", "ndcg")],
        title=title,
        x_label="overlap in % of the chunk" if share else "tokens a chunk",
        y_label="mean over questions",
        x_scale="linear" if share else "log",
        marks=[] if knee is None else [(rows[knee].chunk_size, "knee")],
    )


def study(
    bench: Bench, *, sizes: Sequence[int], overlaps: Sequence[int], base: int | None
) -> tuple[str, dict[str, str]]:
    """Vary size, then overlap at the base size; returns the report and the files that go with it."""
    by_size = rows_of([bench.measure(size=size, overlap=0) for size in sizes])
    knee = knee_point(sizes, [row.recall.value for row in by_size]) if len(sizes) > 1 else None
    chosen = base or (sizes[knee] if knee is not None else bench.factors.get("chunk_size", 512))
    by_overlap = rows_of([bench.measure(size=chosen, overlap=chosen * share // 100) for share in overlaps])
    about = f"{bench.factors['chunker']} chunks, {bench.factors.get('mode', 'hybrid')}"
    questions = by_size[0].recall.questions
    found = "none: recall does not flatten between these sizes" if knee is None else f"{sizes[knee]} tokens a chunk"
    report = "\n".join(
        [
            f"# Chunk study: {about}, {questions} questions",
            "",
            f"Recall and nDCG count the first {bench.k} and {DEPTH} {COUNTED[bench.level]} that come back.",
            "Differences are those of recall to the first row, on the same questions.",
            "",
            "## Size, without overlap",
            "",
            table(by_size, k=bench.k, share=False),
            "",
            f"Knee point of recall@{bench.k} over tokens, which is what reading costs: {found}.",
            "",
            f"## Overlap, chunks of {chosen} tokens",
            "",
            table(by_overlap, k=bench.k, share=True),
            "",
        ]
    )
    plain = {
        "questions": questions,
        "k": bench.k,
        "level": bench.level,
        "factors": dict(bench.factors),
        "knee": None if knee is None else sizes[knee],
        "size": [asdict(row) for row in by_size],
        "overlap": [asdict(row) for row in by_overlap],
    }
    files = {
        "chunks.md": report,
        "chunks.json": json.dumps(plain, indent=1, ensure_ascii=False, default=str) + "\n",
        "size.svg": chart(by_size, bench=bench, share=False, title=f"Chunk size: {about}", knee=knee),
        "overlap.svg": chart(
            by_overlap, bench=bench, share=True, title=f"Overlap: {about}, {chosen} tokens", knee=None
        ),
    }
    return report, files


def bench_of(config: Path, *, chunker: str, mode: str | None, as_configured: bool, limit: int | None) -> Bench:
    """Read a configuration; its corpus and golden set are taken, and the factors of its system."""
    settings = read_settings(config)
    inputs = read_inputs(settings, limit=limit, where=None)
    if inputs.corpus is None:
        raise BadInput(f"{config}: names no corpus to cut")
    configuration = settings.configuration
    given = {k: v for k, v in configuration.system.factors.items() if k not in {"corpus", "source"}}
    places = {k: str(settings.base / v) for k, v in given.items() if k in _PLACES and isinstance(v, str)}
    taken = {**given, "cache_dir": None, **places}
    factors = {**taken, **({} if as_configured else BM25_ALONE), **({"mode": mode} if mode else {}), "chunker": chunker}
    return Bench(
        inputs.corpus,
        tuple(inputs.golden.cases),
        factors,
        configuration.system.context_size,
        configuration.golden.min_overlap,
    )


def numbers(_: click.Context, parameter: click.Parameter, value: str) -> tuple[int, ...]:
    """Read `128,256,512`: whole numbers that rise."""
    try:
        found = tuple(int(part) for part in value.split(","))
    except ValueError as error:
        raise click.BadParameter(f"must be whole numbers with commas between. Got {value!r}") from error
    least, most = (0, 90) if parameter.name == "overlaps" else (1, 1_000_000)
    if sorted(set(found)) != list(found) or not least <= found[0] <= found[-1] <= most:
        raise click.BadParameter(f"must rise and lie in [{least}, {most}]. Got {value!r}")
    return found


@click.command()
@click.argument("config", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--sizes", callback=numbers, default="128,256,512,1024", show_default=True, help="tokens a chunk")
@click.option("--overlaps", callback=numbers, default="0,10,20,30", show_default=True, help="% of the chunk")
@click.option("--overlap-at", type=click.IntRange(1), help="tokens a chunk of the overlap study; default: the knee")
@click.option("--chunker", type=click.Choice(CHUNKERS), default="recursive", show_default=True)
@click.option("--mode", type=click.Choice(["bm25", "dense", "hybrid"]), help="default: bm25")
@click.option("--as-configured", is_flag=True, help="mode and reranker of the configuration")
@click.option("--limit", type=click.IntRange(1), help="the first N questions")
@click.option("-o", "output", type=click.Path(file_okay=False, path_type=Path), help="folder for tables and charts")
def main(  # noqa: PLR0917 - the options of a command come as arguments
    config: Path,
    sizes: tuple[int, ...],
    overlaps: tuple[int, ...],
    overlap_at: int | None,
    chunker: str,
    mode: str | None,
    limit: int | None,
    output: Path | None,
    *,
    as_configured: bool,
) -> None:
    """Print the tables; with -o write chunks.md, chunks.json, size.svg and overlap.svg too."""
    try:
        bench = bench_of(config, chunker=chunker, mode=mode, as_configured=as_configured, limit=limit)
        report, files = study(bench, sizes=sizes, overlaps=overlaps, base=overlap_at)
        if output is not None:
            output.mkdir(parents=True, exist_ok=True)
            for name, content in files.items():
                write_atomic(output / name, content)
    except RagtriageError as error:
        raise click.ClickException(str(error)) from error
    click.echo(report)


if __name__ == "__main__":
    main()
