"""What people said of the documents of a corpus, as a run measures it: duplicates, pages before cleaning, borders."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ragtriage.core.configuration_ingest import IngestSettings
from ragtriage.core.duplicate_views import DuplicatesView
from ragtriage.core.errors import BadInput
from ragtriage.core.extraction_views import BoilerplateView
from ragtriage.core.score import Failed
from ragtriage.data.border_labels import read_border_labels
from ragtriage.data.corpus import Corpus
from ragtriage.data.document_folders import DocumentFolder, find_documents
from ragtriage.data.duplicates import duplicate_groups, read_judged, view_of_duplicates
from ragtriage.data.extractions import Extraction, folder_identity, read_document
from ragtriage.runs.units import Population, Unit, document_fields, document_unit
from ragtriage.runs.viewing_extracted import boilerplate_view
from ragtriage.text.similarity import THRESHOLD
from ragtriage.workflows.given_parts import Part, identity_of
from ragtriage.workflows.settings import Settings

__all__ = ["borders", "duplicates", "pages"]

_SHOWN = 5


def duplicates(settings: Settings, named: IngestSettings, corpus: Corpus | None) -> Part | None:
    """Read pairs that people judged and those that were found, or find them; raises BadInput with every fault."""
    place = named.duplicates
    if place is None:
        return None
    if corpus is None:
        raise BadInput("[ingest.duplicates] names documents, and there is no corpus: name it with [corpus] path")
    pairs, detected = settings.base / place.pairs, None if place.found is None else settings.base / place.found
    threshold = place.threshold or THRESHOLD
    judged, found = read_judged(pairs, detected, corpus.documents)
    view = view_of_duplicates(corpus.documents, judged, detected=found, threshold=threshold)
    groups = duplicate_groups(view)
    units = tuple(
        Unit(own.documents[0], own.documents[0], _shared(corpus, own.documents), own.documents) for own in groups
    )
    return Part(
        identity_of(pairs, detected, threshold=threshold if detected is None else None),
        {DuplicatesView: Population(DuplicatesView.population, units, tuple(own.view for own in groups))},
        notes=tuple(_unsaid(view)),
    )


def pages(
    extraction: Extraction | None, settings: Settings, named: IngestSettings, corpus: Corpus | None
) -> Part | None:
    """Read the pages that the documents of an extraction were cleaned from; raises BadInput, MissingExtra.

    A page that cannot be read is a failure of its document. `extraction` None: it could not be read itself.
    """
    if named.pages is None:
        return None
    folder = find_documents(settings.base / named.pages)
    if extraction is None:
        return None
    if not folder.documents.keys() & extraction.reference.keys():
        raise BadInput(f"{folder.path}: no file has the stem of a document in {named.reference}")
    views = []
    for name, reference in extraction.reference.items():
        found, place = extraction.extracted[name], folder.documents.get(name)
        page = None if place is None or isinstance(found, Failed) else read_document(place)
        views.append(found if isinstance(found, Failed) else boilerplate_view(reference, found, page))
    units = tuple(document_unit(corpus, name, extraction.classes) for name in extraction.reference)
    return Part(
        folder_identity(folder),
        {BoilerplateView: Population(BoilerplateView.population, units, tuple(views))},
        notes=tuple(_without_page(folder, extraction)),
    )


def borders(settings: Settings, named: IngestSettings, corpus: Corpus | None) -> Part | None:
    """Read what people said of borders between chunks; raises BadInput with every fault."""
    del corpus
    if named.borders is None:
        return None
    path = settings.base / named.borders
    labels = read_border_labels(path)
    waiting = sum(label.reasonable is None for label in labels)
    told = f"{waiting} of {len(labels)} borders in {named.borders} are not labelled yet: fill 'reasonable'"
    return Part(identity_of(path), borders=tuple(labels), notes=(told,) if waiting else ())


def _shared(corpus: Corpus, names: Sequence[str]) -> Mapping[str, str]:
    """Return the fields that all documents of a group have the same value of."""
    first, *others = (document_fields(corpus, name) for name in names)
    return {key: value for key, value in first.items() if all(one.get(key) == value for one in others)}


def _unsaid(view: DuplicatesView) -> Iterator[str]:
    if not view.found and not view.duplicates:
        yield "no pair of documents was found and none is labelled as duplicates, so nothing is said of duplicates"
        return
    if view.different is None:
        yield "no pair of documents is labelled as different, so every found pair without a label counts as wrong"
        return
    unlabelled = len(view.found - view.duplicates - view.different)
    if unlabelled:
        yield f"{unlabelled:,} of {len(view.found):,} found pairs of documents have no label and count nowhere"


def _without_page(folder: DocumentFolder, extraction: Extraction) -> Iterator[str]:
    names = [name for name in extraction.reference if name not in folder.documents]
    if names:
        shown = ", ".join(names[:_SHOWN]) + (", ..." if len(names) > _SHOWN else "")
        yield f"{len(names)} documents have no page before cleaning, so nothing is said of their boilerplate: {shown}"
