"""`ragtriage index recall`, `drift`, `study`: what stands on stdout, on stderr, in files, and the exit code."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import faiss
import numpy as np
import pytest
from sklearn.preprocessing import normalize

from ragtriage.cli.main import main

Run: TypeAlias = Callable[..., tuple[int, str, str]]
RANDOM = np.random.default_rng(3)
VECTORS = RANDOM.normal(size=(200, 8)).astype(np.float32)
FLAT = ("recall", "--vectors", "vectors.npy", "--queries", "queries.npy", "--faiss", "flat.faiss", "-o", "found.jsonl")


@pytest.fixture
def ragtriage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.chdir(tmp_path)
    np.save("vectors.npy", VECTORS)
    np.save("queries.npy", VECTORS[:10])
    np.save("moved.npy", VECTORS + 0.2 * RANDOM.normal(size=VECTORS.shape))
    np.save("wide.npy", np.hstack([VECTORS, VECTORS]))
    index = faiss.IndexFlatIP(8)
    index.add(normalize(VECTORS))
    faiss.write_index(index, "flat.faiss")

    def run(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["ragtriage", "index", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        return int(ended.value.code or 0), *capsys.readouterr()

    return run


def test_recall_is_a_table_or_json_and_a_file(ragtriage: Run) -> None:
    code, out, err = ragtriage(*FLAT)
    assert code == 0
    assert "/IndexFlatIP/flat.faiss: 200 items, by cosine\n" in out
    assert "ingest.ann_recall@10 1.000 1.000–1.000 10" in " ".join(out.split())
    assert "queries a second" in out
    assert "ragtriage: wrote found.jsonl" in err
    lines = [json.loads(line) for line in Path("found.jsonl").read_text().splitlines()]
    assert [line["query"] for line in lines] == [str(row) for row in range(10)]
    assert lines[3]["ids"][0] == "3"
    assert lines[3]["took_ms"] >= 0
    code, out, err = ragtriage(*FLAT, "-k", "2", "--format", "json", "--quiet")
    assert (code, err) == (0, "")
    assert json.loads(out)["metrics"] == {
        "ingest.ann_recall@2": {"value": 1.0, "interval": [1.0, 1.0], "scored": 10, "undefined": 0}
    }


def test_queries_without_direction_have_no_recall(ragtriage: Run) -> None:
    np.save("queries.npy", np.zeros((2, 8)))
    code, out, _ = ragtriage(*FLAT, "--format", "json")
    assert code == 3
    found = json.loads(out)["metrics"]["ingest.ann_recall@10"]
    assert (found["value"], found["undefined"]) == (None, 2)
    assert found["reason"] == "the vector of the query has no direction: it is all zeros"


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (FLAT[:5], 2, "Missing option '-o'"),
        ((*FLAT[:5], "-o", "found.jsonl"), 2, "name one index"),
        ((*FLAT, "--python", "a:b"), 2, "name one index"),
        ((*FLAT, "-k", "201"), 2, "-k 201 is more than the 200 vectors"),
        ((*FLAT, "--distance", "euclid"), 2, "measures by the inner product"),
        ((*FLAT[:-1], "queries.npy"), 2, "queries.npy is read"),
        ((*FLAT[:5], "--python", "nowhere_at_all:f", "-o", "found.jsonl"), 5, "cannot be loaded"),
        ((*FLAT[:-1], "/proc/none/found.jsonl"), 4, "cannot be written"),
        (("drift", "vectors.npy", "none.npy"), 2, "NEW: none.npy: No such file"),
        (("drift", "vectors.npy", "queries.npy"), 2, "a pinned probe set is the same on both sides"),
        (("study", "--vectors", "vectors.npy", "--queries", "queries.npy", "--nlist", "201"), 2, "--nlist 201 is more"),
    ],
)
def test_what_cannot_be_done_has_its_exit_code_and_leaves_no_file(
    ragtriage: Run, arguments: tuple[str, ...], code: int, told: str
) -> None:
    found, out, err = ragtriage(*arguments)
    assert (found, out) == (code, "")
    assert told in err
    assert not Path("found.jsonl").exists()


def test_drift_is_a_table_or_json_and_lists_what_moved_most(ragtriage: Run) -> None:
    code, out, _ = ragtriage("drift", "vectors.npy", "moved.npy", "-k", "5")
    assert code == 0
    assert out.startswith("200 probes: vectors.npy and moved.npy\n")
    moved = np.load("moved.npy")
    expected = 1 - (normalize(VECTORS.astype(float)) * normalize(moved)).sum(axis=1).mean()
    assert f"ingest.embedding_probe_drift       {expected:.3f}" in out
    assert "fewest neighbours kept" in out
    code, _, err = ragtriage("drift", "vectors.npy", "moved.npy", "-o", "drift.json")
    assert (code, err) == (0, "ragtriage: wrote drift.json\n")
    found = json.loads(Path("drift.json").read_text())
    assert found["metrics"]["ingest.embedding_probe_drift"]["value"] == pytest.approx(expected)
    assert len(found["worst"]) == 10


def test_drift_between_two_models_says_what_cannot_be_compared(ragtriage: Run) -> None:
    code, out, _ = ragtriage("drift", "vectors.npy", "wide.npy")
    assert code == 0
    assert "the vectors have 8 and 16 dimensions" in out
    assert "ingest.probe_neighbour_overlap@10   1.000" in out
    np.save("one.npy", VECTORS[:1])
    np.save("other.npy", np.zeros((1, 8)))
    code, out, _ = ragtriage("drift", "one.npy", "other.npy", "--format", "json")
    assert code == 3
    assert json.loads(out)["metrics"]["ingest.embedding_probe_drift"]["value"] is None


def test_the_study_is_a_table_and_a_curve(ragtriage: Run) -> None:
    given = ("study", "--vectors", "vectors.npy", "--queries", "queries.npy")
    code, out, err = ragtriage(*given, "--m", "4", "--ef-construction", "8", "--nlist", "5", "--svg", "curve.svg")
    assert code == 0
    lines = out.splitlines()
    assert lines[0].startswith("| index | build | search | recall@k |")
    assert lines[2].startswith("| flat |  |  | 1.0000 |")
    assert [line.split(" | ")[1] for line in lines[3:]] == ["M=4, efConstruction=8"] * 6 + ["nlist=5"] * 3
    assert Path("curve.svg").read_text().startswith("<svg")
    assert "ragtriage: ivf nlist=5 nprobe=4" in err
    np.save("queries.npy", np.zeros((2, 8)))
    code, out, _ = ragtriage(*given, "--m", "4", "--ef-construction", "8", "--nlist", "5", "--svg", "none.svg", "-q")
    assert (code, Path("none.svg").exists()) == (3, False)
    assert "undefined" in out
