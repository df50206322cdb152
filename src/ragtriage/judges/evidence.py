"""Hold one claim against sources: which words, numbers and dates of it stand there, and what contradicts it.

A claim is supported when enough of its weight stands in few sentences of the sources (words 1, numbers and dates
more), every number and date of it does, what it adds by "and" or "or" does, and none of those sentences denies it. It
is contradicted when the sentence that is nearest in words holds another number of the same unit, denies what the claim
states (or the other way round), stands on the other side of an opposition, or sets the opposite bound; an English
claim also when the sentences that share its words turn it round (see `direction`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ragtriage.core.verdicts import Label, SourceSpan
from ragtriage.judges.contradiction import amounts_contradict, denied_by_prefix, words_contradict
from ragtriage.judges.direction import direction_of
from ragtriage.judges.oppositions import opposed
from ragtriage.judges.sources import Source, Unit
from ragtriage.judges.statements import Statement, must_be_found
from ragtriage.text.amounts import date_among, number_among
from ragtriage.text.content import same_word
from ragtriage.text.language import base_language

__all__ = ["THRESHOLDS", "Finding", "Match", "decide", "hold", "match_units"]

THRESHOLDS = {
    "support": 0.55,
    "near": 0.5,
    "side": 0.3,
    "number": 2.0,
    "joined": 3,
    "gain": 1.0,
    "order": 0.3,
    "apart": 3,
    "foreign": 0.6,
    "turned": 0.6,
    "turned_near": 0.5,
}
"""support: least share of the weight that must stand in the sources; near: least share of the words in the sentence
that a contradiction is read from; side: the same for a sentence that stands on the other side of an opposition;
number: weight of a number or date, where a word is 1; joined: most sentences taken together, each of which must add at
least `gain` of weight; order: share of the score that comes from words that follow each other in the claim and in one
sentence too, with at most `apart` - 1 others between; foreign: the score of support by numbers alone;
turned, turned_near: least sum of the two figures of `direction_of` and least share of the weight found, from which an
English claim is contradicted."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What sources say of a claim: a label, a score in [0, 1] that rises with support, and where it is shown."""

    label: Label
    score: float
    spans: tuple[SourceSpan, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Match:
    """One unit of one source held against a statement: words, numbers and dates of it found there, by index.

    `unsure`: numbers that agree in one of several readings only. `foreign`: the source is in another language.
    """

    source_id: str
    unit: Unit
    words: frozenset[int]
    numbers: frozenset[int]
    unsure: frozenset[int]
    dates: frozenset[int]
    share: float
    foreign: bool


_READ_FOR_ORDER = 4
_NOWHERE = Finding("not_in_context", 0.0)


def _share(statement: Statement, words: frozenset[int]) -> float:
    """Return the weighted share of the words; 0 where the statement has none."""
    total = sum(statement.weights)
    return sum(statement.weights[i] for i in words) / total if total else 0.0


def match_units(statement: Statement, source_id: str, source: Source) -> list[Match]:
    """Hold a statement against each unit of a source; units that share nothing with it are left out."""
    found = []
    foreign = None not in (statement.language, source.language) and statement.language != source.language
    for unit in source.units:
        words = frozenset(i for i, word in enumerate(statement.words) if word in unit.words or word in unit.above)
        amounts = [unit.amounts, *unit.above_amounts]
        agreed = [number_among(number, amounts) for number in statement.amounts.numbers]
        numbers = frozenset(i for i, a in enumerate(agreed) if a == "equal")
        unsure = frozenset(i for i, a in enumerate(agreed) if a == "uncertain")
        dates = frozenset(i for i, date in enumerate(statement.amounts.dates) if date_among(date, amounts))
        if words or numbers or unsure or dates:
            found.append(Match(source_id, unit, words, numbers, unsure, dates, _share(statement, words), foreign))
    return found


@dataclass(slots=True)
class _Gathered:
    """What a few matches taken together hold of a statement."""

    matches: list[Match]
    words: frozenset[int] = frozenset()
    numbers: frozenset[int] = frozenset()
    unsure: frozenset[int] = frozenset()
    dates: frozenset[int] = frozenset()

    def with_match(self, match: Match) -> _Gathered:
        return _Gathered(
            [*self.matches, match],
            self.words | match.words,
            self.numbers | match.numbers,
            self.unsure | match.unsure,
            self.dates | match.dates,
        )

    def weight(self, statement: Statement) -> float:
        counted = sum(must_be_found(statement.amounts.numbers[i]) for i in self.numbers)
        return sum(statement.weights[i] for i in self.words) + THRESHOLDS["number"] * (counted + len(self.dates))


def _gather(statement: Statement, matches: Sequence[Match]) -> _Gathered:
    """Take the match that holds most, then those that add enough, up to the limit."""
    gathered = _Gathered([])
    weight = 0.0
    for _ in range(int(THRESHOLDS["joined"])):
        best, best_weight = None, weight
        for match in matches:
            joined = gathered.with_match(match)
            candidate = joined.weight(statement)
            if candidate > best_weight:
                best, best_weight = joined, candidate
        if best is None or (gathered.matches and best_weight - weight < THRESHOLDS["gain"]):
            break
        gathered, weight = best, best_weight
    return gathered


def _needed(statement: Statement, gathered: _Gathered) -> tuple[frozenset[int], float]:
    """Return the numbers that must be found and the whole weight; numbers that may be equal count neither way."""
    unsure = gathered.unsure - gathered.numbers
    needed = frozenset(i for i, n in enumerate(statement.amounts.numbers) if must_be_found(n) and i not in unsure)
    total = sum(statement.weights) + THRESHOLDS["number"] * (len(needed) + len(statement.amounts.dates))
    return needed, total


def _in_order(statement: Statement, unit: Unit) -> float:
    """Return the share of neighbouring words of the claim that follow each other in the unit, too."""
    pairs = len(statement.words) - 1
    places = [[j for j, other in enumerate(unit.order) if same_word(word, other)] for word in statement.words]
    near = range(1, int(THRESHOLDS["apart"]) + 1)
    return sum(any(b - a in near for a in places[i] for b in places[i + 1]) for i in range(pairs)) / pairs


def _ranking_score(statement: Statement, matches: Sequence[Match], covered: float) -> float:
    if len(statement.words) < 2:  # noqa: PLR2004 - one word has no neighbour
        return covered
    nearest = sorted(matches, key=lambda m: -m.share)[:_READ_FOR_ORDER]
    order = max(_in_order(statement, match.unit) for match in nearest)
    return (1 - THRESHOLDS["order"]) * covered + THRESHOLDS["order"] * order


def decide(statement: Statement, matches: Sequence[Match]) -> Finding:
    """Say what the matched units make of the statement.

    Words of another language cannot be compared: there a claim is supported by one unit that holds all its numbers and
    dates, if one of them says something by itself (it has a unit, or is a date).
    """
    finding = _by_words(statement, matches)
    if finding.label == "not_in_context" and not statement.denied:
        for match in matches:
            if match.foreign and _holds_all_amounts(statement, match):
                span = SourceSpan(id=match.source_id, start=match.unit.start, end=match.unit.end)
                return Finding("supported", THRESHOLDS["foreign"], (span,))
    return finding


def _holds_all_amounts(statement: Statement, match: Match) -> bool:
    needed = {i for i, number in enumerate(statement.amounts.numbers) if must_be_found(number)}
    telling = any(statement.amounts.numbers[i].unit for i in needed) or bool(statement.amounts.dates)
    return telling and needed <= match.numbers and len(match.dates) == len(statement.amounts.dates)


def _by_words(statement: Statement, matches: Sequence[Match]) -> Finding:
    gathered = _gather(statement, matches)
    if not gathered.matches:
        return _NOWHERE
    needed, total = _needed(statement, gathered)
    covered = gathered.weight(statement) / total if total else 0.0
    score = _ranking_score(statement, matches, covered)
    spans = tuple(SourceSpan(id=m.source_id, start=m.unit.start, end=m.unit.end) for m in gathered.matches)
    complete = needed <= gathered.numbers and len(gathered.dates) == len(statement.amounts.dates)
    nearest = max(matches, key=lambda m: (m.share, len(m.numbers) + len(m.dates)))
    against = nearest.share >= THRESHOLDS["near"] or not statement.words
    if against and amounts_contradict(statement, nearest.unit, found=gathered.numbers, complete=complete):
        return _against(nearest, nearest.unit, score)
    if against and denied_by_prefix(statement, nearest.unit, nearest.words):
        return _against(nearest, nearest.unit, score)
    english = base_language(statement.language) == "en" and not nearest.foreign
    amounts_agree = complete and bool(statement.amounts.numbers or statement.amounts.dates)
    if english:
        readable = covered >= THRESHOLDS["turned_near"] and (statement.denies_amount or not amounts_agree)
        if readable and (found := _turned(statement, matches)) is not None:
            return _against(found, found.unit, score)
    elif against and words_contradict(statement, nearest.unit, nearest.words, complete=complete):
        return _against(nearest, nearest.unit, score)
    elif (other := _other_side(statement, matches)) is not None:
        return _against(other, other.unit, score)
    added = all(indexes & gathered.words for indexes in statement.added)
    told = not (english and statement.denied) or amounts_agree or _may_deny(statement, gathered)
    if covered >= THRESHOLDS["support"] and complete and added and told:
        return Finding("supported", score, spans)
    return Finding("not_in_context", score * (0.75 if complete and added else 0.5), ())


def _may_deny(statement: Statement, gathered: _Gathered) -> bool:
    """Say whether what supports a denial holds one, or a word that comes to the same: free, reduces, prevents."""
    return statement.free or any(m.unit.denies or m.unit.free or m.unit.poles for m in gathered.matches)


def _against(match: Match, unit: Unit, score: float) -> Finding:
    return Finding("contradicted", score * 0.25, (SourceSpan(id=match.source_id, start=unit.start, end=unit.end),))


def _turned(statement: Statement, matches: Sequence[Match]) -> Match | None:
    """Return the nearest match that says the opposite, where the sources as a whole turn an English claim round.

    What is free of charge may be said with a denial or without one.
    """
    told = [m for m in matches if not m.foreign and not m.unit.text.startswith("|")]
    found = direction_of(statement, [m.unit for m in told])
    if found is None or found.unit is None or statement.free or found.unit.free:
        return None
    if found.turned + found.opposed < THRESHOLDS["turned"]:
        return None
    return next(m for m in told if m.unit is found.unit)


def _other_side(statement: Statement, matches: Sequence[Match]) -> Match | None:
    """Return the unit on the other side of an opposition, where of all that take a side it is the nearest.

    The sentence nearest in words may speak of the subject alone ("We examined whether ..."), and another one says how
    it turned out. Amounts with a unit and dates decide for themselves, and so does a denial.
    """
    measured = statement.amounts.dates or any(number.unit for number in statement.amounts.numbers)
    if not statement.poles or statement.denied or measured:
        return None
    near = [m for m in matches if m.share >= THRESHOLDS["side"] and not m.foreign]
    against = [m for m in near if not m.unit.denies and opposed(statement.poles, m.unit.poles)]
    if not against:
        return None
    nearest = max(against, key=lambda m: m.share)
    agreeing = [m.share for m in near if statement.poles & m.unit.poles]
    return None if agreeing and max(agreeing) > nearest.share else nearest


def hold(statement: Statement, sources: Sequence[tuple[str, Source]]) -> Finding:
    """Hold a statement against all sources together."""
    return decide(statement, [m for source_id, source in sources for m in match_units(statement, source_id, source)])
