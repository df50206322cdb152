"""What was recorded of an index and of its embeddings, as a run measures it: probes, neighbours, changes."""

from __future__ import annotations

from ragtriage.core.configuration_ingest import IngestSettings
from ragtriage.core.index_views import ProbeView
from ragtriage.data.corpus import Corpus
from ragtriage.data.vector_files import read_vectors
from ragtriage.runs.units import Population, Unit
from ragtriage.workflows.embedding_drift import probe_views
from ragtriage.workflows.given_parts import Part, identity_of
from ragtriage.workflows.settings import Settings

__all__ = ["probes"]

_DEPTH = 100  # neighbours of each probe: more are asked of no overlap@k


def probes(settings: Settings, named: IngestSettings, corpus: Corpus | None) -> Part | None:
    """Read the vectors of a pinned probe set by two embedders; raises BadInput with every fault of both."""
    del corpus
    place = named.probes
    if place is None:
        return None
    ids = [None if one is None else settings.base / one for one in (place.old_ids, place.new_ids)]
    old, new = settings.base / place.old, settings.base / place.new
    views = probe_views(read_vectors(old, ids=ids[0]), read_vectors(new, ids=ids[1]), depth=_DEPTH)
    units = tuple(Unit(view.probe_id) for view in views)
    return Part(identity_of(old, new, *ids), {ProbeView: Population(ProbeView.population, units, views)})
