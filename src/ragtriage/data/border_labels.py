"""Borders between chunks drawn for people to look at, and what they said of them."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ragtriage.core.chunk_views import BorderLabelsView
from ragtriage.core.errors import BadInput, Fault
from ragtriage.core.files import read_records
from ragtriage.core.records import Identifier, Record, Whole
from ragtriage.data.chunk_viewing import ChunkedCorpus
from ragtriage.text.borders import borders

__all__ = ["BorderLabel", "LabelledBorders", "labelled_borders", "read_border_labels", "sampled_borders"]

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
class LabelledBorders:
    """Labels by document; `unlabelled` still wait, `gone` belong to borders that today's chunks do not have."""

    views: Mapping[str, BorderLabelsView]
    unlabelled: int
    gone: int


def sampled_borders(chunked: ChunkedCorpus, *, count: int, seed: int) -> list[BorderLabel]:
    """Draw borders for people to label, each as likely as any other, in an order that tells nothing.

    All of them where there are fewer than `count`; equal arguments give equal samples. Raises ValueError for a count
    below 1.
    """
    if count < 1:
        raise ValueError(f"count must be 1 or more. Got {count} instead")
    found: list[BorderLabel] = []
    for doc_id in sorted(chunked.sections):
        text = chunked.corpus.documents[doc_id].text
        for border in borders(text, chunked.spans[doc_id]):
            before, after = text[max(0, border.end - _SHOWN) : border.end], text[border.start : border.start + _SHOWN]
            found.append(BorderLabel(doc_id=doc_id, end=border.end, start=border.start, before=before, after=after))
    return random.Random(seed).sample(found, min(count, len(found)))  # noqa: S311 - a sample that can be drawn again


def read_border_labels(path: Path) -> list[BorderLabel]:
    """Read a JSON Lines file of labels; raises BadInput with every fault, a border that stands twice among them."""
    labels = read_records(path, BorderLabel)
    seen: set[tuple[str, int, int]] = set()
    faults = []
    for label in labels:
        place = label.doc_id, label.end, label.start
        if place in seen:
            faults.append(Fault(str(path), 0, f"the border of {label.doc_id!r} at {label.end} stands twice"))
        seen.add(place)
    if faults:
        raise BadInput(f"{path} has {len(faults)} fault{'s' if len(faults) > 1 else ''}:", faults)
    return labels


def labelled_borders(labels: Iterable[BorderLabel], chunked: ChunkedCorpus) -> LabelledBorders:
    """Put labels to the borders that the chunks have; a label whose border is gone says nothing of these chunks."""
    texts = {doc_id: chunked.corpus.documents[doc_id].text for doc_id in chunked.sections}
    places = {
        (doc_id, border.end, border.start)
        for doc_id, text in texts.items()
        for border in borders(text, chunked.spans[doc_id])
    }
    said: dict[str, list[bool]] = {}
    unlabelled = gone = 0
    for label in labels:
        if (label.doc_id, label.end, label.start) not in places:
            gone += 1
        elif label.reasonable is None:
            unlabelled += 1
        else:
            said.setdefault(label.doc_id, []).append(label.reasonable)
    return LabelledBorders({d: BorderLabelsView(tuple(own)) for d, own in said.items()}, unlabelled, gone)
