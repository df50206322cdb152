"""A real but bad model as the judge, from the command line to the run folder: refused, convicted, counted."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from ragtriage.cli.judge import command
from ragtriage.core.files import read_json
from ragtriage.judges.catalogue import RUBRICS
from ragtriage.runs.store import RunStore
from ragtriage.workflows.evaluate import evaluate
from ragtriage.workflows.judge_trust import read_trust

MOST = 200
CASES = 2


@pytest.fixture(scope="module")
def config(real_model_url: str, root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The quickstart with the real model as its judge."""
    folder = tmp_path_factory.mktemp("real") / "quickstart"
    shutil.copytree(root / "examples" / "quickstart", folder, ignore=shutil.ignore_patterns("runs", "__pycache__"))
    judge = (
        f'[judge]\nmodel = "openai/smollm2"\nbase_url = "{real_model_url}"\nmax_tokens = {MOST}\nconcurrency = 1\n'
        'criteria = "It names a number."\n[metrics]\n'
        'include = ["system.rubric_score", "generation.faithfulness", "generation.abstention_precision"]\n'
    )
    file = folder / "ragtriage.toml"
    settings = file.read_text(encoding="utf-8").partition("[[gate]]")[0]
    file.write_text(f"{settings}\n{judge}", encoding="utf-8")
    return file


def called(*arguments: Any, code: int) -> str:
    done = CliRunner().invoke(command, [str(a) for a in arguments], catch_exceptions=False)
    assert done.exit_code == code, done.output
    return done.stdout


def test_calibration_refuses_a_model_whose_verdicts_are_chance(config: Path, tmp_path: Path) -> None:
    shipped = RUBRICS["answer_correctness"].labels_file
    assert shipped is not None
    rows = [line for line in shipped.read_text(encoding="utf-8").splitlines() if json.loads(line)["language"] == "en"]
    labels, record = tmp_path / "labels.jsonl", tmp_path / "trust.json"
    labels.write_text("\n".join(rows[:12]) + "\n", encoding="utf-8")
    options = ["--rubric", "answer_correctness", "--labels", labels, "--judge", "model", "-c", config, "-o", record]
    text = called("calibrate", *options, "--min-labels", 12, "--format", "plain", code=3)
    assert "not trusted" in text
    found = read_trust(record)
    assert not found.trusted
    assert found.overall.items == 12
    assert found.overall.failed < 6, "most replies are verdicts, so that it is their content that is refused"
    assert found.overall.kappa is not None
    assert found.overall.kappa < 0.4
    assert any("kappa" in reason for reason in found.reasons)
    assert not any("labels" in reason for reason in found.reasons), "it is the verdicts that are refused"


def test_the_position_probe_convicts_it(config: Path) -> None:
    options = ["--probe", "position", "--language", "en", "--judge", "model", "-c", config, "--format", "json"]
    (found,) = json.loads(called("bias", *options, code=0))["probes"]
    assert found["probe"] == "position"
    assert found["asked"] + found["failed"] == 3
    assert found["moved"] >= 2
    assert found["biased"]
    assert found["interval"][0] > 0.1


def test_every_case_that_it_judges_is_scored_or_counted_as_failed(config: Path) -> None:
    run = evaluate(config, output=config.parent / "run", environment={}, limit=CASES, gate=False)
    for name in ("system.rubric_score", "generation.faithfulness"):
        row = run.results.row(name)
        assert row.scored + row.undefined + row.failed == CASES, name
    with RunStore.open(config.parent / "run") as store:
        verdicts = [one for _, one in store.verdicts()]
        calls = store.judge_calls()
    assert len(verdicts) == CASES
    failed = [failure for one in verdicts for failure in one.failed]
    assert any(failure.kind == "truncated" for failure in failed), "a claim list that never ends is cut at max_tokens"
    assert f"{len(failed)} questions to the judge brought no verdict" in " ".join(run.results.notes)
    graded = [one.rubric_grade for one in verdicts if one.rubric_grade is not None]
    assert graded
    assert all(grade.expected is not None and grade.low <= grade.expected <= grade.high for grade in graded)
    assert any(call.logprobs for call in calls.values())
    assert all((call.output_tokens or 0) <= MOST for call in calls.values())
    stored = read_json(config.parent / "run" / "results.json")
    assert "truncated" in json.dumps(stored, ensure_ascii=False)
