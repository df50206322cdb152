"""`ragtriage schema`: what it prints is a JSON schema that our own files meet."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from ragtriage.cli.schema import command
from ragtriage.core.errors import UnknownName
from ragtriage.core.files import read_lines, read_toml
from ragtriage.workflows.schema import schema_names, schema_of

NAMES = ("document", "chunk", "case", "trace", "verdicts", "results", "configuration", "corpus-manifest",
         "golden-manifest", "index-change", "index-finding")  # fmt: skip


def test_every_file_that_goes_in_or_comes_out_has_a_schema() -> None:
    assert sorted(schema_names()) == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_it_prints_a_valid_schema_that_forbids_unknown_fields(name: str) -> None:
    done = CliRunner().invoke(command, [name], catch_exceptions=False)
    schema = json.loads(done.stdout)
    Draft202012Validator.check_schema(schema)
    assert schema["additionalProperties"] is False
    assert done.stdout.encode().decode("utf-8") == done.stdout


def test_it_writes_to_a_file(tmp_path: Path) -> None:
    done = CliRunner().invoke(command, ["case", "-o", str(tmp_path / "case.json")], catch_exceptions=False)
    assert done.stdout == ""
    assert json.loads((tmp_path / "case.json").read_text())["title"] == "Case"


def test_an_unknown_name_says_which_was_meant() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'results'"):
        schema_of("result")


def test_what_depends_on_time_is_marked() -> None:
    properties = schema_of("results")["properties"]
    assert properties["run_id"]["x-time-dependent"] is True
    assert "system.latency_p95" in properties["metrics"]["x-time-dependent-names"]
    assert "schema" in properties


def errors(name: str, value: Any) -> list[str]:
    return [error.message for error in Draft202012Validator(schema_of(name)).iter_errors(value)]


def test_the_example_bank_meets_the_schemas(root: Path) -> None:
    bank = root / "examples/bank"
    for name, file in (("document", "corpus/documents.jsonl"), ("case", "golden/cases.jsonl")):
        validator = Draft202012Validator(schema_of(name))
        lines = list(read_lines(bank / file))
        assert lines
        assert [(n, e.message) for n, text in lines for e in validator.iter_errors(json.loads(text))] == []
    assert errors("corpus-manifest", read_toml(bank / "corpus/corpus.toml")) == []
    assert errors("golden-manifest", read_toml(bank / "golden/golden.toml")) == []


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("case", {"case_id": "a"}),
        ("case", {"case_id": "a", "question": "?", "kind": "riddle"}),
        ("case", {"case_id": "a", "question": "?", "evidence": [{"doc_id": "d", "grade": -1}]}),
        ("document", {"doc_id": "d", "text": "x", "titel": ""}),
        ("trace", {"trace_id": "t", "question": "?", "first_token_ms": -1}),
        ("golden-manifest", {"name": "g", "files": {"cases.jsonl": "md5"}}),
        ("index-change", {"doc_id": "d", "kind": "written", "committed_at": None, "deadline_ms": 1}),
        ("index-change", {"doc_id": "d", "kind": "new", "committed_at": None, "searchable_at": None, "deadline_ms": 1}),
        ("index-finding", {"query": "q", "ids": [3]}),
    ],
)
def test_the_schemas_refuse_what_the_readers_refuse(name: str, value: Any) -> None:
    assert errors(name, value)
