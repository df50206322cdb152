"""Why a case is not ok: the first stage that broke, walked in the order in which data flows.

Each step of the tree looks at the facts of one case and returns a cause with its evidence, or nothing. The walk stops
at the first step that finds one. Three rules keep it from naming a stage that is not to blame:

- a forbidden document that came through is named before everything else, whatever the answer;
- a request that brought no answer because it broke is a matter of the service, not of the stages it never reached;
- where no content is wrong (the form alone, or a critical metric), missing evidence explains nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from pydantic import JsonValue

from ragtriage.core.records import Case
from ragtriage.core.results import CaseResult, Diagnosis, Leaf, LeafShare
from ragtriage.decisions.advice import ADVICE
from ragtriage.decisions.expectations import Judgement
from ragtriage.decisions.facts import CaseFacts, GroupFacts
from ragtriage.decisions.generation import blame_answer, blame_citations, blame_format, blame_obedience
from ragtriage.decisions.ingestion import blame_ingestion, blame_late_deletion
from ragtriage.decisions.ranking import blame_ranking
from ragtriage.stats.slices import slices_of

__all__ = ["LEAVES", "diagnose", "waterfall"]

LEAVES: tuple[Leaf, ...] = (
    "golden", "ingest", "access", "query", "ontology", "filter", "retrieval", "fusion", "rerank", "assembly",
    "generation", "citation", "format", "service", "judge",
)  # fmt: skip
_CONTENT = {"behaviour", "facts", "forbidden", "fields", "reference", "evidence"}
Step = Callable[[CaseFacts, Judgement], Diagnosis | None]


def diagnose(facts: CaseFacts, judgement: Judgement) -> Diagnosis | None:
    """Return the first broken stage of a case that is not ok; None for any other case."""
    if judgement.ok is not False:
        return None
    steps: list[Step] = [_forbidden, _golden, _broke]
    if judgement.kinds & _CONTENT:
        if facts.expected != "abstain":  # to abstain needs no evidence
            steps += [blame_ingestion, _stale, _query, _ontology, _filter, blame_ranking, _assembly]
        steps += [blame_late_deletion, blame_answer, blame_citations]
    elif "critical" in judgement.kinds:
        steps += [_stale, blame_obedience, blame_citations]
    steps += [blame_format, _service]
    found = (step(facts, judgement) for step in steps)
    return next((diagnosis for diagnosis in found if diagnosis is not None), _judge(facts, judgement))


def waterfall(results: Iterable[CaseResult], cases: Sequence[Case], *, by: Iterable[str] = ()) -> tuple[LeafShare, ...]:
    """Count where cases broke, over all cases and by slice, in the order of the tree; only leaves that occur.

    The share is that of the cases that are not ok, in the same slice.
    """
    leaf_of = {r.case_id: r.diagnosis.leaf for r in results if r.diagnosis is not None}
    parts: list[tuple[dict[str, str], Sequence[Case]]] = [({}, cases)]
    parts += [(dict(part.where), [cases[row] for row in part.rows]) for part in slices_of(cases, by)]
    found: list[LeafShare] = []
    for where, members in parts:
        leaves = [leaf_of[case.case_id] for case in members if case.case_id in leaf_of]
        found.extend(
            LeafShare(leaf=leaf, cases=leaves.count(leaf), share=leaves.count(leaf) / len(leaves), slice=where)
            for leaf in LEAVES
            if leaf in leaves
        )
    return tuple(found)


def _forbidden(facts: CaseFacts, judgement: Judgement) -> Diagnosis | None:
    del judgement
    return _violations(facts, "access", "documents that the principal may not see came through")


def _stale(facts: CaseFacts, judgement: Judgement) -> Diagnosis | None:
    del judgement
    return _violations(facts, "stale", "a version that was not in force reached the generator while a valid one exists")


def _violations(facts: CaseFacts, kind: str, told: str) -> Diagnosis | None:
    """Name what came through; a stale document counts where the generator saw it: context, citations, quotes."""
    seen = [v for v in facts.violations if v.kind == kind]
    if kind == "stale":
        has_context = any(group.in_context is not None for group in facts.groups)
        places = {"context", "citations", "quotes"} if has_context else {"results", "citations", "quotes"}
        seen = [v for v in seen if v.place in places]
    if not seen:
        return None
    by_place: dict[str, list[str]] = {}
    for violation in seen:
        ids = by_place.setdefault(violation.place, [])
        if violation.doc_id not in ids:
            ids.append(violation.doc_id)
    shown = "; ".join(f"{place}: {', '.join(ids)}" for place, ids in by_place.items())
    evidence: dict[str, JsonValue] = {"kind": kind, "places": {place: list(ids) for place, ids in by_place.items()}}
    return _leaf("access", f"{told} ({shown})", evidence, advice="access" if kind == "access" else "stale")


def _golden(facts: CaseFacts, judgement: Judgement) -> Diagnosis | None:
    del judgement
    if not facts.golden_faults:
        return None
    return _leaf("golden", f"the case itself is at fault: {facts.golden_faults[0]}", {"faults": [*facts.golden_faults]})


def _broke(facts: CaseFacts, judgement: Judgement) -> Diagnosis | None:
    """Name a request that broke and brought no answer: the stages behind the break were never reached."""
    del judgement
    if facts.service.error is None or facts.answered:
        return None
    return _service_leaf(facts)


def _query(facts: CaseFacts, judgement: Judgement) -> Diagnosis | None:
    """Name a rewriting that lost what the raw question finds in its first k."""
    del judgement
    for group in _lost(facts):
        raw = (facts.raw_ranks or {}).get(group.group)
        ranks = [rank for rank in group.ranks.values() if rank is not None]
        if raw is None or raw > facts.k or min(ranks, default=facts.k + 1) <= facts.k:
            continue
        cause = f"the raw question finds {group.name} at rank {raw}, the rewritten one not in its first {facts.k}"
        return _leaf("query", cause, {"group": group.group, "raw_rank": raw, "rewrites": [*facts.rewrites]})
    return None


def _ontology(facts: CaseFacts, judgement: Judgement) -> Diagnosis | None:
    """Name a mention that was linked to another concept, where that decided a predicate or the answer."""
    del judgement
    lost = _lost(facts)
    for link in facts.wrong_links:
        if not lost or link.decided is None or not (link.decided == "answer" or any(g.excluded for g in lost)):
            continue
        right = "no concept" if link.gold is None else link.gold
        by = "the answer speaks of it" if link.decided == "answer" else f"predicate {link.decided} holds it"
        cause = f"{link.mention!r} was linked to {link.linked}, which is {right}, and {by}"
        evidence: dict[str, JsonValue] = {
            "mention": link.mention,
            "gold": link.gold,
            "linked": link.linked,
            "decided": link.decided,
            "documents": [name for group in lost for name in group.documents],
        }
        return _leaf("ontology", cause, evidence)
    return None


def _filter(facts: CaseFacts, judgement: Judgement) -> Diagnosis | None:
    """Name the hard predicates that remove all eligible documents of a needed group."""
    del judgement
    for group in _lost(facts):
        if group.excluded:
            return _filtered(facts, group)
    for group in _lost(facts):
        if group.perhaps_removed_by and all(rank is None for rank in group.ranks.values()):
            names = ", ".join(group.perhaps_removed_by)
            cause = f"eligible evidence is removed by predicate {names} if it was applied hard; the trace does not tell"
            evidence: dict[str, JsonValue] = {"group": group.group, "predicates": [*group.perhaps_removed_by]}
            return _leaf("filter", cause, {**evidence, "documents": [*group.documents]})
    return None


def _filtered(facts: CaseFacts, group: GroupFacts) -> Diagnosis:
    alone = [name for name, removed in group.removed_by.items() if set(group.documents) <= set(removed)]
    names = alone or [name for name, removed in group.removed_by.items() if removed]
    wrong = [name for name in names if name in (facts.wrong_predicates or ())]
    if wrong:
        why = "extracted wrongly: the golden set has no such predicate"
    elif facts.wrong_predicates is not None:
        why = "right as extracted, too hard as applied"
    else:
        why = "extracted wrongly or too hard: the case has no gold predicates to tell"
    cause = f"eligible evidence removed by predicate {' and '.join(names)} ({why})"
    evidence: dict[str, JsonValue] = {
        "group": group.group,
        "predicates": list(names),
        "documents": [*group.documents],
        "extracted_wrongly": list(wrong),
    }
    return _leaf("filter", cause, evidence, advice="filter_wrong" if wrong else "filter")


def _assembly(facts: CaseFacts, judgement: Judgement) -> Diagnosis | None:
    """Name evidence that stood in the first k and is not in the context."""
    del judgement
    lost = [group for group in _lost(facts) if group.in_context is False and facts.in_first_k(group)]
    if not lost:
        return None
    names = ", ".join(group.name for group in lost)
    final = facts.stages[-1]
    ranks: dict[str, JsonValue] = {group.group: group.ranks.get(final) for group in lost}
    cause = f"evidence stood in the first {facts.k} and did not get into the context: {names}"
    return _leaf("assembly", cause, {"ranks": ranks, "stage": final})


def _service(facts: CaseFacts, judgement: Judgement) -> Diagnosis | None:
    del judgement
    if facts.service.error is None and not facts.service.empty_answer and facts.answered:
        return None
    return _service_leaf(facts)


def _service_leaf(facts: CaseFacts) -> Diagnosis:
    service = facts.service
    if service.timed_out:
        cause = f"the request timed out{f' in {service.stage}' if service.stage else ''}"
    elif service.error is not None:
        cause = f"the request broke{f' in {service.stage}' if service.stage else ''}: {service.error}"
    else:
        cause = "the answer is empty" if service.empty_answer else "no answer was recorded"
    evidence: dict[str, JsonValue] = {  # not how long it took: results of equal runs are equal
        "error": service.error,
        "stage": service.stage,
        "limit_ms": service.limit_ms,
    }
    return _leaf("service", cause, {name: value for name, value in evidence.items() if value is not None})


def _judge(facts: CaseFacts, judgement: Judgement) -> Diagnosis:
    """Say that nothing measured explains the verdict: then the verdict itself is in doubt."""
    said = "; ".join(broken.text for broken in judgement.broken)
    who = facts.claims.judge if facts.claims is not None else ""
    cause = f"everything measured is right, and still: {said}"
    return _leaf("judge", cause, {"broken": [b.text for b in judgement.broken], **({"judge": who} if who else {})})


def _lost(facts: CaseFacts) -> list[GroupFacts]:
    """Return the needed groups that did not reach the generator."""
    return [group for group in facts.groups if facts.reached(group) is False]


def _leaf(leaf: Leaf, cause: str, evidence: dict[str, JsonValue], *, advice: str | None = None) -> Diagnosis:
    return Diagnosis(leaf=leaf, cause=cause, evidence=evidence, advice=ADVICE[advice or leaf])
