"""`ragtriage metrics`: the list of metrics and the card of one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from ragtriage.cli.metrics import command
from ragtriage.core.catalogue import METRICS
from ragtriage.core.errors import UnknownName
from ragtriage.workflows.metrics import card_of, cards


def run(*arguments: str) -> str:
    return CliRunner().invoke(command, list(arguments), catch_exceptions=False).stdout


def test_the_plain_list_is_one_name_a_line_in_order() -> None:
    assert run("--format", "plain").splitlines() == sorted(METRICS.names())


def test_names_of_filters_context_and_system_are_those_of_the_design(shared: object) -> None:
    wanted = shared("design/metrics.txt").read_text().split()  # type: ignore[operator]
    later = {"system.feedback", "system.judge_bias", "system.pairwise_preference", "system.rubric_score"}
    mine = {n for n in wanted if n.partition(".")[0] in {"filters", "context", "system"}} - later
    names = set(METRICS.names())
    assert mine <= names
    assert {n for n in names if n.partition(".")[0] in {"filters", "context", "system"}} <= set(wanted)


def test_the_json_list_holds_a_card_for_every_metric_with_infinite_bounds_as_null() -> None:
    found = json.loads(run("--format", "json"))
    assert [card["name"] for card in found] == list(METRICS.names())
    by_name = {card["name"]: card for card in found}
    latency = by_name["system.latency_p95"]
    assert (latency["low"], latency["high"], latency["unit"]) == (0, None, "milliseconds")
    assert latency["parameters"] == {"stage": "''"}


def test_every_card_says_when_there_is_no_number_and_shows_an_example() -> None:
    for card in cards():
        assert card.undefined, card.name
        assert card.example.startswith(">>>"), card.name
        assert ">>>" not in card.definition
        assert card.source


def test_a_card_shows_definition_range_unit_direction_source_and_example() -> None:
    text = run("filters.access_violations")
    for words in (
        "filters.access_violations: Access violations",
        "range       0 to infinity",
        "unit        violations a question",
        "better      lower",
        "undefined   Undefined when the trace records no place",
        "critical    any value worse than its best fails the case and the run",
        "source      Evaluating RAG, part 5",
        "  >>> access_violations(ItemsView(",
    ):
        assert words in text


def test_a_name_with_parameters_has_the_same_card_and_a_wrong_one_a_hint() -> None:
    assert card_of("system.errors@5") == card_of("system.errors")
    with pytest.raises(UnknownName, match=r"Did you mean 'system\.errors'"):
        card_of("system.error")


def test_the_table_names_every_metric_whole_and_a_file_holds_no_colour(tmp_path: Path) -> None:
    table = run()
    assert all(name in table for name in METRICS.names())
    assert run("--color", "always", "-o", str(tmp_path / "list.txt")) == ""
    assert "\x1b" not in (tmp_path / "list.txt").read_text()
