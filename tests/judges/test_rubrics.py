"""Laws that every rubric obeys; a new file under judges/rubrics is picked up by itself."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from ragtriage.cli.judge import command as judge_commands
from ragtriage.core.catalogue import METRICS
from ragtriage.core.errors import BadInput, UnknownName
from ragtriage.core.identity import hash_bytes
from ragtriage.judges.catalogue import RUBRICS, RubricCatalogue
from ragtriage.judges.model import ASKS
from ragtriage.judges.rubric import Rubric, read_rubric
from ragtriage.workflows.judge_calibrate import read_labels

EVERY = pytest.mark.parametrize("rubric", list(RUBRICS), ids=RUBRICS.names())
FOLDER = Path(__file__).parents[2] / "src/ragtriage/judges/rubrics"
NEEDED = {
    "abstention", "answer_correctness", "citation_support", "claim_correctness", "claim_extraction", "claim_support",
    "completeness", "context_relevance", "escalation", "nugget_assignment", "nugget_creation", "nugget_importance",
    "pairwise_preference", "position_correctness", "question_generation", "resolution", "rubric_score",
}  # fmt: skip
MAIN = {
    "abstention", "answer_correctness", "citation_support", "claim_correctness", "claim_support", "context_relevance",
    "nugget_assignment", "pairwise_preference",
}  # fmt: skip


def test_every_rubric_of_the_design_exists():
    assert set(RUBRICS.names()) >= NEEDED


@EVERY
def test_its_identity_is_the_hash_of_its_bytes(rubric: Rubric):
    assert rubric.identity == hash_bytes((FOLDER / f"{rubric.name}.toml").read_bytes())


@EVERY
def test_it_says_where_it_comes_from_and_how_it_fails(rubric: Rubric):
    assert len(rubric.file.source) > 10
    assert all(len(mode) > 10 for mode in rubric.file.failure_modes)
    assert rubric.file.calibration in {None, f"calibration/{rubric.name}.jsonl"}


@EVERY
def test_it_reasons_before_it_decides(rubric: Rubric):
    names = [one.name for one in rubric.file.fields]
    if rubric.file.decides is not None:
        assert names.index(rubric.file.decides) == len(names) - 1 or rubric.name == "question_generation"
        assert names.index(rubric.file.decides) > 0
        assert len(rubric.file.labels) > 1


@EVERY
def test_its_schema_is_closed_and_keeps_the_order_of_its_fields(rubric: Rubric):
    def closed(node):
        if isinstance(node, dict):
            if node.get("type") == "object":
                assert node["additionalProperties"] is False
                assert list(node["required"]) == list(node["properties"])
            for inner in node.values():
                closed(inner)
        elif isinstance(node, list):
            for inner in node:
                closed(inner)

    closed(rubric.schema)
    json.dumps(rubric.schema)


@EVERY
def test_it_names_no_language_of_its_own_for_the_texts(rubric: Rubric):
    assert "English" not in rubric.file.instruction


@EVERY
def test_what_it_reads_is_named_in_its_instruction(rubric: Rubric):
    named = {"text": "TEXT", "sources": "SOURCES", "items": "ITEMS", "reference": "REFERENCE", "criteria": "CRITERIA"}
    for name in rubric.file.inputs:
        assert named.get(name, name.upper()) in rubric.file.instruction or name == "question"


def test_what_a_judge_can_be_asked_names_rubrics_that_exist():
    assert {name for names in ASKS.values() for name in names} <= set(RUBRICS.names())


def test_an_unknown_rubric_says_which_was_meant():
    with pytest.raises(UnknownName, match="claim_support"):
        RUBRICS["claim_suport"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (('decides = "behaviour"', 'decides = "nothing"'), "no field"),
        (('labels = ["answer", "abstain", "clarify", "escalate"]', 'labels = ["answer"]'), "two or more"),
        (('name = "quote"', 'name = "behaviour"'), "twice"),
        (("version = 1", "version = 0"), "version"),
        (("version = 1", "version = 1\nflavour = 2"), "flavour"),
        (('reply = "one"', 'reply = "one"\ncanaries = true'), "canar"),
        (('name = "quote"', 'name = "class"'), "class"),
        (('reply = "one"', 'reply = "one"\n[needs]\nguess = ["x"]'), "guess"),
    ],
)
def test_a_file_that_breaks_its_rules_says_how(tmp_path, change, message):
    text = (FOLDER / "abstention.toml").read_text(encoding="utf-8")
    if "[needs]" in change[1]:
        text = text.replace("[[fields]]", '[needs]\nguess = ["x"]\n\n[[fields]]', 1)
    else:
        text = text.replace(*change)
    (tmp_path / "mine.toml").write_text(text, encoding="utf-8")
    with pytest.raises(BadInput, match=message):
        read_rubric(tmp_path / "mine.toml")


def test_a_rubric_in_a_folder_of_its_own_is_found(tmp_path):
    (tmp_path / "tone.toml").write_bytes((FOLDER / "abstention.toml").read_bytes())
    catalogue = RubricCatalogue(tmp_path)
    assert catalogue.names() == ("tone",)
    assert catalogue["tone"].identity == RUBRICS["abstention"].identity


@EVERY
def test_it_is_used_by_a_metric_or_a_command_that_exists(rubric: Rubric):
    assert rubric.file.used_by
    commands = {f"ragtriage judge {name}" for name in judge_commands.commands}
    for user in rubric.file.used_by:
        assert user in METRICS.names() or user in commands, user
    assert rubric.file.used_by != ("ragtriage judge calibrate",) or rubric.name == "position_correctness"


@EVERY
def test_the_labels_that_ship_with_it_are_balanced_readable_and_in_four_languages(rubric: Rubric):
    path = rubric.labels_file
    if path is None:
        assert rubric.name not in MAIN
        return
    items = read_labels(path, rubric.name).items
    assert len(items) >= 60
    assert len({item.id for item in items}) == len(items)
    asked = [item.asked() for item in items]
    assert len({repr(one) for one in asked}) == len(items)
    given = Counter((item.language, item.said()[0]) for item in items)
    assert {language for language, _ in given} == {"en", "ru", "uk", "kk"}
    assert {label for _, label in given} == set(rubric.file.labels)
    assert len({sum(n for (lang, _), n in given.items() if lang == one) for one in ("en", "ru", "uk", "kk")}) == 1
    assert min(given.values()) >= 5
