"""Read what `[ingest]` names; every fault of every file at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TypeAlias

from ragtriage.core.configuration_ingest import IngestSettings
from ragtriage.data.corpus import Corpus
from ragtriage.data.extractions import Extraction, read_extraction
from ragtriage.report.wording import count
from ragtriage.runs.given import Given
from ragtriage.workflows.given_changes import changes
from ragtriage.workflows.given_documents import borders, duplicates, pages
from ragtriage.workflows.given_index import neighbours, probes
from ragtriage.workflows.given_labels import entities, languages, personal_data, relations
from ragtriage.workflows.given_parts import Chosen, Part, Reading
from ragtriage.workflows.settings import Settings

__all__ = ["read_given"]

_Reader: TypeAlias = Callable[[Settings, IngestSettings, Corpus | None], Part | None]
_PARTS: dict[str, _Reader] = {  # each returns None where its key is not set
    "borders": borders,
    "changes": changes,
    "duplicates": duplicates,
    "entities": entities,
    "languages": languages,
    "personal_data": personal_data,
    "relations": relations,
}
_SHOWN = 5


def read_given(settings: Settings, corpus: Corpus | None, chosen: Chosen | None = None) -> Given:
    """Read every file that `[ingest]` names; raises BadInput with all faults of all of them, MissingExtra.

    `chosen`: the cases and metrics of the run that measures it; None where the files are only looked at.
    """
    named = settings.configuration.ingest
    reading = Reading()
    extraction = reading.tried(lambda: _extraction(settings, named))
    parts: dict[str, Part] = {}
    chosen = Chosen() if chosen is None else chosen
    more = {
        "neighbours": partial(neighbours, chosen),
        "pages": partial(pages, extraction),
        "probes": partial(probes, chosen),
    }
    for key, read in {**_PARTS, **more}.items():
        part = reading.tried(lambda read=read: read(settings, named, corpus))  # type: ignore[misc]
        if part is not None:
            parts[key] = part
    reading.end()
    identities = {f"ingest.{key}": part.identity for key, part in parts.items()}
    return Given(
        extraction=extraction,
        populations={view: one for part in parts.values() for view, one in part.populations.items()},
        borders=next((part.borders for part in parts.values() if part.borders is not None), None),
        changes=next((part.changes for part in parts.values() if part.changes is not None), None),
        identities=identities if extraction is None else {"ingest": extraction.identity, **identities},
        notes=(*_unpaired(extraction), *(note for part in parts.values() for note in part.notes)),
    )


def _extraction(settings: Settings, named: IngestSettings) -> Extraction | None:
    if named.reference is None or named.extracted is None:
        return None
    classes = None if named.classes is None else settings.base / named.classes
    return read_extraction(settings.base / named.reference, settings.base / named.extracted, classes=classes)


def _unpaired(extraction: Extraction | None) -> Iterable[str]:
    if extraction is None:
        return
    if names := extraction.unpaired:
        measured = "has no reference and is" if len(names) == 1 else "have no reference and are"
        yield f"{count(len(names), 'extracted document')} {measured} not measured: {_listed(names)}"
    kinds, known = extraction.classes, extraction.reference
    if names := tuple(name for name in known if kinds and name not in kinds):
        yield f"{count(len(names), 'document')} without a class: {_listed(names)}"
    if names := tuple(name for name in kinds if name not in known):
        yield f"{count(len(names), 'document')} with a class and without a reference: {_listed(names)}"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:_SHOWN]) + (", ..." if len(names) > _SHOWN else "")
