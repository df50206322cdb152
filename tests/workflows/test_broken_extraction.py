"""The bank with broken texts in its index: what they break is blamed on ingestion, flaw by flaw, not on retrieval."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

import ragtriage as rt
import reference_rag
from ragtriage.core.records import Case, Chunk, Document
from ragtriage.core.results import CaseResult
from ragtriage.core.system import Question
from ragtriage.data.corpus import read_corpus
from ragtriage.data.golden import read_golden

BANK = Path(__file__).parents[2] / "examples" / "bank"
CORPUS = read_corpus(BANK / "corpus").documents
CASES = {case.case_id: case for case in read_golden(BANK / "golden").cases}
LATER = {"query", "filter", "retrieval", "fusion", "rerank", "assembly"}


def tables_lost(text: str) -> str:
    return "\n".join(line for line in text.split("\n") if not line.startswith("|"))


def read_across(text: str) -> str:
    lines = text.split("\n")
    half = (len(lines) + 1) // 2
    pairs = zip(lines[:half], [*lines[half:], ""], strict=False)
    return "\n".join(f"{one[: len(one) // 2]} {other} {one[len(one) // 2 :]}" for one, other in pairs)


def noisy(text: str) -> str:
    worse = str.maketrans("аоенит0123", "aœ3пнг8O7Z")
    return "".join(char.translate(worse) if place % 3 else char for place, char in enumerate(text))


FLAWS = {
    "mojibake": lambda text: text.encode("utf-8").decode("cp1251", errors="replace"),
    "lost table": tables_lost,
    "reading order": read_across,
    "ocr": noisy,
}


class Bank:
    """The reference pipeline over documents of our choice."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self._pipeline = reference_rag.build(documents=documents, mode="bm25")

    def __call__(self, question: Question) -> object:
        return self._pipeline(question)

    def chunks(self) -> tuple[Chunk, ...]:
        return self._pipeline.chunks()


def broken_cases(folder: Path, documents: Iterable[Document], case_ids: Iterable[str]) -> dict[str, CaseResult]:
    names = ", ".join(f"'{name}'" for name in case_ids)
    config = folder / "ragtriage.toml"
    config.write_text(
        f'[corpus]\npath = "{BANK / "corpus"}"\n[golden]\npath = "{BANK / "golden"}"\n[system]\npython = "x:x"\n'
        '[metrics]\ninclude = ["ingest.*", "retrieval.recall@4"]\n'
    )
    system = Bank(documents)
    run = rt.evaluate(config, system=system, output=folder / "run", where=f"case_id in ({names})", gate=False)
    return {case.case_id: case for case in run.results.cases if case.ok is False}


def of_one_language(language: str, count: int) -> list[str]:
    """Cases that are to be answered from documents of their own language alone, tables first."""
    found = [
        ("table" not in case.tags, name)
        for name, case in CASES.items()
        if case.language == language and case.evidence and case.expected.behaviour == "answer"
        if all(CORPUS[e.doc_id].language == language for e in case.evidence)
    ]
    return [name for _, name in sorted(found)[:count]]


def damaged(case: Case, texts: dict[str, str]) -> bool:
    """Say whether none of the evidence of some group stands in the broken texts, word for word."""
    groups: dict[str, list[bool]] = {}
    for number, evidence in enumerate(case.evidence):
        quote = " ".join(re.findall(r"\w+", (evidence.quote or "").casefold()))
        text = " ".join(re.findall(r"\w+", texts[evidence.doc_id].casefold()))
        groups.setdefault(evidence.group or str(number), []).append(f" {quote} " in f" {text} ")
    return any(not any(held) for held in groups.values())


@pytest.mark.parametrize("flaw", FLAWS)
def test_evidence_that_an_extractor_broke_is_blamed_on_ingestion(tmp_path: Path, flaw: str) -> None:
    texts = {name: FLAWS[flaw](document.text) for name, document in CORPUS.items()}
    documents = [document.model_copy(update={"text": texts[document.doc_id]}) for document in CORPUS.values()]
    chosen = of_one_language("ru", 20)
    broken = broken_cases(tmp_path, documents, chosen)
    suspect = [name for name in broken if damaged(CASES[name], texts)]
    assert len(suspect) >= 5
    leaves = {name: broken[name].diagnosis.leaf for name in suspect}
    assert LATER.isdisjoint(leaves.values()), leaves
    assert sum(leaf == "ingest" for leaf in leaves.values()) >= 0.8 * len(suspect), leaves
    for name in suspect:
        found = broken[name].diagnosis
        if found.leaf == "ingest":
            assert found.evidence["index"] in {"garbled", "lost"}
            assert found.evidence["quote"]


def test_a_document_that_is_missing_is_blamed_on_ingestion_though_another_language_has_it(tmp_path: Path) -> None:
    gone = {"ru-car-loan-tariff-2026", "ru-card-tariff", "ru-payroll-project"}
    documents = [document for name, document in CORPUS.items() if name not in gone]
    chosen = [
        name
        for name, case in CASES.items()
        if case.language == "ru" and case.evidence and case.evidence[0].doc_id in gone and case.kind == "lookup"
    ]
    broken = broken_cases(tmp_path, documents, chosen)
    blamed = {name: case.diagnosis.leaf for name, case in broken.items()}
    assert "ingest" in blamed.values()
    assert LATER.isdisjoint(blamed.values()), blamed
    told = next(case.diagnosis for case in broken.values() if case.diagnosis.leaf == "ingest")
    assert told.cause.startswith("no chunk of ")
    assert "index it" in told.advice


def test_the_shipped_extraction_shows_each_of_its_flaws(tmp_path: Path) -> None:
    extracted = BANK / "ingest" / "extracted"
    pipeline = reference_rag.build(corpus=str(BANK / "corpus"), extracted_dir=str(extracted), mode="bm25")
    stems = {path.stem for path in extracted.iterdir()}
    texts = {name: "\n".join(c.text for c in pipeline.chunks() if c.doc_id == name) for name in stems}
    documents = [d.model_copy(update={"text": texts.get(d.doc_id, d.text)}) for d in CORPUS.values()]
    chosen = [name for name, case in CASES.items() if any(e.doc_id in stems for e in case.evidence)]
    found = [c.diagnosis for c in broken_cases(tmp_path, documents, chosen).values() if c.diagnosis.leaf == "ingest"]
    documents_named = {name for diagnosis in found for name in diagnosis.evidence["documents"]}
    kinds = dict(line.split(",") for line in (BANK / "ingest" / "classes.csv").read_text("utf-8").splitlines()[1:])
    assert {kinds[name] for name in documents_named if name in kinds} >= {"spreadsheet", "two columns", "old encoding"}
    assert {d.evidence["decoding"] for d in found if "decoding" in d.evidence} >= {
        "UTF-8 read as cp1251",
        "cp1251 read as cp1252",
    }
    assert "web page" not in {kinds.get(name) for name in documents_named}


def test_the_flaws_of_the_bank_can_be_made_again_byte_for_byte(tmp_path: Path) -> None:
    for name in ("corpus", "ingest"):
        shutil.copytree(BANK / name, tmp_path / name)
    subprocess.run([sys.executable, str(tmp_path / "ingest" / "make.py")], check=True)
    made, shipped = (
        {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        for folder in (tmp_path / "ingest", BANK / "ingest")
    )
    assert made == shipped
