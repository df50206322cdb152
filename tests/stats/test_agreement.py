"""Agreement beyond chance against sklearn, published tables and a slow second opinion."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score, confusion_matrix

from ragtriage.stats.agreement import (
    agreement,
    cohen_kappa,
    confusion,
    gwet_ac1,
    interval,
    krippendorff_alpha,
    precision_recall,
)

LABELS = ["a", "b", "c", "d"]


def pairs_of(seed, n=60):
    chance = random.Random(seed)
    return [(x, x if chance.random() < 0.6 else chance.choice(LABELS)) for x in chance.choices(LABELS, k=n)]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("weights", ["none", "linear", "quadratic"])
def test_kappa_and_confusion_agree_with_sklearn(seed, weights):
    pairs = pairs_of(seed)
    first, second = zip(*pairs, strict=True)
    theirs = cohen_kappa_score(first, second, labels=LABELS, weights=None if weights == "none" else weights)
    assert cohen_kappa(pairs, LABELS, weights=weights) == pytest.approx(theirs, abs=1e-9)
    assert confusion(pairs, LABELS) == confusion_matrix(first, second, labels=LABELS).tolist()


# Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability", section C: four observers, twelve units.
TABLE = [
    [1, 1, None, 1], [2, 2, 3, 2], [3, 3, 3, 3], [3, 3, 3, 3], [2, 2, 2, 2], [1, 2, 3, 4],
    [4, 4, 4, 4], [1, 1, 2, 1], [2, 2, 2, 2], [None, 5, 5, 5], [None, None, 1, 1], [None, None, 3, None],
]  # fmt: skip


@pytest.mark.parametrize(("level", "value"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_alpha_is_that_of_the_published_table(level, value):
    units = [[None if r is None else str(r) for r in unit] for unit in TABLE]
    assert krippendorff_alpha(units, list("12345"), level=level) == pytest.approx(value, abs=5e-4)


def test_alpha_is_one_minus_the_mean_disagreement_of_pairs_over_that_of_all_pairs():
    chance = random.Random(4)
    units = [[chance.choice("ab") for _ in range(3)] for _ in range(30)]
    flat = [r for unit in units for r in unit]
    seen = np.mean([np.mean([a != b for a, b in itertools.permutations(unit, 2)]) for unit in units])
    every = np.mean([a != b for a, b in itertools.permutations(flat, 2)])
    assert krippendorff_alpha(units, ["a", "b"]) == pytest.approx(1 - seen / every, abs=1e-12)


def test_ac1_is_that_of_its_formula_and_does_not_fall_where_one_label_is_rare():
    # Gwet 2002: 118 times both yes, 5 and 2 disagreements, 0 times both no.
    pairs = [("y", "y")] * 118 + [("y", "n")] * 5 + [("n", "y")] * 2
    pe = 2 * (243 / 250) * (7 / 250)
    assert gwet_ac1(pairs, ["y", "n"]) == pytest.approx((118 / 125 - pe) / (1 - pe), abs=1e-12)
    kappa = cohen_kappa(pairs, ["y", "n"])
    assert kappa is not None
    assert kappa < 0


def test_what_has_no_value_is_none_and_never_a_number():
    assert cohen_kappa([("a", "a")] * 9, LABELS) is None
    assert cohen_kappa([], LABELS) is None
    assert agreement([]) is None
    assert krippendorff_alpha([["a"], [None, "b"]], LABELS) is None
    assert krippendorff_alpha([["a", "a"], ["a", "a"]], LABELS) is None
    assert gwet_ac1([], LABELS) is None
    with pytest.raises(ValueError, match="none of the labels"):
        confusion([("a", "z")], LABELS)


def test_precision_and_recall_of_a_label_are_counts():
    pairs = [("a", "a"), ("a", "b"), ("b", "a"), ("b", "a")]
    assert precision_recall(pairs, "a") == ((1, 3), (1, 2))


def test_the_interval_holds_the_value_and_narrows_with_more_pairs():
    def kappa(pairs):
        return cohen_kappa(pairs, LABELS)

    few, many = (interval(kappa, pairs_of(1, n), resamples=300, seed=1) for n in (40, 400))
    value = kappa(pairs_of(1, 40))
    assert few[0] <= value <= few[1]
    assert many[1] - many[0] < few[1] - few[0]
    assert interval(kappa, [("a", "a")] * 9, seed=1) is None
