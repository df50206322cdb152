"""The claim x chunk matrix of one case: what each context item says of each claim, and what all say together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from ragtriage.core.records import Trace
from ragtriage.core.verdicts import ClaimVerdict, Label, SourceSpan
from ragtriage.judges.asking import Place, Reading
from ragtriage.judges.claims import split_claims
from ragtriage.text.language import guess_language

__all__ = ["SCORES", "Matrix", "Stated", "cited_ids", "disputed_claims", "stated_of"]

SCORES: dict[Label, float] = {"supported": 1.0, "not_in_context": 0.25, "contradicted": 0.0}
"""A model gives labels, no degrees; so that texts can be ranked, each label has a score."""


@dataclass(frozen=True, slots=True)
class Stated:
    """A claim and where its text states it."""

    text: str
    start: int
    end: int
    key: str = ""
    of: Literal["answer", "reference"] = "answer"


def stated_of(readings: Sequence[Reading]) -> list[Stated]:
    """Return the extracted claims in the order of their text; one said twice at one place is one."""
    found: dict[tuple[str, int], Stated] = {}
    for reading in readings:
        text = reading.values["claim"].strip()
        if text and reading.places:
            place = reading.places[0]
            found.setdefault((text, place.start), Stated(text, place.start, place.end))
    return sorted(found.values(), key=lambda one: (one.start, one.end))


def cited_ids(trace: Trace, claims: Sequence[Stated]) -> dict[str, tuple[str, ...]]:
    """Return by claim of the answer the ids cited at it: those at the statements that its words stand in."""
    answer = trace.answer
    if answer is None or not answer.citations:
        return {}
    ids = {i for citation in answer.citations for i in citation.ids}
    known = split_claims(answer.text, language=guess_language(answer.text), citations=answer.citations, ids=ids)
    found = {}
    for claim in claims:
        if claim.of == "answer":
            at = [i for one in known if one.start < claim.end and claim.start < one.end for i in one.cited]
            found[claim.key] = tuple(dict.fromkeys(at))
    return found


class Matrix:
    """What a judge said of claims against the sources it was shown. Without readings nothing is stated anywhere."""

    def __init__(self, readings: Mapping[str, Reading], trace: Trace) -> None:
        self._readings = readings
        self._items: dict[str, list[str]] = {}
        for item in trace.context or ():
            self._items.setdefault(item.id, [item.id])
        for item in trace.context or ():
            if item.doc_id is not None and item.doc_id != item.id:
                self._items.setdefault(item.doc_id, []).append(item.id)
        self._ids = tuple(dict.fromkeys(item.id for item in trace.context or ()))

    def label(self, key: str) -> Label:
        """Return the verdict on a claim against all sources together."""
        if key not in self._readings:
            return "not_in_context"
        label: Label = self._readings[key].values["label"]
        return label

    def alone(self, key: str, ids: Sequence[str]) -> Label:
        """Return what a document's items say of a claim, each by itself."""
        return _label_of(p.stance for p in self._places(key) if p.key in ids)

    def together(self, key: str, ids: Sequence[str]) -> Label:
        """Return what these items say of a claim taken together: support in parts counts where they hold all parts."""
        single = self.alone(key, ids)
        if single == "supported" or self.label(key) != "supported":
            return single
        every = {p.key for p in self._readings[key].places if p.stance == "supports_partly"}
        return "supported" if every and every <= set(ids) else single

    def verdict(
        self, claim: Stated, *, cited: Sequence[str], reference: Label | None, answer: Label | None
    ) -> ClaimVerdict:
        """Write down all that is known of one claim."""
        key, label = claim.key, self.label(claim.key)
        places = self._places(key)
        shown = {"supported": {"supports", "supports_partly"}, "contradicted": {"contradicts"}}.get(label, set())
        silent: dict[str, Label] = dict.fromkeys(self._ids, "not_in_context")
        stated = dict.fromkeys(p.key for p in places)
        items = silent | {i: self.alone(key, [i]) for i in stated if i in silent}
        documents = {i: self.alone(key, self._items[i]) for i in cited if i not in items and i in self._items}
        reached = [item for i in cited for item in self._items.get(i, ())]
        return ClaimVerdict(
            claim_id=key,
            of=claim.of,
            text=claim.text,
            start=claim.start,
            end=claim.end,
            context=label,
            score=SCORES[label],
            spans=tuple(SourceSpan(id=p.key, start=p.start, end=p.end) for p in places if p.stance in shown),
            items=items | documents,
            reference=reference,
            answer=answer,
            cited=tuple(cited),
            cited_together=self.together(key, reached) if cited else None,
        )

    def _places(self, key: str) -> tuple[Place, ...]:
        return self._readings[key].places if key in self._readings else ()


def _label_of(stances: Iterable[str | None]) -> Label:
    """Return what is stated where these stances were found."""
    found = set(stances)
    if "supports" in found:
        return "supported"
    return "contradicted" if "contradicts" in found else "not_in_context"


def disputed_claims(claims: Sequence[Stated], first: Matrix, second: Matrix) -> tuple[str, ...]:
    """Return the claims on which two judges disagree."""
    return tuple(one.key for one in claims if first.label(one.key) != second.label(one.key))
