"""`ragtriage labels` as a user calls it."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from ragtriage.cli.main import ragtriage_command
from ragtriage.core.errors import BadInput


def call(*arguments):
    return CliRunner().invoke(ragtriage_command, ["labels", *map(str, arguments)], catch_exceptions=True)


def rows(result):
    assert result.exit_code == 0, result.output
    return {(r["metric"], r["part"], r["of"]): r for r in json.loads(result.stdout)["rows"]}


def write(path, *lines):
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    return path


def test_tags_are_scored_in_the_mode_that_is_named(tmp_path, shared):
    case = json.loads(shared("cases/inputs/B74.json").read_text())
    for name in ("gold", "pred"):
        text = "\n\n".join("\n".join(f"w{i} {tag}" for i, tag in enumerate(tags)) for tags in case[name])
        (tmp_path / f"{name}.iob2").write_text(text)
    for mode, f1 in (("strict", 0.0), ("lenient", 0.4)):
        result = call(tmp_path / "gold.iob2", tmp_path / "pred.iob2", "--mode", mode, "--format", "json")
        assert rows(result)["ingest.ner_f1", "micro f1", None]["value"] == pytest.approx(f1)
        assert json.loads(result.stdout)["mode"] == mode
        assert (
            f"tags read in mode {mode}" in call(tmp_path / "gold.iob2", tmp_path / "pred.iob2", "--mode", mode).stdout
        )


def test_a_detector_that_ships_runs_on_the_texts(tmp_path):
    text = "Звоните +7 701 123 45 67, карта 4242 4242 4242 4242, Иван Петров"
    spans = [
        {"start": text.index("+"), "end": text.index(","), "label": "phone"},
        {"start": text.index("4242"), "end": text.index(", Иван"), "label": "card"},
        {"start": text.index("Иван"), "end": len(text), "label": "person"},
    ]
    gold = write(tmp_path / "g.spans.jsonl", {"id": "1", "text": text, "spans": spans}, {"id": "2", "text": "нет"})
    found = rows(call(gold, "--detector", "code", "--format", "json"))
    assert found["ingest.pii_recall", "exact", None] == {
        "metric": "ingest.pii_recall", "part": "exact", "of": None, "value": pytest.approx(2 / 3), "support": 3,
    }  # fmt: skip
    assert found["ingest.pii_precision", "exact", None]["value"] == 1.0
    assert found["ingest.pii_recall", "exact", "person"]["value"] == 0.0
    assert found["ingest.pii_precision", "exact", "person"]["value"] is None


@pytest.mark.parametrize("detector", ["code", "py3langid"])
def test_languages_are_identified_and_scored(tmp_path, detector):
    gold = write(
        tmp_path / "g.languages.jsonl",
        {"id": "1", "language": "ru", "text": "Сколько стоит обслуживание карты?"},
        {"id": "2", "language": "kk", "text": "Картаға қызмет көрсету қанша тұрады?"},
    )
    assert rows(call(gold, "--detector", detector, "--format", "json"))["ingest.language_f1", "macro f1", None] == {
        "metric": "ingest.language_f1", "part": "macro f1", "of": None, "value": 1.0, "support": 2,
    }  # fmt: skip


def test_relations_are_scored_by_type(tmp_path):
    gold = write(tmp_path / "g.triples.jsonl", {"id": "1", "triples": [["bank", "issues", "card"], ["a", "owns", "b"]]})
    found = write(tmp_path / "f.triples.jsonl", {"id": "1", "triples": [["bank", "issues", "card"]]})
    scored = rows(call(gold, found, "--format", "json"))
    assert scored["ingest.relation_f1", "micro recall", None]["value"] == 0.5
    assert scored["ingest.relation_f1", "recall", "owns"]["value"] == 0.0


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("g.txt", ["g.txt"], "its name must say what it holds"),
        ("g.span.jsonl", ["g.span.jsonl"], "Did you mean 'spans'?"),
        ("g.spans.jsonl", ["--detector", "nobody"], "there is no detector 'nobody' of spans"),
        ("g.spans.jsonl", ["--detector", "code"], "'1' has no text"),
        ("g.triples.jsonl", ["--detector", "code"], "detectors find spans and languages"),
    ],
)
def test_what_cannot_be_compared_is_told(tmp_path, monkeypatch, name, arguments, told):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / name, {"id": "1"})
    result = call(name, *arguments)
    assert isinstance(result.exception, BadInput)
    assert told in str(result.exception)


def test_one_of_file_and_detector_must_be_given(tmp_path):
    result = call(write(tmp_path / "g.spans.jsonl", {"id": "1"}))
    assert result.exit_code == 2
    assert "give FOUND" in result.output
