"""Documents beside cases: extraction is measured in a run, sliced, gated, compared, and followed to its documents."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import jiwer
import pytest
from tests.workflows.projects import write_project

import ragtriage as rt
from ragtriage.core.errors import BadInput, NotComparable
from ragtriage.core.results import Results
from ragtriage.core.tables import read_parquet
from ragtriage.workflows.power import power
from ragtriage.workflows.rescore import rescore

TEXTS = {
    "fees": (
        "The fee for early repayment is 1 % of the sum.",
        "The fee f0r early repayrnent is 1 % of the sum.",
        "scan",
    ),
    "cards": ("A lost card is blocked by calling 7711 at any hour.", "A lost card is blocked", "scan"),
    "rates": ("The rate is 17,5 % a year, for five years.", "The rate is 17,5 % a year, for five years.", "web"),
}


def project(folder: Path, *, settings: str = "", extracted: dict[str, str] | None = None, ingest: bool = True) -> Path:
    found = {name: text for name, (_, text, _) in TEXTS.items()} if extracted is None else extracted
    for kind, texts in (("reference", {name: text for name, (text, _, _) in TEXTS.items()}), ("extracted", found)):
        (folder / kind).mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            (folder / kind / f"{name}.txt").write_text(text, encoding="utf-8")
    rows = "".join(f"{name},{kind}\n" for name, (_, _, kind) in TEXTS.items())
    (folder / "classes.csv").write_text(f"document,class\n{rows}", encoding="utf-8")
    table = '[ingest]\nreference = "reference"\nextracted = "extracted"\nclasses = "classes.csv"\n' if ingest else ""
    return write_project(
        folder,
        documents=[{"doc_id": name, "text": text, "language": "en"} for name, (text, _, _) in TEXTS.items()],
        cases=[{"case_id": "c1", "question": "What is the fee?", "evidence": [{"doc_id": "fees"}]}],
        traces=[
            {
                "trace_id": "c1",
                "case_id": "c1",
                "question": "What is the fee?",
                "rankings": [{"stage": "dense", "hits": [{"id": "fees", "doc_id": "fees"}]}],
            }
        ],
        settings=f"{table}{settings}",
    )


def run_of(config: Path, name: str = "run", **more) -> rt.Run:
    return rt.evaluate(config, output=config.parent / name, **more)


def test_documents_have_the_numbers_that_jiwer_gives_and_rows_by_class(tmp_path: Path) -> None:
    results = run_of(project(tmp_path)).results
    references, found = ([pair[side] for pair in TEXTS.values()] for side in (0, 1))
    row = results.row("ingest.cer")
    assert row is not None
    assert (row.population, row.scored, row.failed) == ("documents", 3, 0)
    assert row.value == pytest.approx(jiwer.cer(references, found))
    singly = [jiwer.cer(one, other) for one, other in zip(references, found, strict=True)]
    assert row.macro == pytest.approx(sum(singly) / 3)
    scans = results.row("ingest.cer", where={"class": "scan"})
    assert scans is not None
    assert scans.value == pytest.approx(jiwer.cer(references[:2], found[:2]))
    assert results.row("ingest.cer", where={"language": "en"}) is not None
    assert results.row("ingest.cer", where={"kind": "lookup"}) is None
    cases = results.row("retrieval.recall@4")
    assert cases is not None
    assert cases.population == "cases"


def test_an_aggregate_is_followed_to_its_documents_in_every_file(tmp_path: Path) -> None:
    run = run_of(project(tmp_path))
    units = {unit.unit_id: unit for unit in run.results.units}
    assert units["rates"].fields == {"class": "web", "language": "en"}
    assert units["rates"].scores["ingest.cer"].value == 0.0
    rows = [row for row in read_parquet(run.folder / "scores.parquet") if row["metric"] == "ingest.cer"]
    assert {row["unit_id"]: row["value"] for row in rows} == {i: u.scores["ingest.cer"].value for i, u in units.items()}
    assert {(row["case_id"], row["population"]) for row in rows} == {(None, "documents")}
    cases = [row for row in read_parquet(run.folder / "scores.parquet") if row["population"] == "cases"]
    assert {row["case_id"] for row in cases} == {"c1"}
    loaded = rt.Run.load(run.folder)
    assert loaded.report().units == run.report().units
    document = json.loads((run.folder / "results.json").read_text(encoding="utf-8"))
    assert Results.model_validate(document).units == run.results.units
    for name in ("report.md", "report.html"):
        assert "cards" in (run.folder / name).read_text(encoding="utf-8")


def test_a_document_that_was_not_extracted_is_counted_as_failed(tmp_path: Path) -> None:
    config = project(tmp_path, extracted={"fees": TEXTS["fees"][1], "stray": "nobody's"})
    run = run_of(config, gate=False)
    row = run.results.row("ingest.cer")
    assert row is not None
    assert (row.scored, row.failed) == (1, 2)
    assert any("1 extracted document has no reference" in note and "stray" in note for note in run.results.notes)
    lost = next(unit for unit in run.results.units if unit.unit_id == "cards")
    assert lost.scores["ingest.cer"].status == "failed"


@pytest.mark.parametrize(
    ("rule", "verdict"),
    [
        ('metric = "ingest.cer"\nmax = 0.9', "pass"),
        ('metric = "ingest.cer"\nmax = 0.1', "fail"),
        ('metric = "ingest.cer"\nmax = 0.0\nslice = {class = "web"}', "pass"),
        ('metric = "ingest.cer"\nmax = 0.2\nslice = {class = "scan"}', "fail"),
        ('metric = "ingest.cer"\nmax = 0.5\ncritical = true', "fail"),  # one document alone lies beyond it
        ('metric = "ingest.cer"\nmax = 0.5\nslice = {class = "none"}', "undecidable"),
        ('metric = "ingest.cer"\nmax_drop = 0.1', "undecidable"),  # without a baseline
    ],
)
def test_a_gate_holds_metrics_of_documents_by_class(tmp_path: Path, rule: str, verdict: str) -> None:
    run = run_of(project(tmp_path, settings=f"[[gate]]\n{rule}\n"))
    assert run.results.gate is not None
    assert run.results.gate.rules[0].verdict == verdict, run.results.gate.rules[0].reason


def test_a_critical_rule_names_the_document(tmp_path: Path) -> None:
    run = run_of(project(tmp_path, settings='[[gate]]\nmetric = "ingest.cer"\nmax = 0.5\ncritical = true\n'))
    assert run.results.gate.rules[0].reason == "critical: 1 document: cards beyond the limit"


def test_documents_are_paired_with_those_of_a_base_run(tmp_path: Path) -> None:
    base = run_of(project(tmp_path / "one"), gate=False)
    worse = {name: text.replace("e", "c") for name, (text, _, _) in TEXTS.items()}
    settings = '[[gate]]\nmetric = "ingest.cer"\nmax_drop = 0.001\n[run]\ncluster = "none"\n'
    after = run_of(project(tmp_path / "two", settings=settings, extracted=worse), baseline=base.folder)
    row = next(row for row in after.report().compared.runs.rows if row.metric == "ingest.cer" and not row.slice)
    assert (row.pairs, row.regressed) == (3, ("fees", "rates"))
    assert after.results.gate.rules[0].scored == 3
    rules = [r for r in after.results.gate.rules if r.metric == "ingest.cer"]
    assert rules[0].kind == "max_drop"
    assert rules[0].interval is not None


def test_without_references_extraction_is_left_out_in_one_line(tmp_path: Path) -> None:
    run = run_of(project(tmp_path, ingest=False))
    assert run.results.row("ingest.cer") is None
    assert "[ingest] reference" in run.results.left_out["ingest.cer"]
    text = (run.folder / "report.md").read_text(encoding="utf-8")
    assert text.count("[ingest] reference".replace("[", "&#91;").replace("]", "&#93;")) == 1


def test_extraction_named_itself_without_references_is_refused(tmp_path: Path) -> None:
    config = project(tmp_path, ingest=False, settings='[[gate]]\nmetric = "ingest.cer"\nmax = 0.1\n')
    with pytest.raises(BadInput, match=r"ingest\.cer cannot run: it needs reference texts"):
        run_of(config)


def test_what_cannot_be_read_is_told_in_one_go(tmp_path: Path) -> None:
    config = project(tmp_path)
    (tmp_path / "reference" / "fees.txt").write_bytes(b"\xff\xfe")
    (tmp_path / "classes.csv").write_text("document,class\nfees,\nfees,scan\nfees,web\n")
    with pytest.raises(BadInput) as told:
        run_of(config)
    assert "fees.txt" in str(told.value)
    assert "classes.csv:2" in str(told.value)
    assert "classes.csv:4" in str(told.value)


def test_a_run_is_not_scored_again_with_other_extracted_texts(tmp_path: Path) -> None:
    run = run_of(project(tmp_path))
    (tmp_path / "extracted" / "fees.txt").write_text("something else")
    with pytest.raises(NotComparable, match="extracted documents"):
        rescore(run.folder)


def test_equal_runs_have_equal_results(tmp_path: Path) -> None:
    first, second = (run_of(project(tmp_path), name) for name in ("a", "b"))
    one, other = (json.loads((run.folder / "results.json").read_text()) for run in (first, second))
    assert one["units"] == other["units"]
    timed = ("system.latency", "system.first_token", "system.throughput")
    assert [row for row in one["metrics"] if not row["name"].startswith(timed)] == [
        row for row in other["metrics"] if not row["name"].startswith(timed)
    ]


def test_documents_are_listed_from_python_the_worst_first(tmp_path: Path) -> None:
    run = run_of(project(tmp_path))
    table = run.units("ingest.cer")
    assert [line[0] for line in table.rows] == ["cards", "fees", "rates"]
    assert table.rows[0][1] == "en, scan"
    assert [row.slice for row in run.metric("ingest.cer").by("class").rows] == [{"class": "scan"}, {"class": "web"}]
    with pytest.raises(BadInput, match="measured on documents and not on cases"):
        run.cases.where("ingest.cer > 0.1")
    with pytest.raises(BadInput, match="no metric of documents"):
        run.units("retrieval.recall@4")
    with pytest.raises(BadInput, match="counts documents and no cases"):
        power("ingest.cer", run=run)


def test_a_broken_table_of_classes_is_told_with_its_line(tmp_path: Path) -> None:
    config = project(tmp_path)
    for content, told in (
        (f"document,class\nfees,{'x' * 200_000}\n", "classes.csv:2: is no CSV: field larger"),
        ('document,class\nfees,"scan\ncards,web\n', "classes.csv:3: is no CSV: unexpected end"),
        ("document,class\n\n\nfees,\n", "classes.csv:4: both 'document' and 'class'"),
        ("document,class\nfees,sc\x00an\n", "classes.csv:2: 'class' must be one line of text"),
        ("name,kind\nfees,scan\n", "classes.csv:1: needs the columns"),
    ):
        (tmp_path / "classes.csv").write_bytes(content.encode())
        with pytest.raises(BadInput) as caught:
            run_of(config)
        assert told in str(caught.value)


def test_a_table_of_classes_may_end_its_lines_as_old_spreadsheets_do(tmp_path: Path) -> None:
    config = project(tmp_path)
    (tmp_path / "classes.csv").write_bytes(b"document,class\rfees,scan\rcards,web\r")
    row = run_of(config).results.row("ingest.cer", where={"class": "scan"})
    assert row is not None
    assert row.scored == 1


def test_classes_that_fit_no_document_are_told(tmp_path: Path) -> None:
    config = project(tmp_path)
    (tmp_path / "classes.csv").write_text("document,class\nfees.txt,scan\ncards,web\nrates,web\n")
    notes = run_of(config).results.notes
    assert "1 document without a class: fees" in notes
    assert "1 document with a class and without a reference: fees.txt" in notes


def test_a_place_that_no_run_can_read_is_told_before_anything_is_read(tmp_path: Path) -> None:
    config = project(tmp_path, ingest=False, settings='[ingest]\nchanges = "PLACE"\n')
    text = config.read_text(encoding="utf-8")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to("loop")
    for place, told in (
        ("a" * 5000, "which is out of reach: File name too long"),
        ("pipe", "'pipe', which is a pipe and can be read only once"),
        ("loop", "'loop', which does not exist in"),
        ("a\\u0000b", "which does not exist in"),
    ):
        config.write_text(text.replace("PLACE", place), encoding="utf-8")
        with pytest.raises(BadInput, match=r"ragtriage\.toml:\d+: 'ingest\.changes' names") as caught:
            run_of(config)
        assert told in str(caught.value)


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are Unicode there")
def test_an_extracted_file_whose_name_is_not_utf8_is_told(tmp_path: Path) -> None:
    config = project(tmp_path)
    Path(os.fsdecode(os.fsencode(tmp_path / "extracted") + b"/\xff.txt")).write_text("x")
    with pytest.raises(BadInput, match=r"extracted: the name '\\udcff' is not UTF-8"):
        run_of(config)
