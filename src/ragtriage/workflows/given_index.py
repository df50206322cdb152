"""What was recorded of a vector index and of its embeddings, as a run measures it: queries and probes."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial

from ragtriage.core.configuration_ingest import IngestSettings
from ragtriage.core.index_views import NeighboursView, ProbeView
from ragtriage.core.records import Case
from ragtriage.core.score import Undefined
from ragtriage.data.corpus import Corpus
from ragtriage.data.index_findings import IndexFinding, read_findings
from ragtriage.data.vector_files import VectorSet, read_vectors
from ragtriage.report.wording import count, number
from ragtriage.runs.units import Population, Unit, document_fields
from ragtriage.stats.nearest import Distance, Neighbours
from ragtriage.stats.slices import FIELDS
from ragtriage.workflows.embedding_drift import probe_views
from ragtriage.workflows.given_parts import Chosen, Part, Reading, identity_of
from ragtriage.workflows.index_recall import Truth, neighbour_views, prepared_sets
from ragtriage.workflows.settings import Settings

__all__ = ["neighbours", "probes"]

_RECALL, _OVERLAP = "ingest.ann_recall", "ingest.probe_neighbour_overlap"
_SHOWN = 5


def neighbours(chosen: Chosen, settings: Settings, named: IngestSettings, corpus: Corpus | None) -> Part | None:
    """Read what an index found for queries and search the same exactly, as deep as a metric asks.

    A query without a line was asked and nothing came: it counts as missing and recalls nothing, as a question without a
    ranking does, so that no index gains by answering less. Of a repeated id the first counts. What a filter would hide
    cannot be said here: all vectors could be found. Raises BadInput with every fault of all files.
    """
    del corpus
    place = named.neighbours
    if place is None:
        return None
    vectors, queries, found = (settings.base / one for one in (place.vectors, place.queries, place.found))
    ids = [None if one is None else settings.base / one for one in (place.vector_ids, place.query_ids)]
    reading = Reading("[ingest.neighbours]")
    items = reading.tried(lambda: read_vectors(vectors, ids=ids[0]))
    asking = reading.tried(lambda: read_vectors(queries, ids=ids[1]))
    findings = reading.tried(lambda: read_findings(
        found, queries=None if asking is None else set(asking.ids), items=None if items is None else set(items.ids)
    ))  # fmt: skip
    if items is None or asking is None or findings is None:
        raise reading.error
    by_query = {finding.query: finding for finding in findings}
    views = _views(items, asking, by_query, distance=place.distance, depth=chosen.deepest(_RECALL))
    units = _units(asking.ids, chosen.cases, settings)
    return Part(
        identity_of(vectors, queries, found, *ids, distance=place.distance),
        {NeighboursView: Population(NeighboursView.population, units, tuple(views))},
        notes=tuple(f"[ingest.neighbours] {note}" for note in _notes(asking, by_query)),
    )


def probes(chosen: Chosen, settings: Settings, named: IngestSettings, corpus: Corpus | None) -> Part | None:
    """Read the vectors of a pinned probe set by two embedders, and search their neighbours as deep as a metric asks.

    A probe may be a golden case or a document, and is sliced by its fields then. Raises BadInput with every fault of
    both files.
    """
    place = named.probes
    if place is None:
        return None
    ids = [None if one is None else settings.base / one for one in (place.old_ids, place.new_ids)]
    paths = settings.base / place.old, settings.base / place.new
    reading = Reading("[ingest.probes]")
    old, new = (reading.tried(partial(read_vectors, path, ids=one)) for path, one in zip(paths, ids, strict=True))
    if old is None or new is None:
        raise reading.error
    views = reading.tried(lambda: probe_views(old, new, depth=chosen.deepest(_OVERLAP)))
    if views is None:
        raise reading.error
    units = _units((view.probe_id for view in views), chosen.cases, settings, corpus)
    return Part(identity_of(*paths, *ids), {ProbeView: Population(ProbeView.population, units, views)})


def _views(
    items: VectorSet,
    asking: VectorSet,
    findings: Mapping[str, IndexFinding],
    *,
    distance: Distance,
    depth: int | None,
) -> tuple[NeighboursView | Undefined, ...]:
    """Return a view for each query; `depth` None: nothing is searched, as no metric asks."""
    vectors, queries = prepared_sets(items, asking, distance=distance)
    if depth is None:
        return tuple(Undefined("no metric asks for it") for _ in asking.ids)
    truth = Truth.among(vectors, queries, depth=min(depth, len(vectors)), distance=distance)
    views = neighbour_views(_found(items, asking, findings), truth)
    return tuple(
        replace(view, missing=True) if isinstance(view, NeighboursView) and name not in findings else view
        for name, view in zip(asking.ids, views, strict=True)
    )


def _found(items: VectorSet, asking: VectorSet, findings: Mapping[str, IndexFinding]) -> Neighbours:
    """Lay out what came as places of items, -1 past the end."""
    import numpy as np  # noqa: PLC0415 - loaded where vectors are

    place = {name: row for row, name in enumerate(items.ids)}
    longest = max((len(finding.ids) for finding in findings.values()), default=0)
    places = np.full((len(asking.ids), longest), -1, dtype=np.int64)
    for row, name in enumerate(asking.ids):
        came = findings[name].ids if name in findings else ()
        places[row, : len(came)] = [place[one] for one in came]
    return Neighbours(places, np.zeros(places.shape))


def _units(
    names: Iterable[str], cases: Iterable[Case], settings: Settings, corpus: Corpus | None = None
) -> tuple[Unit, ...]:
    """Return units whose id may be that of a golden case or of a document, which they are sliced by then."""
    known = {case.case_id: case for case in cases}
    configuration = settings.configuration
    asked = (*configuration.slices.by, *(name for rule in configuration.gate for name in rule.slice))
    fields = dict.fromkeys(part.strip() for entry in asked for part in entry.split("+"))
    found = []
    for name in names:
        if name in known:
            found.append(Unit(name, None, _case_fields(known[name], fields)))
        else:
            here = corpus is not None and name in corpus.documents
            found.append(Unit(name, name if here else None, document_fields(corpus, name)))
    return tuple(found)


def _case_fields(case: Case, names: Iterable[str]) -> Mapping[str, str]:
    """Return what the case is sliced by; `tags` are many and no field of a unit."""
    values = {name: getattr(case, name, None) for name in names if name in FIELDS and name != "tags"}
    return {name: str(value) for name, value in values.items() if value is not None}


def _notes(asking: VectorSet, findings: Mapping[str, IndexFinding]) -> Iterator[str]:
    silent = [name for name in asking.ids if name not in findings]
    if silent:
        shown = ", ".join(silent[:_SHOWN]) + (", ..." if len(silent) > _SHOWN else "")
        told = "1 query has" if len(silent) == 1 else f"{len(silent):,} of {len(asking.ids):,} queries have"
        yield f"{told} no line in the file of what was found, and score{'s' if len(silent) == 1 else ''} 0: {shown}"
    repeated = sum(len(finding.ids) - len(set(finding.ids)) for finding in findings.values())
    if repeated:
        yield f"{count(repeated, 'id stands', 'ids stand')} in a line again; the first of each counts"
    times = [finding.took_ms for finding in findings.values() if finding.took_ms is not None]
    if times:
        yield f"a query took {number(statistics.median(times), unit='milliseconds')} ms (median of {len(times):,})"
