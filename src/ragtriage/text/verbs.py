"""Whether a word looks like a finite verb, by endings and short lists, in English, Russian, Ukrainian and Kazakh."""

from __future__ import annotations

import regex

__all__ = ["SUBORDINATORS", "looks_like_verb"]

_SUBORDINATORS_TEXT = """
which who whom whose that if when where because although though while unless until since as after before whether
including excluding except such который которая которое которые которого которой которому которую котором которым
которых которыми что чтобы если когда где куда откуда хотя пока поскольку потому так чем кроме включая причём причем
чей чья чьё чьи який яка яке які якого якої якому яку яким яких якими що щоб якщо коли де куди звідки хоча поки
оскільки бо крім включно чий егер қашан қайда себебі өйткені сондықтан
"""
SUBORDINATORS = frozenset(_SUBORDINATORS_TEXT.split())
"""A piece that starts with one of these depends on its neighbour."""

_EN_TEXT = """
is are was were am be been has have had do does did can could may might must will would shall should cannot isn't
aren't wasn't weren't don't doesn't didn't can't won't takes take took costs cost needs need needed gets get got goes
go went comes come came makes make made gives give gave says say said pays pay paid requires require applies apply
includes include starts start ends end opens open closes close works work begins begin began becomes become became
remains remain means mean allows allow lasts last holds hold held runs run ran covers cover charges charge sends send
sent keeps keep kept sees see saw finds find found shows show leads lead led wins win won loses lose lost leaves leave
left lives live dies die born told tells tell
"""
_EN = frozenset(_EN_TEXT.split())
_EN_ENDING = regex.compile(r"[a-z]{3,}(?:ed|izes|ises|ifies)$")
_RU_ENDING = regex.compile(
    r"\p{L}{2,}(?:ётся|ется|утся|ются|ится|атся|ятся|лся|лась|лось|лись|ает|яет|ует|еет|ают|яют|уют|еют|ивает|ывает|ёт|"
    r"дит|тит|сит|зит|чит|шит|жит|вит|лит|нит|рит|мит|пит|щит|оит|дят|тят|сят|зят|вят|лят|нят|рят|мят|ят|жат|чат|шат|"
    r"ала|ало|али|ила|ило|или|ела|ело|ели|яла|яло|яли|нет|нут|мет|дет|дут|жет|гут|ашь|ешь|ишь|ете|ите|аем|уем|ены|ено|ена"
    r"|аны|ано|ана|ован|аны)$"
)
_RU_NOUNS = regex.compile(
    r"(?:кредит|депозит|лимит|дефицит|аудит|визит|транзит|профицит|сайт|билет|бюджет|пакет|счёт|счет|отчёт|отчет|расчёт"
    r"|расчет|учёт|учет|зачёт|предмет|интернет|паспорт|кабинет|совет|ответ|привет|запрет|процент|момент|документ|клиент"
    r"|цена|страна|стена|смена|замена|отмена|война|дана|она|оно|они|или|если|дело|тело|село|число|начало|мало|неделя"
    r"|сила|дела|школа|условия|ещё|нет|лет|чья|моя|интерес|результат|чат|плата|депутат|дата|платёж)\p{L}?$"
)
_RU_VERBS_TEXT = """
есть нет нельзя можно нужен нужна нужно нужны надо должен должна должно должны доступен доступна доступно доступны
бесплатно бесплатен равен равна равно равны стоит обязателен обязательна
"""
_RU_VERBS = frozenset(_RU_VERBS_TEXT.split())
_UK_ENDING = regex.compile(
    r"\p{L}{2,}(?:ється|еться|уться|ються|иться|аться|яться|вся|лася|лося|лися|ає|яє|ує|іє|ають|яють|ують|іють|ить|ять|"
    r"уть|ала|ало|али|ила|ило|или|іла|іло|іли|но|то|ємо|ите|єте)$"
)
_UK_VERBS_TEXT = """
є немає можна треба потрібно потрібен потрібна потрібні повинен повинна повинні діє коштує становить триває
безкоштовно безкоштовне доступний доступна доступні
"""
_UK_VERBS = frozenset(_UK_VERBS_TEXT.split())
_KK_ENDING = regex.compile(
    r"\p{L}{1,}(?:ады|еді|йды|йді|ды|ді|ты|ті|ған|ген|қан|кен|мыз|міз|сыз|сіз|ыңыз|іңіз|лы|лі|малы|мелі|пайды|пейді|майды"
    r"|мейді|байды|бейді)$"
)
_KK_VERBS_TEXT = """
бар жоқ керек қажет тиіс мүмкін тегін ақысыз емес болады
"""
_KK_VERBS = frozenset(_KK_VERBS_TEXT.split())


def looks_like_verb(word: str, *, language: str | None) -> bool:
    """Say whether a folded word looks like a finite verb or a predicate.

    >>> looks_like_verb("занимает", language="ru"), looks_like_verb("кредит", language="ru")
    (True, False)
    """
    match language:
        case "en":
            return word in _EN or bool(_EN_ENDING.fullmatch(word))
        case "uk":
            return word in _UK_VERBS or bool(_UK_ENDING.fullmatch(word))
        case "kk":
            return word in _KK_VERBS or bool(_KK_ENDING.fullmatch(word))
        case "ru" | "be" | None:
            if word in _RU_VERBS or (language is None and word in _EN):
                return True
            return bool(_RU_ENDING.fullmatch(word)) and not _RU_NOUNS.search(word)
    return False
