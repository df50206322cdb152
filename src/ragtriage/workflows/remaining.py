"""What is left to do in a run: questions that nobody answered, and answers whose verdict the endpoint failed to bring.

An answer is judged again where a question to the judge brought no reply (rate limit, time-out, server error, broken
connection, refusal), and where judging it broke. Its system is not asked again, and neither is what the judge did say:
a reply that came and was no verdict stays counted as it is, because the same question would be paid for twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from ragtriage.core.verdicts import Verdicts
from ragtriage.runs.execute import Item, pending
from ragtriage.runs.store import JUDGE, RunStore
from ragtriage.runs.systems.opening import Opened
from ragtriage.workflows.inputs import Inputs

__all__ = ["Remaining", "items_of", "remaining"]

Key: TypeAlias = tuple[str, int]


@dataclass(frozen=True)
class Remaining:
    """What of a run is done. `finished`: (case id, repeat) that need nothing more; `again`: answers to judge again."""

    finished: frozenset[Key] = frozenset()
    again: Mapping[Key, Item] = field(default_factory=dict)


def remaining(store: RunStore, inputs: Inputs, *, judged: bool) -> Remaining:
    """Read what is done; `judged`: a judge runs at all."""
    answered = store.finished()
    if not judged or not answered:
        return Remaining(answered)
    again: dict[Key, Item] = {}
    for number in range(inputs.configuration.run.repeat):
        again.update(_judged_again(store, inputs, number))
    again = {key: item for key, item in again.items() if key in answered}
    return Remaining(answered - set(again), again)


def _judged_again(store: RunStore, inputs: Inputs, number: int) -> Iterator[tuple[Key, Item]]:
    broke = {name for name, failed in store.failures(repeat=number).items() if failed.stage == JUDGE}
    said = store.verdicts(repeat=number)
    lacking: dict[str, Verdicts | None] = dict.fromkeys(broke)
    lacking |= {name: verdicts for name, verdicts in said if any(failure.passing for failure in verdicts.failed)}
    if not lacking:
        return
    cases = {case.case_id: case for case in inputs.golden.cases}
    for name, trace in store.traces(repeat=number):
        if name in lacking and name in cases:
            yield (name, number), Item(cases[name], number, trace, lacking[name])


def items_of(opened: Opened, inputs: Inputs, left: Remaining) -> Iterator[Item]:
    """Yield what is to be asked or judged: first what is to be judged again, then what nobody answered."""
    cases, repeat = inputs.golden.cases, inputs.configuration.run.repeat
    yield from left.again.values()
    seen = {*left.finished, *left.again}
    if opened.recorded is not None:
        for case, number, trace in opened.recorded.of(cases, repeat=repeat):
            if (case.case_id, number) not in seen:
                seen.add((case.case_id, number))
                yield Item(case, number, trace)
    yield from pending(cases, repeat=repeat, finished=frozenset(seen))
