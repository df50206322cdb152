"""Declarations: a metric, a source, a report section or a format is a function plus the facts a reader needs.

A decorator registers nothing; the catalogue finds a declaration by the path of its file.
"""

from __future__ import annotations

import collections.abc
import functools
import inspect
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, ParamSpec, TypeVar

from ragtriage.core.score import Score

__all__ = [
    "Aggregate",
    "Level",
    "Metric",
    "ReportFormat",
    "TraceSource",
    "metric",
    "report_format",
    "trace_source",
    "written",
]

P = ParamSpec("P")
R = TypeVar("R")

Aggregate = Literal["mean", "micro", "median", "set"]
Level = Literal["evidence", "chunk", "document"]


def written(value: Any) -> str:
    """Write the value of a parameter as it stands in the name of a row, so that 99 and 99.0 are one name.

    >>> written(99.0), written(0.5), written("street name"), written(True)
    ('99', '0.5', 'street name', 'True')
    """
    return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)


@dataclass(eq=False)
class Metric(Generic[P, R]):
    """A declared metric; call it like the function it wraps.

    The type of its first parameter is the stage, and all it may see:
    - a view of one case (`FilterView`): returns `Score`;
    - a batch of rankings (`Rankings`, `RankingPair`): returns `Scores`, one per question;
    - `Sequence[View]`: a set-level metric over many cases, returns one `Score` and is computed anew for each slice
      and, without `redraws`, each resample; it declares `aggregate="set"`.

    `aggregate`: how values of cases become one number: their mean; micro (sum of numerators / sum of denominators,
    value * support and support); their median; or set.
    `levels`: for rankings, the levels of relevance it is reported at, the default first.
    `critical`: any value worse than its best fails its case and the run, whatever else is right.
    `proxy`: it counts records that the lexical judge writes where no better judge ran, so it may be uncalibrated.
    `reads_behaviour`: it asks what an answer does; where a judge and not the trace says it, its rows are proxies too.
    `asks`: what a judge must be asked for it beyond what its view says (`reference`, `questions`, `parts` ...).
    `parts`: a keyword parameter and its values, where one name stands for a table: a wildcard runs it at each of them.
    `beyond`: a set-level metric that is undefined where it lies above every number, as a percentile of waits of which
    some never ended: a resample on which it is undefined counts so, and leaves the interval without an upper end.
    `redraws`: for a set-level metric that fits something: called like it, does once what all resamples share, and
    returns what scores a resample by the places of its views; that of each place once is the score of the metric.
    `k` as a keyword parameter: a wildcard runs it at k = 1, 5, 10 and the context size.
    """

    title: str
    unit: str
    bounds: tuple[float, float]
    better: Literal["higher", "lower", "neither"]
    source: str
    compute: Callable[P, R]
    aggregate: Aggregate = "mean"
    levels: tuple[Level, ...] = ()
    critical: bool = False
    proxy: bool = False
    reads_behaviour: bool = False
    asks: tuple[str, ...] = ()
    parts: tuple[str, tuple[Any, ...]] | None = None
    beyond: bool = False
    redraws: Callable[..., Callable[[Sequence[int]], Score]] | None = None

    def __post_init__(self) -> None:
        functools.update_wrapper(self, self.compute)  # so that help() and doctest see the function

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Compute the metric on a view."""
        return self.compute(*args, **kwargs)

    @functools.cached_property
    def view(self) -> Any:
        """The annotation of the first parameter: a view class, or `Sequence[View]` for a set-level metric."""
        return next(iter(self._hints.values()))

    @functools.cached_property
    def takes_many(self) -> bool:
        """Whether it is a set-level metric over a sequence of views."""
        return typing.get_origin(self.view) is collections.abc.Sequence

    @functools.cached_property
    def population(self) -> str:
        """What its values are of: golden cases, or what its view names (`documents`, `chunks` ...)."""
        found: str = getattr(self.seen, "population", "cases")
        return found

    @functools.cached_property
    def seen(self) -> type[Any]:
        """The type of the views it sees, one of them or many."""
        found: type[Any] = typing.get_args(self.view)[0] if self.takes_many else self.view
        return found

    @functools.cached_property
    def parameters(self) -> dict[str, Any]:
        """The types of its keyword parameters by name."""
        hints = dict(list(self._hints.items())[1:])
        hints.pop("return", None)
        return hints

    @functools.cached_property
    def needed(self) -> frozenset[str]:
        """The names of the keyword parameters that have no default."""
        given = inspect.signature(self.compute).parameters.values()
        return frozenset(p.name for p in given if p.kind is p.KEYWORD_ONLY and p.default is p.empty)

    @functools.cached_property
    def _hints(self) -> dict[str, Any]:
        return typing.get_type_hints(self.compute)


def metric(
    *,
    title: str,
    unit: str,
    bounds: tuple[float, float],
    better: Literal["higher", "lower", "neither"],
    source: str,
    aggregate: Aggregate = "mean",
    levels: tuple[Level, ...] = (),
    critical: bool = False,
    proxy: bool = False,
    reads_behaviour: bool = False,
    asks: tuple[str, ...] = (),
    parts: tuple[str, tuple[Any, ...]] | None = None,
    beyond: bool = False,
    redraws: Callable[..., Callable[[Sequence[int]], Score]] | None = None,
) -> Callable[[Callable[P, R]], Metric[P, R]]:
    """Declare a metric; see `Metric` for what each fact means."""

    def wrap(compute: Callable[P, R]) -> Metric[P, R]:
        return Metric(
            title=title,
            unit=unit,
            bounds=bounds,
            better=better,
            source=source,
            compute=compute,
            aggregate=aggregate,
            levels=levels,
            critical=critical,
            proxy=proxy,
            reads_behaviour=reads_behaviour,
            asks=asks,
            parts=parts,
            beyond=beyond,
            redraws=redraws,
        )

    return wrap


@dataclass(eq=False)
class TraceSource(Generic[P, R]):
    """A reader of foreign files; `read(path, ...)` returns records."""

    title: str
    read: Callable[P, R]

    def __post_init__(self) -> None:
        functools.update_wrapper(self, self.read)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Read."""
        return self.read(*args, **kwargs)


def trace_source(*, title: str) -> Callable[[Callable[P, R]], TraceSource[P, R]]:
    """Declare a source of traces, rankings or data sets."""
    return lambda read: TraceSource(title=title, read=read)


@dataclass(eq=False)
class ReportFormat(Generic[P, R]):
    """A way to draw a report: `render(report)` returns text or bytes for files that end in `suffix`.

    `files(report, name)`: all files of a report too large for one, by their place beside the file called `name`.
    """

    suffix: str
    title: str
    render: Callable[P, R]
    files: Callable[..., Mapping[str, str]] | None = None

    def __post_init__(self) -> None:
        functools.update_wrapper(self, self.render)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Render."""
        return self.render(*args, **kwargs)


def report_format(
    *, suffix: str, title: str, files: Callable[..., Mapping[str, str]] | None = None
) -> Callable[[Callable[P, R]], ReportFormat[P, R]]:
    """Declare a report format."""
    return lambda render: ReportFormat(suffix=suffix, title=title, render=render, files=files)
