"""`ragtriage judge`: verify in the order of the file; calibrate refuses a bad judge; show and bias say what is."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tests.fakes.judge import FakeJudge
from tests.fakes.judge_server import serving
from tests.workflows.test_judging import FAITHFUL, project, run_of

from ragtriage.cli.judge import command
from ragtriage.core.errors import BadInput
from ragtriage.judges.lexical import verify
from ragtriage.workflows.judge_calibrate import Limits, calibrate
from ragtriage.workflows.judge_trust import read_trust


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def called(*arguments: Any, code: int = 0) -> str:
    done = CliRunner().invoke(command, [str(a) for a in arguments], catch_exceptions=False, standalone_mode=True)
    assert done.exit_code == code, done.output
    return done.stdout


PAIRS = [
    {"id": "b", "claim": "Mars has three moons.", "context": "Mars has two moons."},
    {"id": 2, "claim": "Айлық комиссия 500 теңге.", "context": "… Айлық комиссия 500 теңге. Басқа алым жоқ."},
    {"id": "a", "claim": "It rains. Mars has two moons.", "context": "Mars has two moons."},
    {"id": "c", "claim": "", "context": ""},
]


def test_verify_says_one_line_a_pair_in_the_order_of_the_file(tmp_path):
    lines = called("verify", write(tmp_path / "pairs.jsonl", PAIRS)).splitlines()
    found = [json.loads(line) for line in lines]
    assert [one["id"] for one in found] == ["b", 2, "a", "c"]
    assert [one["label"] for one in found] == ["contradicted", "supported", "not_in_context", "not_in_context"]
    for pair, one in zip(PAIRS, found, strict=True):
        assert set(one) == {"id", "label", "score", "evidence"}
        assert 0 <= one["score"] <= 1
        finding = verify(pair["claim"], pair["context"])
        assert one["evidence"] == [{"start": s.start, "end": s.end} for s in finding.spans]
    place = found[1]["evidence"][0]
    assert PAIRS[1]["context"][place["start"] : place["end"]].endswith("Айлық комиссия 500 теңге.")


def test_verify_reports_every_fault_of_a_file(tmp_path):
    path = write(tmp_path / "pairs.jsonl", [{"id": 1, "claim": "x"}, {"id": 2, "context": 3, "claim": "y"}])
    with pytest.raises(BadInput) as found:
        called("verify", path)
    assert len(found.value.faults) == 2


def test_verify_by_a_model_marks_what_it_could_not_say(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = write(tmp_path / "pairs.jsonl", PAIRS[:3])
    broken = FakeJudge(broken=lambda _, r: "no" if "rains" in r.messages[-1].content else None)
    with serving(broken) as (address, _):
        config = project(tmp_path / "p", address, judge='cache = ""')
        lines = called("verify", path, "--judge", "model", "-c", config).splitlines()
    found = [json.loads(line) for line in lines]
    assert [one.get("label") for one in found] == ["not_in_context", "supported", None]
    assert "failed" in found[2]
    assert "score" not in found[2]


def labelled(count: int, *, wrong: float = 0.0) -> list[dict[str, Any]]:
    chance = random.Random(1)
    rows = []
    for i in range(count):
        held = i % 2 == 0
        truth = "supported" if held != (chance.random() < wrong) else "not_in_context"
        claim = f"The fee is {i} euro." if held else f"The moon number {i} is blue."
        rows.append({"id": i, "claim": claim, "context": f"The fee is {i} euro.", "label": truth,
                     "language": "en" if i % 4 < 2 else "ru"})  # fmt: skip
    return rows


def test_a_judge_that_agrees_with_people_is_trusted_and_its_metrics_are_no_proxies(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    labels = write(tmp_path / "labels.jsonl", labelled(60, wrong=0.05))
    rules = f'{FAITHFUL}[[gate]]\nmetric = "generation.faithfulness"\nmin = 0.1\n'
    with serving(FakeJudge()) as (address, _):
        config = project(tmp_path / "p", address, judge='calibration = "trust.json"\nrequire_calibration = true',
                         rest=rules)  # fmt: skip
        record = tmp_path / "p" / "trust.json"
        options = ["--labels", labels, "--judge", "model", "-c", config, "-o", record]
        text = called("calibrate", *options, "--repeats", 2)
        assert "trusted" in text
        found = read_trust(record)
        assert found.trusted
        assert (found.overall.items, found.overall.failed, found.stability) == (60, 0, 1.0)
        assert [part.slice for part in found.slices] == [{"language": "en"}, {"language": "ru"}]
        assert found.overall.kappa_interval is not None
        run = run_of(config)
        assert run.results.row("generation.faithfulness").proxy is False
        assert run.results.gate.verdict == "pass"
        record.write_text(record.read_text().replace(found.rubric, "0" * 64))
        other = run_of(config, "other")
        assert other.results.row("generation.faithfulness").proxy is True
        assert other.results.gate.verdict == "undecidable"


def test_a_judge_at_chance_one_that_fails_and_too_few_labels_are_refused(tmp_path):
    chance = random.Random(3)

    def guess(name: str, reply: dict[str, Any]) -> None:
        for one in reply["verdicts"] if name == "claim_support" else ():
            if not any("QX" in e["quote"] for e in one["evidence"]) and chance.random() < 0.5:
                one.update(label="not_in_context", evidence=[])

    labels = write(tmp_path / "labels.jsonl", labelled(60, wrong=0.4))
    with serving(FakeJudge(change=guess)) as (address, _):
        config = project(tmp_path / "p", address, judge='cache = ""')
        found = calibrate(labels, rubric="claim_support", judge="model", config=config)
    assert not found.trusted
    assert any("kappa" in reason for reason in found.reasons)
    with serving(FakeJudge(broken=lambda n, _: "no" if n % 3 == 0 else None)) as (address, _):
        config = project(tmp_path / "q", address, judge='cache = ""\nconcurrency = 1')
        found = calibrate(labels, rubric="claim_support", judge="model", config=config)
    few = calibrate(write(tmp_path / "few.jsonl", labelled(10)), rubric="claim_support", judge="lexical")
    assert any("labels" in reason for reason in few.reasons)
    called("calibrate", "--labels", tmp_path / "few.jsonl", "-o", tmp_path / "t.json", code=3)


def test_labels_of_several_people_are_counted_and_a_draw_decides_nothing(tmp_path):
    rows = [{**row, "labels": [row.pop("label")] * 2 + ["Contradicted."]} for row in labelled(40)]
    rows.append({**labelled(1)[0], "label": None, "labels": ["supported", "contradicted"], "id": "draw"})
    found = calibrate(write(tmp_path / "l.jsonl", rows), rubric="claim_support", judge="lexical",
                      limits=Limits(labels=30))  # fmt: skip
    assert found.overall.items == 40
    assert found.annotators == 3
    assert found.people_alpha is not None
    assert found.share_raw is not None


def test_items_without_labels_are_what_the_correction_is_for(tmp_path):
    rows = labelled(100, wrong=0.2)
    for row in rows[40:]:
        del row["label"]
    found = calibrate(write(tmp_path / "l.jsonl", rows), rubric="claim_support", judge="lexical")
    assert found.share_interval is not None
    assert found.share_interval[0] < 0.5 < found.share_interval[1]
    for row in rows[20:]:
        row.pop("label", None)
    few = calibrate(write(tmp_path / "l.jsonl", rows), rubric="claim_support", judge="lexical")
    assert few.share_corrected is None


def test_labels_that_the_rubric_does_not_know_are_faults(tmp_path):
    rows = [{"id": 1, "claim": "a", "context": "b", "label": "maybe"}, {"id": 2, "label": "supported"}]
    with pytest.raises(BadInput, match="maybe"):
        calibrate(write(tmp_path / "l.jsonl", rows), rubric="claim_support", judge="lexical")
    with pytest.raises(BadInput, match="gives no label"):
        calibrate(write(tmp_path / "l.jsonl", rows[:1]), rubric="claim_extraction", judge="lexical")
    good = write(tmp_path / "l.jsonl", labelled(2))
    with pytest.raises(BadInput, match="no judge 'clever'"):
        calibrate(good, rubric="claim_support", judge="clever")


def test_labels_that_ship_are_taken_and_named_where_none_are_given(tmp_path):
    record = tmp_path / "t.json"
    text = called("calibrate", "-o", record, "--format", "plain", code=3)
    assert "written for this project" in text
    assert "every item has a label, so there is nothing to correct" in text
    found = read_trust(record)
    assert found.overall.items == 60
    assert [part.slice["language"] for part in found.slices] == ["en", "kk", "ru", "uk"]
    assert found.labels_from is not None
    with pytest.raises(BadInput, match="no labels ship"):
        called("calibrate", "--rubric", "escalation")
    with pytest.raises(BadInput, match="gives no label"):
        called("calibrate", "--rubric", "nugget_creation")


def test_corrected_shares_stand_beside_the_judges_own(tmp_path):
    rows = labelled(100, wrong=0.2)
    for row in rows[40:]:
        del row["label"]
    path = write(tmp_path / "l.jsonl", rows)
    text = called("calibrate", "--labels", path, "-o", tmp_path / "t.json", "--format", "plain", code=3)
    assert "share of supported: judge 0.50, corrected by PPI" in text
    assert "by Rogan-Gladen" in text
    for row in rows[29:]:
        row.pop("label", None)
    text = called("calibrate", "--labels", write(path, rows), "-o", tmp_path / "t.json", "--format", "plain", code=3)
    assert "not corrected (29 labels; a correction needs 30)" in text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--probe", "place"], "there are position, verbosity"),
        (["--language", "de"], "there are en, kk, ru, uk"),
        (["--probe", "position"], "compares no answers"),
    ],
)
def test_a_probe_that_does_not_exist_or_does_not_apply_says_which_do(options, message):
    with pytest.raises(BadInput, match=message):
        called("bias", *options)


def test_show_and_bias_say_what_there_is(tmp_path):
    assert "claim_support" in called("show")
    assert "known failures" in called("show", "claim_support")
    called("calibrate", "--labels", write(tmp_path / "l.jsonl", labelled(60)), "-o", tmp_path / "a.trust.json")
    assert "lexical by claim_support" in called("show", "--calibration", tmp_path)
    found = json.loads(called("bias", "--format", "json"))
    assert found["probes"][0]["probe"] == "injection_support"
