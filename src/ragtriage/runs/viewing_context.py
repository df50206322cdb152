"""The assembled context against the evidence, checked in the text itself where a system altered what it passed on."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence

from ragtriage.core.records import ContextItem, Trace
from ragtriage.core.score import Undefined
from ragtriage.core.verdicts import Verdicts
from ragtriage.core.views import ContextView, ContextViewItem, GroupState, RedundancyView
from ragtriage.data.relevance import MIN_GRADE, Gold, GoldSpan, Passage, chunk_grade, document_grades, found_at
from ragtriage.runs.viewing_places import Places
from ragtriage.runs.viewing_stages import final_hits

__all__ = ["context_passages", "context_view", "item_grades", "redundancy_view"]

_SHORTEST_PIECE = 8


def redundancy_view(trace: Trace, places: Places) -> RedundancyView | Undefined:
    """Return the texts of the final ranking, where all of them are known."""
    hits = final_hits(trace)
    if hits is None:
        return Undefined("the trace records no rankings")
    shown = {item.id: item.text for item in trace.context or ()}
    texts = [places.text(places.passage(hit)) or shown.get(hit.id) for hit in hits]
    whole = tuple(text for text in texts if text is not None)
    return RedundancyView(whole if len(whole) == len(texts) else None)


def context_passages(gold: Gold, context: Sequence[ContextItem], places: Places) -> list[list[Passage]]:
    """Return for each context item the parts of documents that it really holds.

    An item whose text is what stands at its place is that place. A compressed, rewritten or unplaced one counts for
    those parts of the evidence that stand in its text word for word, in pieces of at least 8 code points.
    """
    return [_passages(gold, item, places) for item in context]


def _passages(gold: Gold, item: ContextItem, places: Places) -> list[Passage]:
    passage = places.passage(item)
    text = places.text(Passage("", passage.doc_id, passage.start, passage.end)) if passage.placed else None
    if passage.placed and (text is None or _same(text, item.text)):
        return [passage]
    pieces = [Passage(passage.id, passage.doc_id)]
    for group in gold.needed:
        for span in group.eligible:
            if passage.doc_id in {None, span.doc_id}:
                pieces.extend(_pieces(span, item, places))
    return pieces


def _same(one: str, other: str) -> bool:
    return one == other or "".join(one.split()) == "".join(other.split())


def _pieces(span: GoldSpan, item: ContextItem, places: Places) -> list[Passage]:
    wanted = places.text(Passage("", span.doc_id, span.start, span.end))
    if wanted is None or span.start is None or span.end is None or not wanted:
        return []
    if wanted in item.text:
        return [Passage(item.id, span.doc_id, span.start, span.end)]
    shortest = min(_SHORTEST_PIECE, len(wanted))
    blocks = difflib.SequenceMatcher(None, wanted, item.text, autojunk=False).get_matching_blocks()
    return [
        Passage(item.id, span.doc_id, span.start + block.a, span.start + block.a + block.size)
        for block in blocks
        if block.size >= shortest
    ]


def item_grades(gold: Gold, passages: Sequence[Sequence[Passage]], *, min_overlap: float) -> list[int | None]:
    """Return the grade of each context item: 0 where it holds no evidence, None where nothing is known of it.

    With spans an item has the highest grade of a span that it covers to at least `min_overlap`; evidence that names a
    whole document grades every item of it.
    """
    grades = document_grades(gold)
    named_whole = {s.doc_id for group in gold.needed for s in group.eligible if s.start is None}
    found: list[int | None] = []
    for pieces in passages:
        by_span = _span_grade(gold, pieces, min_overlap=min_overlap)
        by_document = max((grades[p.doc_id] for p in pieces if p.doc_id in named_whole), default=None)
        known = [grade for grade in (by_span, by_document) if grade is not None]
        if known:
            found.append(max(known))
        else:
            judged = bool(gold.needed) and any(p.doc_id is not None for p in pieces)
            found.append(0 if judged else None)
    return found


def _span_grade(gold: Gold, pieces: Sequence[Passage], *, min_overlap: float) -> int | None:
    alone = [chunk_grade(gold, piece, min_overlap=min_overlap) for piece in pieces]
    if len(pieces) > 1:  # an altered item: its pieces count together
        grades = {group.name: group.grade for group in gold.needed}
        alone += [grades[name] for name in found_at(gold, pieces, min_overlap=min_overlap)]
    return max((grade for grade in alone if grade is not None), default=None)


def context_view(
    gold: Gold,
    trace: Trace,
    verdicts: Verdicts | None,
    places: Places,
    *,
    found: Mapping[str, frozenset[str] | None],
    min_overlap: float,
) -> ContextView | Undefined:
    """Return the context's items and where each needed group stood.

    `found`: the groups found among the `candidates` and in the `first_k`, None where the trace records none.
    """
    items, in_context, by_judge = None, None, False
    if trace.context is not None:
        passages = context_passages(gold, trace.context, places)
        grades = item_grades(gold, passages, min_overlap=min_overlap)
        judged = _judged_grades(verdicts)
        if judged and all(grade is None for grade in grades):
            grades, by_judge = [judged.get(item.id) for item in trace.context], True
        in_context = frozenset(found_at(gold, [p for pieces in passages for p in pieces], min_overlap=min_overlap))
        cited, used = _cited(trace), _used(verdicts)
        items = tuple(
            ContextViewItem(
                id=item.id,
                text=item.text,
                grade=grade,
                cited=None
                if cited is None
                else not cited.isdisjoint({item.id, item.doc_id or places.document_of(item.id)}),
                used=None if used is None else item.id in used,
            )
            for item, grade in zip(trace.context, grades, strict=True)
        )
    return ContextView(
        items=items,
        groups=tuple(
            GroupState(
                group=group.name,
                in_candidates=_stands(group.name, found["candidates"]),
                in_first_k=_stands(group.name, found["first_k"]),
                in_context=_stands(group.name, in_context),
            )
            for group in gold.needed
        ),
        tokens_before=trace.tokens.context_before if trace.tokens is not None else None,
        tokens_after=trace.tokens.context_after if trace.tokens is not None else None,
        relevance_judged=by_judge,
    )


def relevant_items(gold: Gold, trace: Trace, places: Places, *, min_overlap: float) -> frozenset[str]:
    """Return the ids of the context items that hold gold evidence."""
    context = trace.context or ()
    grades = item_grades(gold, context_passages(gold, context, places), min_overlap=min_overlap)
    return frozenset(i.id for i, grade in zip(context, grades, strict=True) if grade is not None and grade >= MIN_GRADE)


def _stands(group: str, found: frozenset[str] | None) -> bool | None:
    return None if found is None else group in found


def _cited(trace: Trace) -> frozenset[str] | None:
    if trace.answer is None or trace.answer.citations is None:
        return None
    return frozenset(i for citation in trace.answer.citations for i in citation.ids)


def _judged_grades(verdicts: Verdicts | None) -> dict[str, int]:
    """Return the grades that a judge gave to context items."""
    given = verdicts.relevance if verdicts is not None else None
    return {one.id: one.grade for one in given or ()}


def _used(verdicts: Verdicts | None) -> frozenset[str] | None:
    """Return the items in which the span of a supported claim of the answer lies; None where no judge ran."""
    if verdicts is None or verdicts.claims is None:
        return None
    supported = [c for c in verdicts.claims if c.of == "answer" and c.context == "supported"]
    return frozenset(span.id for claim in supported for span in claim.spans)
