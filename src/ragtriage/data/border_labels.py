"""Borders between chunks drawn for people to look at, and what they said of them."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ragtriage.core.chunk_views import BorderLabelsView
from ragtriage.core.errors import BadInput, Fault
from ragtriage.core.files import read_lines, read_records
from ragtriage.core.records import Identifier, Record, Whole
from ragtriage.data.chunk_viewing import ChunkedCorpus
from ragtriage.text.borders import border_places

__all__ = [
    "BorderLabel",
    "BorderSample",
    "LabelledBorders",
    "labelled_borders",
    "read_border_labels",
    "sampled_borders",
]

_SHOWN = 160


class BorderLabel(Record):
    """One border to look at: a chunk of the document ends at `end`, the next begins at `start`.

    `before` and `after`: the text on its two sides, for the eye. `reasonable`: the label, None until somebody gave it.
    """

    doc_id: Identifier
    end: Whole
    start: Whole
    before: str = ""
    after: str = ""
    reasonable: bool | None = None


@dataclass(frozen=True, slots=True)
class BorderSample:
    """Borders for people to label, in an order that tells nothing, out of so many `borders` in all."""

    labels: tuple[BorderLabel, ...]
    borders: int


@dataclass(frozen=True, slots=True)
class LabelledBorders:
    """What people said, by document; `gone`: labels of borders that today's chunks do not have."""

    views: Mapping[str, BorderLabelsView]
    gone: int


def sampled_borders(chunked: ChunkedCorpus, *, count: int, seed: int) -> BorderSample:
    """Draw borders for people to label, each as likely as any other.

    All of them where there are fewer than `count`; equal arguments give equal samples. Raises ValueError for a count
    below 1.
    """
    if count < 1:
        raise ValueError(f"count must be 1 or more. Got {count} instead")
    documents = chunked.corpus.documents
    names = sorted(name for name in chunked.spans if name in documents)
    places = [(name, end, start) for name in names for end, start in border_places(chunked.spans[name])]
    drawn = random.Random(seed).sample(places, min(count, len(places)))  # noqa: S311 - a sample that can be drawn again
    return BorderSample(
        tuple(_shown(name, documents[name].text, end, start) for name, end, start in drawn), len(places)
    )


def read_border_labels(path: Path) -> list[BorderLabel]:
    """Read a JSON Lines file of labels; raises BadInput with every fault, a border that stands twice among them."""
    labels = read_records(path, BorderLabel)
    seen: dict[tuple[str, int, int], int] = {}
    faults = []
    for (line, _), label in zip(read_lines(path), labels, strict=True):
        first = seen.setdefault((label.doc_id, label.end, label.start), line)
        if first != line:
            what = f"the border of {label.doc_id!r} at {label.end} stands in line {first} already"
            faults.append(Fault(str(path), line, what))
    if faults:
        raise BadInput(f"{path} has {len(faults)} fault{'s' if len(faults) > 1 else ''}:", faults)
    if not labels:
        raise BadInput(f"{path}: holds no border")
    return labels


def labelled_borders(labels: Iterable[BorderLabel], chunked: ChunkedCorpus) -> LabelledBorders:
    """Put labels to the borders that the chunks have, by document in order of ids.

    A label says nothing of these chunks where its border is gone, or where another text stands around it than the
    person saw. Borders that nobody labelled yet are passed over.
    """
    places: dict[str, frozenset[tuple[int, int]]] = {}
    said: dict[str, list[bool]] = {}
    gone = 0
    for label in labels:
        if label.reasonable is None:
            continue
        if label.doc_id not in places:
            places[label.doc_id] = frozenset(border_places(chunked.spans.get(label.doc_id, ())))
        document = chunked.corpus.documents.get(label.doc_id)
        here = document is not None and (label.end, label.start) in places[label.doc_id]
        if document is not None and here and _seen(label, document.text):
            said.setdefault(label.doc_id, []).append(label.reasonable)
        else:
            gone += 1
    return LabelledBorders({name: BorderLabelsView(tuple(said[name])) for name in sorted(said)}, gone)


def _seen(label: BorderLabel, text: str) -> bool:
    """Say whether the text that a person was shown stands around the border; a label without it is believed."""
    return text.endswith(label.before, 0, label.end) and text.startswith(label.after, label.start)


def _shown(name: str, text: str, end: int, start: int) -> BorderLabel:
    before, after = text[max(0, end - _SHOWN) : end], text[start : start + _SHOWN]
    return BorderLabel(doc_id=name, end=end, start=start, before=before, after=after)
