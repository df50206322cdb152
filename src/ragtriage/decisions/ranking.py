"""Which of the ranking steps lost a needed group: retrieval, fusion or the reranker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from ragtriage.core.results import Diagnosis, Leaf
from ragtriage.decisions.advice import ADVICE
from ragtriage.decisions.expectations import Judgement
from ragtriage.decisions.facts import CaseFacts, GroupFacts

__all__ = ["blame_ranking"]

FUSED = "fused"


def blame_ranking(facts: CaseFacts, judgement: Judgement) -> Diagnosis | None:
    """Name the step that lost a needed group on its way into the first k.

    Retrieval: no list holds it, or every list that was fused has it behind the first k and so has the fused one.
    Fusion, rerank: a list before the step has it, and behind the step it is not in the first k; the first step that
    pushed it out of the first k, else the first that dropped it, else the reranker, whose work it is to lift it.
    """
    del judgement
    lost = [g for g in facts.groups if facts.reached(g) is False and facts.in_first_k(g) is False]
    found = [_blame(facts, group) for group in lost]
    order: Sequence[Leaf] = ("retrieval", "fusion", "rerank")
    return min(found, key=lambda diagnosis: order.index(diagnosis.leaf), default=None)


def _blame(facts: CaseFacts, group: GroupFacts) -> Diagnosis:
    ranks = group.ranks
    if all(rank is None for rank in ranks.values()):
        return _leaf(facts, group, "retrieval", f"evidence in {group.name} is in no candidate list", "retrieval")
    steps = _steps(facts)
    best = _best(ranks, facts.lanes)
    for step, before in steps:
        had, has = _best(ranks, before), ranks.get(step)
        if had is not None and had <= facts.k and (has is None or has > facts.k):
            return _leaf(facts, group, _kind(step), _moved(group, before, had, step, has), _kind(step))
    for step, before in steps:
        had, has = _best(ranks, before), ranks.get(step)
        if had is not None and has is None:
            return _leaf(facts, group, _kind(step), _moved(group, before, had, step, has), _kind(step))
    last, before = steps[-1] if steps else ("", ())
    had = _best(ranks, before)
    if last and _kind(last) == "rerank" and had is not None:
        cause = f"evidence in {group.name} was given to {last} at rank {had} and left at rank {ranks[last]}"
        return _leaf(facts, group, "rerank", f"{cause}, behind the first {facts.k}", "rerank")
    place = best if best is not None else min(rank for rank in ranks.values() if rank is not None)
    cause = (
        f"evidence in {group.name} is at rank {place} at best, behind the first {facts.k} that the generator receives"
    )
    return _leaf(facts, group, "retrieval", cause, "low")


def _steps(facts: CaseFacts) -> list[tuple[str, tuple[str, ...]]]:
    """Return each step after the lanes with the lists it was given: the lanes, then the step before it."""
    later = [stage for stage in facts.stages if stage not in facts.lanes]
    given = [facts.lanes, *((stage,) for stage in later)]
    return [(step, before) for step, before in zip(later, given, strict=False) if before]


def _best(ranks: Mapping[str, int | None], stages: Sequence[str]) -> int | None:
    return min((rank for stage in stages if (rank := ranks.get(stage)) is not None), default=None)


def _kind(step: str) -> Leaf:
    return "fusion" if step == FUSED else "rerank"


def _moved(group: GroupFacts, before: Sequence[str], had: int, step: str, has: int | None) -> str:
    source = next((stage for stage in before if group.ranks.get(stage) == had), "")
    where = f"at rank {has} of {step}" if has is not None else f"nowhere in {step}"
    return f"evidence in {group.name} stands at rank {had} of {source} and {where}"


def _leaf(facts: CaseFacts, group: GroupFacts, leaf: Leaf, cause: str, advice: str) -> Diagnosis:
    ranks: dict[str, JsonValue] = {stage: group.ranks.get(stage) for stage in facts.stages}
    evidence: dict[str, JsonValue] = {
        "group": group.group,
        "documents": [*group.documents],
        "ranks": ranks,
        "k": facts.k,
    }
    return Diagnosis(leaf=leaf, cause=cause, evidence=evidence, advice=ADVICE[advice])
