"""Which of two answers a judge prefers, asked in both orders, without a name of whoever answered."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

import regex

from ragtriage.core.identity import hash_json
from ragtriage.core.views import PreferenceView
from ragtriage.judges.asking import Ask
from ragtriage.judges.calling import Asker
from ragtriage.judges.catalogue import RUBRICS
from ragtriage.text.tokens import count_words

__all__ = ["Contest", "masked", "prefer"]

_STRAIGHT: dict[str, Literal["candidate", "base", "tie"]] = {"first": "candidate", "second": "base", "tie": "tie"}
_SWAPPED: dict[str, Literal["candidate", "base", "tie"]] = {"first": "base", "second": "candidate", "tie": "tie"}
_MASK = "[name]"
_LEAST = 4
_ORDINARY = regex.compile(r"\p{L}+")


@dataclass(frozen=True, slots=True)
class Contest:
    """One question and two answers to it; `reference` where there is a right one.

    `names`: of models and systems, which the judge must not see in an answer.
    """

    question: str
    candidate: str
    base: str
    reference: str | None = None
    names: tuple[str, ...] = ()


def masked(text: str, names: Collection[str]) -> str:
    """Return a text without the names of whoever may have written it.

    A name of letters alone (`phi`, `command`) may be a word of the answer and stays.

    >>> masked("As gpt-4o-mini I say: 5 euro. As phi I agree.", ["gpt-4o-mini", "phi"])
    'As [name] I say: 5 euro. As phi I agree.'
    """
    told = {part for name in names for part in (name, name.rpartition("/")[2])}
    hidden = sorted((n for n in told if len(n) >= _LEAST and not _ORDINARY.fullmatch(n)), key=lambda n: (-len(n), n))
    if not hidden:
        return text
    pattern = "|".join(map(regex.escape, hidden))
    named = regex.compile(rf"(?<![\p{{L}}\p{{N}}])(?:{pattern})(?![\p{{L}}\p{{N}}])", regex.IGNORECASE)
    return str(named.sub(_MASK, text))


async def prefer(asker: Asker, contest: Contest) -> PreferenceView:
    """Return what the judge prefers with the candidate first, and with it second; raises AskFailed.

    Which order is asked first is drawn by lot from the seed and the texts.
    """
    shared = {"question": contest.question}
    if contest.reference is not None:
        shared["reference"] = contest.reference
    rubric = RUBRICS["pairwise_preference"]
    candidate, base = (masked(text, contest.names) for text in (contest.candidate, contest.base))
    orders = ((candidate, base), (base, candidate))
    asks = [Ask(rubric, {**shared, "first": first, "second": second}) for first, second in orders]
    turn = -1 if int(hash_json([asker.seed, contest.question, *sorted(orders[0])])[0], 16) % 2 else 1
    (straight,), (swapped,) = (await asker.ask_all(asks[::turn]))[::turn]
    return PreferenceView(
        straight=_STRAIGHT[straight.values["better"]],
        swapped=_SWAPPED[swapped.values["better"]],
        candidate_words=count_words(contest.candidate),
        base_words=count_words(contest.base),
    )
