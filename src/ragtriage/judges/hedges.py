"""Phrases by which answers say that sources disagree or leave something open: one pattern a line, by language; data."""

from __future__ import annotations

import regex

__all__ = ["CONFLICT", "SILENT"]


def _lines(block: str) -> tuple[str, ...]:
    """Return one pattern a line; a line that starts with `>` goes on with the line before."""
    joined = regex.sub(r"\\\n\s*>", "", block)
    return tuple(line.strip() for line in joined.splitlines() if line.strip())


CONFLICT = _lines(
    r"""
    \b(?:sources?|documents?|pages?|articles?|passages?|texts?|versions?|tariffs?\
    >|they)(?: \p{L}+){0,5}? (?:disagree|differ\
    >|diverge|conflict|contradict|vary|var(?:y|ies)|(?:are|is) (?:not )?(?:inconsistent|contradictory|in conflict\
    >|at odds)|do(?:es)? not (?:agree|match)|don't (?:agree|match))
    \b(?:conflicting|contradictory|inconsistent|diverging|differing) (?:\p{L}+ )?(?:information|values?|figures?|rates?\
    >|amounts?|numbers?|dates?|sources?|documents?|statements?|answers?|data|terms?)
    \b(?:discrepanc(?:y|ies)|contradictions?|inconsistenc(?:y|ies)) (?:between|among|in)\b
    \b(?:sources?|documents?|pages?)(?: \p{L}+){0,3} (?:give|state|name|say|list|show)s? (?:\p{L}+ )?(?:different|two)\b
    \bone (?:source|document|page|passage|version)\b.{1,160}?\b(?:another|the other|a second|a different)\b
    \baccording to\b.{1,160}?\b(?:while|whereas|but|however)\b.{0,60}?\b(?:according to|another|the other\
    >|states?|says?)\b
    (?<![\p{L}])(?:источник|документ|страниц|верси|стать|тариф)\p{L}*(?: \p{L}+){0,5}? (?:противореч\p{L}+\
    >|расход[ия]тся\
    >|разнятся|различаются|не совпада\p{L}+|не согласу\p{L}+)
    (?<![\p{L}])противоречив\p{L}+
    (?<![\p{L}])(?:расхождени|противоречи|разночтени)\p{L}* (?:между|в)(?![\p{L}])
    (?<![\p{L}])(?:есть|име[ею]тся|существу[ею]т|обнаружен\p{L}*) (?:\p{L}+ )?(?:расхождени|противоречи\
    >|разночтени)\p{L}*
    (?<![\p{L}])(?:разные|различные|разная|разный|два разных) (?:\p{L}+ )?(?:данны|значени|сведени|сумм|ставк|срок|цифр\
    >|тариф|информаци|размер)\p{L}*
    (?<![\p{L}])в одном (?:\p{L}+ )?(?:документ|источник|тариф|раздел)\p{L}*.{1,160}?(?<![\p{L}])в другом
    (?<![\p{L}])(?:одни|один|одна) (?:документ|источник|верси|страниц)\p{L}*.{1,160}?(?<![\p{L}])друг(?:ие|ой|ая)
    (?<![\p{L}])(?:согласно|по данным)(?![\p{L}]).{1,160}?(?<![\p{L}])(?:а|но|однако|тогда как|в то время как)\
    > .{0,40}?(?:согласно|по данным|друг\p{L}+|втор\p{L}+)
    (?<![\p{L}])(?:джерел|документ|сторінк|верс[іи]|статт|тариф)\p{L}*(?: \p{L}+){0,5}? (?:суперечать\
    >|розходяться|різняться\
    >|відрізняються|не збігаються|не узгоджу\p{L}+)
    (?<![\p{L}])суперечлив\p{L}+
    (?<![\p{L}])(?:розбіжн|суперечніст|суперечност)\p{L}* (?:між|в|у)(?![\p{L}])
    (?<![\p{L}])(?:є|існу\p{L}+|виявлен\p{L}*) (?:\p{L}+ )?(?:розбіжн|суперечн)\p{L}*
    (?<![\p{L}])(?:різні|різна|різний|дві різні) (?:\p{L}+ )?(?:дан|значенн|відомост|сум|ставк|строк|термін|цифр|тариф\
    >|інформаці|розмір)\p{L}*
    (?<![\p{L}])[ву] одному (?:\p{L}+ )?(?:документ|джерел|тариф|розділ)\p{L}*.{1,160}?(?<![\p{L}])[ву] іншому
    (?<![\p{L}])(?:згідно з|за даними)(?![\p{L}]).{1,160}?(?<![\p{L}])(?:а|але|проте|однак|тоді як|натомість)\
    > .{0,40}?(?:згідно|за даними|інш\p{L}+|друг\p{L}+)
    (?<![\p{L}])(?:қайшы|қарама-қайшы|қайшылық|алшақтық)\p{L}*
    (?<![\p{L}])(?:құжат|дереккөз|бет|нұсқа|тариф)\p{L}*(?: \p{L}+){0,6}? (?:сәйкес келмей\
    >|бір-біріне сәйкес емес|әртүрлі\
    >|әр түрлі|ерекшелен|келіспей)\p{L}*
    (?<![\p{L}])(?:әртүрлі|әр түрлі|екі түрлі) (?:\p{L}+ )?(?:мәлімет|мән|дерек|сома|мөлшерлеме|мерзім|тариф\
    >|ақпарат)\p{L}*
    (?<![\p{L}])бір (?:құжат|дереккөз)\p{L}*.{1,160}?(?<![\p{L}])(?:басқа|екінші)\p{L}*
    """
)
SILENT = _lines(
    r"""
    \b(?:is|are|was|were|it's)(?: not|n't) (?:\p{L}+ly )?(?:mentioned|specified|stated|provided|covered|given\
    >|known|clear\
    >|described|indicated|listed|set out|defined|addressed)
    \b(?:unclear|unknown|unspecified|undefined|unstated)\b
    \b(?:do(?:es)? not|don't|doesn't) (?:\p{L}+ly )?(?:say|specify|mention|state|cover|address|give|describe|indicate\
    >|list|explain|contain)
    \b(?:sa(?:y|ys) nothing|(?:is|are) silent|leaves? (?:it |this |that )?open)\b
    \bno (?:\p{L}+ )?(?:details?|information|data|figures?|mention|word) (?:on|about|of|for|whether|regarding|is|are)\b
    \b(?:only|just) (?:partial|part of|some of)\b|\bpartially (?:covered|answered|described)\b
    \b(?:could not|couldn't|cannot|can't|was unable to|were unable to) (?:find|determine|confirm|tell|say)\b
    (?<![\p{L}])не (?:указан|уточн|описан|сказан|говорит|приведен|приведён|упомина|раскры|определен|определён|оговор\
    >|содержит|регламент|пропис|нашлось|нашёл|нашел|нашла|знаю|известн|ясн)\p{L}*
    (?<![\p{L}])(?:неизвестн|неясн|непонятн)\p{L}*
    (?<![\p{L}])(?:нет|отсутству[ею]т) (?:\p{L}+ ){0,3}(?:информаци|данных|сведени|указани|упоминани)\p{L}*
    (?<![\p{L}])(?:информаци|данных|данные|сведени)\p{L}*(?: [\p{L}«»"]+){0,6} (?:нет|отсутству\p{L}+)(?![\p{L}])
    (?<![\p{L}])не (?:вказан|зазначен|уточн|описан|сказан|йдеться|наведен|згад|визначен|місти|прописан|знайш|знаю|відом\
    >|зрозуміл)\p{L}*
    (?<![\p{L}])(?:невідом|неясн|незрозуміл)\p{L}*
    (?<![\p{L}])(?:немає|нема|бракує|відсутн\p{L}+) (?:\p{L}+ ){0,3}(?:інформаці|даних|відомост|вказів|згад)\p{L}*
    (?<![\p{L}])(?:інформаці|даних|дані|відомост)\p{L}*(?: [\p{L}«»"']+){0,6} (?:немає|нема|відсутн\p{L}+)(?![\p{L}])
    (?<![\p{L}])(?:көрсетіл|айтыл|жазыл|сипаттал|анықтал|нақтылан|беріл|қамтыл)\p{L}*(?:меген|маған|мейді|майды)\p{L}*
    (?<![\p{L}])(?:белгісіз|түсініксіз|нақты емес|анық емес)\p{L}*
    (?<![\p{L}])(?:ақпарат|мәлімет|дерек)\p{L}*(?: \p{L}+){0,4} (?:жоқ|табылмады|жеткіліксіз)
    (?<![\p{L}])білмеймін
    """
)
