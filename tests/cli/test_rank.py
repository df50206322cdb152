"""`ragtriage rank`: what stands on stdout, on stderr, in files, and the exit code."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from ragtriage.cli.main import main
from ragtriage.core.tables import read_parquet

Shared = Callable[[str], Path]
Ragtriage = Callable[..., "Done"]


@dataclass(frozen=True)
class Done:
    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def ragtriage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Ragtriage:
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str | Path, **environment: str) -> Done:
        monkeypatch.setattr(sys, "argv", ["ragtriage", "rank", *map(str, arguments)])
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        with pytest.raises(SystemExit) as ended:
            main()
        return Done(int(ended.value.code or 0), *capsys.readouterr())

    return run


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    qrels, run = tmp_path / "qrels", tmp_path / "bm25.trec"
    qrels.write_text("q1 0 a 1\nq1 0 b 1\nq2 0 c 1\nq3 0 d 0\n")
    run.write_text("q1 Q0 a 1 3 t\nq1 Q0 x 2 2 t\nq9 Q0 a 1 1 t\n")
    return qrels, run


def test_json_has_the_documented_shape(ragtriage: Ragtriage, files: tuple[Path, Path]) -> None:
    done = ragtriage(*files, "-m", "recall@10", "-m", "mrr", "-q", "--format", "json")
    assert done.returncode == 0
    found = json.loads(done.stdout)
    recall = found["metrics"]["recall@10"]
    low, high = recall.pop("interval")
    assert recall == {"value": 0.25, "scored": 2, "undefined": 1, "failed": 0, "missing": 1}
    assert low <= 0.25 <= high
    assert found["questions"] == {
        "q1": {"recall@10": 0.5, "mrr": 1.0},
        "q2": {"recall@10": 0.0, "mrr": 0.0},
        "q3": {"recall@10": {"undefined": "nothing is relevant"}, "mrr": {"undefined": "nothing is relevant"}},
    }
    assert done.stderr.splitlines() == [
        "note: bm25.trec: no ranking for 1 question, scored 0 and counted as missing: q2",
        "note: bm25.trec: left out 1 question without judgements: q9",
    ]


def test_several_runs_stand_under_the_names_of_their_files(
    ragtriage: Ragtriage, files: tuple[Path, Path], tmp_path: Path
) -> None:
    (tmp_path / "dense.trec").write_text("q2 Q0 c 1 1 t\n")
    done = ragtriage(*files, "dense.trec", "-m", "mrr", "--format", "json", "--quiet")
    assert {name: run["metrics"]["mrr"]["value"] for name, run in json.loads(done.stdout)["runs"].items()} == {
        "bm25.trec": 0.5,
        "dense.trec": 0.5,
    }
    assert done.stderr == ""


def test_the_table_shows_value_interval_and_all_counts_without_colour_in_a_pipe(
    ragtriage: Ragtriage, files: tuple[Path, Path]
) -> None:
    done = ragtriage(*files, "-m", "recall@10", "-m", "ndcg@10(gain=linear)", "-q")
    assert done.returncode == 0
    words = done.stdout.split()
    assert words[:9] == ["metric", "value", "95", "%", "interval", "scored", "undefined", "failed", "missing"]
    (row,) = [line.split() for line in done.stdout.splitlines() if line.strip().startswith("ndcg@10(gain=linear)")]
    # q1: 1 / (1 + 1 / log2 3) = 0.6131, q2 is missing, so 0
    assert row[1:] == ["0.3066", "0.0000", "..", "0.6131", "2", "1", "0", "1"]
    assert ["q3", "undefined", "undefined"] in [line.split() for line in done.stdout.splitlines()]
    assert "\x1b" not in done.stdout


def test_colour_comes_only_where_it_is_wanted(ragtriage: Ragtriage, files: tuple[Path, Path]) -> None:
    plain = {"TERM": "xterm-256color", "NO_COLOR": "", "FORCE_COLOR": ""}
    assert "\x1b[" in ragtriage(*files, "--color", "always", **plain).stdout
    assert "\x1b[" not in ragtriage(*files, "--color", "never", **plain).stdout


def test_csv_keeps_a_formula_in_an_id_from_running(ragtriage: Ragtriage, tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("=1+1 0 a 1\n")
    (tmp_path / "run").write_text("=1+1 Q0 a 1 1 t\n")
    done = ragtriage("qrels", "run", "-m", "mrr", "-q", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [(r["run"], r["question"], r["metric"], r["value"], r["scored"]) for r in rows] == [
        ("run", "", "mrr", "1.0", "1"),
        ("run", "'=1+1", "mrr", "1.0", ""),
    ]


def test_escape_sequences_in_ids_are_drawn_and_not_obeyed(ragtriage: Ragtriage, tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("q\x1b[31m 0 a 1\nq[red] 0 a 1\n")
    (tmp_path / "run").write_text("q\x1b[31m Q0 a 1 1 t\n\x1b]0;title\x07 Q0 a 1 1 t\n")
    done = ragtriage("qrels", "run", "-m", "mrr", "-q")
    assert done.returncode == 0
    assert "\x1b" not in done.stdout + done.stderr
    assert "q␛[31m" in done.stdout
    assert "q[red]" in done.stdout


def test_the_suffix_of_the_file_chooses_the_format(
    ragtriage: Ragtriage, files: tuple[Path, Path], tmp_path: Path
) -> None:
    for name in ("scores.parquet", "scores.json", "scores.csv", "scores.txt"):
        done = ragtriage(*files, "-m", "mrr", "-o", name, "--quiet")
        assert (done.returncode, done.stdout) == (0, "")
    assert list(read_parquet(tmp_path / "scores.parquet")) == [
        {"question": "q1", "mrr": 1.0},
        {"question": "q2", "mrr": 0.0},
        {"question": "q3", "mrr": None},
    ]
    assert json.loads((tmp_path / "scores.json").read_text())["metrics"]["mrr"]["value"] == 0.5
    assert (tmp_path / "scores.csv").read_text().startswith("run,question,metric,value")
    assert "mrr" in (tmp_path / "scores.txt").read_text()
    assert ragtriage(*files, "--format", "parquet").returncode == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-m", "recal@5"], "Did you mean 'recall'?"),
        (["-m", "recall"], "write it like 'recall@10'"),
        (["--grade-map", "1=x"], "--grade-map: '1=x' must be GRADE=GRADE"),
        (["--min-grade", "0"], "--min-grade"),
        (["--like", "ranx"], "trec_eval"),
        (["--format", "xml"], "parquet"),
    ],
)
def test_a_wrong_option_ends_with_2_and_says_what_is_right(
    ragtriage: Ragtriage, files: tuple[Path, Path], arguments: list[str], message: str
) -> None:
    done = ragtriage(*files, *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stdout == ""


def test_all_faults_of_a_bad_file_are_listed_with_file_and_line(ragtriage: Ragtriage, tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("q1 0 a 1\nq1 0 b\nq1 0 c high\n")
    (tmp_path / "run").write_text("q1 Q0 a 1 3 t\n")
    done = ragtriage("qrels", "run")
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "ragtriage: qrels has 2 faults:",
        "qrels:2: a line must have 4 fields: question 0 document grade. Got 3",
        "qrels:3: the grade must be a whole number. Got 'high' instead",
    ]
    assert ragtriage("qrels", "absent").returncode == 2


def test_order_min_grade_and_grade_map_reach_the_scores(ragtriage: Ragtriage, tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("q1 0 a 4\nq1 0 b 1\n")
    (tmp_path / "run").write_text("q1 Q0 a 1 1 t\nq1 Q0 b 2 2 t\n")

    def mrr(*options: str) -> float:
        done = ragtriage("qrels", "run", "-m", "mrr", "--format", "json", "--quiet", *options)
        value = json.loads(done.stdout)["metrics"]["mrr"]["value"]
        assert isinstance(value, float)
        return value

    assert mrr() == 1.0
    assert mrr("--min-grade", "2") == 0.5
    assert mrr("--min-grade", "2", "--order", "rank") == 1.0
    assert mrr("--min-grade", "2", "--grade-map", "1=4,4=1") == 1.0


def test_like_trec_eval_prints_its_means(ragtriage: Ragtriage, shared: Shared) -> None:
    done = ragtriage(
        shared("data/trec_eval/qrels.test"), shared("data/trec_eval/results.trunc"),
        "--like", "trec_eval", "-m", "map", "-m", "ndcg@10", "-m", "bpref", "--format", "json",
    )  # fmt: skip
    rows = (line.split() for line in shared("data/trec_eval/out.test.aqc").read_text().splitlines())
    expected = {row[0]: float(row[2]) for row in rows if row[1] == "all" and row[0] in {"map", "ndcg_cut_10", "bpref"}}
    found = {name: round(metric["value"], 4) for name, metric in json.loads(done.stdout)["metrics"].items()}
    assert found == {"map": expected["map"], "ndcg@10": expected["ndcg_cut_10"], "bpref": expected["bpref"]}


def test_as_a_process_the_result_is_on_stdout_alone(files: tuple[Path, Path]) -> None:
    program = (
        f"import sys; sys.argv = ['ragtriage', 'rank', {str(files[0])!r}, {str(files[1])!r}, '--format', 'json']\n"
    )
    program += "from ragtriage.cli.main import main; main()"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert json.loads(done.stdout)["metrics"]["mrr"]["value"] == 0.5
    assert done.stderr.startswith("note: ")
