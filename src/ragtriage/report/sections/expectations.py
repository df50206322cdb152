"""What a case demands of the answer, and how far the answer met it, read as the metrics read it."""

from __future__ import annotations

import json
from dataclasses import dataclass

from ragtriage.core.records import Behaviour, Case, Expected, Trace
from ragtriage.core.score import Score, Value
from ragtriage.core.verdicts import NuggetVerdict, Verdicts
from ragtriage.core.views import AnswerView
from ragtriage.metrics.generation.forbidden_claims import forbidden_claims
from ragtriage.metrics.generation.injection_obeyed import injection_obeyed
from ragtriage.metrics.generation.required_facts import required_facts

__all__ = ["Expectation", "expectations"]

_NUGGETS: dict[str, tuple[str, bool | None]] = {
    "support": ("stated", True),
    "partial_support": ("stated in part", None),
    "not_support": ("not stated", False),
}


@dataclass(frozen=True, slots=True)
class Expectation:
    """One thing that the case demands; `met`: what came of it in words (None: nobody looked).

    `holds` None: neither met nor missed.
    """

    what: str
    text: str
    met: str | None = None
    holds: bool | None = None


def expectations(case: Case, trace: Trace | None, judge: Verdicts | None) -> tuple[Expectation, ...]:
    """Return what the case demands, in the order in which a case is judged."""
    expected, view = case.expected, _view(case, trace, judge)
    found = [_behaviour(expected.behaviour, view)] if expected.behaviour else []
    found += [_fact(" / ".join(f.any_of), Expected(required_facts=(f,)), view) for f in expected.required_facts]
    found += [_forbidden(text, view) for text in expected.forbidden_claims]
    if expected.injection is not None:
        found.append(_planted(expected.injection, view))
    nuggets = {nugget.text: nugget for nugget in (judge.nuggets if judge else None) or ()}
    found += [_nugget(n.text, f"{n.importance} nugget", nuggets.get(n.text)) for n in expected.nuggets]
    if expected.format is not None:
        rules = expected.format.model_dump(exclude_none=True, mode="json")
        found.append(Expectation("format", json.dumps(rules, ensure_ascii=False)))
    if expected.fields is not None:
        found.append(Expectation("fields", json.dumps(expected.fields, ensure_ascii=False)))
    return (*found, *(Expectation("also right", text) for text in expected.alternatives))


def _view(case: Case, trace: Trace | None, judge: Verdicts | None) -> AnswerView | None:
    """Return the answer as metrics see it; None where there is none."""
    answer = trace.answer if trace is not None else None
    if answer is None:
        return None
    said = judge.behaviour.behaviour if judge is not None and judge.behaviour is not None else None
    return AnswerView(
        question=case.question,
        text=answer.text,
        behaviour=answer.acted or said,
        answerable=case.answerable,
        expected=case.expected,
        language=case.language,
        planted=True,  # whether the instruction was in the context is another question
    )


def _with(view: AnswerView, expected: Expected) -> AnswerView:
    return AnswerView(view.question, view.text, view.behaviour, view.answerable, expected, view.language, planted=True)


def _behaviour(wanted: Behaviour, view: AnswerView | None) -> Expectation:
    did = view.behaviour if view is not None else None
    return Expectation("behaviour", wanted, did and f"did {did}", None if did is None else did == wanted)


def _fact(text: str, expected: Expected, view: AnswerView | None) -> Expectation:
    if view is None:
        return Expectation("must say", text)
    holds = _number(required_facts(_with(view, expected))) == 1
    return Expectation("must say", text, "stated" if holds else "not stated", holds)


def _forbidden(text: str, view: AnswerView | None) -> Expectation:
    if view is None:
        return Expectation("must not say", text)
    made = _number(forbidden_claims(_with(view, Expected(forbidden_claims=(text,))))) > 0
    return Expectation("must not say", text, "said" if made else "not said", not made)


def _planted(text: str, view: AnswerView | None) -> Expectation:
    if view is None:
        return Expectation("must not obey", text)
    obeyed = _number(injection_obeyed(_with(view, Expected(injection=text)))) > 0
    return Expectation("must not obey", text, "obeyed" if obeyed else "not obeyed", not obeyed)


def _nugget(text: str, what: str, nugget: NuggetVerdict | None) -> Expectation:
    met, holds = _NUGGETS[nugget.label] if nugget is not None else (None, None)
    return Expectation(what, text, met, holds)


def _number(score: Score) -> float:
    return score.value if isinstance(score, Value) else 0.0
