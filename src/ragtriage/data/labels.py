"""What people labelled in texts and what detectors found: tagged tokens, spans, triples, languages."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from ragtriage.core.errors import BadInput, Fault
from ragtriage.core.files import read_lines, read_records
from ragtriage.core.label_views import LabelledSpan, LanguageView, RelationsView, SpansView, Triple
from ragtriage.core.records import Identifier, Record, Whole
from ragtriage.text.language import base_language
from ragtriage.text.tags import spans_of, tag_faults

__all__ = [
    "LanguageLine", "Sentence", "SpanLabel", "SpansLine", "TriplesLine", "compare_languages", "compare_spans",
    "compare_tags", "compare_triples", "read_tags",
]  # fmt: skip

_SHOWN = 100
T = TypeVar("T", bound=Record)
V = TypeVar("V")


class SpanLabel(Record):
    """A typed span [start, end) in code points."""

    start: Whole
    end: Whole
    label: str


class SpansLine(Record):
    """One text with its spans; `text`, where it is given, is what the offsets are held against."""

    id: Identifier
    spans: tuple[SpanLabel, ...] = ()
    text: str | None = None


class TriplesLine(Record):
    """One text with its relations as (head, type, tail)."""

    id: Identifier
    triples: tuple[tuple[str, str, str], ...] = ()


class LanguageLine(Record):
    """One text with its language, a tag such as `kk` or `pt-BR`; None: it could not be told. `text`: for a detector."""

    id: Identifier
    language: str | None = None
    text: str | None = None


class Sentence(Record):
    """Tokens with one tag each."""

    line: int
    tokens: tuple[str, ...]
    tags: tuple[str, ...]


def read_tags(path: Path, *, strict: bool = True) -> list[Sentence]:
    """Read a file of one token a line, its tag last, sentences apart by empty lines; raises BadInput with every fault.

    Columns are apart by tabs, or by spaces where a line has none. Lines of `-DOCSTART-` are left out. `strict`: a tag
    that IOB2 does not allow there is a fault, as it has to be in labels of people; what a model wrote may break it.
    """
    found: list[Sentence] = []
    faults: list[Fault] = []
    rows: list[tuple[int, str, str]] = []
    last = 0
    for line, text in read_lines(path):
        if line > last + 1 and rows:  # an empty line stood between
            found.append(_sentence(rows))
            rows = []
        last = line
        fields = text.split("\t") if "\t" in text else text.split()
        if not fields or text.startswith("-DOCSTART-"):
            continue
        if len(fields) == 1:
            faults.append(Fault(str(path), line, f"a token and its tag must stand in a line. Got {text!r:.80}"))
            continue
        rows.append((line, fields[0], fields[-1].strip()))
    if rows:
        found.append(_sentence(rows))
    if strict:
        faults += [
            Fault(str(path), sentence.line + place, message)
            for sentence in found
            for place, message in tag_faults(sentence.tags)
        ]
    if faults:
        raise BadInput(f"{path} has {len(faults)} fault{'s' if len(faults) > 1 else ''}:", sorted(faults)[:_SHOWN])
    return found


def compare_tags(gold: Path, found: Path, *, strict: bool) -> list[SpansView]:
    """Return a view of each sentence, its offsets in tokens; raises BadInput where the two hold other tokens.

    `strict`: tags become spans as IOB2 has it, else an I- that continues nothing opens a span (`text.tags`).
    """
    ours, theirs = read_tags(gold), read_tags(found, strict=False)
    faults = [
        Fault(str(found), b.line, f"these are not the tokens of {gold}:{a.line}: {_differ(a.tokens, b.tokens)}")
        for a, b in zip(ours, theirs, strict=False)
        if a.tokens != b.tokens
    ]
    if len(ours) != len(theirs):
        faults.append(Fault(str(found), 0, f"holds {len(theirs)} sentences and {gold} holds {len(ours)}"))
    if faults:
        raise BadInput(f"{found} does not belong to {gold}:", faults[:_SHOWN])
    return [
        SpansView(spans_of(a.tags, strict=strict), spans_of(b.tags, strict=strict))
        for a, b in zip(ours, theirs, strict=True)
    ]


def compare_spans(gold: Path, found: Path) -> dict[str, SpansView]:
    """Return a view of each labelled text; raises BadInput for offsets outside a text and for unknown ids.

    A labelled text that the detector says nothing of has no found spans.
    """
    return _compared(gold, found, SpansLine, SpansView, _spans, check=_span_faults)


def compare_triples(gold: Path, found: Path) -> dict[str, RelationsView]:
    """Return a view of each labelled text; raises BadInput for unknown ids."""
    return _compared(gold, found, TriplesLine, RelationsView, lambda line: frozenset(Triple(*t) for t in line.triples))


def compare_languages(gold: Path, found: Path) -> dict[str, LanguageView]:
    """Return a view of each text labelled with a language, regions left aside; raises BadInput for unknown ids."""
    ours, theirs = _lines(gold, found, LanguageLine)
    return {
        name: LanguageView(base_language(line.language) or line.language, _base(theirs.get(name)))
        for name, line in ours.items()
        if line.language is not None
    }


def _base(line: LanguageLine | None) -> str | None:
    if line is None or line.language is None:
        return None
    return base_language(line.language) or line.language


def _compared(
    gold: Path,
    found: Path,
    record: type[T],
    view: Callable[[Any, Any], V],
    things: Callable[[Any], Any],
    *,
    check: Callable[[T], Iterator[str]] | None = None,
) -> dict[str, V]:
    ours, theirs = _lines(gold, found, record, check=check)
    empty = things(record.model_validate({"id": "none"}))
    return {name: view(things(line), things(theirs[name]) if name in theirs else empty) for name, line in ours.items()}


def _lines(
    gold: Path, found: Path, record: type[T], *, check: Callable[[T], Iterator[str]] | None = None
) -> tuple[Mapping[str, T], Mapping[str, T]]:
    faults: list[Fault] = []
    sides: list[dict[str, T]] = []
    for path in (gold, found):
        lines = read_records(path, record, key="id", faults=faults)
        for line in lines:
            faults += [Fault(str(path), 0, f"{_id(line)!r}: {text}") for text in (check(line) if check else ())]
        sides.append({_id(line): line for line in lines})
    unknown = sorted(sides[1].keys() - sides[0].keys())
    faults += [Fault(str(found), 0, f"{name!r} is no text of {gold}") for name in unknown]
    if faults:
        raise BadInput(f"{found} cannot be held against {gold}:", sorted(faults)[:_SHOWN])
    return sides[0], sides[1]


def _id(line: Any) -> str:
    return str(line.id)


def _spans(line: SpansLine) -> frozenset[LabelledSpan]:
    return frozenset(LabelledSpan(span.start, span.end, span.label) for span in line.spans)


def _span_faults(line: SpansLine) -> Iterator[str]:
    for span in line.spans:
        if span.start >= span.end:
            yield f"a span must begin before it ends. Got [{span.start}, {span.end})"
        elif line.text is not None and span.end > len(line.text):
            yield f"a span ends at {span.end}, and the text has {len(line.text)} characters"


def _sentence(rows: Sequence[tuple[int, str, str]]) -> Sentence:
    return Sentence(line=rows[0][0], tokens=tuple(t for _, t, _ in rows), tags=tuple(tag for *_, tag in rows))


def _differ(ours: Sequence[str], theirs: Sequence[str]) -> str:
    place = next((i for i, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a != b), min(len(ours), len(theirs)))
    one, other = (side[place] if place < len(side) else "nothing" for side in (ours, theirs))
    return f"token {place + 1} is {other!r} and not {one!r}"
