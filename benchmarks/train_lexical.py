"""Fit the few weights of the code-only judge's score on public sets and write them where the judge reads them.

    python benchmarks/train_lexical.py ../shared/data src/ragtriage/judges/weights/lexical.toml

A logistic regression over the figures of `weighing.Measured`, on QAGS-CNN/DM, QAGS-XSum, Topical-Chat and SciFact (is
the claim supported). Every set has the same weight and an intercept of its own, so that only what tells texts of one
set apart counts; the bias that is written is the mean of the intercepts. Each weight is held to its sign, and a ridge
keeps them small. The data is not copied: the file holds the weights alone.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import numpy as np
from judge_sets import CONSISTENCY, Row, consistency, scifact
from scipy.optimize import minimize
from sklearn.metrics import roc_auc_score

from ragtriage.judges.lexical import verify
from ragtriage.judges.nearness import nearness_of
from ragtriage.judges.sources import read_source
from ragtriage.judges.weighing import Measured
from ragtriage.text.language import guess_language

FIGURES = [field.name for field in fields(Measured)]
SIGNS = {"missing": -1, "copied": 1, "dense": 1, "linked": 1, "personal": -1, "supported": 1, "contradicted": -1}
RIDGE = 0.0025
FOLDS, REPEATS, SEED = 5, 5, 20260101


@dataclass(frozen=True)
class Set:
    """One set: figures [texts, figures], whether people say yes, and which source each text has."""

    figures: np.ndarray
    yes: np.ndarray
    sources: list[str]


@dataclass(frozen=True)
class Fit:
    """Weights by figure, and one intercept a set."""

    weights: np.ndarray
    intercepts: np.ndarray


def measured(row: Row) -> list[float]:
    """Return the figures of one text."""
    language = guess_language(row.text) or guess_language(row.source)
    source = read_source(row.source, guess_language(row.source) or language)
    near = nearness_of(row.text, row.source, source, language=language)
    return list(asdict(Measured.of(near, verify(row.text, row.source).label)).values())


def read_sets(folder: Path) -> dict[str, Set]:
    """Return all sets by name."""
    rows = {**{name: consistency(folder, name) for name in CONSISTENCY}, "scifact": scifact(folder)}
    return {
        name: Set(
            np.array([measured(row) for row in found]),
            np.array([row.label in {"yes", "supported"} for row in found]),
            [hashlib.sha256(row.source.encode()).hexdigest() for row in found],
        )
        for name, found in rows.items()
    }


def fit(sets: Sequence[Set]) -> Fit:
    """Fit one regression to all sets."""
    spread = np.sqrt(np.mean([s.figures.var(axis=0) for s in sets], axis=0)) + 1e-9
    figures = np.vstack([s.figures for s in sets]) / spread
    which = np.repeat(np.arange(len(sets)), [len(s.yes) for s in sets])
    target = np.where(np.concatenate([s.yes for s in sets]), 1.0, -1.0)
    shares = np.concatenate([np.full(len(s.yes), 1 / len(s.yes) / len(sets)) for s in sets])
    count = figures.shape[1]

    def loss(found: np.ndarray) -> tuple[float, np.ndarray]:
        margin = target * (figures @ found[:count] + found[count:][which])
        slope = -target * shares / (1 + np.exp(margin))
        intercepts = np.bincount(which, weights=slope, minlength=len(sets))
        gradient = np.concatenate([figures.T @ slope + RIDGE * found[:count], intercepts])
        return float(shares @ np.logaddexp(0, -margin) + RIDGE / 2 * (found[:count] ** 2).sum()), gradient

    held = [(0, None) if SIGNS[name] > 0 else (None, 0) for name in FIGURES]
    found = minimize(loss, np.zeros(count + len(sets)), jac=True, bounds=held + [(None, None)] * len(sets)).x
    return Fit(found[:count] / spread, found[count:])


def fold_of(sources: Sequence[str], seed: int) -> np.ndarray:
    """Return a fold for each text; texts of one source share it."""
    each = sorted(set(sources))
    np.random.default_rng(seed).shuffle(each)
    number = {source: i % FOLDS for i, source in enumerate(each)}
    return np.array([number[source] for source in sources])


def part(whole: Set, kept: np.ndarray) -> Set:
    """Return some of the texts of a set."""
    return Set(whole.figures[kept], whole.yes[kept], [s for s, k in zip(whole.sources, kept, strict=True) if k])


def out_of_fold(sets: dict[str, Set], seed: int) -> dict[str, np.ndarray]:
    """Return scores by set, each text's from weights that were fitted without its fold; standardised by fold."""
    folds = {name: fold_of(one.sources, seed) for name, one in sets.items()}
    found = {name: np.zeros(len(one.yes)) for name, one in sets.items()}
    for fold in range(FOLDS):
        trained = {name: part(one, folds[name] != fold) for name, one in sets.items()}
        weights = fit(list(trained.values())).weights
        for name, one in sets.items():
            known = trained[name].figures @ weights
            kept = folds[name] == fold
            found[name][kept] = (one.figures[kept] @ weights - known.mean()) / known.std()
    return found


def without_own_set(sets: dict[str, Set]) -> dict[str, np.ndarray]:
    """Return scores by set, from weights that were fitted on the other sets alone."""
    return {
        name: one.figures @ fit([other for key, other in sets.items() if key != name]).weights
        for name, one in sets.items()
    }


def page(found: Fit) -> str:
    """Return the file of weights."""
    weights = [f"{name} = {value:.3f}" for name, value in zip(FIGURES, found.weights, strict=True)]
    return "\n".join(
        [
            "# Written by benchmarks/train_lexical.py; do not edit by hand.",
            "version = 1",
            'source = "QAGS-CNN/DM, QAGS-XSum, Topical-Chat and SciFact, by benchmarks/train_lexical.py"',
            f"bias = {found.intercepts.mean():.3f}",
            "",
            "[weights]",
            *weights,
            "",
        ]
    )


if __name__ == "__main__":
    known = read_sets(Path(sys.argv[1]))
    whole = fit(list(known.values()))
    Path(sys.argv[2]).write_text(page(whole), encoding="utf-8")
    repeats = [out_of_fold(known, SEED + i) for i in range(REPEATS)]
    others = without_own_set(known)
    for name, one in known.items():
        print(
            f"{name}: trained on {roc_auc_score(one.yes, one.figures @ whole.weights):.3f}",
            f"other folds {np.mean([roc_auc_score(one.yes, scores[name]) for scores in repeats]):.3f}",
            f"other sets {roc_auc_score(one.yes, others[name]):.3f}",
        )
    print(page(whole))
