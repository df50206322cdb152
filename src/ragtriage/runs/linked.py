"""Mentions that were linked to another concept than their case says, and what that decided."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pydantic import JsonValue

from ragtriage.core.ontology import Ontology
from ragtriage.core.ontology_views import LinksView
from ragtriage.core.records import Predicate, Trace
from ragtriage.data.eligibility import describe
from ragtriage.decisions.facts import WrongLink
from ragtriage.text.tokens import words

__all__ = ["wrong_links"]


def wrong_links(view: LinksView, question: str, trace: Trace) -> tuple[WrongLink, ...]:
    """Return the mentions that the system linked to a concept which is not the labelled one, in the order of labels.

    A mention that was not linked, or to nothing, is none: what is not there decides nothing.
    """
    linked = {link.place: link.concept for link in view.linked or ()}
    found = []
    for gold in view.gold or ():
        concept = linked.get(gold.place)
        if concept is None or concept == gold.concept:
            continue
        wrong, right = _names(concept, view.ontology), _names(gold.concept, view.ontology)
        mention = gold.place if isinstance(gold.place, str) else question[gold.place[0] : gold.place[1]]
        found.append(WrongLink(mention, gold.concept, concept, _decided(wrong, right, trace)))
    return tuple(found)


def _decided(wrong: frozenset[str], right: frozenset[str], trace: Trace) -> str | None:
    """Return the predicate that holds the wrong concept, else whether the answer names it and not the right one."""
    for predicate in trace.predicates or ():
        held = {_folded(text) for text in _texts(predicate)}
        if predicate.mode != "soft" and held & wrong and not held & right:
            return describe(predicate)
    answer = f" {_folded(trace.answer.text)} " if trace.answer is not None else ""
    named = [any(f" {name} " in answer for name in names if name) for names in (wrong, right)]
    return "answer" if named == [True, False] else None


def _names(concept: str | None, ontology: Ontology | None) -> frozenset[str]:
    """Return what a concept is called: its id, the end of it, its labels."""
    if concept is None:
        return frozenset()
    known = ontology.concepts.get(concept) if ontology is not None else None
    ends = (concept.rpartition(sign)[2] for sign in ":#/")
    return frozenset(_folded(name) for name in (concept, *ends, *(known.labels if known is not None else ()))) - {""}


def _texts(predicate: Predicate) -> Iterator[str]:
    values: Iterable[JsonValue] = predicate.value if isinstance(predicate.value, list) else [predicate.value]
    yield from (value for value in values if isinstance(value, str))


def _folded(text: str) -> str:
    return " ".join(words(text))
