"""Laws that every declared metric obeys; a new file under metrics/ is picked up by itself."""

from __future__ import annotations

import importlib.util
import inspect
import typing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragtriage.core.catalogue import METRICS
from ragtriage.core.declare import Metric
from ragtriage.core.records import Behaviour
from ragtriage.core.score import Scores, Undefined, Value
from ragtriage.core.views import AnswerView, RankingPair, Rankings


def _load_views() -> dict[type, st.SearchStrategy[Any]]:
    """Return the views of every `views*.py` beside this file: one file for each kind of thing that is measured."""
    found: dict[type, st.SearchStrategy[Any]] = {}
    for path in sorted(Path(__file__).parent.glob("views*.py")):
        spec = importlib.util.spec_from_file_location(f"laws_{path.stem}", path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        found |= module.VIEWS
    return found


VIEWS = _load_views()
EVERY = pytest.mark.parametrize(("name", "metric"), list(METRICS), ids=METRICS.names())
CASE_LEVEL = [(n, m) for n, m in METRICS if not m.takes_many and not issubclass(m.view, Rankings | RankingPair)]
BATCH = [(n, m) for n, m in METRICS if not m.takes_many and issubclass(m.view, Rankings | RankingPair)]
SET_LEVEL = [(n, m) for n, m in METRICS if m.takes_many]
LAW = settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


def parameters(metric: Metric[Any, Any]) -> dict[str, Any]:
    """Values for the parameters that have no default."""
    signature = inspect.signature(metric.compute)
    needed = list(signature.parameters.values())[1:]
    return {p.name: 2 for p in needed if p.default is inspect.Parameter.empty}


def assert_bounded(metric: Metric[Any, Any], score: Any) -> None:
    match score:
        case Value(value=value, support=support):
            low, high = metric.bounds
            assert low - 1e-12 <= value <= high + 1e-12
            assert support >= 1
        case Undefined(reason=why):
            assert why
        case _:
            raise AssertionError(score)


@EVERY
def test_a_metric_declares_what_a_reader_needs(name: str, metric: Metric[Any, Any]) -> None:
    assert metric.source
    assert metric.unit
    assert metric.title
    assert name.rpartition(".")[2] == metric.compute.__name__
    document = metric.compute.__doc__ or ""
    assert ">>>" in document
    assert "ndefined" in document or "always defined" in document
    assert metric.bounds[0] < metric.bounds[1]
    assert metric.takes_many == (metric.aggregate == "set")


@EVERY
def test_its_options_are_keywords_and_its_view_is_known(name: str, metric: Metric[Any, Any]) -> None:
    rest = list(inspect.signature(metric.compute).parameters.values())[1:]
    assert all(p.kind is inspect.Parameter.KEYWORD_ONLY for p in rest)
    view = typing.get_args(metric.view)[0] if metric.takes_many else metric.view
    assert view in VIEWS, f"{name}: add a strategy for {view} to tests/laws/views.py"


@pytest.mark.parametrize("metric", [m for _, m in CASE_LEVEL], ids=[n for n, _ in CASE_LEVEL])
def test_a_case_metric_is_bounded_and_repeatable(metric: Metric[Any, Any]) -> None:
    @LAW
    @given(VIEWS[metric.view])
    def law(view: Any) -> None:
        first = metric(view, **parameters(metric))
        assert metric(view, **parameters(metric)) == first
        assert_bounded(metric, first)

    law()


@pytest.mark.parametrize("metric", [m for _, m in BATCH], ids=[n for n, _ in BATCH])
def test_a_batch_metric_treats_each_question_alone(metric: Metric[Any, Any]) -> None:
    @LAW
    @given(VIEWS[metric.view])
    def law(view: Any) -> None:
        scores = metric(view, **parameters(metric))
        assert isinstance(scores, Scores)
        assert len(scores) == len(view)
        for row, score in enumerate(scores):
            assert_bounded(metric, score)
            assert list(metric(view.take([row]), **parameters(metric))) == [score]
        backwards = metric(view.take(np.arange(len(view))[::-1]), **parameters(metric))
        assert list(backwards)[::-1] == list(scores)

    law()


@pytest.mark.parametrize("metric", [m for _, m in SET_LEVEL], ids=[n for n, _ in SET_LEVEL])
def test_a_set_metric_does_not_depend_on_the_order_of_cases(metric: Metric[Any, Any]) -> None:
    view = typing.get_args(metric.view)[0]

    @LAW
    @given(st.lists(VIEWS[view], max_size=5))
    def law(views: list[Any]) -> None:
        score = metric(views, **parameters(metric))
        assert_bounded(metric, score)
        again = metric(views[::-1], **parameters(metric))
        match score, again:
            case Value(value=a), Value(value=b):
                assert a == pytest.approx(b, abs=1e-9)
            case _:
                assert score == again

    law()
    assert isinstance(metric([], **parameters(metric)), Undefined)


@pytest.mark.parametrize("metric", [m for _, m in SET_LEVEL if m.redraws], ids=[n for n, m in SET_LEVEL if m.redraws])
def test_every_view_drawn_once_has_the_score_of_the_set(metric: Metric[Any, Any]) -> None:
    view = typing.get_args(metric.view)[0]

    @LAW
    @given(st.lists(VIEWS[view], max_size=12))
    def law(views: list[Any]) -> None:
        assert metric.redraws is not None
        again = metric.redraws(views, **parameters(metric))
        assert again(range(len(views))) == metric(views, **parameters(metric))

    law()


@pytest.mark.parametrize(("name", "metric"), list(METRICS), ids=METRICS.names())
def test_a_metric_that_depends_on_what_the_answer_does_declares_it(name: str, metric: Metric[Any, Any]) -> None:
    """Else its rows would not be marked where an uncalibrated judge said what the answer does."""
    view = typing.get_args(metric.view)[0] if metric.takes_many else metric.view
    depends = []
    if view is AnswerView:

        @LAW
        @given(VIEWS[AnswerView])
        def law(given: AnswerView) -> None:
            views = [replace(given, behaviour=name) for name in typing.get_args(Behaviour)]
            scores = [metric([v] if metric.takes_many else v, **parameters(metric)) for v in views]
            depends.append(any(score != scores[0] for score in scores))

        law()
    assert metric.reads_behaviour == any(depends), name


def test_the_catalogue_of_the_design_is_covered_as_far_as_it_is_built() -> None:
    assert len(METRICS.names()) == len(set(METRICS.names()))
    stages = {name.split(".")[0] for name in METRICS.names()}
    assert stages <= {"ingest", "query", "retrieval", "filters", "context", "generation", "ontology", "system"}
