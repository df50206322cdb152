"""What happened to evidence on its way into the index: its document missing, its text lost, garbled, moved or cut."""

from __future__ import annotations

from pydantic import JsonValue

from ragtriage.core.results import Diagnosis
from ragtriage.decisions.advice import ADVICE
from ragtriage.decisions.expectations import Judgement
from ragtriage.decisions.facts import CaseFacts, GroupFacts

__all__ = ["blame_ingestion"]

_TOLD = {
    "missing": "no chunk of {documents} is in the index",
    "lost": "the text of the evidence in {documents} was lost on its way into the index",
    "garbled": "the text of the evidence in {documents} is garbled in the index",
    "moved": "the evidence in {documents} stands in the index, but not where its chunks say that they stand",
    "split": "the evidence in {documents} is cut apart: no chunk holds enough of it",
}


def blame_ingestion(facts: CaseFacts, judgement: Judgement) -> Diagnosis | None:
    """Name evidence that the index never held as text.

    A damaged text is to blame wherever it came; one that is cut apart or stands elsewhere only where it did not reach
    the generator all the same. So is what is damaged in the question's language alone: a whole text in another one is
    no more than a spare.
    """
    del judgement
    for group in facts.groups:
        lost = facts.reached(group) is False
        damaged = group.index == "garbled" or (group.index == "lost" and group.indexed is not None)
        if group.index not in {None, "whole"} and (damaged or lost):
            return _named(group)
        if group.own is not None and lost:
            return _named(group.own)
    return None


def _named(group: GroupFacts) -> Diagnosis:
    state, text = group.index or "", group.indexed
    cause = _TOLD[state].format(documents=", ".join(group.documents))
    evidence: dict[str, JsonValue] = {"group": group.group, "index": state, "documents": [*group.documents]}
    if text is not None:
        evidence["quote"] = text.quote
        if text.decoding is not None:
            cause += f": {text.decoding}"
            evidence["decoding"] = text.decoding
        elif text.cer is not None and state != "moved":
            cause += f" (the nearest text there has a character error rate of {text.cer:.2f})"
        if text.found is not None:
            evidence["found"] = text.found
        if text.cer is not None:
            evidence["cer"] = text.cer
    return Diagnosis(leaf="ingest", cause=cause, evidence=evidence, advice=ADVICE[f"ingest_{state}"])
