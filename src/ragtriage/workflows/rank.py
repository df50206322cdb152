"""Score runs against judgements: every rank metric per question and in the mean, with intervals and counts."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ragtriage.core.catalogue import METRICS
from ragtriage.core.errors import BadInput, UnknownName
from ragtriage.core.rankings import Rankings
from ragtriage.core.score import Scores
from ragtriage.data.rank_files import read_judgements, read_run
from ragtriage.data.rankings import AlignedRun, Judgements, Order, RankedRun, Vocabulary, align
from ragtriage.runs.selection import Selected, parse_name
from ragtriage.stats.bootstrap import bootstrap_ratios, resampled_statistic

__all__ = ["DEFAULT_METRICS", "NAMES_SHOWN", "Like", "MetricSummary", "RankReport", "RunScores", "rank"]

Like = Literal["trec_eval"]
DEFAULT_METRICS = ("recall@10", "precision@10", "hit_rate@10", "mrr", "ndcg@10", "map")
ALIASES = {"mrr": "reciprocal_rank", "map": "average_precision"}
TREC_EVAL_DEFAULTS: Mapping[str, Mapping[str, object]] = {
    "retrieval.ndcg": {"gain": "linear"},
    "retrieval.rbp": {"p": 0.9, "gain": "graded"},
}
# What trec_eval itself offers; where nothing is relevant it gives 0 and counts the question.
OF_TREC_EVAL = frozenset(
    f"retrieval.{name}"
    for name in (
        *("recall", "precision", "hit_rate", "reciprocal_rank", "ndcg"),
        *("average_precision", "r_precision", "bpref", "rbp"),
    )
)
_STAGE = "retrieval."
NAMES_SHOWN = 5


@dataclass(frozen=True, slots=True)
class MetricSummary:
    """One metric of one run: `asked` as it was named, its value over all scored questions, and how many those are.

    `missing`: questions that have relevant documents and no ranking. `reason`: why there is no value.
    """

    asked: str
    value: float | None
    interval: tuple[float, float] | None
    scored: int
    undefined: int
    missing: int
    failed: int = 0
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class RunScores:
    """One run: its metrics, and their scores by question in the order of the judgements."""

    name: str
    metrics: tuple[MetricSummary, ...]
    questions: tuple[str, ...]
    scores: Mapping[str, Scores]


@dataclass(frozen=True, slots=True)
class RankReport:
    """All runs, and what a reader has to know about the files they came from."""

    runs: tuple[RunScores, ...]
    notes: tuple[str, ...]


def rank(
    qrels: Path,
    runs: Sequence[Path],
    *,
    metrics: Sequence[str] = DEFAULT_METRICS,
    order: Order = "score",
    min_grade: int = 1,
    grade_map: Mapping[str, int] | None = None,
    like: Like | None = None,
    seed: int = 20260101,
    resamples: int = 1000,
    names_shown: int = NAMES_SHOWN,
) -> RankReport:
    """Score each run by each metric against the judgements.

    Every question with a judgement is asked of every run: a question without a ranking scores 0 and is counted as
    missing, a ranking of an unknown question is left out and noted. `like="trec_eval"`: questions without relevant
    documents score 0 and count, a grade below 0 is unjudged, nDCG is linear, RBP graded with p = 0.9. `names_shown`:
    how many questions a note names. Raises BadInput with every fault of a file, UnknownName for a metric.
    """
    chosen = {asked: _selected(asked, like) for asked in dict.fromkeys(metrics)}
    documents = Vocabulary()
    judgements = read_judgements(qrels, documents=documents, grade_map=grade_map)
    notes = list(_notes_on_judgements(qrels.name, judgements))
    if like == "trec_eval":
        judgements = judgements.without_negative()
    found = []
    for path, name in zip(runs, _names(runs), strict=True):
        run = replace(read_run(path, documents=documents, need_rank=order == "rank"), name=name)
        aligned = align(judgements, run, order=order)
        scores, missing = _score(aligned, chosen, min_grade, like)
        notes.extend(_notes_on_run(run, aligned, missing, order, names_shown))
        questions = aligned.questions
        del run, aligned  # intervals are not drawn beside millions of rows
        summaries = _summaries(chosen, scores, missing=len(missing), seed=seed, resamples=resamples)
        found.append(RunScores(name, summaries, questions, scores))
    return RankReport(tuple(found), tuple(notes))


def _selected(asked: str, like: Like | None) -> Selected:
    """Find the metric that a name means: short (`mrr@10`) or in full (`retrieval.reciprocal_rank@10`)."""
    base = asked.strip().partition("@")[0].partition("(")[0].strip()
    short = base.removeprefix(_STAGE)
    name = base if "." in short else f"{_STAGE}{ALIASES.get(short, short)}"
    if name not in METRICS:
        known = [*ALIASES, *(n.removeprefix(_STAGE) for n in METRICS.names() if n.startswith(_STAGE))]
        raise UnknownName(short, known=known, what="rank metric")
    selected = parse_name(name + asked.strip()[len(base) :])
    if selected.metric.view is not Rankings:
        raise BadInput(f"{asked!r} needs more than judgements and one run, so `rank` cannot compute it")
    options = list(inspect.signature(selected.metric.compute).parameters.values())[1:]
    lacking = [o.name for o in options if o.default is inspect.Parameter.empty and o.name not in selected.parameters]
    if lacking:
        example = f"{base}@10" if lacking == ["k"] else f"{base}({', '.join(f'{n}=...' for n in lacking)})"
        raise BadInput(f"{asked!r} needs {' and '.join(lacking)}: write it like {example!r}")
    if like == "trec_eval":
        defaults = TREC_EVAL_DEFAULTS.get(name, {})
        selected = replace(selected, parameters={**defaults, **selected.parameters})
    return selected


def _names(runs: Sequence[Path]) -> list[str]:
    """Name runs by their files, by their paths where two files have the same name."""
    names = [path.name for path in runs]
    chosen = [str(path) if names.count(path.name) > 1 else path.name for path in runs]
    twice = sorted({name for name in chosen if chosen.count(name) > 1})
    if twice:
        raise BadInput(f"the run {twice[0]!r} is given twice")
    return chosen


def _score(
    aligned: AlignedRun, chosen: Mapping[str, Selected], min_grade: int, like: Like | None
) -> tuple[dict[str, Scores], tuple[str, ...]]:
    """Return the scores by metric, and the questions that should have a ranking and have none."""
    count = len(aligned.questions)
    values = {asked: np.zeros(count) for asked in chosen}
    support = {asked: np.zeros(count, dtype=np.int64) for asked in chosen}
    reasons = dict.fromkeys(chosen, "")
    missing = np.zeros(count, dtype=bool)
    for rows, rankings in aligned.batches(min_grade=min_grade):
        missing[rows] = ~rankings.listed & ((rankings.relevant > 0) | (like == "trec_eval"))
        for asked, selected in chosen.items():
            scores = _compute(asked, selected, rankings, like)
            values[asked][rows], support[asked][rows] = scores.values, scores.support
            reasons[asked] = scores.undefined
    found = {asked: Scores(values[asked], support[asked], reasons[asked]) for asked in chosen}
    return found, tuple(aligned.questions[row] for row in np.flatnonzero(missing))


def _compute(asked: str, selected: Selected, rankings: Rankings, like: Like | None) -> Scores:
    convention = like == "trec_eval" and selected.base in OF_TREC_EVAL
    if convention and selected.parameters.get("gain") in {"linear", "exponential", "graded"}:
        # trec_eval's graded measures know no least grade
        rankings = replace(rankings, min_grade=1, relevant=(rankings.ideal >= 1).sum(axis=1))
    try:
        scores: Scores = selected.metric(rankings, **selected.parameters)
    except ValueError as error:
        raise BadInput(f"{asked!r}: {error}") from error
    return Scores(scores.values, np.maximum(scores.support, 1), scores.undefined) if convention else scores


def _summaries(
    chosen: Mapping[str, Selected], scores: Mapping[str, Scores], *, missing: int, seed: int, resamples: int
) -> tuple[MetricSummary, ...]:
    intervals = _intervals(chosen, scores, seed=seed, resamples=resamples)
    found = []
    for asked, selected in chosen.items():
        defined = scores[asked].support > 0
        values = scores[asked].values[defined]
        middle = np.median if selected.metric.aggregate == "median" else _mean
        found.append(
            MetricSummary(
                asked=asked,
                value=float(middle(values)) if len(values) else None,
                interval=intervals.get(asked),
                scored=len(values),
                undefined=int((~defined).sum()),
                missing=missing,
                reason=None if len(values) else scores[asked].undefined,
            )
        )
    return tuple(found)


def _mean(values: NDArray[np.float64]) -> float:
    return math.fsum(values.tolist()) / len(values)


def _intervals(
    chosen: Mapping[str, Selected], scores: Mapping[str, Scores], *, seed: int, resamples: int
) -> dict[str, tuple[float, float]]:
    """Return percentile intervals over questions, by metric; a metric without a score has none."""
    means: dict[str, NDArray[np.float64]] = {}
    found: dict[str, tuple[float, float]] = {}
    for asked, selected in chosen.items():
        values = scores[asked].values[scores[asked].support > 0]
        if len(values) and selected.metric.aggregate == "median":
            interval = resampled_statistic(_median_of(values), len(values), resamples=resamples, seed=seed)
            found.update({} if interval is None else {asked: interval})
        elif len(values):
            means[asked] = values
    ratios = [(values, np.ones(len(values))) for values in means.values()]
    found.update(zip(means, bootstrap_ratios(ratios, resamples=resamples, seed=seed), strict=True))
    return found


def _median_of(values: NDArray[np.float64]) -> Callable[[NDArray[np.integer]], float]:
    return lambda drawn: float(np.median(values[drawn]))


def _notes_on_judgements(name: str, judgements: Judgements) -> Iterator[str]:
    if judgements.comments:
        yield f"{name}: passed over {_counted(judgements.comments, 'comment')} (lines that begin with '#')"
    if judgements.repeated:
        yield f"{name}: left out {_counted(judgements.repeated, 'judgement')} that stood there with the same grade"


def _notes_on_run(
    run: RankedRun, aligned: AlignedRun, missing: Sequence[str], order: Order, names_shown: int
) -> Iterator[str]:
    name = run.name
    if run.comments:
        yield f"{name}: passed over {_counted(run.comments, 'comment')} (lines that begin with '#')"
    if aligned.duplicates:
        count = _counted(aligned.duplicates, "duplicate")
        yield f"{name}: left out {count}: results whose document stands higher in the same list"
    if missing:
        count, listed = _counted(len(missing), "question"), _listed(missing, names_shown)
        yield f"{name}: no ranking for {count}, scored 0 and counted as missing: {listed}"
    if aligned.unknown:
        count, listed = _counted(len(aligned.unknown), "question"), _listed(aligned.unknown, names_shown)
        yield f"{name}: left out {count} without judgements: {listed}"
    if aligned.disagreeing:
        decides = (
            "The ranks decide"
            if order == "rank"
            else "The scores decide, equal ones go by document id, descending; --order rank takes the rank column"
        )
        count = _counted(aligned.disagreeing, "question")
        yield f"{name}: in {count} the rank column and the scores order the results differently. {decides}"


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count:,} {what}s"


def _listed(names: Sequence[str], most: int) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
