"""What the page's script draws from: one JSON document in which everything that repeats is a number.

`words` holds each repeated text once; `hits` each passage as [id, text, start, end] (text: a number in `texts` + 1, 0
where its text is not held); `predicates` each predicate as [text, mode, origin]; `texts` each source as [id, title,
facts, length, start, text, start, text, ...]; `metrics` see `_score_data`. A case is [id, question, 3 * state + ok,
facts, milliseconds, dollars, found, failure, parts, page, before]; its parts stand in the order of `PARTS`. Lists are
cut behind their last entry that says something. A mark and a label are their places in `MARKS` and `LABELS`, counted
from 1. A ranking holds its hits as one string, as many signs each as it takes to count all hits.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ragtriage.core.results import Diagnosis
from ragtriage.core.verdicts import Label
from ragtriage.report.formats._score_data import ALPHABET, Words, metric_data, signs, width
from ragtriage.report.model import Before
from ragtriage.report.sections.answer import AnswerText, ClaimLine, Segment
from ragtriage.report.sections.case_detail import CaseDetail, ContextLine, EvidenceLine, PredicateLine
from ragtriage.report.sections.case_list import FIELDS, STATES, CaseLine
from ragtriage.report.sections.case_scores import ScoreColumn
from ragtriage.report.sections.citations import CitationLine
from ragtriage.report.sections.expectations import Expectation
from ragtriage.report.sections.judge_record import judge_facts
from ragtriage.report.sections.marking import Mark
from ragtriage.report.sections.rankings import RankingColumn, ResultCell
from ragtriage.report.sections.sources import Excerpt, Source, Sources
from ragtriage.report.wording import command, number, shell_word

__all__ = ["LABELS", "MARKS", "PARTS", "PageData"]

PARTS = (
    *("about", "rewrites", "answer", "told", "reference", "expected", "evidence", "rankings", "predicates", "missing"),
    *("context", "citations", "judge", "timings", "first_token", "absent"),
)
MARKS: tuple[Mark, ...] = ("gold", "near", "forbidden", "stale")
LABELS: tuple[Label, ...] = ("supported", "contradicted", "not_in_context")
_STATES = tuple(STATES)
_HOLDS = {True: 1, False: 2, None: 0}
_OK = {False: 0, None: 1, True: 2}


@dataclass
class PageData:
    """Collects the cases of a page, in its order.

    `folder`, `config`: for the commands of a case. `page_of`: on a front page the page on which a case stands.
    """

    sources: Sources
    folder: str
    config: str | None = None
    context_size: int = 0
    page_of: Callable[[str], int] | None = None
    words: Words = field(default_factory=Words)
    cases: list[list[Any]] = field(default_factory=list)
    _hits: dict[tuple[Any, ...], int] = field(default_factory=dict)
    _predicates: dict[tuple[str, str, str | None], int] = field(default_factory=dict)
    _metrics: list[list[Any]] = field(default_factory=list)
    _stages: dict[tuple[str, ...], int] = field(default_factory=dict)
    _rankings: list[list[Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._texts = {source.key: place for place, source in enumerate(self.sources.all, start=1)}

    def add(self, line: CaseLine, detail: CaseDetail | None, *, before: Before | None = None) -> None:
        """Add a case; without a detail it can be found and is not drawn."""
        failure = line.failure
        record = [
            line.case_id,
            line.question or "",
            3 * _STATES.index(line.state) + _OK[line.result.ok],
            _trimmed([self._fact(values) for values in line.facts]),
            _rounded(line.milliseconds),
            line.cost,
            self._found(line),
            f"{failure.stage}: {failure.error}: {failure.message}" if failure else "",
            _trimmed(self._parts(detail)) if detail is not None else 0,
            self.page_of(line.case_id) if self.page_of is not None else 0,
            [_HOLDS[before.ok], before.leaf or "", before.cause or "", before.answer or ""] if before else 0,
        ]
        self.cases.append(_trimmed(record))

    def add_metrics(self, columns: Iterable[ScoreColumn]) -> None:
        """Add the scores of the cases; each column has one outcome a case, in the order in which they are added."""
        self._metrics += [metric_data(column, self.words) for column in columns]

    def text(self) -> str:
        """Return the document; no case can be added afterwards."""
        size = width(len(self._hits))
        while self._rankings:
            ranking = self._rankings.pop()
            ranking[2] = "".join(signs(hit, size) for hit in ranking[2])
        document = {
            "fields": FIELDS,
            "parts": PARTS,
            "alphabet": ALPHABET,
            "context_size": self.context_size,
            "diagnose": command(self.folder, "").removesuffix("''"),
            "config": shell_word(self.config) if self.config else "",
            "hit_width": size,
            "marks": MARKS,
            "labels": LABELS,
            "stages": [[self.words(stage) for stage in stages] for stages in self._stages],
            "metrics": self._metrics,
            "cases": self.cases,
            "words": self.words.all,
            "hits": [_trimmed(hit) for hit in self._hits],
            "predicates": [_trimmed(one) for one in self._predicates],
            "texts": [_source(source) for source in self.sources.all],
        }
        return json.dumps(document, ensure_ascii=False, separators=(",", ":"), allow_nan=False)

    def _fact(self, values: tuple[str, ...]) -> Any:
        found = [self.words(value) for value in values]
        return found if len(found) > 1 else found[0] if found else 0

    def _found(self, line: CaseLine) -> list[Any] | int:
        result, found = line.result, line.diagnosis
        broken, critical = (list(map(self.words, texts)) for texts in (result.broken, result.critical))
        if found is None:
            return [0, 0, 0, broken, critical] if broken or critical else 0
        told = [self.words(found.leaf), self.words(found.cause), self.words(found.advice)]
        return _trimmed([*told, broken, critical, self._told(found)])

    def _told(self, found: Diagnosis) -> list[list[Any]]:
        return [[self.words(name), _plain(value)] for name, value in sorted(found.evidence.items())]

    def _parts(self, detail: CaseDetail) -> list[Any]:
        trace = detail.trace
        values = {
            "about": self.words(_about(detail)),
            "rewrites": [one for one in trace.rewrites or () if one != trace.question] if trace else [],
            "answer": _segments(detail.answer),
            "told": self.words(_behaved(detail)),
            "reference": _segments(detail.reference),
            "expected": [self._expected(one) for one in detail.expectations],
            "evidence": [self._evidence(one) for one in detail.evidence],
            "rankings": [self._ranking(column) for column in detail.rankings.columns],
            "predicates": [self._predicate(one) for one in detail.predicates or ()],
            "missing": [self.words(text) for text in detail.missing_predicates],
            "context": [self._context(one) for one in detail.context or ()],
            "citations": [self._citation(one) for one in detail.citations or ()],
            "judge": self._judge(detail),
            "timings": self._timed(detail),
            "first_token": _rounded(trace.first_token_ms) if trace else None,
            "absent": [self.words(what) for what in _absent(detail)],
        }
        return [values[name] or 0 for name in PARTS]

    def _place(self, excerpt: Excerpt | None) -> list[int]:
        return [self._texts[excerpt.key], excerpt.start, excerpt.end] if excerpt is not None else []

    def _hit(self, identity: str, excerpt: Excerpt | None) -> int:
        return self._hits.setdefault((identity, *self._place(excerpt)), len(self._hits))

    def _expected(self, one: Expectation) -> list[Any]:
        return _trimmed([self.words(one.what), one.text, self.words(one.met or ""), _HOLDS[one.holds]])

    def _evidence(self, one: EvidenceLine) -> list[Any]:
        held = self._place(one.excerpt)
        ranks = [rank or 0 for _, rank in one.ranks]
        facts = [self.words(one.group or ""), one.grade, int(one.eligible), ranks, _HOLDS[one.in_context]]
        source = self._texts.get(self.sources.documents[one.doc_id].key) if one.doc_id in self.sources.documents else 0
        return _trimmed([self.words(one.doc_id), *facts, held or source, "" if held else one.quote])

    def _predicate(self, one: PredicateLine) -> list[Any]:
        known = self._predicates.setdefault((one.text, one.mode, one.origin), len(self._predicates))
        return _trimmed([known, _HOLDS[one.expected], [self.words(doc_id) for doc_id in one.removes]])

    def _ranking(self, column: RankingColumn) -> list[Any]:
        """Write [stage, length, hits, steps, marks, gold further down]; a step is places gained, or "new"."""
        hits = [self._hit_of(cell) for cell in column.cells]
        steps = ["new" if cell.new else cell.moved or 0 for cell in column.cells]
        marks = [_place(MARKS, cell.mark) for cell in column.cells]
        deeper = [[self._hit_of(cell), cell.rank] for cell in column.deeper]
        found = [self.words(column.stage), column.length, hits, _trimmed(steps), _trimmed(marks), deeper]
        kept = _trimmed(found, least=3)  # also where nothing came
        self._rankings.append(kept)
        return kept

    def _hit_of(self, cell: ResultCell) -> int:
        hit = cell.hit
        return self._hit(hit.id, self.sources.excerpt(hit.doc_id, hit.start, hit.end))

    def _timed(self, detail: CaseDetail) -> list[Any]:
        """Write [stages, start, duration, start, duration, ...], where the stages are those of many cases."""
        if not detail.timings:
            return []
        stages = tuple(timing.stage for timing in detail.timings)
        known = self._stages.setdefault(stages, len(self._stages))
        times = [x for t in detail.timings for x in (_rounded(t.start_ms, digits=3), _rounded(t.duration_ms, digits=3))]
        return [known, *times]

    def _context(self, one: ContextLine) -> list[Any]:
        used = [[span.start, span.end, span.claim, _place(LABELS, span.label)] for span in one.used]
        used += [[span.start, span.end, -span.claim, _place(LABELS, span.label)] for span in one.wanted]
        text = "" if one.excerpt else one.item.text
        mark = _place(MARKS, one.mark)
        return _trimmed([self._hit(one.item.id, one.excerpt), mark, int(one.cited), used, text])

    def _citation(self, one: CitationLine) -> list[Any]:
        claims = [_trimmed([claim, _place(LABELS, label)]) for claim, label in one.claims]
        mark = _place(MARKS, one.mark)
        return _trimmed([self.words(one.id), _HOLDS[one.in_context], claims, mark, int(one.untrusted)])

    def _judge(self, detail: CaseDetail) -> list[Any]:
        judge = detail.judge
        if judge is None:
            return []
        answer, reference = (text.claims if text is not None else () for text in (detail.answer, detail.reference))
        return _trimmed(
            [
                self.words(judge.judge),
                self.words(judge.rubric),
                int(not judge.calibrated),
                [self._claim(one, detail) for one in answer],
                [_trimmed([one.number, _place(LABELS, one.label), one.text]) for one in reference],
                [[self.words(what), said] for what, said in judge_facts(judge)],
            ]
        )

    def _claim(self, one: ClaimLine, detail: CaseDetail) -> list[Any]:
        """Write a claim, with the passages of the context that say something of it by their places."""
        verdict = one.verdict
        by_place = [(line.place, verdict.items.get(line.item.id)) for line in detail.context or ()]
        shown = [[at, _place(LABELS, label)] for at, label in by_place if label not in (None, "not_in_context")]
        labels = [_place(LABELS, label) for label in (verdict.context, verdict.reference, verdict.cited_together)]
        score = None if verdict.score is None else number(verdict.score)
        disputed = int(detail.judge is not None and verdict.claim_id in detail.judge.disputed)
        return _trimmed([one.number, *labels, score, shown, one.text, list(one.guilty), disputed])


def _trimmed(values: Sequence[Any], *, least: int = 1) -> list[Any]:
    kept = list(values)
    while len(kept) > least and kept[-1] in (None, "", 0, []):
        kept.pop()
    return kept


def _place(known: Sequence[Any], value: Any) -> int:
    """Return the place of a value, counted from 1; 0 for none."""
    return known.index(value) + 1 if value in known else 0


def _rounded(milliseconds: float | None, *, digits: int = 4) -> float | None:
    """Round to so many digits; whole where they are whole."""
    if milliseconds is None:
        return None
    found = float(f"{milliseconds:.{digits}g}")
    return int(found) if found == int(found) else found


def _segments(text: AnswerText | None) -> list[Any]:
    """Cut a text as the page draws it: a string, or [text, claim, label, the claim ends here, cited ids]."""
    return [] if text is None else [_segment(segment) for segment in text.segments]


def _segment(segment: Segment) -> Any:
    label = _place(LABELS, segment.label)
    found = _trimmed([segment.text, segment.claim, label, int(segment.ends), list(segment.cited)])
    return found if len(found) > 1 else segment.text


def _about(detail: CaseDetail) -> str:
    case = detail.case
    told = [f"Asked by {detail.principal}"]
    if case is not None:
        told += [f"as of {case.as_of.isoformat()}"] if case.as_of else []
        told += [f"risk {case.risk}"] if case.risk else []
        told += case.tags
    return ", ".join(told)


def _behaved(detail: CaseDetail) -> str:
    answer = detail.trace.answer if detail.trace else None
    if answer is None:
        return "No answer was recorded."
    told = [f"Behaviour: {answer.acted}."] if answer.acted else []
    told += ["The answer is empty."] if not answer.text else []
    told += ["No citation."] if answer.citations == () else []
    told += [f"Confidence {number(answer.confidence)}."] if answer.confidence is not None else []
    return " ".join(told)


def _absent(detail: CaseDetail) -> list[str]:
    if detail.trace is None:
        return []
    recorded = (
        ("rankings", detail.rankings.recorded),
        ("predicates", detail.predicates is not None),
        ("context", detail.context is not None),
        ("citations", detail.citations is not None),
        ("timings", bool(detail.timings)),
    )
    return [what for what, there in recorded if not there]


def _source(source: Source) -> list[Any]:
    pieces = [part for piece in source.pieces for part in (piece.start, piece.text)]
    return [source.doc_id or "", source.title, [list(fact) for fact in source.facts], source.length, *pieces]


def _plain(value: Any) -> str:
    """Word a value of free evidence: lists and pairs of plain values as people write them, what nests as JSON."""
    match value:
        case str():
            return value
        case bool():
            return "yes" if value else "no"
        case None:
            return "none"
        case list() if all(isinstance(one, str | int | float) for one in value):
            return ", ".join(map(str, value)) or "none"
        case dict() if all(isinstance(one, str | int | float | None) for one in value.values()):
            return ", ".join(f"{name}: {'none' if one is None else one}" for name, one in value.items()) or "none"
        case _:
            return json.dumps(value, ensure_ascii=False)
