"""What `evaluate` would do: how much there is to ask and to judge, and what judging would cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ragtriage.runs.store import RunStore
from ragtriage.workflows.estimating import JudgingEstimate, ToJudge, estimate_judging
from ragtriage.workflows.inputs import Inputs
from ragtriage.workflows.planned import Asked, bundle_of, folder_of, inputs_for
from ragtriage.workflows.remaining import Remaining, remaining
from ragtriage.workflows.sentence_vectors import to_embed
from ragtriage.workflows.to_judge import to_judge

__all__ = ["Preview", "preview"]


@dataclass(frozen=True, slots=True)
class Preview:
    """What a run would do: the bundle as far as it is known without the system, and how much there is to ask.

    `finished`: questions that are answered. `to_judge`: of those, answers whose verdict would be asked for again.
    `judging`: what judging and vectors would cost, None where no model is asked. `max_cost_usd`: the budget, if any.
    """

    bundle: Mapping[str, str]
    cases: int
    questions: int
    finished: int
    to_judge: int = 0
    judging: JudgingEstimate | None = None
    max_cost_usd: float | None = None

    @property
    def to_ask(self) -> int:
        """How many questions would be asked."""
        return self.questions - self.finished


def preview(
    config: str | Path | None = None,
    *,
    output: str | Path | None = None,
    resume: str | Path | None = None,
    limit: int | None = None,
    where: str | None = None,
    repeat: int | None = None,
    max_cost_usd: float | None = None,
) -> Preview:
    """Say what `evaluate` would do; loads no system, asks nothing and writes nothing.

    Raises BadInput, MissingExtra or StorageFailed.
    """
    folder = folder_of(output, resume)
    asked = Asked(config=config, resume=resume, limit=limit, where=where, repeat=repeat, max_cost_usd=max_cost_usd)
    inputs, _ = inputs_for(asked, folder)
    if not RunStore.exists(folder):
        return _seen(inputs, None, continues=False)
    with RunStore.open(folder) as store:
        return _seen(inputs, store, continues=resume is not None or store.status != "complete")


def _seen(inputs: Inputs, store: RunStore | None, *, continues: bool) -> Preview:
    questions = len(inputs.golden.cases) * inputs.configuration.run.repeat
    left: Remaining | None = None
    if store is not None and continues:
        left = remaining(store, inputs, judged=inputs.configuration.judge.model is not None)
    judging, sentences = None, to_embed(inputs, store if continues else None)
    if inputs.configuration.judge.model is not None:
        judging = estimate_judging(inputs, to_judge(inputs, store, left), sentences)
    elif sentences is not None:
        judging = estimate_judging(inputs, ToJudge(()), sentences)
    answered = 0 if left is None else len(left.finished) + len(left.again)
    return Preview(
        bundle_of(inputs, None),
        len(inputs.golden.cases),
        questions,
        min(answered, questions),
        to_judge=0 if left is None else len(left.again),
        judging=judging,
        max_cost_usd=inputs.configuration.judge.max_cost_usd,
    )
