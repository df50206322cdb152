"""A text cut at the borders of its claims, so that each piece can be coloured and labelled by its verdict."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ragtriage.core.records import Answer, Case, Citation, Expected
from ragtriage.core.score import Value
from ragtriage.core.verdicts import ClaimVerdict, Label, Verdicts
from ragtriage.core.views import AnswerView
from ragtriage.metrics.generation.forbidden_claims import forbidden_claims
from ragtriage.text.normalise import fold_text

__all__ = ["LABELS", "AnswerText", "ClaimLine", "Segment", "answer_text", "reference_text"]

LABELS: dict[Label, str] = {
    "supported": "supported",
    "contradicted": "contradicted",
    "not_in_context": "not in context",
}
REFERENCE_LABELS: dict[Label, str] = {
    "supported": "stated",
    "contradicted": "contradicted",
    "not_in_context": "missing",
}


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of the text; `claim`: number of the claim it belongs to, 0 for none.

    `ends`: the claim ends with this piece; `cited`: the ids of citations that end here.
    """

    text: str
    claim: int
    label: Label | None
    ends: bool
    cited: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ClaimLine:
    """One claim; `label`: the verdict it is coloured by. `text`: set where the claim has no place in the text.

    `guilty`: what it says although the case forbids it, whatever its sources say.
    """

    number: int
    verdict: ClaimVerdict
    label: Label | None
    text: str | None
    guilty: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AnswerText:
    """A text with its claims in order; `words`: what each label is called here."""

    segments: tuple[Segment, ...]
    claims: tuple[ClaimLine, ...]
    words: dict[Label, str] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The whole text."""
        return "".join(segment.text for segment in self.segments)


def answer_text(answer: Answer, judge: Verdicts | None, case: Case | None = None) -> AnswerText:
    """Cut an answer at its claims and citations."""
    claims = [c for c in (judge.claims if judge else None) or () if c.of == "answer"]
    guilty = {n: _forbidden_in(claim.text, case) for n, claim in enumerate(claims, start=1)}
    return _cut(answer.text, [(c, c.context) for c in claims], answer.citations or (), LABELS, guilty)


def reference_text(text: str, judge: Verdicts | None) -> AnswerText:
    """Cut a reference answer at its claims, labelled by whether the answer under test states them."""
    claims = [c for c in (judge.claims if judge else None) or () if c.of == "reference"]
    return _cut(text, [(c, c.answer) for c in claims], (), REFERENCE_LABELS, {})


def _forbidden_in(claim: str, case: Case | None) -> tuple[str, ...]:
    """Return what a claim says although the case forbids it, as `generation.forbidden_claims` counts it."""
    if case is None:
        return ()
    found = [text for text in case.expected.forbidden_claims if _makes(claim, text, case)]
    planted = case.expected.injection
    return (*found, planted) if planted and fold_text(planted) in fold_text(claim) else tuple(found)


def _makes(claim: str, text: str, case: Case) -> bool:
    alone = Expected(forbidden_claims=(text,))
    view = AnswerView(case.question, claim, "answer", answerable=True, expected=alone, language=case.language)
    made = forbidden_claims(view)
    return isinstance(made, Value) and made.value > 0


def _cut(
    text: str,
    claims: Sequence[tuple[ClaimVerdict, Label | None]],
    citations: Sequence[Citation],
    words: dict[Label, str],
    guilty: Mapping[int, tuple[str, ...]],
) -> AnswerText:
    lines = tuple(
        ClaimLine(
            number=n,
            verdict=claim,
            label=label,
            text=None if text[claim.start : claim.end] == claim.text else claim.text,
            guilty=guilty.get(n, ()),
        )
        for n, (claim, label) in enumerate(claims, start=1)
    )
    placed = [line for line in lines if line.verdict.start < line.verdict.end <= len(text)]
    ends = {min(citation.end, len(text)) for citation in citations}
    borders = {0, len(text), *ends}
    for line in placed:
        borders |= {line.verdict.start, line.verdict.end}
    cuts = sorted(borders)
    segments = [Segment("", 0, None, ends=False, cited=_cited_at(0, text, citations))] if 0 in ends else []
    for start, end in itertools.pairwise(cuts):
        over = (one for one in placed if one.verdict.start <= start and end <= one.verdict.end)
        around = next(over, None)
        segments.append(
            Segment(
                text=text[start:end],
                claim=around.number if around else 0,
                label=around.label if around else None,
                ends=around is not None and around.verdict.end == end,
                cited=_cited_at(end, text, citations),
            )
        )
    return AnswerText(tuple(segments), lines, words)


def _cited_at(place: int, text: str, citations: Sequence[Citation]) -> tuple[str, ...]:
    return tuple(identity for c in citations if min(c.end, len(text)) == place for identity in c.ids)
