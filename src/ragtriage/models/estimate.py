"""What calls will come to before they are sent: tokens from the real prompts, dollars from the dated prices."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ragtriage.models.budget import usd
from ragtriage.models.ports import ChatRequest, Usage
from ragtriage.models.prices import Price

__all__ = ["Estimate", "TokenRate", "estimate", "guess_tokens"]

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
class TokenRate:
    """How many tokens an endpoint counts for each one guessed, and how many a reply has, learned from its replies."""

    input_share: float = 1.0
    output_tokens: float | None = None

    @staticmethod
    def learned(replies: Iterable[tuple[ChatRequest, Usage]]) -> TokenRate:
        """Learn from requests and what the endpoint counted for them; without any, guesses stand."""
        guessed = counted = written = replied = 0.0
        for request, usage in replies:
            guessed += _guess(request)
            counted += usage.input_tokens
            written += usage.output_tokens
            replied += 1
        return TokenRate(counted / guessed, written / replied) if guessed and counted else TokenRate()


@dataclass(frozen=True, slots=True)
class Estimate:
    """What calls will come to; `cost_usd` None: no price is known. `most_usd`: where every reply takes all it may."""

    calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    most_usd: float | None


def estimate(
    requests: Iterable[ChatRequest], *, price: Price | None, rate: TokenRate | None = None, reply_tokens: float = 120.0
) -> Estimate:
    """Estimate calls from their real prompts; `reply_tokens`: tokens of a reply where no rate says so."""
    rate = rate or TokenRate()
    calls, read, most_written = 0, 0.0, 0
    for request in requests:
        calls += 1
        read += _guess(request) * rate.input_share
        most_written += request.max_tokens
    written = calls * (reply_tokens if rate.output_tokens is None else rate.output_tokens)
    usage = Usage(round(read), round(min(written, most_written)))
    if price is None:
        return Estimate(calls, usage.input_tokens, usage.output_tokens, None, None)
    most = price.pico(Usage(usage.input_tokens, most_written))
    return Estimate(calls, usage.input_tokens, usage.output_tokens, usd(price.pico(usage)), usd(most))


def _guess(request: ChatRequest) -> float:
    return sum(guess_tokens(message.content) + _TOKENS_A_MESSAGE for message in request.messages)
