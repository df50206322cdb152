"""Who judges: the judge that the configuration asks for, what it is asked, and its identity in the bundle."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ragtriage.core.clock import Clock, SystemClock
from ragtriage.core.configuration import Configuration, JudgeSettings
from ragtriage.core.errors import BadInput
from ragtriage.core.records import Case, Trace
from ragtriage.core.verdicts import JudgeCall, Verdicts
from ragtriage.runs.asks import asks_of_all
from ragtriage.runs.execute import Judge, Keep, ModelJudging
from ragtriage.runs.selection import Selection
from ragtriage.workflows.judge_trust import trusted_rubrics

if TYPE_CHECKING:
    from ragtriage.judges.model import ModelJudge
    from ragtriage.models.address import Address, ApiKey
    from ragtriage.models.budget import Budget
    from ragtriage.models.openai_compatible import OpenAIEmbedder
    from ragtriage.models.opening import OpenChat
    from ragtriage.models.prices import Price

__all__ = [
    "asks_for",
    "embedding_address",
    "embedding_price",
    "judge_bundle",
    "judge_of",
    "open_embedder",
    "open_judge_model",
]

_CITING = frozenset(f"generation.{name}" for name in ("citation_precision", "citation_recall", "citation_accuracy"))

_HANGS = 2.4  # a request that hangs leaves time for another, and for the wait between them


def asks_for(selection: Selection, cases: Iterable[Case]) -> frozenset[str]:
    """Return what a judge is asked: what the metrics count, and what decides whether a case is ok.

    A case that declares a reference answer alone is ok by its correctness; one that declares a behaviour, by that.
    """
    asks = set(asks_of_all(selected.metric for selected in selection.metrics))
    if not asks:
        return frozenset()
    if any(selected.base in _CITING for selected in selection.metrics):
        asks.add("citations")
    for case in cases:
        if case.expected.behaviour is not None:
            asks.add("behaviour")
        if "claims" in asks and case.expected.answer and not case.expected.required_facts:
            asks.add("reference")
    return frozenset(asks)


def judge_of(
    configuration: Configuration,
    *,
    selection: Selection,
    cases: Iterable[Case],
    base: Path,
    secrets: Mapping[str, str],
    clock: Clock | None = None,
    replies: Mapping[str, JudgeCall] | None = None,
) -> Judge | ModelJudging | None:
    """Return the judge, None where there is to be none; raises BadInput, MissingExtra or StorageFailed.

    `secrets`: values of the environment variables that the configuration names. `replies`: those that an earlier
    attempt paid for.
    """
    settings = configuration.judge
    if settings.model is not None:
        asks = asks_for(selection, cases)
        return _OpenJudge(settings, asks, base, secrets, clock or SystemClock(), replies or {}) if asks else None
    if settings.code == "none":
        return None
    from ragtriage.judges.lexical import judge, rubric  # noqa: PLC0415 - loads its rules only where it judges

    names = ("claim_support", "abstention")
    known = trusted_rubrics(settings, base=base, judge="lexical", identities=dict.fromkeys(names, rubric()))
    if not known:
        return judge
    trusted = tuple(ask for ask, name in (("behaviour", "abstention"), ("claims", "claim_support")) if name in known)

    def trusting(case: Case, trace: Trace) -> Verdicts:
        return judge(case, trace).model_copy(update={"trusted": trusted})

    return trusting


def judge_bundle(configuration: Configuration) -> dict[str, str]:
    """Return the judge's name and the hash of its rules."""
    settings = configuration.judge
    if settings.model is not None:
        from ragtriage.judges.model import ASKS, rubric_of  # noqa: PLC0415

        named = {
            "model": settings.model,
            "base_url": settings.base_url,
            "second_model": settings.second_model,
            "embedding": settings.embedding,
            "criteria": settings.criteria,
            "policy": settings.policy,
            "seed": str(settings.seed),
            "max_tokens": None if settings.max_tokens is None else str(settings.max_tokens),
        }
        return {k: v for k, v in named.items() if v is not None} | {"rubric": rubric_of(frozenset(ASKS))}
    if settings.code == "none":
        return {"code": "none"}
    from ragtriage.judges.lexical import rubric  # noqa: PLC0415

    return {"code": settings.code, "rubric": rubric()}


def open_judge_model(
    settings: JudgeSettings,
    *,
    base: Path,
    secrets: Mapping[str, str],
    clock: Clock,
    model: str | None = None,
    budget: Budget | None = None,
) -> OpenChat:
    """Open the model of a configuration, or another of the same endpoint; nothing is sent yet.

    `budget`: one that is shared with other models; None: a new one of the configuration's size.
    """
    from ragtriage.judges.asking import PARSER_VERSION  # noqa: PLC0415
    from ragtriage.models.calling import CallPolicy  # noqa: PLC0415
    from ragtriage.models.opening import ChatSettings, open_chat  # noqa: PLC0415
    from ragtriage.models.prices import Price  # noqa: PLC0415

    price = None
    if settings.input_usd_per_million is not None and settings.output_usd_per_million is not None:
        price = Price(settings.input_usd_per_million, settings.output_usd_per_million)
    name = model or settings.model or ""
    if name.startswith("replay/"):
        name = f"replay/{base / name.removeprefix('replay/')}"
    asked = ChatSettings(
        model=name,
        parser=str(PARSER_VERSION),
        base_url=settings.base_url,
        api_key=_key(settings, secrets),
        cache=base / settings.cache if settings.cache else None,
        record=base / settings.record if settings.record and model is None else None,
        price=price,
        max_cost_usd=settings.max_cost_usd,
        seed=settings.seed,
        max_tokens=settings.max_tokens,
        policy=CallPolicy(
            deadline_s=settings.timeout_s,
            attempt_timeout_s=settings.timeout_s / _HANGS,
            concurrency=settings.concurrency,
        ),
    )
    return open_chat(asked, clock=clock, budget=budget)


def _key(settings: JudgeSettings, secrets: Mapping[str, str]) -> ApiKey | None:
    from ragtriage.models.address import ApiKey  # noqa: PLC0415

    return None if settings.api_key is None else ApiKey.from_environment(settings.api_key, secrets)


def embedding_address(settings: JudgeSettings, *, key: ApiKey | None = None) -> Address:
    """Return where the embedding model is asked; raises BadInput."""
    from ragtriage.models.address import Address  # noqa: PLC0415

    where = settings.embedding_url or settings.base_url or "https://api.openai.com/v1"
    return Address(where, key, "Authorization")


def open_embedder(
    settings: JudgeSettings, *, secrets: Mapping[str, str], clock: Clock, budget: Budget
) -> OpenAIEmbedder:
    """Open the embedding model of a configuration; nothing is sent yet. Raises BadInput or MissingExtra."""
    import random  # noqa: PLC0415

    from ragtriage.models.calling import CallPolicy  # noqa: PLC0415
    from ragtriage.models.openai_compatible import OpenAIEmbedder  # noqa: PLC0415
    from ragtriage.models.opening import split_model  # noqa: PLC0415

    if settings.embedding is None:
        raise BadInput("no embedding model is configured: name one with [judge] embedding = 'openai/NAME'")
    address = embedding_address(settings, key=_key(settings, secrets))
    name = split_model(settings.embedding)[1]
    return OpenAIEmbedder(
        address,
        model=name,
        policy=CallPolicy(deadline_s=settings.timeout_s, concurrency=settings.concurrency),
        clock=clock,
        rng=random.Random(settings.seed),  # noqa: S311 - spreads waits
        budget=budget,
        price=embedding_price(settings, host=address.host, model=name),
    )


def embedding_price(settings: JudgeSettings, *, host: str, model: str) -> Price | None:
    """Return what an embedding model costs: as configured, else as listed, None where neither says."""
    from ragtriage.models.prices import Price, shipped_prices  # noqa: PLC0415

    if settings.embedding_usd_per_million is not None:
        return Price(settings.embedding_usd_per_million, 0.0)
    return shipped_prices().find(host=host, model=model)


@dataclass
class _OpenJudge:
    """A model judge with what it holds open; both models and the embedder pay from one budget."""

    settings: JudgeSettings
    asks: frozenset[str]
    base: Path
    secrets: Mapping[str, str]
    clock: Clock
    known: Mapping[str, JudgeCall]
    _judge: ModelJudge | None = None
    _open: list[OpenChat | OpenAIEmbedder] = field(default_factory=list)
    _embedder: OpenAIEmbedder | None = None
    _noted_usd: float = 0.0

    def __post_init__(self) -> None:
        """Open everything, so that what is wrong with the settings is said before a question is asked."""
        from ragtriage.judges.catalogue import RUBRICS  # noqa: PLC0415
        from ragtriage.judges.model import DECIDES, JudgeOptions, ModelJudge  # noqa: PLC0415
        from ragtriage.models.budget import Budget  # noqa: PLC0415

        spent = math.fsum(call.cost_usd or 0.0 for call in self.known.values())
        budget = Budget(max_usd=self.settings.max_cost_usd, spent_usd=spent)
        chat = self._opened(None, budget)
        second = None if self.settings.second_model is None else self._opened(self.settings.second_model, budget)
        if self.settings.embedding is not None:
            self._embedder = open_embedder(self.settings, secrets=self.secrets, clock=self.clock, budget=budget)
            self._open.append(self._embedder)
        identities = {name: RUBRICS[name].identity for name in DECIDES.values()}
        trusted = trusted_rubrics(self.settings, base=self.base, judge=chat.model.identity, identities=identities)
        options = JudgeOptions(
            asks=self.asks,
            seed=self.settings.seed,
            second=None if second is None else second.model,
            embedder=self._embedder,
            criteria=self.settings.criteria,
            policy=self.settings.policy,
            trusted=frozenset(ask for ask, name in DECIDES.items() if name in trusted),
            known=self.known,
        )
        self._judge = ModelJudge(chat.model, options)

    def _opened(self, model: str | None, budget: Budget) -> OpenChat:
        chat = open_judge_model(
            self.settings, base=self.base, secrets=self.secrets, clock=self.clock, model=model, budget=budget
        )
        self._open.append(chat)
        return chat

    async def judge(self, case: Case, trace: Trace, keep: Keep, earlier: Verdicts | None = None) -> Verdicts:
        """Judge one case; `earlier`: what an earlier attempt wrote of it."""
        if self._judge is None:
            raise RuntimeError("the judge was closed")
        try:
            return await self._judge.judge(case, trace, keep, earlier)
        finally:
            await self._note_vectors(keep)

    async def _note_vectors(self, keep: Keep) -> None:
        """Keep what vectors came to since the last time, so that a resumed run knows all that was spent."""
        from ragtriage.judges.calling import unanswered  # noqa: PLC0415

        if self._embedder is None or self._embedder.paid_usd <= self._noted_usd:
            return
        cost, self._noted_usd = self._embedder.paid_usd - self._noted_usd, self._embedder.paid_usd
        await keep(unanswered(self._embedder.identity, "embedding", "vectors", cost))

    async def close(self) -> None:
        """Close connections and files."""
        for one in self._open:
            await one.close()
        self._open.clear()
