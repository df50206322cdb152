"""Whether the same question gets the same answer."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import Literal

from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.core.views import RepeatsView
from ragtriage.text.normalise import fold_text
from ragtriage.text.tokens import words


@metric(
    title="Self-consistency",
    unit="fraction of repeats, or mean word overlap of pairs of them",
    bounds=(0, 1),
    better="higher",
    source="Wang et al. 2023, self-consistency; SelfCheckGPT (Manakul et al. 2023)",
)
def self_consistency(view: RepeatsView, *, form: Literal["modal", "similarity"] = "modal") -> Score:
    """Agreement of the answers of one question asked several times.

    Form `modal`: share of the answers that equal the commonest one after folding. Form `similarity`: mean Jaccard
    overlap of the words of each pair. Undefined when fewer than two answers came.

    >>> self_consistency(RepeatsView(("1 %", "1 %", "2 %", "1 %")))
    Value(value=0.75, support=4)
    """
    answers = view.answers
    if len(answers) < 2:  # noqa: PLR2004 - agreement needs two
        return Undefined("the question was not answered at least twice")
    if form == "modal":
        counts = Counter(" ".join(fold_text(answer).split()) for answer in answers)
        return Value(max(counts.values()) / len(answers), support=len(answers))
    pairs = [(set(words(a)), set(words(b))) for a, b in combinations(answers, 2)]
    overlaps = [len(a & b) / len(a | b) if a | b else 1.0 for a, b in pairs]
    return Value(sum(overlaps) / len(overlaps), support=len(overlaps))
