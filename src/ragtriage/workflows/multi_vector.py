"""Is a late-interaction model worth its storage: multi-vector against single-vector retrieval, question by question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragtriage.core.errors import BadInput
from ragtriage.core.rankings import Rankings
from ragtriage.core.score import Scores
from ragtriage.metrics.retrieval.ndcg import ndcg
from ragtriage.metrics.retrieval.recall import recall
from ragtriage.models.ports import Embedder
from ragtriage.models.token_ports import TokenEmbedder
from ragtriage.stats.late_interaction import PackedTokens, maxsim_neighbours
from ragtriage.stats.nearest import Neighbours, exact_neighbours, prepared
from ragtriage.stats.paired import paired_bootstrap, randomisation_test
from ragtriage.workflows.averages import RESAMPLES
from ragtriage.workflows.awaiting import finished

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Asked", "MultiVectorComparison", "PairedScore", "compare_multi_vector", "compare_searches"]


@dataclass(frozen=True, slots=True)
class Asked:
    """One question and the grades of the texts that are relevant to it."""

    text: str
    grades: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class PairedScore:
    """A metric of both searches over the questions that have a number, and the difference multi - single.

    `low`, `high`: its 95 % bootstrap interval over questions; `p`: by randomisation. None without any question.
    """

    metric: str
    questions: int
    undefined: int
    single: float | None = None
    multi: float | None = None
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None


@dataclass(frozen=True, slots=True)
class MultiVectorComparison:
    """What the two searches reached, and what each has to store: numbers of 32 bits for one text, on average."""

    single: str
    multi: str
    scores: tuple[PairedScore, ...]
    single_numbers: float
    multi_numbers: float

    @property
    def storage(self) -> float:
        """How many times as many numbers the tokens take, uncompressed."""
        return self.multi_numbers / self.single_numbers


def compare_multi_vector(
    texts: Mapping[str, str],
    questions: Sequence[Asked],
    *,
    passages: Embedder,
    queries: Embedder,
    tokens: TokenEmbedder,
    k: int = 10,
    seed: int = 0,
) -> MultiVectorComparison:
    """Search the same texts (id to text) by one vector each and by MaxSim over tokens, and pair the results.

    `passages` and `queries` may be one embedder. Both searches are exact. Raises BadInput without texts or questions
    or where vectors do not fit, and what the models raise.
    """
    import numpy as np  # noqa: PLC0415 - loaded where vectors are

    if not texts or not questions:
        raise BadInput(f"a comparison needs texts and questions. Got {len(texts)} and {len(questions)}")
    asked = [question.text for question in questions]

    async def embedded() -> tuple[Sequence[NDArray[np.float32]], ...]:
        return (
            await passages.embed(list(texts.values())),
            await queries.embed(asked),
            await tokens.embed_tokens(list(texts.values()), kind="passage"),
            await tokens.embed_tokens(asked, kind="query"),
        )

    single, single_asked, multi, multi_asked = finished(embedded)
    if (len(single), len(multi), len(single_asked), len(multi_asked)) != (len(texts),) * 2 + (len(asked),) * 2:
        raise BadInput("a model gave another number of vectors than it was given texts")
    try:
        rows = prepared(np.stack(single), distance="cosine")
        found = exact_neighbours(rows, prepared(np.stack(single_asked), distance="cosine"), k=k)
        packed = PackedTokens.of(multi)
        found_multi = maxsim_neighbours(multi_asked, packed, k=k)
    except ValueError as error:
        raise BadInput(f"the vectors cannot be compared: {error}") from error
    ids = list(texts)
    return MultiVectorComparison(
        passages.identity,
        tokens.identity,
        compare_searches(_named(found, ids), _named(found_multi, ids), questions, k=k, seed=seed),
        float(rows.shape[1]),
        packed.vectors.size / len(texts),
    )


def compare_searches(
    single: Sequence[Sequence[str]],
    multi: Sequence[Sequence[str]],
    questions: Sequence[Asked],
    *,
    k: int,
    seed: int = 0,
) -> tuple[PairedScore, ...]:
    """Pair recall@k and nDCG@k of two lists of results for each question.

    >>> found = compare_searches([["b"]], [["a"]], [Asked("?", {"a": 1})], k=1)
    >>> [(score.metric, score.difference) for score in found]
    [('recall@1', 1.0), ('ndcg@1', 1.0)]
    """
    grades = [question.grades for question in questions]
    sides = [Rankings.of(list(side), grades) for side in (single, multi)]
    return (
        _paired(f"recall@{k}", *(recall(side, k=k) for side in sides), seed=seed),
        _paired(f"ndcg@{k}", *(ndcg(side, k=k) for side in sides), seed=seed),
    )


def _paired(name: str, single: Scores, multi: Scores, *, seed: int) -> PairedScore:
    both = (single.support > 0) & (multi.support > 0)
    base, candidate = single.values[both], multi.values[both]
    missing = int((~both).sum())
    if not len(base):
        return PairedScore(name, 0, missing)
    low, high = paired_bootstrap(base, candidate, resamples=RESAMPLES, seed=seed)
    p = randomisation_test(base, candidate, resamples=RESAMPLES, seed=seed)
    means = float(base.mean()), float(candidate.mean())
    return PairedScore(name, len(base), missing, *means, float((candidate - base).mean()), low, high, p)


def _named(found: Neighbours, ids: Sequence[str]) -> list[list[str]]:
    return [[ids[place] for place in row if place >= 0] for row in found.places.tolist()]
