"""Which of two answers a judge prefers, asked in both orders, without a name of whoever answered."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Literal

from ragtriage.core.views import PreferenceView
from ragtriage.judges.asking import Ask
from ragtriage.judges.calling import Asker
from ragtriage.judges.catalogue import RUBRICS
from ragtriage.text.tokens import count_words

__all__ = ["Contest", "prefer"]

_STRAIGHT: dict[str, Literal["candidate", "base", "tie"]] = {"first": "candidate", "second": "base", "tie": "tie"}
_SWAPPED: dict[str, Literal["candidate", "base", "tie"]] = {"first": "base", "second": "candidate", "tie": "tie"}


@dataclass(frozen=True, slots=True)
class Contest:
    """One question and two answers to it; `reference` where there is a right one."""

    question: str
    candidate: str
    base: str
    reference: str | None = None


async def prefer(asker: Asker, contest: Contest) -> PreferenceView:
    """Return what the judge prefers with the candidate first, and with it second; raises AskFailed."""
    shared = {"question": contest.question}
    if contest.reference is not None:
        shared["reference"] = contest.reference
    rubric = RUBRICS["pairwise_preference"]
    orders = ((contest.candidate, contest.base), (contest.base, contest.candidate))
    asks = [Ask(rubric, {**shared, "first": first, "second": second}) for first, second in orders]
    (straight,), (swapped,) = await asyncio.gather(*(asker.ask(ask) for ask in asks))
    return PreferenceView(
        straight=_STRAIGHT[straight.values["better"]],
        swapped=_SWAPPED[swapped.values["better"]],
        candidate_words=count_words(contest.candidate),
        base_words=count_words(contest.base),
    )
