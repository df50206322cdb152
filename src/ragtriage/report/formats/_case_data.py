"""What the page's script draws a case from: one JSON document in which everything that repeats is a number.

`hits` holds each passage once as [id, place], where a place is `source:start:end` or empty; `words` each wording of a
score; `metrics` each metric as [name, level, proxy]; `predicates` each predicate as [text, mode, origin]. Lists are cut
behind their last entry that says something.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ragtriage.core.score import Failed, Outcome, Undefined, Value
from ragtriage.report.sections.answer import AnswerText, ClaimLine, Segment
from ragtriage.report.sections.case_detail import CaseDetail, ContextLine, EvidenceLine, PredicateLine
from ragtriage.report.sections.case_list import CaseLine
from ragtriage.report.sections.rankings import ResultCell
from ragtriage.report.sections.sources import Excerpt, Sources
from ragtriage.report.wording import command, number

__all__ = ["CaseData", "place"]


def place(excerpt: Excerpt | None) -> str:
    """Write where an excerpt stands; empty for none."""
    return "" if excerpt is None else f"{excerpt.key}:{excerpt.start}:{excerpt.end}"


@dataclass
class CaseData:
    """Collects the records of cases, in the order of the page."""

    sources: Sources
    folder: str
    cases: list[dict[str, Any]] = field(default_factory=list)
    _hits: dict[tuple[str, str], int] = field(default_factory=dict)
    _words: dict[str, int] = field(default_factory=dict)
    _metrics: dict[tuple[str, str | None, bool], int] = field(default_factory=dict)
    _predicates: dict[tuple[str, str, str | None], int] = field(default_factory=dict)

    def add(self, line: CaseLine, detail: CaseDetail | None) -> None:
        """Add a case; without a detail it can be found and is not drawn."""
        leaf = line.diagnosis.leaf if line.diagnosis else ""
        record: dict[str, Any] = {"facts": _trimmed([line.state, leaf, line.kind or "", line.language or ""])}
        if detail is not None:
            record |= {name: value for name, value in self._record(detail).items() if value}
        self.cases.append(record)

    def text(self) -> str:
        """Return the document."""
        document = {
            "hits": [_trimmed(hit) for hit in self._hits],
            "words": list(self._words),
            "metrics": [_trimmed([name, level or "", int(proxy)]) for name, level, proxy in self._metrics],
            "predicates": [_trimmed(one) for one in self._predicates],
            "command": command(self.folder, "").removesuffix("''"),
            "cases": self.cases,
        }
        return json.dumps(document, ensure_ascii=False, separators=(",", ":"), allow_nan=False)

    def _record(self, detail: CaseDetail) -> dict[str, Any]:
        trace = detail.trace
        rankings = detail.rankings.columns
        return {
            "about": _about(detail),
            "rewrites": [one for one in trace.rewrites or () if one != trace.question] if trace else [],
            "answer": _parts(detail.answer),
            "told": _told(detail),
            "reference": _parts(detail.reference),
            "expected": [_trimmed([one.what, one.text, one.met]) for one in detail.expectations],
            "evidence": [self._evidence(one) for one in detail.evidence],
            "rankings": [[c.stage, c.length, self._cells(c.cells), self._deeper(c.deeper)] for c in rankings],
            "predicates": [self._predicate(one) for one in detail.predicates or ()],
            "missing": list(detail.missing_predicates),
            "context": [self._context(one) for one in detail.context or ()],
            "judge": self._judge(detail),
            "timings": [[t.stage, _rounded(t.start_ms), _rounded(t.duration_ms)] for t in detail.timings],
            "spent": _spent(detail),
            "scores": [self._score(one.metric, one.level, one.outcome, proxy=one.proxy) for one in detail.scores],
            "absent": [what for what, there in _recorded(detail) if trace is not None and not there],
        }

    def _hit(self, identity: str, where: str) -> int:
        return self._hits.setdefault((identity, where), len(self._hits))

    def _evidence(self, one: EvidenceLine) -> list[Any]:
        held = place(one.excerpt)
        ranks = [rank for _, rank in one.ranks] if one.eligible else "not for this principal at this date"
        quote = "" if held else one.quote
        return _trimmed([held, one.doc_id, one.group, one.grade, ranks, one.in_context, quote])

    def _predicate(self, one: PredicateLine) -> list[Any]:
        known = self._predicates.setdefault((one.text, one.mode, one.origin), len(self._predicates))
        return [known, one.expected, list(one.removes)]

    def _cells(self, cells: Iterable[ResultCell]) -> list[Any]:
        return [self._cell(cell) for cell in cells]

    def _cell(self, cell: ResultCell) -> Any:
        hit = cell.hit
        known = self._hit(hit.id, place(self.sources.excerpt(hit.doc_id, hit.start, hit.end)))
        found = _trimmed([known, cell.mark, "new" if cell.new else cell.moved or 0])
        return found if len(found) > 1 else known

    def _deeper(self, cells: Iterable[ResultCell]) -> list[Any]:
        return [[self._hit(cell.hit.id, ""), cell.rank] for cell in cells]

    def _context(self, one: ContextLine) -> list[Any]:
        used = [[span.start, span.end, span.label, span.claim] for span in one.used]
        text = "" if one.excerpt else one.item.text
        return _trimmed([self._hit(one.item.id, place(one.excerpt)), one.mark, int(one.cited), used, text])

    def _judge(self, detail: CaseDetail) -> list[Any]:
        judge = detail.judge
        if judge is None or detail.answer is None or not detail.answer.claims:
            return []
        return [
            judge.judge,
            judge.rubric,
            int(not judge.calibrated),
            [self._claim(one, detail) for one in detail.answer.claims],
        ]

    def _claim(self, one: ClaimLine, detail: CaseDetail) -> list[Any]:
        """Write a claim, with the passages of the context that say something of it by their places."""
        verdict = one.verdict
        by_place = [(line.place, verdict.items.get(line.item.id)) for line in detail.context or ()]
        shown = [[at, label] for at, label in by_place if label not in (None, "not_in_context")]
        labels = [verdict.context, verdict.reference, verdict.cited_together]
        score = None if verdict.score is None else number(verdict.score)
        return _trimmed([one.number, *labels, score, shown, one.text])

    def _score(self, metric: str, level: str | None, outcome: Outcome, *, proxy: bool) -> list[int]:
        known = self._metrics.setdefault((metric, level, proxy), len(self._metrics))
        return [known, self._words.setdefault(_worded(outcome), len(self._words))]


def _trimmed(values: Sequence[Any]) -> list[Any]:
    kept = list(values)
    while len(kept) > 1 and kept[-1] is not False and kept[-1] in (None, "", 0, []):
        kept.pop()
    return kept


def _rounded(milliseconds: float) -> float:
    """Round to what a bar and three digits show."""
    return float(f"{milliseconds:.4g}")


def _parts(text: AnswerText | None) -> list[Any]:
    """Cut a text as the page draws it: a string, or [text, label, number of the claim that ends here, cited ids]."""
    return [] if text is None else [_part(segment, text.words.get) for segment in text.segments]


def _part(segment: Segment, word: Callable[[Any], str | None]) -> Any:
    said = f"{segment.claim} {word(segment.label)}" if segment.ends and segment.label else ""
    label = segment.label if segment.claim else None
    found = _trimmed([segment.text, label, said, list(segment.cited)])
    return found if len(found) > 1 else segment.text


def _about(detail: CaseDetail) -> str:
    case = detail.case
    told = [f"Asked by {detail.principal}"]
    if case is not None:
        told += [f"as of {case.as_of.isoformat()}"] if case.as_of else []
        told += [f"risk {case.risk}"] if case.risk else []
        told += case.tags
    return ", ".join(told)


def _told(detail: CaseDetail) -> str:
    answer = detail.trace.answer if detail.trace else None
    if answer is None:
        return "No answer was recorded."
    told = [f"Behaviour: {answer.acted}."] if answer.acted else []
    told += ["The answer is empty."] if not answer.text else []
    told += ["No citation."] if answer.citations == () else []
    told += [f"Confidence {number(answer.confidence)}."] if answer.confidence is not None else []
    return " ".join(told)


def _spent(detail: CaseDetail) -> str:
    trace = detail.trace
    told = [f"{number(detail.total_ms, unit='milliseconds')} ms"] if detail.timings else []
    if trace is not None and trace.first_token_ms is not None:
        told.append(f"first token at {number(trace.first_token_ms, unit='milliseconds')} ms")
    if trace is not None and trace.cost is not None:
        told.append(f"{number(trace.cost.total)} USD")
    return ", ".join(told)


def _recorded(detail: CaseDetail) -> tuple[tuple[str, bool], ...]:
    return (
        ("rankings", detail.rankings.recorded),
        ("predicates", detail.predicates is not None),
        ("context", detail.context is not None),
    )


def _worded(outcome: Outcome) -> str:
    match outcome:
        case Value(value=value, support=support):
            return f"{number(value)} (n={support})"
        case Undefined(reason=reason):
            return f"undefined: {reason}"
        case Failed(stage=stage, error=error):
            return f"failed: {stage}: {error}"
