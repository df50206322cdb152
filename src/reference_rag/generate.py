"""From a context to an answer: the port, and an extractive generator that quotes and needs no model."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import regex

from ragtriage.core.records import Answer, Citation, Cost, Tokens
from reference_rag.instructions import looks_like_an_instruction
from reference_rag.languages import detect_language
from reference_rag.passages import Passage, Unit, units_of
from reference_rag.tokens import terms

__all__ = ["REFUSALS", "Extractive", "Generated", "Generator", "refusal"]

REFUSALS: Mapping[str, str] = {
    "en": "The documents do not answer this question.",
    "ru": "В документах нет ответа на этот вопрос.",
    "uk": "У документах немає відповіді на це запитання.",
    "kk": "Құжаттарда бұл сұраққа жауап жоқ.",
}

_HOW_MUCH = regex.compile(
    r"\bhow\s+(?:much|many|long|often|soon|old|low|high|far)\b|\bby\s+when\b|\b(?:rate|fee|price|cost|limit|amount|percent|"
    r"interest|earn|charge|pay|least|most|smallest|largest)|сколько|скольки|ставк|комисси|стоим|стоит|размер|лимит|сумм|"
    r"процент|срок|скільки|скількох|комісі|кошту|вартіст|ставк|розмір|ліміт|відсот|строк|қанша|неше|мөлшер|пайыз|сыйақы|"
    r"комиссия|құны|мерзім",
    regex.IGNORECASE,
)
_WHEN = regex.compile(
    r"\bwhen\b|\bwhat\s+(?:time|date|day)\b|когда|которого\s+часа|какого\s+числа|коли|якого\s+числа|котрої|қашан",
    regex.IGNORECASE,
)
_DIGIT = regex.compile(r"\p{Nd}")


@dataclass(frozen=True, slots=True)
class Generated:
    """An answer with what it took; `first_token_ms` since generation began, `cost` None where prices are unknown."""

    answer: Answer
    tokens: Tokens
    cost: Cost | None
    first_token_ms: float | None = None
    served_model: str | None = None


class Generator(Protocol):
    """The port to what writes answers."""

    model: str

    def generate(self, question: str, passages: Sequence[Passage], *, language: str | None) -> Generated:
        """Answer the question from the passages, or refuse."""
        ...


def refusal(language: str | None) -> str:
    """Return the sentence that says that the documents hold no answer, in the question's language if we have it."""
    return REFUSALS.get(language or "", REFUSALS["en"])


@dataclass(frozen=True, slots=True)
class _Scored:
    unit: Unit
    score: float
    evidence: float
    covered: frozenset[str]


class Extractive:
    """Quotes the one to three sentences or table rows that hold most of the question's words, each weighing its idf.

    Evidence of a sentence: the share of the question's idf that stands in it, plus a part (0.6) of what stands only in
    its headings; less in another language than the question's, or on a page that nobody checked. It refuses below
    `least_evidence`: a sentence with less shares a few words with the question and mostly answers another one; on the
    bank, three of four answerable questions lie above it and three of four unanswerable ones below. Sentences that
    address the assistant are never quoted, whoever wrote them.
    """

    model = "extractive/1"

    def __init__(self, frequencies: Mapping[str, float], *, least_evidence: float = 0.35) -> None:
        self._idf = frequencies
        self._unknown = max(frequencies.values(), default=1.0)
        self._least = least_evidence

    def generate(self, question: str, passages: Sequence[Passage], *, language: str | None) -> Generated:
        """Answer by quoting, or refuse; costs nothing."""
        spoken = language or detect_language(question)
        weights = {t: self._idf.get(t, self._unknown) for t in terms(question, language=spoken)}
        scored = self._scored(question, passages, weights, spoken)
        best = max(scored, key=lambda s: s.score, default=None)
        evidence = best.evidence if best else 0.0
        if best is None or evidence < self._least:
            answer = Answer(text=refusal(spoken), citations=(), abstained=True, confidence=round(evidence, 4))
        else:
            answer = _quoted(self._chosen(scored, best, weights), confidence=round(evidence, 4))
        return Generated(answer=answer, tokens=Tokens(), cost=Cost(total=0.0))

    def _scored(
        self, question: str, passages: Sequence[Passage], weights: Mapping[str, float], spoken: str | None
    ) -> list[_Scored]:
        asks_number, asks_day = bool(_HOW_MUCH.search(question)), bool(_WHEN.search(question))
        found: list[_Scored] = []
        for place, passage in enumerate(passages):
            for unit in units_of(passage, place=place):
                if looks_like_an_instruction(unit.text) or unit.text.endswith("?"):
                    continue
                found.append(self._score(unit, weights, number=asks_number or asks_day, spoken=spoken))
        return found

    def _score(self, unit: Unit, weights: Mapping[str, float], *, number: bool, spoken: str | None) -> _Scored:
        here = _shared(weights, terms(unit.text, language=unit.language))
        above = _shared(weights, terms(unit.heading, language=unit.language)) - here
        whole = sum(weights.values()) or 1.0
        evidence = (_weight(weights, here) + _HEADING * _weight(weights, above)) / whole
        cue = _NUMBER_CUE if number and _DIGIT.search(unit.text) else 0.0
        trust = (1.0 if unit.trusted else _UNTRUSTED) * (1.0 if unit.language in {None, spoken} else _FOREIGN)
        score = (evidence + cue + _RANK_CUE / (1 + unit.place)) * trust
        return _Scored(unit, score if here else 0.0, min(1.0, evidence * trust), frozenset(here | above))

    def _chosen(self, scored: Sequence[_Scored], best: _Scored, weights: Mapping[str, float]) -> list[Unit]:
        """Return the best unit and up to two that say what it leaves out and are about as good."""
        chosen, covered = [best], set(best.covered)
        whole = sum(weights.values()) or 1.0
        for candidate in sorted(scored, key=lambda s: -s.score):
            if len(chosen) == _MOST_UNITS:
                break
            gain = _weight(weights, candidate.covered - covered) / whole
            same = any(candidate.unit.text == c.unit.text for c in chosen)
            if not same and gain >= _LEAST_GAIN and candidate.score >= _NEARLY_AS_GOOD * best.score:
                chosen.append(candidate)
                covered |= candidate.covered
        return [_narrowed(c.unit, set(weights)) for c in chosen]


_HEADING = 0.6
_NUMBER_CUE = 0.2
_RANK_CUE = 0.15
_UNTRUSTED = 0.7
_FOREIGN = 0.8
_SAME_BEGINNING = 5
_MOST_UNITS = 3
_LEAST_GAIN = 0.12
_NEARLY_AS_GOOD = 0.5


def _weight(weights: Mapping[str, float], chosen: Collection[str]) -> float:
    """Add up in the order of the question: sums of fractions depend on the order, and a set has none."""
    return sum(weight for term, weight in weights.items() if term in chosen)


def _shared(asked: Collection[str], present: Collection[str]) -> set[str]:
    """Return the asked terms that are present, or whose beginning a present term shares up to its own ending."""
    beginnings = {term[:_SAME_BEGINNING] for term in present if len(term) >= _SAME_BEGINNING}
    exact = set(present)
    return {t for t in asked if t in exact or (len(t) >= _SAME_BEGINNING and t[:_SAME_BEGINNING] in beginnings)}


def _narrowed(unit: Unit, asked: set[str]) -> Unit:
    """Keep of a table row the columns whose head the question names, if it names some and not all."""
    first, *rest = unit.cells or (("", ""),)
    named = [(h, c) for h, c in rest if c and _shared(asked, terms(h, language=unit.language))]
    if not named or len(named) == len(rest):
        return unit
    text = f"{first[1]}: {'; '.join(f'{head} {cell}' for head, cell in named)}."
    return Unit(text, unit.place, unit.chunk_id, unit.heading, unit.language, unit.trusted, (first, *named))


def _quoted(units: Sequence[Unit], *, confidence: float) -> Answer:
    """Put the quotes one behind the other, each cited by its chunk."""
    text = ""
    citations: list[Citation] = []
    for unit in units:
        start = len(text) + 1 if text else 0
        text = f"{text} {unit.text}" if text else unit.text
        citations.append(Citation(start=start, end=len(text), ids=(unit.chunk_id,)))
    return Answer(text=text, citations=tuple(citations), abstained=False, confidence=confidence)
