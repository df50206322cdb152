"""What judging a run will cost, before anything is paid: the judge is played through with replies that are supposed.

Prompts are the real ones: rubrics filled with the cases and with the answers, where those are known. What a prompt
rests on and is not known yet is supposed, and every supposition is said.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ragtriage.core.clock import SystemClock
from ragtriage.core.configuration import JudgeSettings
from ragtriage.core.verdicts import JudgeCall
from ragtriage.models.budget import PICO, usd
from ragtriage.models.estimate import Estimate, TokenRate, estimate, guess_tokens
from ragtriage.models.ports import Usage
from ragtriage.models.prices import FREE
from ragtriage.runs.embedding import batches_of
from ragtriage.runs.execute import Item
from ragtriage.workflows.inputs import Inputs
from ragtriage.workflows.judging import asks_for, embedding_address, embedding_price, open_judge_model
from ragtriage.workflows.sentence_vectors import ToEmbed

if TYPE_CHECKING:
    from ragtriage.judges.supposing import SupposedEmbedder, SupposedModel
    from ragtriage.models.cache import KnownReplies
    from ragtriage.models.prices import Price

__all__ = ["JudgingEstimate", "ToJudge", "estimate_judging"]

_GUESSED = "tokens of texts that become vectors are guessed from their characters"


@dataclass(frozen=True)
class ToJudge:
    """What there is to judge. `items`: with their answers; `done`: answers whose verdicts need nothing more.

    `known`: replies of the run that will be continued; `seen`: those of a run that will be replaced. `assumed`: what
    was supposed about the answers.
    """

    items: Sequence[Item]
    done: Sequence[Item] = ()
    known: Mapping[str, JudgeCall] = field(default_factory=dict)
    seen: Mapping[str, JudgeCall] = field(default_factory=dict)
    assumed: tuple[str, ...] = ()


@dataclass(frozen=True)
class JudgingEstimate:
    """Calls, tokens and dollars by model. `cost_usd` None: a price is not known. `replies`: real ones learned from.

    `prices`: by model what its price is and of which day. `assumed`: all that the figures rest on beside real prompts.
    """

    models: Mapping[str, Estimate]
    prices: Mapping[str, str]
    replies: int
    assumed: tuple[str, ...]

    @property
    def calls(self) -> int:
        """Calls of all models."""
        return sum(one.calls for one in self.models.values())

    @property
    def input_tokens(self) -> int:
        """Tokens of all prompts."""
        return sum(one.input_tokens for one in self.models.values())

    @property
    def output_tokens(self) -> int:
        """Tokens of all replies."""
        return sum(one.output_tokens for one in self.models.values())

    @property
    def cost_usd(self) -> float | None:
        """What it will come to; None where a model that would be called has no known price."""
        return _sum(one.cost_usd for one in self.models.values() if one.calls)

    @property
    def most_usd(self) -> float | None:
        """What it comes to where every reply takes all that it may."""
        return _sum(one.most_usd for one in self.models.values() if one.calls)


def _sum(costs: Iterable[float | None]) -> float | None:
    known = list(costs)
    given = [one for one in known if one is not None]
    return usd(sum(round(one * PICO) for one in given)) if len(given) == len(known) else None


def estimate_judging(inputs: Inputs, todo: ToJudge, sentences: ToEmbed | None = None) -> JudgingEstimate | None:
    """Return what judging comes to, None where no model judges; asks nobody and writes nothing.

    `sentences`: what the embedding model is asked for beside. Raises BadInput, MissingExtra or StorageFailed, as
    opening the judge does.
    """
    settings = inputs.configuration.judge
    asks = asks_for(inputs.selection, inputs.golden.cases)
    if settings.model is None or not asks:
        return None if sentences is None else _vectors_alone(settings, sentences)
    plan = _Plan(settings, inputs.settings.base, todo.seen, sentences)
    try:
        with ThreadPoolExecutor(max_workers=1) as pool:  # a loop of its own, also inside a running one
            pool.submit(asyncio.run, plan.play(asks, todo)).result()
        return plan.estimate(todo.assumed)
    finally:
        plan.close()


class _Plan:
    """The judge of a configuration with models that are only supposed."""

    def __init__(
        self, settings: JudgeSettings, base: Path, seen: Mapping[str, JudgeCall], sentences: ToEmbed | None
    ) -> None:
        self._settings = settings
        self._sentences = sentences
        self._base = base
        self._caches: list[KnownReplies] = []
        self._prices: dict[str, Price | None] = {}
        self._model = self._supposed(settings.model or "", seen)
        self._second = None if settings.second_model is None else self._supposed(settings.second_model, seen)
        self._embedder = self._supposed_embedder()

    def close(self) -> None:
        """Close the caches."""
        for cache in self._caches:
            cache.close()

    async def play(self, asks: frozenset[str], todo: ToJudge) -> None:
        """Let the judge ask all that it would."""
        from ragtriage.judges.model import JudgeOptions, ModelJudge  # noqa: PLC0415 - loads its rubrics
        from ragtriage.judges.supposing import Supposing  # noqa: PLC0415

        options = JudgeOptions(
            asks=asks,
            seed=self._settings.seed,
            second=self._second,
            embedder=self._embedder,
            criteria=self._settings.criteria,
            policy=self._settings.policy,
            known=todo.known,
            asker=Supposing,
        )
        judge = ModelJudge(self._model, options)
        for pays, items in ((False, todo.done), (True, todo.items)):
            for model in filter(None, (self._model, self._second)):
                model.pays = pays
            for item in items:
                if item.recorded is not None and item.recorded.error is None:
                    await judge.judge(item.case, item.recorded, _forget, item.earlier)
            if not pays and self._embedder is not None:
                self._embedder.texts.clear()
                self._embedder.calls = 0

    def estimate(self, assumed: Sequence[str]) -> JudgingEstimate:
        """Count what was asked."""
        models, prices, replies, notes = {}, {}, 0, list(assumed)
        for name, model in ((self._settings.model, self._model), (self._settings.second_model, self._second)):
            if name is None or model is None:
                continue
            replies += len(model.learned)
            learned = model.learned or self._model.learned  # of the same endpoint, and so nearer than a guess
            models[name] = estimate(model.expected, price=self._prices[name], rate=TokenRate.learned(learned))
            prices[name] = _told(self._prices[name])
        if self._embedder is not None and self._settings.embedding is not None:
            price = self._prices[self._settings.embedding]
            notes += _sent(self._embedder, self._sentences)
            models[self._settings.embedding] = _vectors(self._embedder, price)
            prices[self._settings.embedding] = _told(price)
            notes.append(_GUESSED)
        notes.append(self._learned(replies))
        notes.append("no call is supposed to fail or to be asked twice")
        return JudgingEstimate(models, prices, replies, tuple(notes))

    def _learned(self, replies: int) -> str:
        """Say what the numbers of tokens rest on."""
        if not replies:
            return (
                "no reply of this judge is known: tokens are guessed from characters, with the schema as part of the "
                "prompt, and every reply is supposed to give one short quote for each thing that it finds. A run of a "
                "few cases (--limit) makes the next estimate a measured one"
            )
        told = f"numbers of tokens are learned from {replies} replies of the judge"
        models = [model for model in (self._model, self._second) if model is not None]
        known = {one.request.purpose for model in models for one, _ in model.learned}
        unknown = sorted({one.request.purpose for model in models for one in model.expected} - known)
        return f"{told}, none of them to {', '.join(unknown)}" if unknown else told

    def _supposed(self, name: str, seen: Mapping[str, JudgeCall]) -> SupposedModel:
        from ragtriage.judges.asking import PARSER_VERSION  # noqa: PLC0415
        from ragtriage.judges.supposing import SupposedModel  # noqa: PLC0415
        from ragtriage.models.cache import KnownReplies  # noqa: PLC0415

        quiet = self._settings.model_copy(
            update={"api_key": None, "cache": None, "record": None, "max_cost_usd": None, "max_tokens": None}
        )
        opened = open_judge_model(quiet, base=self._base, secrets={}, clock=SystemClock(), model=name)
        self._prices[name] = FREE if name.startswith("replay/") else opened.price
        path = self._base / self._settings.cache if self._settings.cache else None
        cache = KnownReplies(path, model=opened.model.identity, parser=str(PARSER_VERSION))
        self._caches.append(cache)
        return SupposedModel(opened.model.identity, cache.find, self._settings.max_tokens, seen)

    def _supposed_embedder(self) -> SupposedEmbedder | None:
        from ragtriage.judges.supposing import SupposedEmbedder  # noqa: PLC0415

        name = self._settings.embedding
        if name is None:
            return None
        self._prices[name] = _price_of_vectors(self._settings, name)
        return SupposedEmbedder(name)


def _vectors_alone(settings: JudgeSettings, sentences: ToEmbed) -> JudgingEstimate | None:
    """Return what the vectors of sentences come to where no model judges."""
    from ragtriage.judges.supposing import SupposedEmbedder  # noqa: PLC0415

    name = settings.embedding
    if name is None:
        return None
    embedder, price = SupposedEmbedder(name), _price_of_vectors(settings, name)
    notes = (*_sent(embedder, sentences), _GUESSED)
    return JudgingEstimate({name: _vectors(embedder, price)}, {name: _told(price)}, 0, notes)


def _price_of_vectors(settings: JudgeSettings, name: str) -> Price | None:
    from ragtriage.models.opening import split_model  # noqa: PLC0415

    return embedding_price(settings, host=embedding_address(settings).host, model=split_model(name)[1])


def _sent(embedder: SupposedEmbedder, sentences: ToEmbed | None) -> list[str]:
    """Send sentences as a run would, and say what is supposed of them."""
    if sentences is None or not sentences.texts:
        return []
    calls = sum(1 for _ in batches_of(sentences.texts))
    embedder.texts.extend(sentences.texts)
    embedder.calls += calls
    told = f"{len(sentences.texts):,} sentences of the corpus become vectors by {embedder.identity}, in {calls:,} calls"
    return [told, *sentences.assumed]


def _vectors(embedder: SupposedEmbedder, price: Price | None) -> Estimate:
    tokens = round(sum(guess_tokens(text) for text in embedder.texts))
    cost = None if price is None else usd(price.pico(Usage(tokens, 0)))
    return Estimate(embedder.calls, tokens, 0, cost, cost)


def _told(price: Price | None) -> str:
    if price is None:
        return "no price known"
    if price is FREE:
        return "replayed, nothing to pay"
    day = "as configured" if price.as_of is None else f"list price of {price.as_of.isoformat()}"
    return f"{price.input_usd:g} and {price.output_usd:g} USD for a million input and output tokens, {day}"


async def _forget(call: JudgeCall) -> None:
    del call
