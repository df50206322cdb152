"""What happened to evidence on its way into the index: late, missing, its text lost, garbled, moved or cut."""

from __future__ import annotations

from pydantic import JsonValue

from ragtriage.core.results import Diagnosis
from ragtriage.decisions.advice import ADVICE
from ragtriage.decisions.expectations import Judgement
from ragtriage.decisions.facts import CaseFacts, GroupFacts, LateChange

__all__ = ["blame_ingestion", "blame_late_deletion"]

_SECOND = 1000
_WAITS = {None, "whole", "missing"}
_TOLD = {
    "missing": "no chunk of {documents} is in the index",
    "lost": "the text of the evidence in {documents} was lost on its way into the index",
    "garbled": "the text of the evidence in {documents} is garbled in the index",
    "moved": "the evidence in {documents} stands in the index, but not where its chunks say that they stand",
    "split": "the evidence in {documents} is cut apart: no chunk holds enough of it",
}


def blame_ingestion(facts: CaseFacts, judgement: Judgement) -> Diagnosis | None:
    """Name evidence that the index did not hold as text.

    A document on its way into the index is to blame where no ranking found the evidence, and the index holds it whole
    or lacks it, as far as is known. A damaged text is to blame wherever it came; one that is cut apart or stands
    elsewhere only where it did not reach the generator all the same. So is what is damaged in the question's language
    alone: a whole text in another one is no more than a spare.
    """
    del judgement
    for group in facts.groups:
        lost = facts.reached(group) is False
        if lost and group.late is not None and group.index in _WAITS and not _found(facts, group):
            return _late(group, group.late)
        damaged = group.index == "garbled" or (group.index == "lost" and group.indexed is not None)
        if group.index not in {None, "whole"} and (damaged or lost):
            return _named(group)
        if group.own is not None and lost:
            return _named(group.own)
    return None


def blame_late_deletion(facts: CaseFacts, judgement: Judgement) -> Diagnosis | None:
    """Name a deleted document that searches still returned and the answer cites."""
    del judgement
    if not facts.still_served:
        return None
    late = facts.still_served[0]
    cause = f"{late.document} is cited although it was deleted at {late.committed_at}: {_until(late)}"
    evidence: dict[str, JsonValue] = {"documents": [one.document for one in facts.still_served], **_times(late)}
    return Diagnosis(leaf="ingest", cause=cause, evidence=evidence, advice=ADVICE["ingest_served"])


def _found(facts: CaseFacts, group: GroupFacts) -> bool:
    ranks = (*group.ranks.values(), (facts.raw_ranks or {}).get(group.group))
    return any(rank is not None for rank in ranks)


def _late(group: GroupFacts, late: LateChange) -> Diagnosis:
    cause = f"{late.document} was written at {late.committed_at} and not searchable when the question was asked: "
    evidence: dict[str, JsonValue] = {"group": group.group, "documents": [*group.documents], **_times(late)}
    return Diagnosis(leaf="ingest", cause=cause + _until(late), evidence=evidence, advice=ADVICE["ingest_late"])


def _until(late: LateChange) -> str:
    """Say when searches showed a change, and how late that was."""
    what = "showed it" if late.kind == "written" else "were without it"
    if late.searchable_at is None or late.lag_ms is None:
        return f"no searches {what} within {_span(late.deadline_ms)}"
    return f"searches {what} from {late.searchable_at} on, {_span(late.lag_ms)} later"


def _span(ms: float) -> str:
    return f"{ms / 1000:.1f} s" if ms >= _SECOND else f"{ms:.0f} ms"


def _times(late: LateChange) -> dict[str, JsonValue]:
    return {
        "change": late.kind,
        "committed_at": late.committed_at,
        "searchable_at": late.searchable_at,
        "lag_ms": late.lag_ms,
        "deadline_ms": late.deadline_ms,
    }


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
