"""Where a text denies: particles, words and endings of negation in English, Russian, Ukrainian, Kazakh and others."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

import regex

from ragtriage.text.content import Word
from ragtriage.text.late import late
from ragtriage.text.spans import Spans

__all__ = ["PATTERN", "negated_words", "negations"]

_BOUNDS = (
    r"не (?:более|менее|больше|меньше|позднее|позже|ранее|раньше|старше|младше|выше|ниже|свыше|только|чаще|реже)\b"
    r"|не (?:більше|менше|пізніше|раніше|старше|вище|нижче|лише|тільки|частіше)\b|не (?:превыша|перевищу)\p{L}+"
    r"|(?:not? |nor )(?:more|less|fewer|later|earlier|older|higher|lower) than\b|not only\b|no later\b|whether or not\b"
    r"|(?:артық|кем|кеш|ерте|асып|көп|аз) емес\b|кемінде\b"
)
_DENIALS = (
    r"not|no|never|cannot|can't|\p{L}+n't|\p{L}+n t(?!\p{L})|without|neither|nor|none|nobody|nothing|nowhere|unable"
    r"|fail(?:s|ed)?(?= to)|lack(?:s|ed|ing)?|absen(?:t|ce)|hardly|barely"
    r"|не|нет|ни|нельзя|без|никогда|никак\p{L}*|никто|ничего|нигде|невозможн\p{L}*|запре[щт]\p{L}+|отсутств\p{L}+"
    r"|отказ(?:ан|ано|ывает\p{L}*)|недоступ\p{L}+|необязательн\p{L}+"
    r"|ні|немає|нема|ніколи|ніхто|нічого|неможлив\p{L}+|заборон\p{L}+|відсутн\p{L}+|недоступн\p{L}+|необов'язков\p{L}+"
    r"|емес|жоқ|тыйым|\p{L}{2,}(?:май|мей|бай|бей|пай|пей)(?:ды|ді|мын|мін|мыз|міз|сыз|сіз|т\p{L}+)"
    r"|\p{L}{2,}(?:маған|меген|баған|беген|паған|пеген|мау|меу|бау|беу|пау|пеу)\p{L}*|\p{L}{2,}[^аеийуыі\W](?:сыз|сіз)"
    r"|nicht|kein\p{L}*|ohne|ne|pas|sans|sin|ningun\p{L}*|ningún|nunca|non|senza|não|sem|değil|yok|nie|bez|niet|geen"
    r"|لا|ليس|لم|لن|बिना|नहीं|不|没有|沒有|无|無|未|ない|ません"
)
_CJK = late(r"[不没沒无無未]|ない|ません")
PATTERN = f"{_BOUNDS}|{_DENIALS}"
"""The rule as text, for the identity of what was judged by it."""
_BOUND = late(rf"(?<![\p{{L}}\p{{M}}])(?:{_BOUNDS})", regex.IGNORECASE)
_DENIAL = late(rf"(?<![\p{{L}}\p{{M}}])(?:{_DENIALS})(?![\p{{L}}\p{{M}}])", regex.IGNORECASE)


def negations(text: str) -> list[tuple[int, int]]:
    """Return the places of negating words in order; "not more than", "не менее" only set a bound and are none.

    >>> negations("Комиссия не взимается"), negations("не менее 5 000 ₸")
    ([(9, 11)], [])
    """
    text = text.replace("’", "'")
    bounds = [m.span() for m in _BOUND.finditer(text)]
    found = {m.span() for m in _DENIAL.finditer(text)} | {m.span() for m in _CJK.finditer(text)}
    bounded = Spans(bounds)
    return sorted(s for s in found if not bounded.overlap(s[0], s[0] + 1))


_BREAK = late(r"[,;:.!?—–]")
_AFTER_ITS_WORD = frozenset({"емес", "жоқ", "değil", "yok"})
_ADVERB = late(r"[a-z]+ly|(?:совсем|вообще|зовсім|взагалі|мүлдем|more|any|yet|even|ever|longer)")


def negated_words(text: str, words: Sequence[Word]) -> frozenset[int]:
    """Return which of the content words of a text are denied, by index.

    A negation denies the content word that comes next in its clause (an adverb does not use it up), or the one before
    it where the language puts it there (емес, жоқ), or the word it is part of (берілмейді).

    >>> from ragtriage.text.content import content_words
    >>> text = "Комиссия не взимается, карта бесплатна"
    >>> words = content_words(text)
    >>> [words[i].text for i in negated_words(text, words)]
    ['взимается']
    """
    found: set[int] = set()
    starts, ends = [word.start for word in words], [word.end for word in words]
    for start, end in negations(text):
        before, after = bisect_right(ends, start), bisect_left(starts, end)  # words [before, after) stand inside
        found.update(range(before, after))
        if text[start:end].lower() in _AFTER_ITS_WORD:
            if before and not _BREAK.search(text, ends[before - 1], start):
                found.add(before - 1)
            continue
        for i in range(after, len(words)):
            if _BREAK.search(text, end, starts[i]):
                break
            found.add(i)
            if not _ADVERB.fullmatch(words[i].text):
                break
    return frozenset(found)
