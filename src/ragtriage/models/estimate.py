"""What calls will come to before they are sent: tokens from the real prompts, dollars from the dated prices."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ragtriage.models.budget import usd
from ragtriage.models.ports import ChatRequest, Usage
from ragtriage.models.prices import Price

__all__ = ["Estimate", "Expected", "TokenRate", "estimate", "guess_tokens"]

_LATIN_END = 0x250
_CYRILLIC = range(0x400, 0x530)
# Characters a token of the large vocabularies in use, in prose. Guesses: a rate from replies mends them.
_LATIN_CHARACTERS, _CYRILLIC_CHARACTERS, _OTHER_CHARACTERS = 4.2, 3.1, 1.5
_TOKENS_A_MESSAGE = 4


def guess_tokens(text: str) -> float:
    """Return about how many tokens a text has, by the scripts it is written in.

    >>> round(guess_tokens("The fee is one percent of the amount."))
    9
    """
    latin = sum(ord(char) < _LATIN_END for char in text)
    cyrillic = sum(ord(char) in _CYRILLIC for char in text)
    other = len(text) - latin - cyrillic
    return latin / _LATIN_CHARACTERS + cyrillic / _CYRILLIC_CHARACTERS + other / _OTHER_CHARACTERS


@dataclass(frozen=True, slots=True)
class Expected:
    """A request that will be sent, and a reply as it is expected."""

    request: ChatRequest
    reply: str

    @property
    def read(self) -> float:
        """Tokens of the prompt as guessed, with the schema, which endpoints put into it."""
        request = self.request
        schema = "" if request.schema is None else json.dumps(request.schema, ensure_ascii=False)
        return guess_tokens(schema) + sum(guess_tokens(m.content) + _TOKENS_A_MESSAGE for m in request.messages)

    @property
    def written(self) -> float:
        """Tokens of the reply as guessed."""
        return guess_tokens(self.reply)


@dataclass(frozen=True, slots=True)
class TokenRate:
    """How many tokens an endpoint counts for each one guessed, of prompts and of replies, learned from its replies.

    `read`, `written`: by what the calls are for; `read_share`, `written_share`: for what no reply was seen of.
    """

    read_share: float = 1.0
    written_share: float = 1.0
    read: Mapping[str, float] = field(default_factory=dict)
    written: Mapping[str, float] = field(default_factory=dict)

    @staticmethod
    def learned(replies: Iterable[tuple[Expected, Usage]]) -> TokenRate:
        """Learn from calls and what the endpoint counted for them; without any, guesses stand."""
        sums: dict[str, list[float]] = defaultdict(lambda: [0.0] * 4)
        for expected, usage in replies:
            known = (expected.read, usage.input_tokens, expected.written, usage.output_tokens)
            for name in (expected.request.purpose, ""):
                sums[name] = [total + one for total, one in zip(sums[name], known, strict=True)]
        whole = sums.pop("", [0.0] * 4)
        read = {name: _share(one[1], one[0]) for name, one in sums.items()}
        written = {name: _share(one[3], one[2]) for name, one in sums.items()}
        return TokenRate(_share(whole[1], whole[0]), _share(whole[3], whole[2]), read, written)

    def reads(self, expected: Expected) -> float:
        """Return the tokens that the prompt will be counted as."""
        return expected.read * self.read.get(expected.request.purpose, self.read_share)

    def writes(self, expected: Expected) -> float:
        """Return the tokens that the reply will be counted as."""
        share = self.written.get(expected.request.purpose, self.written_share)
        return min(expected.written * share, float(expected.request.max_tokens))


def _share(counted: float, guessed: float) -> float:
    return counted / guessed if counted > 0 and guessed > 0 else 1.0


@dataclass(frozen=True, slots=True)
class Estimate:
    """What calls will come to; `cost_usd` None: no price is known. `most_usd`: where every reply takes all it may."""

    calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    most_usd: float | None


def estimate(calls: Iterable[Expected], *, price: Price | None, rate: TokenRate | None = None) -> Estimate:
    """Estimate calls from their real prompts and expected replies."""
    rate = rate or TokenRate()
    number, read, written, most_written = 0, 0.0, 0.0, 0
    for expected in calls:
        number += 1
        read += rate.reads(expected)
        written += rate.writes(expected)
        most_written += expected.request.max_tokens
    usage = Usage(round(read), round(written))
    if price is None:
        return Estimate(number, usage.input_tokens, usage.output_tokens, None, None)
    most = price.pico(Usage(usage.input_tokens, most_written))
    return Estimate(number, usage.input_tokens, usage.output_tokens, usd(price.pico(usage)), usd(most))
