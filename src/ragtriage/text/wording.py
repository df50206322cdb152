"""What kind a word is for a comparison of texts: a number, a degree, a function word, a report, the speaker, another.

A number or a degree ("sharply", "highest") that a source does not have says more against a text than another word; a
word of reporting ("announced", "according") or a function word says less.
"""

from __future__ import annotations

import functools
from typing import Literal

from ragtriage.text.language import base_language
from ragtriage.text.number_words import is_number_word
from ragtriage.text.stop_words import STOP_WORDS

__all__ = ["RULES", "WordKind", "kind_of_word", "of_the_speaker"]

WordKind = Literal["number", "degree", "function", "report", "other"]

_QUANTITIES_TEXT = """
thousand thousands million millions billion billions trillion dozen dozens hundreds tens first second third fourth fifth
half quarter double doubled triple tripled halved twice majority most all every none only never always
тысяча тысячи тысяч миллион миллиона миллионов миллиард миллиарда миллиардов сотни десятки первый первая первое второй
вторая третий половина половины вдвое втрое дважды большинство все каждый только никогда всегда
тисяча тисячі тисяч мільйон мільйона мільйонів мільярд мільярдів сотні десятки перший перша другий друга третій половина
половини удвічі втричі двічі більшість усі кожен лише ніколи завжди
мың миллион миллиард жүздеген ондаған бірінші екінші үшінші жарты жартысы екі_есе көпшілігі барлық барлығы әр тек
ешқашан әрқашан
"""
_REPORTS_TEXT = """
according added announced asked begun called claimed condemned confirmed criticised criticized defended described
dismissed expert experts expressed given made named official officials people plan plans put reported revealed said say
says set stated taken told warned
согласно сообщил сообщила сообщили сообщает заявил заявила заявили сказал сказала сказали рассказал назвал отметил
подтвердил добавил
згідно повідомив повідомила повідомили заявив заявила заявили сказав сказала сказали розповів назвав зазначив підтвердив
додав
сәйкес хабарлады мәлімдеді деді айтты атады растады қосты
"""
_SPEAKER_TEXT = "i me my mine im ive я мне меня мной мой моя моё мои мені мене мій моє мої мен маған мені менің"
_QUANTITIES, _REPORTS, _SPEAKER = (frozenset(text.split()) for text in (_QUANTITIES_TEXT, _REPORTS_TEXT, _SPEAKER_TEXT))
_ALL_FUNCTION_WORDS = frozenset().union(*STOP_WORDS.values())
_DEGREE_ENDINGS = ("ly", "est")
_LEAST_DEGREE = 5

RULES = (_QUANTITIES_TEXT, _REPORTS_TEXT, _SPEAKER_TEXT, _DEGREE_ENDINGS, _LEAST_DEGREE)
"""All of the data, for the identity of what was judged by it."""


@functools.lru_cache(maxsize=32768)
def kind_of_word(word: str, language: str | None = None) -> WordKind:
    """Return the kind of a folded word; words that both count and have a grammatical function count.

    >>> kind_of_word("2009"), kind_of_word("sharply"), kind_of_word("the", "en"), kind_of_word("пять", "ru")
    ('number', 'degree', 'function', 'number')
    """
    if word in _QUANTITIES or is_number_word(word, base_language(language)) or any(c.isdigit() for c in word):
        return "number"
    if word in STOP_WORDS.get(base_language(language) or "", _ALL_FUNCTION_WORDS):
        return "function"
    if word in _REPORTS:
        return "report"
    if len(word) >= _LEAST_DEGREE and word.endswith(_DEGREE_ENDINGS):
        return "degree"
    return "other"


def of_the_speaker(word: str) -> bool:
    """Say whether a folded word is the first person singular.

    >>> of_the_speaker("my"), of_the_speaker("your")
    (True, False)
    """
    return word in _SPEAKER
