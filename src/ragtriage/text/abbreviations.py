"""Words whose dot ends no sentence, lower case and without their last dot; data, no rule."""

from __future__ import annotations

__all__ = ["AFTER_A_NUMBER", "BEFORE_NAMES", "BEFORE_NUMBERS", "SHORTENED"]

_BEFORE_NAMES_TEXT = """
mr mrs ms dr prof st gen sen rep gov capt lt col sgt rev hon messrs mme mlle e.g i.e cf vs viz approx ул им просп пр-т
пер пл бульв обл оф гр гр-н гр-ка акад проф доц инж см ср напр т.е т.к т.н т.о в т.ч вул просп. бул смт обл див напр.
тобто т.зв п.і.б қ ш.а көш даңғ ауд обл d.h z.b bzw ca usw.
"""
BEFORE_NAMES = frozenset(_BEFORE_NAMES_TEXT.split())
"""Followed by the rest of the same sentence, whatever its case: titles, streets, `см.`, `e.g.`."""

_BEFORE_NUMBERS_TEXT = """
no nos p pp fig figs eq sec vol ch art nr п пп ст ч гл рис табл разд стр с № пункт абз т тел кв д корп к розд мал тарм
бап б
"""
BEFORE_NUMBERS = frozenset(_BEFORE_NUMBERS_TEXT.split())
"""Followed by a number of the same sentence: `п. 3`, `No. 5`."""

_SHORTENED_TEXT = """
г гг в вв р рр ст руб коп тыс млн млрд трлн тг грн тис мың экв шт кг км см мм м л мл мин сек час ч мес нед дн т.д т.п
т.ч др пр проч прим и.о и т.б с.с ж жж ғ б.э н.э э и.т.д т.п. та ін зокр год хв міс тиж inc ltd co corp llc jr sr etc
al jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri sat sun u.s u.k e.u a.m p.m no ave blvd rd
dept est min max avg
"""
SHORTENED = frozenset(_SHORTENED_TEXT.split())
"""They end a sentence only where a capital letter follows."""

AFTER_A_NUMBER = frozenset({"г", "р", "ж"})
"""A year where a number stands before it (`2026 г.`), else a name follows (`г. Алматы`)."""
