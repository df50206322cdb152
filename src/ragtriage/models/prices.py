"""What a call costs: a dated list of prices that ships with the package, or the prices that a configuration gives."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, Field

from ragtriage.core.errors import BadInput
from ragtriage.core.files import read_toml, validate_record
from ragtriage.core.records import Record
from ragtriage.models.ports import Usage

__all__ = ["FREE", "Price", "PriceList", "shipped_prices"]

_FILE = Path(__file__).with_name("prices.toml")
_SCHEMA = "ragtriage.prices/1"
_SNAPSHOT = re.compile(r"-\d{4}-\d{2}-\d{2}$")
_PICO_PER_TOKEN = 1_000_000  # a dollar for a million tokens is a million picodollars for one


class _Entry(Record):
    """One line of the list, in US dollars for a million tokens."""

    model_config = ConfigDict(strict=False)

    host: str
    model: str
    input: float = Field(ge=0, lt=10**6, allow_inf_nan=False)
    output: float = Field(ge=0, lt=10**6, allow_inf_nan=False)
    cached_input: float | None = Field(default=None, ge=0, lt=10**6, allow_inf_nan=False)
    as_of: date


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens; `cached_input_usd` None: as dear as other input. `as_of` None: as configured."""

    input_usd: float
    output_usd: float
    cached_input_usd: float | None = None
    as_of: date | None = None

    def pico(self, usage: Usage) -> int:
        """Return what tokens cost, in picodollars.

        >>> Price(input_usd=0.15, output_usd=0.6).pico(Usage(input_tokens=1000, output_tokens=100))
        210000000
        """
        cached = min(usage.cached_tokens, usage.input_tokens)
        cached_usd = self.input_usd if self.cached_input_usd is None else self.cached_input_usd
        return (
            (usage.input_tokens - cached) * round(self.input_usd * _PICO_PER_TOKEN)
            + cached * round(cached_usd * _PICO_PER_TOKEN)
            + usage.output_tokens * round(self.output_usd * _PICO_PER_TOKEN)
        )


FREE = Price(input_usd=0.0, output_usd=0.0)


@dataclass(frozen=True, slots=True)
class PriceList:
    """Prices by the host that asks for them and the model's name."""

    prices: dict[tuple[str, str], Price]

    def find(self, *, host: str, model: str) -> Price | None:
        """Return the price of a model; a dated snapshot costs what its model costs. None: not listed."""
        exact = self.prices.get((host, model))
        return exact or self.prices.get((host, _SNAPSHOT.sub("", model)))


def read_prices(path: Path) -> PriceList:
    """Read a price list; raises BadInput with every fault."""
    document = read_toml(path)
    if document.get("schema") != _SCHEMA:
        raise BadInput(f"{path}: 'schema' must be {_SCHEMA!r}. Got {document.get('schema')!r} instead")
    found: dict[tuple[str, str], Price] = {}
    problems: list[str] = []
    for number, raw in enumerate(document.get("price", []), start=1):
        entry, faults = validate_record(_Entry, _plain(raw))
        problems.extend(f"price {number}: {fault}" for fault in faults)
        if entry is None:
            continue
        if (entry.host, entry.model) in found:
            problems.append(f"price {number}: {entry.model!r} of {entry.host!r} is listed twice")
        found[entry.host, entry.model] = Price(entry.input, entry.output, entry.cached_input, entry.as_of)
    if problems:
        raise BadInput("\n".join([f"{path}:", *problems]))
    return PriceList(found)


def shipped_prices() -> PriceList:
    """Read the list that ships with the package."""
    return read_prices(_FILE)


def _plain(raw: Any) -> Any:
    """Return a TOML table as JSON has it: dates as texts."""
    if not isinstance(raw, dict):
        return raw
    return {key: value.isoformat() if isinstance(value, date) else value for key, value in raw.items()}
