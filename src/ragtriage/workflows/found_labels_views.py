"""Texts with both sides of their labels, for `ragtriage labels` and for a run: two files, or a file and a detector."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from ragtriage.core.errors import BadInput
from ragtriage.data.labels import (
    Kind,
    LabelledTexts,
    LanguageLine,
    Mode,
    SpanLabel,
    SpansLine,
    detected_texts,
    kind_of,
    labelled_texts,
)  # fmt: skip
from ragtriage.models import detectors

__all__ = ["Labels", "read_labels"]

_DETECTORS: dict[Kind, tuple[str, ...]] = {"spans": ("code", "presidio:MODEL"), "languages": ("code", "py3langid")}


@dataclass(frozen=True, slots=True)
class Labels:
    """Texts with both sides of their labels; `detector`: what ran on them, by its packages and its model."""

    texts: LabelledTexts
    detector: str | None = None


def read_labels(gold: Path, *, found: Path | None = None, detector: str | None = None, mode: Mode = "strict") -> Labels:
    """Read labels of people with what was found, in a file or by a detector that ships; raises BadInput, MissingExtra.

    What a file holds is in its name: `.iob2`, `.bio`, `.conll`, `.tsv` one tag a token; `.spans.jsonl`,
    `.triples.jsonl`, `.languages.jsonl` one text a line. `mode`: tags become spans strictly by IOB2, or lenient with an
    I- that opens a span. `detector`: `code`, `py3langid` (languages) or `presidio:MODEL` (spans), in place of `found`;
    every line needs its text then.
    """
    if found is not None:
        return Labels(labelled_texts(gold, found, strict=mode == "strict"))
    kind = kind_of(gold)
    if kind not in _DETECTORS:
        raise BadInput(f"{gold}: detectors find spans and languages; name a file of what was found instead")
    find, packages = _opened(kind, detector or "")
    versions = [f"{package} {importlib.metadata.version(package)}" for package in packages]
    return Labels(detected_texts(gold, find), ", ".join(versions) or detector)


def _opened(kind: Kind, name: str) -> tuple[Callable[[Any], Any], tuple[str, ...]]:
    """Return a detector over lines, and the packages that decide what it finds beside this one."""
    package, _, model = name.partition(":")
    if kind == "languages" and name == "code":
        return partial(_identified, detectors.CodeLanguages()), ()
    if kind == "languages" and name == "py3langid":
        return partial(_identified, detectors.Py3Langid()), ("py3langid",)
    if kind == "spans" and name == "code":
        return partial(_detected, detectors.CodePersonalData()), ()
    if kind == "spans" and package == "presidio" and model:
        return partial(_detected, detectors.Presidio(model=model)), ("presidio-analyzer", "spacy", model)
    raise BadInput(f"there is no detector {name!r} of {kind}; there are {', '.join(_DETECTORS[kind])}")


def _identified(identifier: detectors.LanguageIdentifier, line: Any) -> LanguageLine:
    return LanguageLine(id=line.id, language=identifier.identify(line.text))


def _detected(detector: detectors.PersonalDataDetector, line: Any) -> SpansLine:
    spans = (SpanLabel(start=span.start, end=span.end, label=span.label) for span in detector.find(line.text))
    return SpansLine(id=line.id, spans=tuple(spans))
