"""A chat model opened from settings: endpoint or recording, then cache, then ledger, one inside the other."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from pathlib import Path

from ragtriage.core.clock import Clock
from ragtriage.core.errors import BadInput, UnknownName
from ragtriage.models.address import Address, ApiKey
from ragtriage.models.budget import Budget
from ragtriage.models.cache import CachedChat, ReplyCache
from ragtriage.models.calling import CallPolicy
from ragtriage.models.ledger import CountedChat, Ledger
from ragtriage.models.limited import LimitedChat
from ragtriage.models.openai_compatible import OpenAIChat
from ragtriage.models.ports import ChatModel, KeepingChatModel
from ragtriage.models.prices import Price, shipped_prices
from ragtriage.models.recording import RecordingChat, ReplayChat

__all__ = ["ChatSettings", "OpenChat", "open_chat", "split_model"]

_OPENAI = "https://api.openai.com/v1"
_ADAPTERS = ("openai", "replay")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatSettings:
    """Which model, where, and how it may be asked.

    `model`: `openai/NAME` (NAME as the endpoint calls it) or `replay/FILE`. `base_url` None: OpenAI's own. `parser`:
    version of the rules that replies are read by. `cache`, `record`: files; None: keeps or records nothing. `price`
    None: the price list's. `max_cost_usd` None: no limit; `spent_usd`: what the run spent before. `max_tokens`: the
    most that a reply may hold; None: what its question needs.
    """

    model: str
    parser: str
    base_url: str | None = None
    api_key: ApiKey | None = None
    key_header: str = "Authorization"
    cache: Path | None = None
    record: Path | None = None
    price: Price | None = None
    max_cost_usd: float | None = None
    spent_usd: float = 0.0
    seed: int = 0
    max_tokens: int | None = None
    policy: CallPolicy = field(default_factory=CallPolicy)


@dataclass(frozen=True, slots=True)
class OpenChat:
    """An open model with its counts; close it in the event loop that used it."""

    model: CountedChat
    ledger: Ledger
    budget: Budget
    price: Price | None
    _endpoint: OpenAIChat | None = None
    _recording: RecordingChat | None = None
    _cache: ReplyCache | None = None

    async def close(self) -> None:
        """Close connections and files, and write the recording where one is made; raises StorageFailed."""
        if self._endpoint is not None:
            await self._endpoint.close()
        if self._cache is not None:
            self._cache.close()
        if self._recording is not None:
            self._recording.save()


def split_model(name: str) -> tuple[str, str]:
    """Split `openai/NAME` or `replay/FILE`; raises UnknownName or BadInput.

    >>> split_model("openai/qwen/qwen3-8b")
    ('openai', 'qwen/qwen3-8b')
    """
    adapter, _, rest = name.partition("/")
    if adapter not in _ADAPTERS:
        raise UnknownName(adapter, known=_ADAPTERS, what="kind of model (write it as 'openai/NAME')")
    if not rest.strip():
        raise BadInput(f"a model is named as '{adapter}/NAME'. Got {name!r} instead")
    return adapter, rest


def open_chat(settings: ChatSettings, *, clock: Clock, budget: Budget | None = None) -> OpenChat:
    """Open a model; nothing is sent yet. Raises BadInput, MissingExtra or StorageFailed.

    `budget`: one that is shared with other models, in the place of the settings' own.
    """
    adapter, name = split_model(settings.model)
    ledger = Ledger()
    budget = budget or Budget(max_usd=settings.max_cost_usd, spent_usd=settings.spent_usd)
    endpoint, price = None, settings.price
    model: ChatModel
    if adapter == "replay":
        model = ReplayChat(Path(name))
    else:
        address = Address(settings.base_url or _OPENAI, settings.api_key, settings.key_header)
        price = price or shipped_prices().find(host=address.host, model=name)
        rng = random.Random(settings.seed)  # noqa: S311 - spreads waits
        model = endpoint = OpenAIChat(
            address, model=name, policy=settings.policy, clock=clock, rng=rng, budget=budget, price=price
        )
    recording = RecordingChat(model, path=settings.record) if settings.record is not None else None
    cache = ReplyCache(settings.cache) if settings.cache is not None and adapter != "replay" else None
    kept: KeepingChatModel = CachedChat(recording or model, cache=cache, parser=settings.parser)
    if settings.max_tokens is not None:
        kept = LimitedChat(kept, settings.max_tokens)
    return OpenChat(CountedChat(kept, ledger=ledger), ledger, budget, price, endpoint, recording, cache)
