"""Pairs of words that cannot both hold, bounds on numbers, and words that say "for nothing"; data with look-ups."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Literal

import regex

from ragtriage.text.content import WordSet

__all__ = ["RULES", "Bound", "bound_before", "costs_nothing", "negated_form_among", "opposed", "poles"]

Bound = Literal["least", "most"]

_PAIRS_TEXT = """
increas rais rise rose risen grow grew growth higher elevat upregulat up-regulat enhanc promot improv gain greater
  stimulat activat accelerat facilitat strengthen boost induc trigger enabl augment expand benefi
  / decreas reduc lower fall fell fallen declin drop downregulat down-regulat diminish inhibit suppress prevent worsen
  loss fewer impair attenuat abrogat block imped hinder damag slow delay hamper deactivat weaken shrink protect rescu
positiv / negativ
allow permit / forbid forbidden prohibit disallow
accept / reject refus
open opens opened / close closes closed
always / never
mandatory compulsory required / optional voluntary
same / different
true / false
win wins won beat beats / lose loses lost
high / low
возраста возросл увелич повыс повыш вырос растёт растет выше больше
  / сниз сниж уменьш понизи понижа упал падает ниже меньше
разреш допуска можно / запрещ нельзя недопуст
обязател / необязател добровол опциональн
открыв открыт / закрыв закрыт
раньше до / позже после
бесплатн / платн
всегда / никогда
возвраща возвратн / невозврат
номинальн / эффективн
максимальн максимум / минимальн минимум
зроста зріс збільш підвищ вище більше / знизи знижу зменш впал нижче менше
дозвол можна / заборон неможна
обов'язков / необов'язков добровільн
безкоштовн / платн
відкри / закри
максимальн максимум / мінімальн мінімум
артады артты өсті өседі көбей жоғары / төменде азай кеміді төмен
рұқсат / тыйым
міндетті / ерікті
ашы / жаб
тегін ақысыз / ақылы
ең_көп / ең_аз
maximum maximal most / minimum minimal least
"""
"""One opposition a line (indented lines go on): beginnings of words on one side / on the other."""


def _read_pairs(text: str) -> tuple[tuple[tuple[str, ...], ...], ...]:
    lines = text.replace("\n  ", " ").strip().splitlines()
    return tuple(tuple(tuple(side.split()) for side in line.split(" / ")) for line in lines)


_PAIRS = _read_pairs(_PAIRS_TEXT)
_BOUND_WORDS: dict[Bound, tuple[str, ...]] = {
    "least": (
        r"не\s+(?:менее|меньше|ниже|ранее|раньше|младше)|минимум|минимальн\p{L}*|свыше|более|больше",
        r"at\s+least|(?:no|not)\s+(?:less|fewer|lower|earlier)\s+than|(?:a\s+)?minimum(?:\s+of)?|more\s+than|over",
        r"не\s+(?:менше|нижче|раніше)|щонайменше|мінімум|понад|більше|кемінде|ең\s+аз\p{L}*|starting\s+from",
    ),
    "most": (
        r"не\s+(?:более|больше|выше|позднее|позже|старше|превыша\p{L}+)|максимум|максимальн\p{L}*|менее|меньше",
        r"at\s+most|up\s+to|(?:no|not)\s+(?:more|higher|later|longer)\s+than|(?:a\s+)?maximum(?:\s+of)?",
        r"less\s+than|under|within|не\s+(?:більше|вище|пізніше|довше)|щонайбільше|менше|ең\s+көп\p{L}*",
    ),
}
_DENYING = tuple((p, 5) for p in ("in", "im", "il", "ir", "dis", "de", "mis")) + tuple(
    (p, 4) for p in ("un", "non", "не", "без", "бес")
)
_WHOLE = 4
_FREE = (
    r"бесплатн\p{L}*|безвозмездно|без\s+(?:комисси\p{L}*|платы|оплаты)|комисси\p{L}*\s+(?:нет|не\s+взимается)"
    r"|безкоштовн\p{L}*|без\s+комісі\p{L}*|комісі\p{L}*\s+(?:немає|не\s+стягується)|тегін|ақысыз|комиссиясыз"
    r"|free(?:\s+of\s+charge)?|no\s+(?:fee|charge|commission)|without\s+(?:a\s+)?(?:fee|charge|commission)"
)
_FREE_PATTERN = regex.compile(rf"(?<![\p{{L}}])(?:{_FREE})(?![\p{{L}}])", regex.IGNORECASE)
_BEFORE = {
    bound: regex.compile(rf"(?<![\p{{L}}])(?:{'|'.join(words)})(?:\s+\p{{L}}+){{0,2}}\s*[:—–-]?\s*$", regex.IGNORECASE)
    for bound, words in _BOUND_WORDS.items()
}
_AFTER_MOST = regex.compile(
    r"\s*(?:\p{L}+\s+){0,2}(?:аспайды|аспауы|көп\s+емес|артық\s+емес|or\s+less|or\s+fewer)", regex.IGNORECASE
)
_AFTER_LEAST = regex.compile(r"\s*(?:\p{L}+\s+){0,2}(?:кем\s+емес|аз\s+емес|or\s+more)", regex.IGNORECASE)

RULES = (_PAIRS, tuple(_BOUND_WORDS.items()), _FREE)
"""All of the data, for the identity of what was judged by it."""


def _by_start() -> dict[str, list[tuple[str, tuple[int, int]]]]:
    found: dict[str, list[tuple[str, tuple[int, int]]]] = {}
    for i, pair in enumerate(_PAIRS):
        for side, beginnings in enumerate(pair):
            for beginning in beginnings:
                found.setdefault(beginning[:2], []).append((beginning, (i, side)))
    return found


_BY_START = _by_start()


@functools.lru_cache(maxsize=32768)
def poles(word: str) -> frozenset[tuple[int, int]]:
    """Return the (pair, side) of each opposition that a folded word stands on.

    A beginning of up to four letters has to be the whole word.
    """
    return frozenset(
        pole
        for beginning, pole in _BY_START.get(word[:2], ())
        if word == beginning or (len(beginning) > _WHOLE and word.startswith(beginning))
    )


def opposed(first: frozenset[tuple[int, int]], second: frozenset[tuple[int, int]]) -> bool:
    """Say whether one text stands on one side of an opposition and the other only on the other side.

    >>> opposed(poles("increases"), poles("decreased")), opposed(poles("increases"), poles("higher"))
    (True, False)
    """
    return any(
        (pair, 1 - side) in second and (pair, side) not in second and (pair, 1 - side) not in first
        for pair, side in first
    )


def negated_form_among(words: Iterable[str], others: WordSet) -> bool:
    """Say whether one of the words with a prefix that denies, and without an ending, is one of the others.

    >>> negated_form_among(["невозвратный"], WordSet(["возвратный"])), negated_form_among(["inform"], WordSet(["form"]))
    (True, False)
    """
    return any(
        word.startswith(prefix) and len(word) - len(prefix) >= least and word[len(prefix) :] in others
        for word in set(words)
        for prefix, least in _DENYING
    )


def bound_before(text: str, start: int, end: int) -> Bound | None:
    """Return the bound that words set on the number at [start, end), or None.

    >>> bound_before("не менее 5 000 ₸", 9, 16), bound_before("up to 5 years", 6, 13)
    ('least', 'most')
    """
    before = text[max(0, start - 40) : start]
    found = {bound: match for bound, pattern in _BEFORE.items() if (match := pattern.search(before)) is not None}
    if found:
        return min(found, key=lambda bound: found[bound].start())  # "не менее" starts before its own "менее"
    if _AFTER_MOST.match(text, end):
        return "most"
    return "least" if _AFTER_LEAST.match(text, end) else None


def costs_nothing(text: str) -> bool:
    """Say whether a text says that something costs nothing.

    >>> costs_nothing("Выпуск карты бесплатный"), costs_nothing("freedom")
    (True, False)
    """
    return _FREE_PATTERN.search(text) is not None
