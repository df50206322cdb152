"""What changed in an index, as a run measures it: a unit for each change, and the log for when questions were asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from ragtriage.core.configuration_ingest import IngestSettings
from ragtriage.core.index_views import ChangeView
from ragtriage.core.score import Failed
from ragtriage.data.corpus import Corpus
from ragtriage.data.index_changes import IndexChange, read_changes
from ragtriage.runs.units import Population, Unit, document_fields
from ragtriage.workflows.given_parts import Part, identity_of
from ragtriage.workflows.settings import Settings

__all__ = ["changes"]

_STAGES = {"written": "write", "deleted": "delete"}


def changes(settings: Settings, named: IngestSettings, corpus: Corpus | None) -> Part | None:
    """Read what changed in the index; raises BadInput with every fault of the file."""
    if named.changes is None:
        return None
    path = settings.base / named.changes
    found = read_changes(path)
    population = Population(ChangeView.population, _units(found, corpus), tuple(map(_view, found)))
    return Part(identity_of(path), {ChangeView: population}, changes=found)


def _units(found: Iterable[IndexChange], corpus: Corpus | None) -> tuple[Unit, ...]:
    """Name each change by its document and kind; the second of one document and kind ends in 2, and so on."""
    seen: Counter[str] = Counter()
    units = []
    for change in found:
        name = f"{change.doc_id} {change.kind}"
        seen[name] += 1
        unit_id = name if seen[name] == 1 else f"{name} {seen[name]}"
        fields = {"kind": change.kind, **document_fields(corpus, change.doc_id)}
        units.append(Unit(unit_id, change.doc_id, fields))
    return tuple(units)


def _view(change: IndexChange) -> ChangeView | Failed:
    if change.failure is not None:
        return Failed(_STAGES[change.kind], change.failure.error, change.failure.message)
    return ChangeView(change.kind, change.lag_ms, change.deadline_ms)
