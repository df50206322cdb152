"""The examples of the documentation are what they are shown as: configurations load, data and CI files parse."""

from __future__ import annotations

import ast
import json
import re
import tomllib
from typing import Any

import click
import pytest
import yaml
from pydantic import ValidationError
from tests.docs.walks import Block, Page, pages

from ragtriage.cli.main import ragtriage_command
from ragtriage.core.configuration import Configuration
from ragtriage.data.manifest import CorpusManifest, GoldenManifest
from ragtriage.runs.maintenance_http import IndexAccess

BLOCKS = [block for page in pages() for block in page.blocks]
PAGES = pages()
MANIFESTS = {"corpus.toml": CorpusManifest, "golden.toml": GoldenManifest, "index.toml": IndexAccess}
LEAST = {"golden": {"path": "golden"}, "system": {"python": "my_rag:answer"}}


def where(block: Block) -> str:
    return block.where


def of(*languages: str) -> list[Block]:
    found = [block for block in BLOCKS if block.language in languages]
    assert found, f"the documentation shows no {languages}"
    return found


def plain(value: Any) -> Any:
    """Write TOML's values as JSON has them, as the reader of configurations does."""
    return json.loads(json.dumps(value, default=lambda date: date.isoformat()))


@pytest.mark.parametrize("block", of("toml"), ids=where)
def test_a_toml_example_is_loaded(block: Block) -> None:
    value = plain(tomllib.loads(block.content))
    name = (block.title or "").rpartition("/")[2]
    if name in MANIFESTS:
        MANIFESTS[name].model_validate_json(json.dumps(value))
    elif "project" in value or name == "pyproject.toml":
        assert value["project"]["entry-points"]
    else:
        given = value if block.title else {**LEAST, **value}
        Configuration.model_validate_json(json.dumps(given))


def test_a_wrong_example_would_be_refused() -> None:
    with pytest.raises(ValidationError):
        Configuration.model_validate_json(json.dumps({**LEAST, "gates": []}))


@pytest.mark.parametrize("block", of("json"), ids=where)
def test_a_json_example_parses(block: Block) -> None:
    lines = block.content.splitlines() if (block.title or "").endswith(".jsonl") else [block.content]
    assert [json.loads(line) for line in lines if line.strip()]


@pytest.mark.parametrize("block", of("yaml"), ids=where)
def test_a_ci_example_parses_and_runs_the_evaluation(block: Block) -> None:
    assert isinstance(yaml.safe_load(block.content), dict)
    assert any(line.startswith("ragtriage eval") for line, _ in block.commands())


@pytest.mark.parametrize("block", of("python"), ids=where)
def test_a_python_example_parses(block: Block) -> None:
    if not re.match(r"\w+\(", block.content):  # a signature of the reference
        ast.parse(block.content)


def test_a_fence_says_what_it_holds() -> None:
    known = {"console", "toml", "json", "yaml", "python", "pycon", "text", "csv"}
    strange = [block.where for block in BLOCKS if block.language not in known and block.page.name != "README.md"]
    assert strange == []


def mentioned(page: Page) -> list[str]:
    """Return the commands that stand inside sentences and tables."""
    inline = [child for token in page.tokens for child in token.children or ()]
    return [child.content for child in inline if child.type == "code_inline" and child.content.startswith("ragtriage ")]


@pytest.mark.parametrize("page", [page for page in PAGES if mentioned(page)], ids=lambda page: page.name)
def test_a_command_inside_a_sentence_exists(page: Page) -> None:
    for line in mentioned(page):
        words = line.partition("||")[0].split()[1:]
        found: click.Command = ragtriage_command
        context = click.Context(ragtriage_command)
        while isinstance(found, click.Group) and words:
            inner = found.get_command(context, words.pop(0))
            assert inner is not None, f"{page.name}: there is no {line!r}"
            found = inner
        known = {name for option in found.get_params(context) for name in (*option.opts, *option.secondary_opts)}
        named = [word.partition("=")[0] for word in words if re.match(r"--?[a-z]", word)]
        assert not [name for name in named if name not in known], f"{page.name}: {line!r}"
