"""`ragtriage report` on a run folder that an evaluation left."""

from __future__ import annotations

import json
import shlex
import shutil
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from ragtriage.cli.main import ragtriage_command
from ragtriage.core.errors import BadInput, NotComparable, UnknownName
from ragtriage.core.system import Question
from ragtriage.core.tables import read_parquet
from ragtriage.report.wording import again, command
from ragtriage.workflows.compare import compare
from ragtriage.workflows.evaluate import evaluate
from ragtriage.workflows.rescore import rescore
from ragtriage.workflows.run import Run

TEXT = "A new card costs 2,500 tenge and arrives within three working days."
DOCUMENT = {"doc_id": "card", "text": TEXT, "title": "Cards"}
CASES = [
    {
        "case_id": "price",
        "question": "What does a new card cost?",
        "language": "en",
        "evidence": [{"doc_id": "card", "start": 0, "end": 28, "quote": TEXT[:28]}],
        "expected": {"required_facts": [{"any_of": ["2,500"]}]},
    },
    {
        "case_id": "days",
        "question": "When does it arrive?",
        "language": "en",
        "evidence": [{"doc_id": "card", "start": 33, "end": 66, "quote": TEXT[33:66]}],
        "expected": {"required_facts": [{"any_of": ["three"]}]},
    },
    {"case_id": "chat", "question": "How are you?", "language": "en"},
]


def answer(question: Question) -> dict[str, object]:
    """Know the price alone."""
    hit = {"id": "card#0", "doc_id": "card", "start": 0, "end": len(TEXT)}
    text = "A new card costs 2,500 tenge." if "cost" in question.text else "I do not know."
    return {
        "rankings": [{"stage": "dense", "hits": [hit]}],
        "context": [{**hit, "text": TEXT}],
        "answer": {"text": text},
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A finished run: one case ok, one not, one that expects nothing."""
    place = tmp_path_factory.mktemp("project")
    (place / "corpus").mkdir()
    (place / "golden").mkdir()
    (place / "corpus" / "documents.jsonl").write_text(json.dumps(DOCUMENT) + "\n", encoding="utf-8")
    (place / "golden" / "cases.jsonl").write_text("".join(json.dumps(c) + "\n" for c in CASES), encoding="utf-8")
    (place / "corpus" / "corpus.toml").write_text('name = "cards"\nversion = "1"\n', encoding="utf-8")
    (place / "golden" / "golden.toml").write_text('name = "cards"\nversion = "1"\n', encoding="utf-8")
    evaluate(system=answer, golden=place / "golden", corpus=place / "corpus", output=place / "run")
    return place / "run"


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(ragtriage_command, ["report", *map(str, words)], standalone_mode=False)


def test_without_a_file_the_summary_goes_to_stdout(folder: Path) -> None:
    result = run(folder)
    assert result.return_value == 0
    assert "3 cases: 1 ok, 1 not ok, 0 failed, 1 without expectation; 3 traced" in result.stdout
    assert f"ragtriage diagnose {folder} --case days" in result.stdout or "--case ID" in result.stdout
    assert "\x1b" not in result.stdout


def test_each_file_is_written_in_the_format_of_its_suffix(folder: Path, tmp_path: Path) -> None:
    names = ["a.html", "b.md", "c.json", "d.xml", "e.csv", "f.parquet", "g.prom", "h.tex", "i.txt"]
    result = run(folder, *(word for name in names for word in ("-o", tmp_path / name)))
    assert result.return_value == 0
    assert result.stdout == ""
    assert result.stderr.splitlines() == [f"ragtriage: wrote {tmp_path / name}" for name in names]
    assert sorted(path.name for path in tmp_path.iterdir()) == names


def test_a_report_drawn_again_equals_the_one_that_the_run_left(folder: Path, tmp_path: Path) -> None:
    again = {"report.html": "r.html", "report.md": "r.md", "junit.xml": "r.xml", "results.json": "r.json"}
    result = run(folder, *(word for name in again.values() for word in ("-o", tmp_path / name)), "--quiet")
    assert result.stderr == ""
    for name, mine in again.items():
        assert (tmp_path / mine).read_bytes() == (folder / name).read_bytes(), name
    assert list(read_parquet(folder / "scores.parquet"))


def test_a_format_can_be_piped(folder: Path) -> None:
    result = run(folder, "--format", "json")
    assert json.loads(result.stdout)["counts"]["not_ok"] == 1


def test_an_unknown_suffix_stops_before_anything_is_written(folder: Path, tmp_path: Path) -> None:
    result = run(folder, "-o", tmp_path / "a.md", "-o", tmp_path / "b.docx")
    assert isinstance(result.exception, BadInput)
    assert "no report format has the suffix '.docx'" in str(result.exception)
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_format_says_which_was_meant(folder: Path) -> None:
    result = run(folder, "--format", "jsn")
    assert isinstance(result.exception, UnknownName)
    assert "Did you mean 'json'?" in str(result.exception)


def test_a_folder_without_a_run_is_bad_input(tmp_path: Path) -> None:
    result = run(tmp_path)
    assert isinstance(result.exception, BadInput)
    assert "no finished run" in str(result.exception)


def knows_all(question: Question) -> dict[str, object]:
    """Know the price and the days."""
    found = answer(question)
    return found if "arrive" not in question.text else {**found, "answer": {"text": "Within three working days."}}


@pytest.fixture(scope="module")
def better(folder: Path) -> Path:
    """A run on the same golden set in which one case more is right."""
    place = folder.parent
    evaluate(system=knows_all, golden=place / "golden", corpus=place / "corpus", output=place / "better")
    return place / "better"


def test_a_base_run_is_set_beside_the_run(folder: Path, better: Path, tmp_path: Path) -> None:
    result = run(folder, "--baseline", better, "-o", tmp_path / "r.html", "-o", tmp_path / "r.md")
    assert result.return_value == 0
    assert 'id="compare"' in (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "1 case that broke" in (tmp_path / "r.md").read_text(encoding="utf-8")
    assert ": 1 case broke, 0 mended (p = 1.000);" in run(folder, "--baseline", better).stdout
    assert "against " not in run(folder).stdout


def test_a_base_run_on_another_golden_set_is_refused(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "golden"
    other.mkdir()
    (other / "golden.toml").write_text('name = "cards"\nversion = "2"\n', encoding="utf-8")
    (other / "cases.jsonl").write_text(json.dumps(CASES[0]) + "\n", encoding="utf-8")
    evaluate(system=answer, golden=other, corpus=folder.parent / "corpus", output=tmp_path / "other")
    result = run(folder, "--baseline", tmp_path / "other", "-o", tmp_path / "r.html")
    assert isinstance(result.exception, NotComparable)
    assert "different golden sets" in str(result.exception)
    assert not (tmp_path / "r.html").exists()


def test_an_evaluation_keeps_what_it_compared_until_it_is_measured_without_a_base(
    folder: Path, better: Path, tmp_path: Path
) -> None:
    place = folder.parent
    evaluate(system=answer, golden=place / "golden", corpus=place / "corpus", output=tmp_path / "run", baseline=better)
    left = {name: (tmp_path / "run" / name).read_bytes() for name in ("report.html", "report.md", "results.json")}
    again_ = {"report.html": "r.html", "report.md": "r.md", "results.json": "r.json"}
    run(tmp_path / "run", *(word for name in again_.values() for word in ("-o", tmp_path / name)), "--quiet")
    for name, mine in again_.items():  # the base run is not needed to draw it again
        assert (tmp_path / mine).read_bytes() == left[name], name
    held = Run.load(tmp_path / "run").report().compared
    assert held.runs.ok.broke == ("days",)
    assert held.before["days"].answer == "Within three working days."
    compared = compare(better, tmp_path / "run")
    whole = [row for row in compared.rows if not row.slice]
    assert [(r.metric, r.difference, r.interval, r.p_adjusted) for r in held.runs.rows if not r.slice] == [
        (r.metric, r.difference, r.interval, r.p_adjusted) for r in whole
    ]
    rescore(tmp_path / "run")
    assert not (tmp_path / "run" / "comparison.json").exists()
    assert 'id="compare"' not in (tmp_path / "run" / "report.html").read_text(encoding="utf-8")


def test_a_comparison_file_that_was_changed_is_bad_input(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "run")
    (tmp_path / "run" / "comparison.json").write_text(
        '{"schema": "ragtriage.comparison/1", "runs": 3}', encoding="utf-8"
    )
    result = run(tmp_path / "run")
    assert isinstance(result.exception, BadInput)
    assert "comparison.json: runs" in str(result.exception)
    (tmp_path / "run" / "comparison.json").write_text("{}", encoding="utf-8")
    assert "is no ragtriage.comparison/1" in str(run(tmp_path / "run").exception)


def test_the_command_that_asks_a_case_again_asks_it_alone(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd = 'it\'s $HOME, "price"'
    project = tmp_path / "my project"
    shutil.copytree(folder.parent / "corpus", project / "corpus")
    (project / "golden").mkdir()
    (project / "golden" / "golden.toml").write_text('name = "cards"\nversion = "1"\n', encoding="utf-8")
    cases = [{**CASES[0], "case_id": odd}, CASES[1]]
    (project / "golden" / "cases.jsonl").write_text("".join(json.dumps(c) + "\n" for c in cases), encoding="utf-8")
    (project / "own_cards.py").write_text(
        "def answer(question):\n    return {'answer': {'text': 'A new card costs 2,500 tenge.'}}\n", encoding="utf-8"
    )
    (project / "ragtriage.toml").write_text(
        'corpus = {path = "corpus"}\ngolden = {path = "golden"}\nsystem = {python = "own_cards:answer"}\n',
        encoding="utf-8",
    )
    monkeypatch.chdir(tmp_path)
    made = evaluate("my project/ragtriage.toml", output="runs/first")
    words = shlex.split(again(made.report().config, odd))
    assert words[:4] == ["ragtriage", "eval", "-c", "my project/ragtriage.toml"]
    result = CliRunner().invoke(ragtriage_command, words[1:], standalone_mode=False)
    assert result.return_value == 0
    (asked,) = Run.load("runs/again").results.cases
    assert (asked.case_id, asked.ok) == (odd, True)
    told = CliRunner().invoke(ragtriage_command, shlex.split(command("runs/first", odd))[1:], standalone_mode=False)
    assert told.stdout.startswith(odd)


class Leaking(BaseHTTPRequestHandler):
    """An endpoint that says what it was asked with: the header, the address, in answers and in errors."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["q"]
        leak = f"{self.headers['Authorization']} {self.path}"
        status = 401 if "arrive" in asked else 200
        content = json.dumps({"said": f"A new card costs 2,500 tenge. {leak}", "error": f"invalid key {leak}"}).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None: ...


def test_case_b53_no_key_reaches_the_run_folder_or_any_output(
    folder: Path, tmp_path: Path, shared: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    given = json.loads(shared("cases/inputs/B53.json").read_text(encoding="utf-8"))
    keys = {**given["env"], "QUERY_KEY": given["provider"]["url"].rpartition("=")[2]}
    for name, value in keys.items():
        monkeypatch.setenv(name, value)
    place = folder.parent
    with ThreadingHTTPServer(("127.0.0.1", 0), Leaking) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        url = f"http://127.0.0.1:{server.server_address[1]}/v1"
        text = f"""
corpus = {{path = {json.dumps(str(place / "corpus"))}}}
golden = {{path = {json.dumps(str(place / "golden"))}}}
[system.http]
url = "{url}?key=env:QUERY_KEY"
headers = {{Authorization = "Bearer env:JUDGE_API_KEY"}}
body = {{q = "{{{{question}}}}"}}
fields = {{answer = "$.said"}}
"""
        (tmp_path / "ragtriage.toml").write_text(text, encoding="utf-8")
        result = CliRunner().invoke(
            ragtriage_command,
            ["eval", "-c", str(tmp_path / "ragtriage.toml"), "-o", str(tmp_path / "run")],
            standalone_mode=False,
        )
        server.shutdown()
    assert result.return_value == 3  # a third of the cases failed: undecidable
    names = ["r.html", "r.md", "r.json", "r.xml", "r.csv", "r.parquet", "r.prom", "r.tex", "r.txt"]
    drawn = run(tmp_path / "run", *(word for name in names for word in ("-o", tmp_path / name)))
    told = CliRunner().invoke(
        ragtriage_command, ["diagnose", str(tmp_path / "run"), "--case", "price"], standalone_mode=False
    )
    said = [result.stdout, result.stderr, drawn.stdout, drawn.stderr, told.stdout, told.stderr]
    files = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) >= 15
    for content in [*files, *(text.encode() for text in said)]:
        assert b"CANARY" not in content
    # What is no secret stays: the host, the names of the keys, and where a key stood.
    assert url.encode() in (tmp_path / "run" / "bundle.json").read_bytes()
    assert "A new card costs 2,500 tenge. Bearer env:JUDGE_API_KEY /v1?key=env:QUERY_KEY" in told.stdout


def test_case_b53_a_key_that_stands_in_the_configuration_is_refused(
    folder: Path, tmp_path: Path, shared: Callable[[str], Path]
) -> None:
    url = json.loads(shared("cases/inputs/B53.json").read_text(encoding="utf-8"))["provider"]["url"]
    golden = json.dumps(str(folder.parent / "golden"))
    (tmp_path / "ragtriage.toml").write_text(
        f'golden = {{path = {golden}}}\n[system.http]\nurl = "{url}"\nbody = {{q = "{{{{question}}}}"}}\n',
        encoding="utf-8",
    )
    with pytest.raises(BadInput) as refused:
        evaluate(tmp_path / "ragtriage.toml", output=tmp_path / "run")
    assert "CANARY" not in str(refused.value)
    assert "env:" in str(refused.value)
    assert not (tmp_path / "run").exists()
