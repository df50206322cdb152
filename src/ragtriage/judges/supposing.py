"""Suppose what a judge will say, so that what it will be asked is known before it is: every prompt but no reply.

A supposed reply has the form of its rubric and about the length of a real one: a claim for each statement of the text,
one quote for each item that is said to stand somewhere. It is read by the same rules as a real reply and decides which
question comes next; it is never a verdict.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ragtriage.core.verdicts import JudgeCall
from ragtriage.judges.asking import Piece, Prepared
from ragtriage.judges.calling import Asker, replayed, request_identity
from ragtriage.judges.claims import split_claims
from ragtriage.judges.rubric import Rubric, RubricField
from ragtriage.models.estimate import Expected
from ragtriage.models.openai_compatible import TEXTS_AT_ONCE
from ragtriage.models.ports import ChatReply, ChatRequest, Usage
from ragtriage.text.language import guess_language
from ragtriage.text.sentences import sentences

if TYPE_CHECKING:
    from ragtriage.models.ports import Vector

__all__ = ["SupposedEmbedder", "SupposedModel", "Supposing", "suppose"]

_WORDS = 60  # characters of a field that says something in a few words
_TEXTS = 3
_LEAST = 2


def suppose(prepared: Prepared) -> str:
    """Return a reply as it is expected, as JSON that the rubric allows."""
    rubric, ask = prepared.ask.rubric, prepared.ask
    text = ask.inputs.get("text") or ask.inputs.get("question") or next(iter(ask.inputs.values()), "") or "-"
    value: dict[str, Any]
    if rubric.file.reply == "one":
        value = _object(prepared, text, "")
    elif rubric.file.reply == "list":
        value = {"items": [_object(prepared, one, "") for one in _pieces(rubric, ask.inputs)]}
    else:
        items = prepared.items.items()
        value = {"verdicts": [{"id": shown, **_object(prepared, piece.text, shown)} for shown, piece in items]}
    return json.dumps(value, ensure_ascii=False)


def _pieces(rubric: Rubric, inputs: Mapping[str, str]) -> list[str]:
    """Return what a list will be of: the parts of the question where each gets a label, else what the text states."""
    text = inputs.get("text", "")
    if any(one.type == "label" for one in rubric.file.fields):
        return [text] * max(1, len(sentences(inputs.get("question", ""))))
    claims = [claim.text for claim in split_claims(text, language=guess_language(text))]
    return [claim for claim in claims if claim in text]


def _object(prepared: Prepared, about: str, shown: str) -> dict[str, Any]:
    """Fill the fields for one thing that the reply is about; `shown`: the id of an item, empty where there is none."""
    rubric = prepared.ask.rubric
    label = _label(prepared, shown)
    found: dict[str, Any] = {}
    for one in rubric.file.fields:
        match one.type:
            case "label":
                found[one.name] = label if one.name == rubric.file.decides else one.labels[0]
            case "grade":
                found[one.name] = int(label) if label.isdecimal() else (one.low + one.high) // 2
            case "flag":
                found[one.name] = False
            case "texts":
                found[one.name] = [_short(one, about)] * min(_TEXTS, one.most or _TEXTS)
            case "quote":
                found[one.name] = about.strip()[: len(prepared.ask.inputs.get("text", about))]
            case "records":
                found[one.name] = _evidence(prepared, one, label, about=about, control=shown in prepared.canaries)
            case _:
                found[one.name] = "" if "empty" in one.about else _short(one, about)
    return found


def _label(prepared: Prepared, shown: str) -> str:
    """Return the label of an item: the right one of a control item, else the best that can be shown."""
    rubric = prepared.ask.rubric
    decides = rubric.file.decisive
    if shown in prepared.canaries:
        return prepared.canaries[shown][0]
    if decides is None:
        return ""
    if decides.type == "grade":
        return str((decides.low + decides.high) // 2)
    labels = rubric.file.canary_true or decides.labels or ("false",)
    able = [one for one in (*labels, *decides.labels) if prepared.sources or one not in rubric.file.needs]
    return able[0] if able else labels[0]


def _evidence(prepared: Prepared, one: RubricField, label: str, *, about: str, control: bool) -> list[dict[str, Any]]:
    """Return one quote where the label needs one; `control`: for a control item, from the control source."""
    stances = prepared.ask.rubric.file.needs.get(label, ())
    if not stances or not prepared.sources:
        return []
    named, source = next(
        ((i, piece) for i, piece in prepared.sources.items() if piece.key.startswith("\0") == control),
        next(iter(prepared.sources.items())),
    )
    record: dict[str, Any] = {}
    for inner in one.fields:
        match inner.type:
            case "source":
                record[inner.name] = named
            case "quote":
                record[inner.name] = _quoted(source, len(about))
            case "label":
                record[inner.name] = stances[0]
            case _:
                record[inner.name] = _short(inner, about)
    return [record]


def _quoted(source: Piece, length: int) -> str:
    whole = source.text.strip()
    return whole[: max(length, _LEAST)].strip() or whole


def _short(one: RubricField, about: str) -> str:
    return about if not one.longest else about[: min(one.longest, _WORDS)]


Find = Callable[[ChatRequest], ChatReply | None]


@dataclass
class SupposedModel:
    """Stands for a model that is not asked. `expected`: the calls that it would get; `learned`: what real ones had.

    `find`: replies that nothing is paid for any more. `max_tokens`: of a reply, where the configuration says it.
    `seen`: replies of another run, to learn from. `pays` False: what is asked now is only learned from.
    """

    identity: str
    find: Find
    max_tokens: int | None = None
    seen: Mapping[str, JudgeCall] = field(default_factory=dict)
    pays: bool = True
    expected: list[Expected] = field(default_factory=list)
    learned: list[tuple[Expected, Usage]] = field(default_factory=list)

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Refuse: nobody is asked."""
        raise RuntimeError(f"a supposed model was asked {request.purpose!r}")


class Supposing(Asker):
    """Asks nobody: what is known is taken, the rest supposed and written down."""

    async def _reply(self, prepared: Prepared) -> ChatReply:
        model, request = self.model, prepared.request
        if not isinstance(model, SupposedModel):
            raise TypeError("only a supposed model can be supposed to answer")
        identity = request_identity(model.identity, prepared.ask.rubric.identity, request)
        if model.max_tokens is not None:
            request = replace(request, max_tokens=model.max_tokens)
        expected = Expected(request, suppose(prepared))
        kept = self.known.get(identity)
        found = replayed(kept) if kept is not None else model.find(request)
        seen = found or (replayed(model.seen[identity]) if identity in model.seen else None)
        if seen is not None and seen.usage is not None:
            model.learned.append((expected, seen.usage))
        if found is not None:
            return found
        if model.pays:
            model.expected.append(expected)
        return ChatReply(expected.reply, "stop")


@dataclass
class SupposedEmbedder:
    """Stands for an embedding model that is not asked; `texts`: what it would turn into vectors, in `calls` calls."""

    identity: str
    texts: list[str] = field(default_factory=list)
    calls: int = 0

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Return one and the same vector for every text."""
        import numpy as np  # noqa: PLC0415

        self.texts.extend(texts)
        self.calls += -(-len(texts) // TEXTS_AT_ONCE)
        return [np.ones(1, dtype=np.float32) for _ in texts]
