"""What people labelled in texts and what was found there, as a run measures it: one unit for each text."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ragtriage.core.configuration_ingest import (
    DetectedSettings,
    EntitySettings,
    IngestSettings,
    LabelSettings,
    PersonalDataSettings,
)  # fmt: skip
from ragtriage.core.errors import BadInput, Fault
from ragtriage.core.label_views import LanguageView, PersonalDataView, RelationsView, SpansView
from ragtriage.core.score import Undefined
from ragtriage.data.corpus import Corpus
from ragtriage.data.labels import Kind, LabelledText, Mode, kind_of
from ragtriage.runs.units import Population, Unit, document_fields
from ragtriage.workflows.found_labels_views import Labels, read_labels
from ragtriage.workflows.given_parts import Part, identity_of
from ragtriage.workflows.settings import Settings

__all__ = ["entities", "languages", "personal_data", "relations"]

_SHOWN = 5
_NAMES: dict[Kind, str] = {
    "tags": ".iob2, .bio, .conll or .tsv",
    "spans": ".spans.jsonl",
    "triples": ".triples.jsonl",
    "languages": ".languages.jsonl",
}
_KINDS: dict[type[Any], tuple[Kind, ...]] = {
    SpansView: ("tags", "spans"),
    PersonalDataView: ("tags", "spans"),
    RelationsView: ("triples",),
    LanguageView: ("languages",),
}


def entities(settings: Settings, named: IngestSettings, corpus: Corpus | None) -> Part | None:
    """Read named entities, as tags or as spans; raises BadInput with every fault of both files."""
    return _part("entities", settings, named.entities, corpus, SpansView)


def relations(settings: Settings, named: IngestSettings, corpus: Corpus | None) -> Part | None:
    """Read relations; raises BadInput with every fault of both files."""
    return _part("relations", settings, named.relations, corpus, RelationsView)


def personal_data(settings: Settings, named: IngestSettings, corpus: Corpus | None) -> Part | None:
    """Read personal data, or have a detector find it; raises BadInput with every fault, MissingExtra."""
    return _part("personal_data", settings, named.personal_data, corpus, PersonalDataView)


def languages(settings: Settings, named: IngestSettings, corpus: Corpus | None) -> Part | None:
    """Read languages of texts, or have a detector identify them; raises BadInput with every fault, MissingExtra."""
    return _part("languages", settings, named.languages, corpus, LanguageView)


def _part(
    key: str,
    settings: Settings,
    place: LabelSettings | DetectedSettings | None,
    corpus: Corpus | None,
    view: type[Any],
) -> Part | None:
    if place is None:
        return None
    gold, found = settings.base / place.gold, None if place.found is None else settings.base / place.found
    if kind_of(gold) not in _KINDS[view]:
        wanted = " or ".join(_NAMES[kind] for kind in _KINDS[view])
        told = f"holds {kind_of(gold)} by its name; [ingest.{key}] takes {wanted}"
        raise BadInput(f"[ingest.{key}]:", [Fault(str(gold), 0, told)])
    mode: Mode = place.mode if isinstance(place, EntitySettings | PersonalDataSettings) else "strict"
    detector = place.detector if isinstance(place, DetectedSettings) else None
    labels = read_labels(gold, found=found, detector=detector, mode=mode)
    texts = labels.texts.texts
    population = Population(
        view.population, tuple(_unit(text, corpus, view) for text in texts), tuple(_view(text, view) for text in texts)
    )
    notes = tuple(f"[ingest.{key}] {note}" for note in _notes(labels, mode))
    return Part(_identity(labels, gold, found, mode), {view: population}, notes=notes)


def _unit(text: LabelledText, corpus: Corpus | None, view: type[Any]) -> Unit:
    """Return the unit of a text; the language of a document is no field where languages are what is measured."""
    known = corpus is not None and text.text_id in corpus.documents
    fields = {**document_fields(corpus, text.text_id), **text.fields}
    if view is LanguageView:
        fields.pop("language", None)
    return Unit(text.text_id, text.text_id if known else None, fields)


def _view(text: LabelledText, view: type[Any]) -> Any:
    seen = text.view
    return PersonalDataView(seen.gold, seen.found) if view is PersonalDataView and isinstance(seen, SpansView) else seen


def _identity(labels: Labels, gold: Path, found: Path | None, mode: Mode) -> str:
    """Return a hash of both files, or the detector and a hash of the labels and of what it found in the texts."""
    if found is not None:
        return identity_of(gold, found, mode=mode if labels.texts.kind == "tags" else None)
    findings = {text.text_id: _findings(text.view) for text in labels.texts.texts}
    return f"{labels.detector} {identity_of(gold, found=findings)}"


def _findings(view: Any) -> Any:
    if isinstance(view, SpansView):
        return [[span.start, span.end, span.label] for span in sorted(view.found)]
    return None if isinstance(view, Undefined) else view.identified


def _notes(labels: Labels, mode: Mode) -> Iterator[str]:
    if labels.detector is not None:
        yield f"found by the detector {labels.detector}"
    if labels.texts.kind == "tags":
        yield f"tags became spans in mode {mode}"
    if silent := labels.texts.silent:
        named = ", ".join(silent[:_SHOWN]) + (", ..." if len(silent) > _SHOWN else "")
        yield f"{len(silent)} of {len(labels.texts.texts)} texts are not in the file of what was found: {named}"
