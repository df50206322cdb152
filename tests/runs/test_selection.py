import inspect

import pytest

from ragtriage.core.catalogue import METRICS
from ragtriage.core.configuration import (
    Configuration,
    GateRule,
    GoldenSettings,
    JudgeSettings,
    MetricSettings,
    SystemSettings,
)
from ragtriage.core.errors import BadInput, UnknownName
from ragtriage.runs.selection import parse_name, select, selection_of


def settings(**more):
    return Configuration(golden=GoldenSettings(path="g"), system=SystemSettings(traces="t", context_size=3), **more)


@pytest.mark.parametrize(
    ("text", "name", "parameters"),
    [
        ("retrieval.recall@10", "retrieval.recall@10", {"k": 10}),
        ("retrieval.ndcg@10(gain=linear)", "retrieval.ndcg@10(gain=linear)", {"k": 10, "gain": "linear"}),
        (" retrieval.ndcg @ 10 ( gain = linear ) ".replace(" @ ", "@").replace("10 (", "10("), None, None),
        ("retrieval.ndcg", "retrieval.ndcg", {}),
        ("retrieval.rbp(p=0.5)", "retrieval.rbp(p=0.5)", {"p": 0.5}),
        ("ingest.freshness_lag(percentile=99.0)", "ingest.freshness_lag(percentile=99)", {"percentile": 99.0}),
        ("retrieval.candidate_ceiling@50", "retrieval.candidate_ceiling@50", {"n": 50}),
        ("filters.access_violations", "filters.access_violations", {}),
    ],
)
def test_a_name_with_parameters_is_read(text, name, parameters):
    selected = parse_name(text)
    if name is None:
        name, parameters = "retrieval.ndcg@10(gain=linear)", {"k": 10, "gain": "linear"}
    assert selected.name == name
    assert dict(selected.parameters) == parameters
    assert selected.metric is METRICS[selected.base]
    assert parse_name(selected.name).name == selected.name


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("retrieval.recal@10", "Did you mean 'retrieval.recall'"),
        ("retrieval.recall@ten", "must be a whole number"),
        ("retrieval.recall@0", "must be 1 or more"),
        ("retrieval.recall@-1", "must be 1 or more"),
        ("retrieval.ndcg@10(gain=cubic)", "must be one of"),
        ("retrieval.ndcg@10(gian=linear)", "Did you mean 'gain'"),
        ("retrieval.ndcg@10(k=5)", "each name once"),
        ("retrieval.ndcg@10(linear)", "must be name=value"),
        ("retrieval.rbp(p=nan)", "finite"),
        ("retrieval.recall@10)", "no metric name"),
        ("filters.access_violations@3", "parameter of filters.access_violations"),
        ("", "no metric name"),
    ],
)
def test_a_name_that_says_nothing_is_refused(text, told):
    with pytest.raises(BadInput, match=told.replace("(", r"\(")):
        parse_name(text)


def test_a_wildcard_runs_metrics_with_a_cut_at_1_5_10_and_the_context_size():
    chosen = select(["retrieval.recall*"], context_size=3)
    assert [s.name for s in chosen.metrics] == [f"retrieval.recall@{k}" for k in (1, 3, 5, 10)]


def test_a_metric_that_needs_a_cut_off_is_refused_without_one():
    with pytest.raises(BadInput, match=r"'retrieval\.recall' needs a cut-off: write 'retrieval\.recall@3'"):
        select(["retrieval.recall"], context_size=3)
    assert [s.name for s in select(["retrieval.average_precision"], context_size=3).metrics] == [
        "retrieval.average_precision"
    ]


def test_a_wildcard_takes_a_whole_stage_in_the_order_of_the_catalogue():
    chosen = select(["filters.*"], context_size=4)
    assert [s.base for s in chosen.metrics] == [n for n in METRICS.names() if n.startswith("filters.")]
    assert not any(s.asked for s in chosen.metrics)


def test_nothing_is_chosen_twice_and_what_is_named_counts_as_asked():
    chosen = select(["retrieval.recall@5", "retrieval.*", "retrieval.recall@5"], context_size=5)
    named = [s for s in chosen.metrics if s.name == "retrieval.recall@5"]
    assert [s.asked for s in named] == [True]


def test_what_is_excluded_does_not_run():
    chosen = select(["retrieval.*"], exclude=["retrieval.ndcg", "retrieval.recall@10", "retrieval.r*"], context_size=4)
    assert not any(s.base == "retrieval.ndcg" or s.base.startswith("retrieval.r") for s in chosen.metrics)
    some = select(["retrieval.*"], exclude=["retrieval.recall@10"], context_size=4)
    assert {s.name for s in some.metrics if s.base == "retrieval.recall"} == {
        f"retrieval.recall@{k}" for k in (1, 4, 5)
    }


@pytest.mark.parametrize("pattern", ["retrieva.*", "nothing", "*.nothing"])
def test_a_name_or_wildcard_that_matches_nothing_is_an_error(pattern):
    with pytest.raises(UnknownName):
        select([pattern], context_size=4)
    with pytest.raises(UnknownName):
        select(["retrieval.*"], exclude=[pattern], context_size=4)


def test_without_a_judge_its_metrics_are_left_out_with_the_reason_or_refused_where_named():
    chosen = selection_of(settings(judge=JudgeSettings(code="none")))
    assert "no judge ran" in chosen.left_out["generation.faithfulness"]
    assert not any(s.metric.proxy for s in chosen.metrics)
    assert any(s.base == "generation.number_grounding" for s in chosen.metrics)
    named = MetricSettings(include=("generation.faithfulness",))
    with pytest.raises(BadInput, match=r"\[judge\] code"):
        selection_of(settings(judge=JudgeSettings(code="none"), metrics=named))
    assert selection_of(settings(metrics=named)).left_out == {}


def test_metrics_that_compare_two_runs_are_left_out():
    assert select(["retrieval.*"], context_size=4).left_out["retrieval.rank_overlap"] == "it compares two runs"
    with pytest.raises(BadInput, match="compares two runs"):
        select(["retrieval.kendall_tau"], context_size=4)


def test_what_a_gate_rule_is_about_is_measured_too():
    chosen = selection_of(
        settings(
            metrics=MetricSettings(include=("filters.*",)),
            gate=(GateRule(metric="retrieval.recall@7", min=0.5), GateRule(metric="filters.access_violations", max=0)),
        )
    )
    assert [s.name for s in chosen.metrics if not s.name.startswith("filters.")] == ["retrieval.recall@7"]


def test_a_metric_that_is_a_table_runs_at_each_of_its_parts():
    chosen = select(["ontology.confusion*"], context_size=3)
    assert {s.name: dict(s.parameters) for s in chosen.metrics} == {
        "ontology.confusion_kind": {},
        "ontology.confusion_kind(kind=sibling)": {"kind": "sibling"},
        "ontology.confusion_kind(kind=ancestor)": {"kind": "ancestor"},
        "ontology.confusion_kind(kind=descendant)": {"kind": "descendant"},
    }


@pytest.mark.parametrize(("name", "metric"), [(n, m) for n, m in METRICS if m.parts is not None])
def test_the_parts_of_a_metric_are_values_that_it_takes(name, metric):
    parameter, values = metric.parts
    default = inspect.signature(metric.compute).parameters[parameter].default
    assert default in values
    for value in values:
        assert parse_name(f"{name}({parameter}={value})").parameters == {parameter: value}
