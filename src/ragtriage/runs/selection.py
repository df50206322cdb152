"""Which metrics run: names with parameters (`retrieval.recall@10`, `retrieval.ndcg@10(gain=linear)`) and wildcards."""

from __future__ import annotations

import fnmatch
import inspect
import itertools
import re
import types
import typing
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ragtriage.core.catalogue import METRICS, Catalogue
from ragtriage.core.configuration import Configuration
from ragtriage.core.configuration_ingest import IngestSettings
from ragtriage.core.declare import Metric, written
from ragtriage.core.errors import BadInput, UnknownName
from ragtriage.core.rankings import RunPair
from ragtriage.core.results import MetricRow
from ragtriage.runs.asks import BY_MODELS_ALONE
from ragtriage.runs.given import never_given

__all__ = [
    "Selected", "Selection", "by_metric", "judge_runs", "left_out_of", "parse_name", "records_of", "select",
    "selection_of",
]  # fmt: skip

_RARE = ("ingest.", "query.", "ontology.")
CUTS = (1, 5, 10)
LEXICAL = frozenset({"claims", "reference", "nuggets", "behaviour"})
_NAME = re.compile(r"(?P<name>[\w.]+)(@(?P<k>[^()@]*))?(\((?P<rest>[^()]*)\))?")


@dataclass(frozen=True)
class Selected:
    """One metric to run: `name` as it is shown, with its parameters; `asked`: named itself, not by a wildcard."""

    name: str
    metric: Metric[Any, Any]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    asked: bool = True

    @property
    def base(self) -> str:
        """The metric's own name, without parameters."""
        return self.name.partition("@")[0].partition("(")[0]


@dataclass(frozen=True)
class Selection:
    """The metrics of a run in catalogue order.

    `left_out`: those that a wildcard named and that cannot run, with the reason.
    """

    metrics: tuple[Selected, ...]
    left_out: Mapping[str, str] = field(default_factory=dict)


def parse_name(text: str, *, catalogue: Catalogue[Metric[Any, Any]] = METRICS) -> Selected:
    """Read a metric's name with its parameters, each turned into the type that the metric declares for it.

    Raises UnknownName for a metric or parameter that does not exist and BadInput for a value of another type.
    """
    found = _NAME.fullmatch(text.strip())
    if found is None:
        raise BadInput(f"{text!r} is no metric name: write it like 'retrieval.ndcg@10(gain=linear)'")
    metric = catalogue[found["name"]]
    cut = "k" if "k" in metric.parameters or "n" not in metric.parameters else "n"
    given: dict[str, str] = {} if found["k"] is None else {cut: found["k"]}
    for part in filter(None, (piece.strip() for piece in (found["rest"] or "").split(","))):
        name, equals, value = (side.strip() for side in part.partition("="))
        if not equals or name in given:
            raise BadInput(f"{text!r}: {part!r} must be name=value, each name once")
        given[name] = value
    for name in given:
        if name not in metric.parameters:
            raise UnknownName(name, known=metric.parameters, what=f"parameter of {found['name']}")
    parameters = {name: _typed(value, metric.parameters[name], f"{text!r}: {name}") for name, value in given.items()}
    if parameters.get(cut) is not None and parameters[cut] < 1:
        raise BadInput(f"{text!r}: {cut} must be 1 or more. Got {parameters[cut]}")
    return Selected(_shown(found["name"], parameters), metric, parameters)


def select(
    include: Iterable[str],
    *,
    exclude: Iterable[str] = (),
    context_size: int,
    judged: bool = True,
    writes: Collection[str] = LEXICAL,
    ingest: IngestSettings | None = None,
    catalogue: Catalogue[Metric[Any, Any]] = METRICS,
) -> Selection:
    """Expand names and wildcards; a wildcard runs metrics with a parameter `k` at 1, 5, 10 and the context size.

    `exclude` takes the same forms; a name without parameters excludes the metric at all of them. Metrics that cannot
    run here (no judge ran: `judged` False; the settings name no files of theirs: `ingest`; two runs are needed)
    are left out with the reason where a wildcard named them, and an error where they were named themselves. Raises
    UnknownName for what matches nothing.
    """
    excluded = tuple(exclude)
    for pattern in excluded:
        _check_known(pattern, catalogue)
    chosen: dict[str, Selected] = {}
    for pattern in include:
        for selected in _expand(pattern, context_size=context_size, catalogue=catalogue):
            names = (selected.base, selected.name)
            if any(fnmatch.fnmatchcase(name, taken) for taken in excluded for name in names):
                continue
            if selected.name not in chosen or selected.asked:
                chosen[selected.name] = selected
    order = {name: place for place, name in enumerate(catalogue.names())}
    ranked = sorted(chosen.values(), key=lambda s: (order[s.base], s.parameters.get("k") or 0, s.name))
    left_out: dict[str, str] = {}
    for selected in ranked:
        reason = _cannot_run(selected.metric, judged=judged, writes=writes, ingest=ingest)
        if reason is not None and selected.asked:
            raise BadInput(f"{selected.name} cannot run: {reason}")
        if reason is not None:
            left_out[selected.base] = reason
    return Selection(tuple(s for s in ranked if s.base not in left_out), left_out)


def selection_of(settings: Configuration, *, catalogue: Catalogue[Metric[Any, Any]] = METRICS) -> Selection:
    """Return the metrics that a configuration asks for, with those that its gate needs and a wildcard did not name."""
    judged, writes = judge_runs(settings), records_of(settings)
    chosen = select(
        settings.metrics.include,
        exclude=settings.metrics.exclude,
        context_size=settings.system.context_size,
        judged=judged,
        writes=writes,
        ingest=settings.ingest,
        catalogue=catalogue,
    )
    gated = [parse_name(rule.metric, catalogue=catalogue) for rule in settings.gate]
    known = {selected.name for selected in chosen.metrics}
    wanted = [selected.name for selected in gated if selected.name not in known]
    if not wanted:
        return chosen
    size = settings.system.context_size
    more = select(wanted, context_size=size, judged=judged, writes=writes, ingest=settings.ingest, catalogue=catalogue)
    return Selection((*chosen.metrics, *more.metrics), chosen.left_out)


def left_out_of(rows: Iterable[MetricRow], selection: Selection, settings: Configuration) -> dict[str, str]:
    """Return the metrics of stages that few systems record and this run has no number of, each with the reason.

    Only those that a wildcard named: what was asked for by its name, or by the gate, keeps its row.
    """
    asked = {selected.name for selected in selection.metrics if selected.asked}
    asked |= {parse_name(rule.metric).name for rule in settings.gate}
    found: dict[str, str] = {}
    given = set(asked)
    for row in rows:
        if row.value is not None or row.failed:
            given.add(row.name)
        elif row.name.startswith(_RARE):
            found.setdefault(row.name, row.reason or "")
    return {name: reason for name, reason in found.items() if name not in given}


def by_metric(left_out: Mapping[str, str], selection: Selection) -> dict[str, str]:
    """Return reasons by metric, where all that was chosen of it is left out; else by name with parameters."""
    chosen: dict[str, set[str]] = {}
    for selected in selection.metrics:
        chosen.setdefault(selected.base, set()).add(selected.name)
    found: dict[str, str] = {}
    for name, reason in left_out.items():
        base = name.partition("@")[0].partition("(")[0]
        whole = chosen.get(base, set()) <= left_out.keys()
        found.setdefault(base if whole else name, reason)
    return found


def judge_runs(settings: Configuration) -> bool:
    """Say whether anybody judges, code or a model."""
    return settings.judge.code != "none" or settings.judge.model is not None


def records_of(settings: Configuration) -> frozenset[str]:
    """Return what the judge of a configuration writes."""
    judge = settings.judge
    found = set(LEXICAL if judge_runs(settings) else ())
    if judge.model is not None:
        found |= {"questions", "parts", "correctness"}
    if judge.policy is not None:
        found |= {"resolution", "escalation"}
    if judge.model is not None and judge.embedding is not None:  # alone it embeds sentences of the corpus
        found.add("similarity")
    if judge.criteria is not None:
        found.add("rubric_grade")
    return frozenset(found)


def _missing(metric: Metric[Any, Any], writes: Collection[str]) -> str | None:
    lacks = BY_MODELS_ALONE.intersection(metric.asks).difference(writes)
    if not lacks:
        return None
    if lacks & {"questions", "parts", "correctness"}:
        return "it needs a language model as judge; name one with [judge] model = 'openai/NAME'"
    if lacks & {"resolution", "escalation"}:
        return "it needs to know when a person takes over; write it into [judge] policy, and name a [judge] model"
    if "similarity" in lacks:
        return "it needs an embedding model; name one with [judge] embedding = 'openai/NAME', beside a [judge] model"
    return "it needs criteria; write them into [judge] criteria, and name a model with [judge] model = 'openai/NAME'"


def _cannot_run(
    metric: Metric[Any, Any], *, judged: bool, writes: Collection[str], ingest: IngestSettings | None
) -> str | None:
    if (lacking := never_given(metric.seen, ingest)) is not None:
        return lacking
    if (missing := _missing(metric, writes)) is not None:
        return missing
    if metric.proxy and not judged:
        return "no judge ran; choose one with [judge] code = 'lexical'"
    if metric.view is RunPair:
        return "it compares two runs"
    return None


def _expand(pattern: str, *, context_size: int, catalogue: Catalogue[Metric[Any, Any]]) -> Iterable[Selected]:
    if not set(pattern) & set("*?["):
        named = parse_name(pattern, catalogue=catalogue)
        if "k" in named.metric.needed and "k" not in named.parameters:
            raise BadInput(
                f"{pattern!r} needs a cut-off: write '{named.base}@{context_size}' for the first {context_size}"
            )
        return [named]
    _check_known(pattern, catalogue)
    found = []
    for name in fnmatch.filter(catalogue.names(), pattern):
        metric = catalogue[name]
        cuts: tuple[int | None, ...] = tuple(sorted({*CUTS, context_size})) if _has_cut(metric) else (None,)
        for k, part in itertools.product(cuts, _parts(metric)):
            parameters = {**({} if k is None else {"k": k}), **part}
            found.append(Selected(_shown(name, parameters), metric, parameters, asked=False))
    return found


def _parts(metric: Metric[Any, Any]) -> list[dict[str, Any]]:
    """Return the parameters of each part of a metric that is a table; its default stands without any."""
    if metric.parts is None:
        return [{}]
    name, values = metric.parts
    default = inspect.signature(metric.compute).parameters[name].default
    return [{} if value == default else {name: value} for value in values]


def _has_cut(metric: Metric[Any, Any]) -> bool:
    return "k" in metric.parameters


def _check_known(pattern: str, catalogue: Catalogue[Metric[Any, Any]]) -> None:
    base = pattern.partition("@")[0].partition("(")[0]
    if not fnmatch.filter(catalogue.names(), base):
        raise UnknownName(pattern, known=catalogue.names(), what="metric")


def _shown(name: str, parameters: Mapping[str, Any]) -> str:
    cut = next((key for key in ("k", "n") if parameters.get(key) is not None), None)
    rest = ",".join(f"{key}={written(value)}" for key, value in sorted(parameters.items()) if key != cut)
    return f"{name}{'' if cut is None else f'@{parameters[cut]}'}{f'({rest})' if rest else ''}"


def _typed(value: str, annotation: Any, where: str) -> Any:
    """Turn the text of a parameter into its declared type: int, float, bool, str, a literal, or one of a union."""
    origin = typing.get_origin(annotation)
    if origin is Literal:
        for choice in typing.get_args(annotation):
            if str(choice) == value:
                return choice
        raise BadInput(f"{where} must be one of {', '.join(map(str, typing.get_args(annotation)))}. Got {value!r}")
    if origin in {typing.Union, types.UnionType}:
        choices = [choice for choice in typing.get_args(annotation) if choice is not type(None)]
        return _first_that_fits(value, choices, where)
    if annotation is bool:
        if value.lower() not in {"true", "false"}:
            raise BadInput(f"{where} must be true or false. Got {value!r}")
        return value.lower() == "true"
    if annotation in {int, float}:
        return _number(value, annotation, where)
    return value


def _first_that_fits(value: str, choices: list[Any], where: str) -> Any:
    for choice in choices[:-1]:
        try:
            return _typed(value, choice, where)
        except BadInput:
            continue
    return _typed(value, choices[-1], where)


def _number(value: str, kind: type[int | float], where: str) -> int | float:
    try:
        number = kind(value)
    except ValueError as error:
        raise BadInput(f"{where} must be {'a whole number' if kind is int else 'a number'}. Got {value!r}") from error
    if number != number or number in {float("inf"), float("-inf")}:  # noqa: PLR0124 - the one test that NaN fails
        raise BadInput(f"{where} must be a finite number. Got {value!r}")
    return number
