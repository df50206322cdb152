"""What each metric is, read off its declaration and its docstring."""

from __future__ import annotations

import inspect
import json
import math
import re
from dataclasses import asdict, dataclass
from typing import Any

from ragtriage.core.catalogue import METRICS
from ragtriage.core.declare import Metric

__all__ = ["MetricCard", "card_of", "card_text", "cards", "cards_json", "metric_names"]

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9`])")


@dataclass(frozen=True, slots=True)
class MetricCard:
    """One metric as a reader needs it. A bound of None is infinite."""

    name: str
    title: str
    definition: str
    low: float | None
    high: float | None
    unit: str
    better: str
    aggregate: str
    levels: tuple[str, ...]
    parameters: dict[str, str]
    critical: bool
    proxy: bool
    undefined: str
    source: str
    example: str


def metric_names() -> tuple[str, ...]:
    """List the names of all metrics, importing none of them."""
    return METRICS.names()


def card_of(name: str) -> MetricCard:
    """Return the card of a metric; parameters after its name (`@10`) are ignored; raises UnknownName.

    >>> card_of("system.errors@5").unit
    'fraction of requests'
    """
    base = name.partition("@")[0].partition("(")[0].strip()
    metric = METRICS[base]
    text, example = _parts(inspect.cleandoc(metric.compute.__doc__ or ""))
    return MetricCard(
        name=base,
        title=metric.title,
        definition=text,
        low=_bound(metric.bounds[0]),
        high=_bound(metric.bounds[1]),
        unit=metric.unit,
        better=metric.better,
        aggregate=metric.aggregate,
        levels=tuple(metric.levels),
        parameters=_parameters(metric),
        critical=metric.critical,
        proxy=metric.proxy,
        undefined=_undefined(text),
        source=metric.source,
        example=example,
    )


def cards() -> list[MetricCard]:
    """Return the cards of all metrics, in the order of their names."""
    return [card_of(name) for name in METRICS.names()]


def cards_json(found: MetricCard | list[MetricCard]) -> str:
    """Return one card, or a list of them, as JSON."""
    content = asdict(found) if isinstance(found, MetricCard) else [asdict(card) for card in found]
    return json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def card_text(card: MetricCard) -> str:
    """Return a card as plain text."""
    low, high = (_shown(bound, sign) for bound, sign in ((card.low, "-"), (card.high, "")))
    facts = {
        "range": f"{low} to {high}",
        "unit": card.unit,
        "better": card.better,
        "over cases": card.aggregate,
        "levels": ", ".join(card.levels),
        "parameters": ", ".join(f"{name} ({default})" for name, default in card.parameters.items()),
        "undefined": card.undefined,
        "critical": "any value worse than its best fails the case and the run" if card.critical else "",
        "proxy": "rests on the code-only judge where no better one ran" if card.proxy else "",
        "source": card.source,
    }
    width = max(map(len, facts))
    lines = [f"{name:<{width}}  {value}" for name, value in facts.items() if value]
    example = "\n".join(f"  {line}" for line in card.example.splitlines())
    return f"{card.name}: {card.title}\n\n{card.definition}\n\n" + "\n".join(lines) + f"\n\nexample\n{example}\n"


def _parts(document: str) -> tuple[str, str]:
    """Return the text before the first example, and the examples."""
    text, mark, examples = document.partition(">>>")
    return text.strip(), f"{mark}{examples}".strip()


def _undefined(text: str) -> str:
    """Return the sentences that say when there is no number."""
    sentences = _SENTENCE_END.split(" ".join(text.split()))
    return " ".join(sentence for sentence in sentences if re.search(r"\b[Uu]ndefined\b|always defined", sentence))


def _parameters(metric: Metric[Any, Any]) -> dict[str, str]:
    """Return each option with its default."""
    options = list(inspect.signature(metric.compute).parameters.values())[1:]
    return {o.name: "no default" if o.default is inspect.Parameter.empty else repr(o.default) for o in options}


def _bound(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _shown(bound: float | None, sign: str) -> str:
    return f"{sign}infinity" if bound is None else f"{bound:g}"
