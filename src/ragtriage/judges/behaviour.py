"""What an answer does, read from its phrases: it answers, refuses, asks back or hands over; and mere courtesies."""

from __future__ import annotations

import regex

from ragtriage.core.records import Behaviour
from ragtriage.judges.phrases import ABSTAIN, CLARIFY, COURTESY, ESCALATE, REFER
from ragtriage.text.late import late
from ragtriage.text.sentences import sentences

__all__ = ["RULES", "is_courtesy", "is_refusal", "read_behaviour"]

RULES = (ABSTAIN, CLARIFY, ESCALATE, COURTESY, REFER)
"""All of the data, for the identity of what was judged by it."""


def _any(patterns: tuple[str, ...]) -> regex.Pattern[str]:
    return late("|".join(f"(?:{p})" for p in patterns), regex.IGNORECASE)


_PHRASES: tuple[tuple[Behaviour, regex.Pattern[str]], ...] = (
    ("escalate", _any(ESCALATE)),
    ("abstain", _any(ABSTAIN)),
    ("clarify", _any(CLARIFY)),
)
_POLITE = late(rf"[\W_]*(?:{'|'.join(COURTESY)})[\W_]*", regex.IGNORECASE)
_REFERS = _any(REFER)


def is_refusal(sentence: str) -> bool:
    """Say whether a sentence says that there is no answer, asks back or hands over, and so states nothing to check.

    >>> is_refusal("В документах нет информации об этом."), is_refusal("Комиссии нет.")
    (True, False)
    """
    text = sentence.replace("’", "'")
    return any(pattern.search(text) is not None for _, pattern in _PHRASES)


def is_courtesy(sentence: str) -> bool:
    """Say whether a sentence is nothing but a greeting, thanks or an offer of help.

    >>> is_courtesy("Hello!"), is_courtesy("Hello, the fee is 5 ₸.")
    (True, False)
    """
    return _POLITE.fullmatch(sentence.replace("’", "'")) is not None


def read_behaviour(answer: str) -> Behaviour:
    """Say what an answer does: hand over, refuse or ask back where that is its main part, else answer.

    It is the main part when it stands in the first statement, or when no more other statements stand beside it;
    sentences that only send the reader elsewhere are no statements.

    >>> read_behaviour("I don't know."), read_behaviour("Қай картаны айтасыз? Нақтылап беріңіз.")
    ('abstain', 'clarify')
    """
    pieces = [s.text.replace("’", "'") for s in sentences(answer) if not is_courtesy(s.text)]
    for behaviour, pattern in _PHRASES:
        hits = [p for p in pieces if pattern.search(p)]
        others = [p for p in pieces if not pattern.search(p) and not _REFERS.search(p)]
        if hits and (pieces[0] in hits or len(others) <= len(hits)):
            return behaviour
    return "answer"
