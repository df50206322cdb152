"""What a run was given beside its questions: the files that `[ingest]` names, as views."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ragtriage.core.chunk_views import AttributionView, BorderLabelsView, BordersView, HierarchyView, SentencesView
from ragtriage.core.configuration_ingest import IngestSettings
from ragtriage.core.duplicate_views import DuplicatesView
from ragtriage.core.extraction_views import BoilerplateView, TextView
from ragtriage.core.index_views import ChangeView, NeighboursView, ProbeView, ServedView
from ragtriage.core.label_views import LanguageView, PersonalDataView, RelationsView, SpansView
from ragtriage.core.score import Failed, Undefined
from ragtriage.data.border_labels import BorderLabel
from ragtriage.data.extractions import Extraction
from ragtriage.data.index_changes import IndexChange
from ragtriage.runs.units import Population
from ragtriage.runs.viewing_extracted import EXTRACTION_VIEWS

__all__ = ["Given", "key_of", "missing", "never_given"]

_KEYS: dict[type[Any], tuple[str, str]] = {
    **dict.fromkeys(
        (view for view in EXTRACTION_VIEWS if view is not TextView),  # which the corpus has too
        ("reference", "it needs reference texts; name their folder with [ingest] reference"),
    ),
    BoilerplateView: ("pages", "it needs the pages before cleaning; name their folder with [ingest] pages"),
    BorderLabelsView: ("borders", "it needs borders that a person judged; name their file with [ingest] borders"),
    ChangeView: ("changes", "it needs changes of the index; name their file with [ingest] changes"),
    DuplicatesView: ("duplicates", "it needs pairs that a person judged; name their file with [ingest.duplicates]"),
    LanguageView: ("languages", "it needs texts labelled with languages; name them with [ingest.languages]"),
    NeighboursView: ("neighbours", "it needs what an index found; name the files with [ingest.neighbours]"),
    PersonalDataView: ("personal_data", "it needs labelled personal data; name the files with [ingest.personal_data]"),
    ProbeView: ("probes", "it needs vectors of probes; name their files with [ingest.probes]"),
    RelationsView: ("relations", "it needs labelled relations; name the files with [ingest.relations]"),
    SentencesView: ("coherence", "it needs vectors of sentences, which cost; ask for them with [ingest] coherence"),
    ServedView: ("changes", "it needs changes of the index; name their file with [ingest] changes"),
    SpansView: ("entities", "it needs labelled entities; name the files with [ingest.entities]"),
}
_FROM_ELSEWHERE = (AttributionView, BordersView, HierarchyView, TextView)  # the system's chunks, the corpus
_NOWHERE = "a run has nothing to measure it by"


@dataclass(frozen=True)
class Given:
    """What the files of `[ingest]` hold.

    `populations`: by type of view, those that depend on the files and the corpus alone. `sentences`: what the run found
    out about those of each document that has chunks, or why it could not. `borders`: labelled borders,
    to be laid on the chunks. `changes`: of the index, to be held against when questions were asked. `identities`: a
    hash of each part by its key, of the documents under `ingest`. `notes`: what a reader of the results must know.
    """

    extraction: Extraction | None = None
    populations: Mapping[type[Any], Population] = field(default_factory=dict)
    borders: tuple[BorderLabel, ...] | None = None
    changes: tuple[IndexChange, ...] | None = None
    sentences: Mapping[str, SentencesView | Undefined | Failed] | Undefined | None = None
    identities: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def never_given(view_type: type[Any], settings: IngestSettings | None) -> str | None:
    """Say what the settings lack for a view; None where they lack nothing: corpus, chunks and traces decide then.

    >>> never_given(BoilerplateView, None)
    'it needs the pages before cleaning; name their folder with [ingest] pages'
    """
    if view_type in _KEYS:
        key, reason = _KEYS[view_type]
        return None if settings is not None and getattr(settings, key) else reason
    return _NOWHERE if hasattr(view_type, "population") and view_type not in _FROM_ELSEWHERE else None


def key_of(view_type: type[Any]) -> str:
    """Return the key of `[ingest]` that names what a view is made of.

    >>> key_of(BoilerplateView)
    'pages'
    """
    return _KEYS[view_type][0]


def missing(view_type: type[Any]) -> Undefined:
    """Return why a run that was not given what a view is made of has none."""
    return Undefined(_KEYS[view_type][1] if view_type in _KEYS else _NOWHERE)
