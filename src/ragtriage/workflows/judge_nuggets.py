"""Write the nuggets of a golden set's cases by a model, into a copy of it that people read before it is used."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ragtriage.core.configuration import Configuration
from ragtriage.core.errors import BadInput
from ragtriage.core.files import write_atomic, write_records
from ragtriage.core.records import Case, Nugget, Record, Whole
from ragtriage.core.verdicts import JudgeCall
from ragtriage.data.corpus import Corpus, read_corpus
from ragtriage.data.golden import CASES, MANIFEST, Golden, read_golden
from ragtriage.data.relevance import span_of
from ragtriage.judges.asking import Piece
from ragtriage.judges.catalogue import RUBRICS
from ragtriage.judges.nuggets import Written, nuggets_of
from ragtriage.workflows.judge_opening import JudgeNamed, named_judge
from ragtriage.workflows.settings import read_settings

__all__ = ["NuggetQuote", "NuggetRecord", "NuggetsWritten", "write_nuggets"]

_RECORDS = "nuggets.jsonl"
_USED = ("nugget_creation", "nugget_importance")
_REFERENCE = "reference"


class NuggetQuote(Record):
    """Where a nugget is stated: [start, end) of the reference answer, or of the text of evidence `source`."""

    source: str
    start: Whole
    end: Whole


class NuggetRecord(Record):
    """What a judge wrote for one case: the nuggets, the quotes that show each, and by which rubrics.

    `failed`: why there are none; a case that failed keeps no nugget.
    """

    case_id: str
    judge: str
    rubrics: dict[str, str]
    nuggets: tuple[Nugget, ...] = ()
    quotes: tuple[tuple[NuggetQuote, ...], ...] = ()
    failed: str | None = None


@dataclass(frozen=True, slots=True)
class NuggetsWritten:
    """What was written where: `cases` with nuggets of the `asked`; `failed` without a verdict; `nuggets` in all."""

    folder: Path
    asked: int
    cases: int
    failed: int
    nuggets: int


def write_nuggets(config: Path, folder: Path, *, judge: str = "model") -> NuggetsWritten:
    """Write a copy of the golden set of a configuration in which every case with a reference has nuggets.

    Cases that have nuggets, and those that no answer is declared for, stay as they are. `nuggets.jsonl` beside the
    cases holds what was written with its quotes, judge and rubrics. Raises BadInput (also for a folder that is not
    empty), JudgeUnavailable, BudgetReached, StorageFailed.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise BadInput(f"{folder}: is not empty; name a new folder, so that no golden set is overwritten")
    settings = read_settings(config)
    golden, corpus = _read(settings.configuration, settings.base)
    named = named_judge(judge, config=config)
    if named is None:
        raise BadInput("the lexical judge writes no nuggets; name a model")
    wanted = [case for case in golden.cases if case.answerable and case.expected.answer and not case.expected.nuggets]
    if not wanted:
        raise BadInput("no case declares an answer and lacks nuggets, so there is nothing to write")
    records = asyncio.run(_written(named, wanted, corpus))
    _put(folder, golden, records)
    return NuggetsWritten(
        folder,
        asked=len(records),
        cases=sum(bool(record.nuggets) for record in records),
        failed=sum(record.failed is not None for record in records),
        nuggets=sum(len(record.nuggets) for record in records),
    )


def _read(configuration: Configuration, base: Path) -> tuple[Golden, Corpus | None]:
    golden, place = configuration.golden, configuration.corpus
    read = read_golden(base / golden.path, source=golden.source, split=golden.split, grade_map=golden.grade_map)
    return read, None if place is None else read_corpus(base / place.path, source=place.source)


def _sources(case: Case, corpus: Corpus | None) -> list[Piece]:
    """Return the reference and the evidence that people marked, each text once."""
    found = {(case.expected.answer or "").strip(): Piece(_REFERENCE, case.expected.answer or "")}
    for evidence in case.evidence:
        document = corpus.documents.get(evidence.doc_id) if corpus is not None else None
        span = span_of(evidence, corpus)
        text = evidence.quote
        if document is not None and not text:
            text = document.text if span is None else document.text[span[0] : span[1]]
        if text and text.strip() and evidence.grade > 0:
            found.setdefault(text.strip(), Piece(evidence.doc_id, text))
    return list(found.values())


async def _written(named: JudgeNamed, cases: Sequence[Case], corpus: Corpus | None) -> list[NuggetRecord]:
    from ragtriage.judges.calling import Asker, AskFailed  # noqa: PLC0415

    async def forget(call: JudgeCall) -> None:
        del call

    rubrics = {name: RUBRICS[name].identity for name in _USED}
    opened = named.open()
    asker = Asker(opened.model, named.seed, forget)
    places = asyncio.Semaphore(named.concurrency)

    async def one(case: Case) -> NuggetRecord:
        record = NuggetRecord(case_id=case.case_id, judge=opened.model.identity, rubrics=rubrics)
        async with places:
            try:
                written = await nuggets_of(asker, case.question, _sources(case, corpus))
            except AskFailed as error:
                return record.model_copy(update={"failed": f"{error.kind}: {error.message}"})
        told = {"nuggets": tuple(w.nugget for w in written), "quotes": tuple(_quotes(w) for w in written)}
        return record.model_copy(update=told)

    try:
        return list(await asyncio.gather(*(one(case) for case in cases)))
    finally:
        await opened.close()


def _quotes(written: Written) -> tuple[NuggetQuote, ...]:
    return tuple(NuggetQuote(source=place.key, start=place.start, end=place.end) for place in written.places)


def _put(folder: Path, golden: Golden, records: Sequence[NuggetRecord]) -> None:
    given = {record.case_id: record.nuggets for record in records}
    cases = []
    for case in golden.cases:
        nuggets = given.get(case.case_id) or case.expected.nuggets
        cases.append(case.model_copy(update={"expected": case.expected.model_copy(update={"nuggets": nuggets})}))
    folder.mkdir(parents=True, exist_ok=True)
    write_records(folder / CASES, cases)
    write_records(folder / _RECORDS, list(records))
    manifest = {"name": golden.name, "version": golden.version}
    lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in manifest.items() if value]
    note = "# A copy whose nuggets a model wrote (nuggets.jsonl): read them, mend cases.jsonl, then seal it.\n"
    write_atomic(folder / MANIFEST, note + "".join(lines))
