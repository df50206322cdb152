"""Whether the same question on the same snapshot gets the same answer."""

from __future__ import annotations

from typing import Literal

from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.core.views import RepeatsView
from ragtriage.text.amounts import read_amounts
from ragtriage.text.normalise import fold_text
from ragtriage.text.tokens import words


@metric(
    title="Reproducibility rate",
    unit="fraction of questions",
    bounds=(0, 1),
    better="higher",
    source="Metrics for every stage of RAG, part 7",
)
def reproducibility_rate(view: RepeatsView, *, form: Literal["exact", "semantic"] = "exact") -> Score:
    """1 if all answers to the question are the same, else 0; one run asks them of one pinned snapshot.

    Form `exact`: the same text, character for character. Form `semantic`: the same words, numbers and dates in any
    order, case and punctuation left aside. At temperature 0 anything under 1 says that chance sits elsewhere in the
    pipeline. Undefined when fewer than two answers came (`[run] repeat` asks more than once).

    >>> answers = RepeatsView(("The fee is 1,000.", "the fee is 1000"))
    >>> reproducibility_rate(answers), reproducibility_rate(answers, form="semantic")
    (Value(value=0.0, support=1), Value(value=1.0, support=1))
    """
    if len(view.answers) < 2:  # noqa: PLR2004 - sameness needs two
        return Undefined("the question was not answered at least twice")
    forms = {answer if form == "exact" else _meaning(answer) for answer in view.answers}
    return Value(float(len(forms) == 1), 1)


def _meaning(answer: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the words that are no part of an amount, and the amounts, each sorted."""
    found = read_amounts(answer)
    amounts = [
        *(f"{n.values} {n.unit}" for n in found.numbers),
        *(f"{sorted(map(str, d.readings))}" for d in found.dates),
    ]
    rest = list(answer)
    for start, end in [*((n.start, n.end) for n in found.numbers), *((d.start, d.end) for d in found.dates)]:
        rest[start:end] = " " * (end - start)
    return tuple(sorted(words(fold_text("".join(rest))))), tuple(sorted(amounts))
