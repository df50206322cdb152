"""The study of chunk size and overlap counts what a person counts on a corpus of a few lines."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from benchmarks import chunk_lab
from benchmarks.chunk_study import Bench, main, rows_of
from click.testing import CliRunner

from ragtriage.core.records import Case, Document, Evidence
from ragtriage.data.corpus import corpus_of

FILLER = "Nothing of note is said in this long line about the weather. "
TEXT = f"{FILLER * 2}\n\nThe zebra fee is 5 dollars and is due on the first day of the month.\n\n{FILLER * 2}"
START = TEXT.index("The zebra")
EVIDENCE = Evidence(doc_id="a", start=START, end=START + 69)


def project(folder: Path) -> Path:
    documents = [Document(doc_id="a", text=TEXT, language="en"), Document(doc_id="b", text=FILLER * 4, language="en")]
    cases = [
        Case(case_id="q1", question="What is the zebra fee?", language="en", evidence=(EVIDENCE,)),
        Case(case_id="q2", question="When is the fee due?", language="en", evidence=(EVIDENCE,)),
        Case(case_id="q3", question="Who are you?", kind="no_answer"),
    ]
    for name, records in (("corpus/documents", documents), ("golden/cases", cases)):
        file = folder / f"{name}.jsonl"
        file.parent.mkdir()
        file.write_text("".join(record.model_dump_json(exclude_defaults=True) + "\n" for record in records))
    (folder / "corpus" / "corpus.toml").write_text('name = "c"\nversion = "1"\n')
    (folder / "golden" / "golden.toml").write_text('name = "g"\nversion = "1"\n')
    config = folder / "ragtriage.toml"
    config.write_text(
        '[corpus]\npath = "corpus"\n[golden]\npath = "golden"\n[system]\npython = "reference_rag:build"\n'
        'context_size = 1\n[system.factors]\ncorpus = "corpus"\n'
    )
    return config


def test_tables_and_charts_say_what_was_measured(tmp_path: Path) -> None:
    config = project(tmp_path)
    ran = CliRunner().invoke(
        main, [str(config), "--sizes", "8,32", "--overlaps", "0,50", "--overlap-at", "8", "-o", str(tmp_path / "out")]
    )
    assert ran.exit_code == 0, ran.output
    assert "2 questions" in ran.output
    found = json.loads((tmp_path / "out" / "chunks.json").read_text())
    by_size = {row["chunk_size"]: row for row in found["size"]}
    assert by_size[32]["recall"]["value"] == 1.0  # the line is one chunk of 128 characters or fewer
    assert by_size[8]["recall"]["value"] == 0.0  # no piece of 32 characters holds half of its 69
    assert by_size[8]["chunks"] > by_size[32]["chunks"]
    assert [row["overlap"] for row in found["overlap"]] == [0, 4]
    assert found["overlap"][1]["index_kib"] > found["overlap"][0]["index_kib"]
    for name in ("size.svg", "overlap.svg"):
        svg = ET.fromstring((tmp_path / "out" / name).read_text())  # noqa: S314 - our own output
        assert svg.tag.endswith("svg")


def test_whole_documents_as_evidence_are_measured_on_the_level_of_documents() -> None:
    corpus = corpus_of(
        [Document(doc_id="a", text=TEXT, language="en"), Document(doc_id="b", text=FILLER, language="en")]
    )
    cases = (Case(case_id="q1", question="zebra fee", evidence=(Evidence(doc_id="a"),)),)
    factors = {"mode": "bm25", "rerank": False, "chunker": "recursive", "cache_dir": None}
    bench = Bench(corpus, cases, factors, k=1, min_overlap=0.5)
    assert bench.level == "document"
    assert list(bench.measure(size=8, overlap=0).recall) == [1.0]


def test_questions_without_a_number_are_left_out_everywhere_and_differences_are_paired() -> None:
    corpus = corpus_of([Document(doc_id="a", text=TEXT, language="en")])
    cases = (
        Case(case_id="q1", question="zebra fee", evidence=(EVIDENCE,)),
        Case(case_id="q2", question="unanswerable", kind="no_answer"),
    )
    factors = {"mode": "bm25", "rerank": False, "chunker": "recursive", "cache_dir": None}
    bench = Bench(corpus, cases, factors, k=1, min_overlap=0.5)
    measured = [bench.measure(size=size, overlap=0) for size in (8, 32)]
    assert [list(np.isnan(m.recall)) for m in measured] == [[False, True]] * 2
    rows = rows_of(measured)
    assert [(row.recall.value, row.difference.value, row.recall.questions) for row in rows] == [
        (0.0, 0.0, 1),
        (1.0, 1.0, 1),
    ]


def test_ways_of_chunking_stand_side_by_side(tmp_path: Path) -> None:
    out = tmp_path / "lab.md"
    options = ["--chunker", "fixed", "--chunker", "structural", "--size", "16", "-o", str(out)]
    ran = CliRunner().invoke(chunk_lab.main, [str(project(tmp_path)), *options])
    assert ran.exit_code == 0, ran.output
    rows = [
        line.strip("| ").split(" | ") for line in out.read_text().splitlines() if line.startswith(("| fixed", "| str"))
    ]
    cut = {row[0]: row for row in rows if len(row) == 9}
    # 64 characters hold one filler of 60 whole, so nothing is cut until the line of 69, and then every border cuts:
    # of b's three borders none, of a's five the last three.
    assert cut["fixed"][4] == "0.375"
    assert cut["fixed"][5] == "0.000 0.000 0.000 0.000 0.375"
    assert {row[7] for row in cut.values()} == {"1.000"}
    assert cut["fixed"][6] == "1.000"  # the only gold span, of 69 characters, fits no chunk of 64


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--sizes", "512,256"], "must rise"),
        (["--sizes", "a"], "whole numbers"),
        (["--overlaps", "0,100"], "lie in [0, 90]"),
    ],
)
def test_sizes_and_overlaps_that_make_no_sense_are_refused(tmp_path: Path, options: list[str], said: str) -> None:
    ran = CliRunner().invoke(main, [str(project(tmp_path)), *options])
    assert ran.exit_code == 2
    assert said in " ".join(ran.output.split())
