"""`ingest`: pairing, counting, classes and the worst documents."""

from __future__ import annotations

import json
from pathlib import Path

import jiwer
import pytest

from ragtriage.core.errors import BadInput, UnknownName
from ragtriage.core.score import Failed, Undefined, Value
from ragtriage.workflows.ingest import NO_CLASS, ingest
from ragtriage.workflows.ingest_output import as_json

MARS = "Mars has two moons, Phobos and Deimos."
READ = "Mars has two m00ns, Phobos and Deirnos."


@pytest.fixture
def folder(tmp_path):
    def make(name: str, files: dict[str, str | bytes]) -> Path:
        for file, content in files.items():
            path = tmp_path / name / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        return tmp_path / name

    return make


def test_files_are_paired_by_stem_whatever_their_form(folder):
    reference = folder("ref", {"a/mars.md": f"# Moons\n\n{MARS}", "b.txt": MARS})
    extracted = folder("out", {"a/mars.html": f"<h1>Moons</h1><p>{READ}</p>", "b.txt": MARS})
    (report,) = ingest(reference, [extracted]).extractors
    assert list(report.documents) == ["a/mars", "b"]
    assert report.documents["a/mars"]["ingest.cer"] == Value(4 / 45, 45)
    assert report.documents["a/mars"]["ingest.heading_order"] == Value(1.0, 1)
    assert isinstance(report.documents["b"]["ingest.heading_order"], Undefined)
    cer = report.metrics["ingest.cer"]
    assert (cer.micro, cer.value) == (pytest.approx(4 / 83), pytest.approx(4 / 45 / 2))
    assert (cer.scored, cer.undefined, cer.failed) == (2, 0, 0)


def test_a_document_that_was_not_extracted_is_a_failure_and_never_dropped(folder):
    reference = folder("ref", {"a.txt": MARS, "b.txt": MARS, "c.txt": MARS})
    report = ingest(reference, [folder("out", {"a.txt": READ, "x.txt": "?"})], metrics=["cer"])
    (extractor,) = report.extractors
    assert extractor.missing == ("b", "c")
    assert extractor.extra == ("x",)
    assert isinstance(extractor.documents["b"]["ingest.cer"], Failed)
    cer = extractor.metrics["ingest.cer"]
    assert (cer.micro, cer.scored, cer.failed) == (pytest.approx(4 / 38), 1, 2)
    assert any("2 documents not extracted" in note and "b, c" in note for note in report.notes)
    assert any("1 file without a reference: x" in note for note in report.notes)


def test_a_file_that_cannot_be_read_fails_its_document_by_name_and_no_other(folder):
    reference = folder("ref", {"a.txt": MARS, "b.txt": MARS, "c.html": b"\xff"})
    report = ingest(reference, [folder("out", {"a.txt": READ, "b.txt": b"x\n\xff", "c.html": "<p>c"})], metrics=["wer"])
    (extractor,) = report.extractors
    assert set(extractor.unreadable) == {"b", "c"}
    assert "out/b.txt:2: is not UTF-8" in extractor.unreadable["b"]
    assert "ref/c.html:1: is not UTF-8" in extractor.unreadable["c"]
    assert (extractor.metrics["ingest.wer"].scored, extractor.metrics["ingest.wer"].failed) == (1, 2)
    assert sum("is not UTF-8" in note for note in report.notes) == 2


def test_what_the_files_cannot_hold_is_left_out_unless_it_is_named(folder):
    reference = folder("ref", {"a.txt": MARS})
    extracted = folder("out", {"a.txt": READ})
    report = ingest(reference, [extracted])
    assert "plain text" in report.left_out["ingest.teds"]
    assert report.extractors[0].metrics.keys() >= {"ingest.cer", "ingest.wer", "ingest.text_completeness"}
    assert not report.extractors[0].metrics.keys() & report.left_out.keys()
    named = ingest(reference, [extracted], metrics=["teds", "ingest.title_exact"])
    assert named.left_out == {}
    assert named.extractors[0].metrics["ingest.teds"].micro is None


def test_classes_have_numbers_of_their_own(folder, tmp_path):
    reference = folder("ref", {"a.txt": MARS, "b.txt": MARS, "c.txt": MARS, "d.txt": MARS})
    extracted = folder("out", {"a.txt": READ, "b.txt": MARS, "c.txt": READ})
    (tmp_path / "classes.csv").write_text("document,class\na,scan\nd,scan\nb,letter\nz,letter\n")
    report = ingest(reference, [extracted], metrics=["cer"], classes=tmp_path / "classes.csv")
    (extractor,) = report.extractors
    assert {kind: (m["ingest.cer"].micro, m["ingest.cer"].failed) for kind, m in extractor.classes.items()} == {
        NO_CLASS: (pytest.approx(4 / 38), 0),
        "letter": (0.0, 0),
        "scan": (pytest.approx(4 / 38), 1),
    }
    assert any("without a class: c" in note for note in report.notes)
    assert any("without a reference: z" in note for note in report.notes)


def test_a_file_of_classes_may_call_its_documents_stems_and_every_fault_of_it_is_named(folder, tmp_path):
    reference, extracted = folder("ref", {"a.txt": MARS}), folder("out", {"a.txt": READ})
    classes = tmp_path / "classes.csv"
    classes.write_text("stem,class\na,scan\n")
    (extractor,) = ingest(reference, [extracted], metrics=["cer"], classes=classes).extractors
    assert list(extractor.classes) == ["scan"]
    classes.write_text("stem,class\na,scan\nb,\na,letter\n")
    with pytest.raises(BadInput) as caught:
        ingest(reference, [extracted], metrics=["cer"], classes=classes)
    assert "classes.csv:3: both 'stem' and 'class' must be filled" in str(caught.value)
    assert "classes.csv:4: 'a' has the class 'scan' already" in str(caught.value)
    classes.write_text("name,kind\na,scan\n")
    with pytest.raises(BadInput, match="needs the columns"):
        ingest(reference, [extracted], metrics=["cer"], classes=classes)


def test_the_worst_documents_come_first_with_the_passages_that_differ(folder):
    reference = folder("ref", {"a.txt": MARS, "b.txt": MARS, "c.txt": MARS})
    extracted = folder("out", {"a.txt": MARS, "b.txt": "Mars has two moons", "c.txt": READ})
    (extractor,) = ingest(reference, [extracted]).extractors
    assert [worst.document for worst in extractor.worst] == ["b", "c"]
    assert [worst.metric for worst in extractor.worst] == ["ingest.cer"] * 2
    assert [(p.reference, p.extracted) for p in extractor.worst[0].passages] == [
        ("moons, Phobos and Deimos.", "moons"),
    ]
    assert [(p.reference, p.extracted) for p in extractor.worst[1].passages] == [
        ("moons,", "m00ns,"),
        ("Deimos.", "Deirnos."),
    ]


def test_boilerplate_is_measured_by_the_pages(folder):
    reference = folder("ref", {"a.txt": MARS, "b.txt": MARS})
    extracted = folder("out", {"a.txt": f"{MARS} Login", "b.txt": MARS})
    pages = folder("pages", {"a.html": f"<nav>Home Login</nav><p>{MARS}</p>"})
    report = ingest(reference, [extracted], pages=pages)
    assert report.extractors[0].documents["a"]["ingest.boilerplate_recall"] == Value(0.5, 2)
    assert report.extractors[0].documents["a"]["ingest.boilerplate_precision"] == Value(1.0, 1)
    assert isinstance(report.extractors[0].documents["b"]["ingest.boilerplate_recall"], Undefined)
    with pytest.raises(BadInput, match="--pages"):
        ingest(reference, [extracted], metrics=["boilerplate_recall"])


def test_json_is_as_the_interface_says_for_one_extractor_and_for_several(folder):
    reference = folder("ref", {"a.txt": MARS, "b.txt": "", "c.txt": MARS})
    one = folder("one", {"a.txt": READ, "b.txt": "x"})
    two = folder("two", {"a.txt": MARS, "b.txt": "", "c.txt": MARS})
    plain = json.loads(as_json(ingest(reference, [one], metrics=["cer"])))
    assert plain["metrics"]["ingest.cer"] == {
        "value": pytest.approx(4 / 38), "macro": pytest.approx(4 / 38), "scored": 1, "undefined": 1, "failed": 1,
    }  # fmt: skip
    assert plain["documents"]["a"] == {"ingest.cer": jiwer.cer(MARS, READ)}
    assert plain["documents"]["b"] == {"ingest.cer": {"undefined": "insertions only: 1 characters"}}
    assert plain["documents"]["c"]["ingest.cer"]["failed"].startswith("Missing")
    several = json.loads(as_json(ingest(reference, [one, two], metrics=["cer"])))
    assert several["extractors"]["one"]["documents"] == plain["documents"]
    assert several["extractors"]["two"]["metrics"]["ingest.cer"]["value"] == 0.0


def test_what_cannot_be_paired_at_all_is_an_error(folder):
    reference = folder("ref", {"a.txt": MARS})
    with pytest.raises(BadInput, match="no file has the stem"):
        ingest(reference, [folder("other", {"b.txt": MARS})])
    with pytest.raises(BadInput, match="given twice"):
        ingest(reference, [folder("out", {"a.txt": MARS}), folder("out", {"a.txt": MARS})])
    with pytest.raises(BadInput, match="also that of"):
        ingest(reference, [folder("twice", {"a.txt": MARS, "a.md": MARS})])


def test_a_metric_that_does_not_exist_or_needs_more_is_refused(folder):
    reference, extracted = folder("ref", {"a.txt": MARS}), folder("out", {"a.txt": MARS})
    with pytest.raises(UnknownName, match="Did you mean 'cer'"):
        ingest(reference, [extracted], metrics=["cerr"])
    with pytest.raises(BadInput, match="needs more than documents"):
        ingest(reference, [extracted], metrics=["retrieval.recall@5"])
    with pytest.raises(BadInput, match="1 or more"):
        ingest(reference, [extracted], metrics=["token_f1(n=0)"])


def test_two_folders_of_one_name_are_called_by_their_paths(folder):
    reference = folder("ref", {"a.txt": MARS})
    report = ingest(reference, [folder("x/text", {"a.txt": MARS}), folder("y/text", {"a.txt": READ})], metrics=["cer"])
    assert [Path(e.name).parts[-2:] for e in report.extractors] == [("x", "text"), ("y", "text")]
