"""Evidence in the context and evidence dropped on the way, over the same groups."""

from __future__ import annotations

import pytest

from ragtriage.core.score import Undefined, Value
from ragtriage.core.views import ContextView, GroupState
from ragtriage.metrics.context.dropped_evidence import dropped_evidence
from ragtriage.metrics.context.evidence_recall import evidence_recall


def view(*groups: tuple[bool | None, bool | None]) -> ContextView:
    states = (GroupState(str(n), found, found, kept) for n, (found, kept) in enumerate(groups))
    return ContextView(items=(), groups=tuple(states))


@pytest.mark.parametrize(
    ("groups", "recall", "dropped"),
    [
        ([(True, True), (True, True)], Value(1.0, 2), Value(0.0, 2)),
        ([(True, True), (True, False), (True, False), (False, False)], Value(0.25, 4), Value(2 / 3, 3)),
        ([(False, True), (True, True)], Value(1.0, 2), Value(0.0, 1)),
        ([(False, False)], Value(0.0, 1), Undefined("no needed evidence is among the candidates")),
        ([], Undefined("the case needs no evidence"), Undefined("no needed evidence is among the candidates")),
        ([(None, True)], Value(1.0, 1), Undefined("the trace does not record both candidates and context")),
        ([(True, None)], Undefined("the trace records no context"),
         Undefined("the trace does not record both candidates and context")),
    ],
)  # fmt: skip
def test_groups_are_counted_in_the_context_and_against_the_candidates(
    groups: list[tuple[bool | None, bool | None]], recall: object, dropped: object
) -> None:
    assert evidence_recall(view(*groups)) == recall
    assert dropped_evidence(view(*groups)) == dropped
