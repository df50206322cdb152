"""What people labelled in texts and what detectors found: tagged tokens, spans, triples, languages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import Field, field_validator, model_validator

from ragtriage.core.errors import BadInput, Fault, did_you_mean
from ragtriage.core.files import parse_json, read_lines, read_records
from ragtriage.core.label_views import LabelledSpan, LanguageView, RelationsView, SpansView, Triple
from ragtriage.core.records import Identifier, Record, Whole
from ragtriage.core.score import Undefined
from ragtriage.text.language import base_language
from ragtriage.text.tags import spans_of, tag_faults

__all__ = [
    "Kind", "LabelledText", "LabelledTexts", "LanguageLine", "Mode", "Sentence", "SpanLabel", "SpansLine",
    "TriplesLine", "detected_texts", "kind_of", "labelled_texts", "read_tags",
]  # fmt: skip

Kind: TypeAlias = Literal["tags", "spans", "triples", "languages"]
Mode: TypeAlias = Literal["strict", "lenient"]
_View: TypeAlias = SpansView | RelationsView | LanguageView
_Word = Annotated[str, Field(min_length=1)]
_TAGGED = (".iob2", ".bio", ".conll", ".tsv")
_NAMED: dict[str, Kind] = {"spans": "spans", "triples": "triples", "languages": "languages"}
_SHOWN = 100
_LINE = re.compile(r"(\d+): (.*)", re.DOTALL)


class _LabelledLine(Record):
    """One text; `slice`: fields of your own to slice the numbers by, such as the kind of document."""

    id: Identifier
    slice: dict[Identifier, Identifier] = Field(default_factory=dict)

    @field_validator("slice")
    @classmethod
    def _is_sliced_by(cls, value: dict[str, str]) -> dict[str, str]:
        if "language" in value:
            raise ValueError("holds 'language', which is a field of the line itself")
        joined = [name for name in value if "+" in name]
        if joined:
            raise ValueError(f"holds {joined[0]!r}, and '+' joins two fields")
        return value


class SpanLabel(Record):
    """A typed span [start, end) in code points."""

    start: Whole
    end: Whole
    label: _Word

    @model_validator(mode="after")
    def _holds_something(self) -> Self:
        if self.start >= self.end:
            raise ValueError(f"a span must begin before it ends. Got [{self.start}, {self.end}) instead")
        return self


class SpansLine(_LabelledLine):
    """One text with its spans; `text`, where it is given, is what the offsets are held against."""

    spans: tuple[SpanLabel, ...] = ()
    text: str | None = None
    language: Identifier | None = None

    @model_validator(mode="after")
    def _lies_in_the_text(self) -> Self:
        if self.text is not None and (told := _beyond(self.spans, self.text)):
            raise ValueError(told)
        return self


class TriplesLine(_LabelledLine):
    """One text with its relations as (head, type, tail)."""

    triples: tuple[tuple[_Word, _Word, _Word], ...] = ()
    language: Identifier | None = None


class LanguageLine(_LabelledLine):
    """One text with its language, a tag such as `kk` or `pt-BR`; None: it could not be told. `text`: for a detector."""

    language: Identifier | None = None
    text: str | None = None


class Sentence(Record):
    """Tokens with one tag each; `lines`: where each stands, the first of them names the sentence."""

    lines: tuple[int, ...]
    tokens: tuple[str, ...]
    tags: tuple[str, ...]

    @property
    def line(self) -> int:
        """The line of its first token."""
        return self.lines[0]


@dataclass(frozen=True, slots=True)
class LabelledText:
    """One text with both sides, or why there is nothing to hold; `fields`: what it is sliced by."""

    text_id: str
    view: _View | Undefined
    fields: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LabelledTexts:
    """The texts of a file of labels in its order; `silent`: those that the file of what was found does not name."""

    kind: Kind
    texts: tuple[LabelledText, ...]
    silent: tuple[str, ...] = ()

    @property
    def views(self) -> list[_View]:
        """The views of the texts that have one."""
        return [text.view for text in self.texts if not isinstance(text.view, Undefined)]


def kind_of(path: Path) -> Kind:
    """Return what a file of labels holds, by its name; raises BadInput.

    >>> kind_of(Path("people.spans.jsonl")), kind_of(Path("people.iob2"))
    ('spans', 'tags')
    """
    said = _said(path)
    if said is not None:
        return said
    named = _named(path)
    raise BadInput(
        f"{path}: its name must say what it holds: {', '.join(_TAGGED)}, or "
        f"{', '.join(f'.{name}.jsonl' for name in _NAMED)}.{did_you_mean(named, _NAMED)}"
    )


def labelled_texts(gold: Path, found: Path, *, strict: bool = True) -> LabelledTexts:
    """Hold what was found against the labels of people; raises BadInput with every fault of both files.

    Both hold what the name of `gold` says. Of tags, each sentence is a text named by its line, its offsets in tokens;
    `strict`: tags become spans as IOB2 has it, else an I- that continues nothing opens a span (`text.tags`). A labelled
    text that `found` does not name has nothing found. Regions of languages are left aside.
    """
    kind = kind_of(gold)
    if _said(found) not in {kind, None}:
        raise BadInput(f"{found} holds {_said(found)} by its name, and {gold} holds {kind}")
    if kind == "tags":
        return LabelledTexts(kind, tuple(_tagged_texts(gold, found, strict=strict)))
    faults: list[Fault] = []
    ours, theirs = (_records(path, kind, faults) for path in (gold, found))
    faults = faults or _pairing_faults(gold, found, ours, theirs)
    _stop(f"{found} cannot be held against {gold}:", faults)
    silent = tuple(name for name in ours if name not in theirs)
    return LabelledTexts(kind, tuple(_text(kind, line, theirs.get(name)) for name, line in ours.items()), silent)


def detected_texts(gold: Path, find: Callable[[Any], Any]) -> LabelledTexts:
    """Hold what `find` returns for each line of labels against it; raises BadInput with every fault.

    Spans and languages alone, and every line needs its text.
    """
    kind = kind_of(gold)
    if kind not in {"spans", "languages"}:
        raise BadInput(f"{gold}: detectors find spans and languages; name a file of what was found instead")
    faults: list[Fault] = []
    lines = _records(gold, kind, faults)
    if not faults:
        told = ((name, f"{name!r} has no text, which a detector needs") for name in lines if lines[name].text is None)
        faults = [*_placed(gold, dict(told)), *_nothing(gold, lines)]
    _stop(f"{gold} cannot be given to a detector:", faults)
    return LabelledTexts(kind, tuple(_text(kind, line, find(line)) for line in lines.values()))


def read_tags(path: Path, *, strict: bool = True, faults: list[Fault] | None = None) -> list[Sentence]:
    """Read a file of one token a line, its tag last, sentences apart by empty lines; raises BadInput with every fault.

    Columns are apart by tabs, or by spaces where a line has none. Lines of `-DOCSTART-` are left out. `strict`: a tag
    that IOB2 does not allow there is a fault, as it has to be in labels of people; what a model wrote may break it.
    Where a list `faults` is given, adds to it instead and returns the sentences that could be read.
    """
    found: list[Sentence] = []
    told: list[Fault] = []
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
            told.append(Fault(str(path), line, f"a token and its tag must stand in a line. Got {text!r:.80}"))
            continue
        rows.append((line, fields[0], fields[-1].strip()))
    if rows:
        found.append(_sentence(rows))
    if strict:
        told += [
            Fault(str(path), sentence.lines[place], message)
            for sentence in found
            for place, message in tag_faults(sentence.tags)
        ]
    if faults is not None:
        faults += told
    else:
        _stop(f"{path} has {len(told)} fault{'s' if len(told) > 1 else ''}:", told)
    return found


def _tagged_texts(gold: Path, found: Path, *, strict: bool) -> Iterator[LabelledText]:
    faults: list[Fault] = []
    ours = _read(gold, faults, lambda: read_tags(gold, faults=faults))
    theirs = _read(found, faults, lambda: read_tags(found, strict=False, faults=faults))
    if not faults:
        faults += [
            Fault(str(found), b.line, f"these are not the tokens of {gold}:{a.line}: {_differ(a.tokens, b.tokens)}")
            for a, b in zip(ours, theirs, strict=False)
            if a.tokens != b.tokens
        ]
        faults += _nothing(gold, ours)
        if len(ours) != len(theirs):
            faults.append(Fault(str(found), 0, f"holds {len(theirs)} sentences and {gold} holds {len(ours)}"))
    _stop(f"{found} does not belong to {gold}:", faults)
    for a, b in zip(ours, theirs, strict=True):
        view = SpansView(spans_of(a.tags, strict=strict), spans_of(b.tags, strict=strict))
        yield LabelledText(f"line {a.line}", view)


def _records(path: Path, kind: Kind, faults: list[Fault]) -> dict[str, Any]:
    record: dict[Kind, type[Any]] = {"spans": SpansLine, "triples": TriplesLine, "languages": LanguageLine}
    lines = _read(path, faults, lambda: read_records(path, record[kind], key="id", faults=faults))
    return {line.id: line for line in lines}


def _read(path: Path, faults: list[Fault], read: Callable[[], Sequence[Any]]) -> Sequence[Any]:
    """Read a side; a file that cannot be read at all is a fault among the others."""
    try:
        return read()
    except BadInput as error:
        told = str(error).removeprefix(f"{path}:").strip()
        placed = _LINE.fullmatch(told)
        faults.append(Fault(str(path), int(placed[1]), placed[2]) if placed else Fault(str(path), 0, told))
        return ()


def _pairing_faults(gold: Path, found: Path, ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> list[Fault]:
    told = {}
    for name, line in theirs.items():
        text, other = (getattr(side, "text", None) for side in (ours.get(name), line))
        if name not in ours:
            told[name] = f"{name!r} is no text of {gold}"
        elif text is not None and other is not None and other != text:
            told[name] = f"{name!r} has another text than in {gold}"
        elif text is not None and (beyond := _beyond(getattr(line, "spans", ()), text)):
            told[name] = f"{name!r}: {beyond}"
    return [*_nothing(gold, ours), *_placed(found, told)]


def _placed(path: Path, told: Mapping[str, str]) -> list[Fault]:
    """Put what is wrong with texts at their lines, in a file whose lines could be read."""
    lines = {str(parse_json(text)["id"]): line for line, text in read_lines(path)} if told else {}
    return [Fault(str(path), lines[name], message) for name, message in told.items()]


def _nothing(path: Path, texts: Sized) -> list[Fault]:
    return [] if len(texts) else [Fault(str(path), 0, "holds no text")]


def _text(kind: Kind, ours: Any, theirs: Any | None) -> LabelledText:
    fields = dict(ours.slice)
    if kind != "languages" and ours.language is not None:
        fields["language"] = ours.language
    return LabelledText(ours.id, _view(kind, ours, theirs), fields)


def _view(kind: Kind, ours: Any, theirs: Any | None) -> _View | Undefined:
    match kind:
        case "triples":
            return RelationsView(
                *(frozenset(Triple(*t) for t in (line.triples if line else ())) for line in (ours, theirs))
            )
        case "languages":
            labelled, identified = (_base(line.language if line else None) for line in (ours, theirs))
            none = Undefined("the text is not labelled with its language")
            return none if labelled is None else LanguageView(labelled, identified)
        case _:
            return SpansView(*(_spans(line.spans if line else ()) for line in (ours, theirs)))


def _base(language: str | None) -> str | None:
    return base_language(language) or language


def _spans(spans: Sequence[SpanLabel]) -> frozenset[LabelledSpan]:
    return frozenset(LabelledSpan(span.start, span.end, span.label) for span in spans)


def _beyond(spans: Sequence[SpanLabel], text: str) -> str | None:
    end = max((span.end for span in spans), default=0)
    return f"a span ends at {end}, and the text has {len(text)} characters" if end > len(text) else None


def _said(path: Path) -> Kind | None:
    """Return what a file holds by its name, None where the name does not say."""
    return "tags" if path.suffix in _TAGGED else _NAMED.get(_named(path))


def _named(path: Path) -> str:
    parts = path.name.split(".")
    return parts[-2] if len(parts) > 2 and parts[-1] == "jsonl" else ""  # noqa: PLR2004 - name, kind, jsonl


def _stop(message: str, faults: Sequence[Fault]) -> None:
    if faults:
        raise BadInput(message, sorted(faults)[:_SHOWN])


def _sentence(rows: Sequence[tuple[int, str, str]]) -> Sentence:
    return Sentence(
        lines=tuple(line for line, *_ in rows), tokens=tuple(t for _, t, _ in rows), tags=tuple(tag for *_, tag in rows)
    )


def _differ(ours: Sequence[str], theirs: Sequence[str]) -> str:
    place = next((i for i, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a != b), min(len(ours), len(theirs)))
    one, other = (side[place] if place < len(side) else "nothing" for side in (ours, theirs))
    return f"token {place + 1} is {other!r} and not {one!r}"
