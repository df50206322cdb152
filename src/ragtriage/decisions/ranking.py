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

    Retrieval: no list holds it, or the lists that retrieval made have it below the first k and no later step made that
    worse. Fusion, rerank: the first step that pushed it out of the first k, else the first that dropped it, else a
    reranker that moved it down. A reranker that left it where it stood, or lifted it too little, lost nothing.
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
    for loses in (_pushes_out, _drops, _sinks):
        for step, before in _steps(facts):
            had, has = _best(ranks, before), ranks.get(step)
            if had is not None and loses(step, had, has, facts.k):
                return _leaf(facts, group, _kind(step), _moved(group, before, had, step, has), _kind(step))
    return _leaf(facts, group, "retrieval", _low(facts, group), "low")


def _pushes_out(step: str, had: int, has: int | None, k: int) -> bool:
    del step
    return had <= k and (has is None or has > k)


def _drops(step: str, had: int, has: int | None, k: int) -> bool:
    del step, had, k
    return has is None


def _sinks(step: str, had: int, has: int | None, k: int) -> bool:
    """Say whether a reranker, whose work it is to lift, moved it down; a fused list mixes others in between."""
    del k
    return _kind(step) == "rerank" and has is not None and has > had


def _low(facts: CaseFacts, group: GroupFacts) -> str:
    """Say where the lists that retrieval made have a group that no later step lost."""
    best = _best(group.ranks, facts.lanes)
    stages: Sequence[str] = facts.lanes
    if best is None:  # in no lane, and still in a later list
        stages = facts.stages
        best = _best(group.ranks, stages)
    source = f" of {_at(group, stages, best)}" if len(facts.stages) > 1 else ""
    return f"evidence in {group.name} stands at rank {best}{source}, below the first {facts.k}"


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
    where = f"at rank {has} of {step}" if has is not None else f"nowhere in {step}"
    return f"evidence in {group.name} stands at rank {had} of {_at(group, before, had)} and {where}"


def _at(group: GroupFacts, stages: Sequence[str], rank: int | None) -> str:
    """Name the first of these lists that has a group at this rank."""
    return next((stage for stage in stages if group.ranks.get(stage) == rank), "")


def _leaf(facts: CaseFacts, group: GroupFacts, leaf: Leaf, cause: str, advice: str) -> Diagnosis:
    ranks: dict[str, JsonValue] = {stage: group.ranks.get(stage) for stage in facts.stages}
    evidence: dict[str, JsonValue] = {
        "group": group.group,
        "documents": [*group.documents],
        "ranks": ranks,
        "k": facts.k,
    }
    return Diagnosis(leaf=leaf, cause=cause, evidence=evidence, advice=ADVICE[advice])
