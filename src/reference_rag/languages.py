"""Which language a text is in, as far as script and letters tell, and the stem of a word of it."""

from __future__ import annotations

import functools
import threading
from typing import Any

import regex

from reference_rag.optional import need

__all__ = ["STOP_WORDS", "detect_language", "script_of", "stem"]


def _listed(text: str) -> list[str]:
    return text.split()


STOP_WORDS: dict[str, frozenset[str]] = {
    "en": frozenset(
        _listed(
            """
            a an and are as at be been but by can could did do does for from had has have how i if in into is it its
            may me my no not of on or our should so such than that the their them then there these they this those
            to was we were what when where which who whom whose why will with would you your
            """
        )
    ),
    "ru": frozenset(
        _listed(
            """
            а без бы был была были было быть в вам вас во вот все всё всего всех вы где да для до его ее её ей ему
            если есть еще ещё же за и из или им их к как какая какие какими каких какова какое какой каком какую ко
            когда кого кому которая которое которой которую которые который которых кто куда ли лишь мне мной может
            можно мой моя мы на над надо нам нас не него нее неё ней нет ни них но о об он она они оно от перед по
            под при про с со своей свои свой свою себя сколько так также там те тем то того тоже той только том тот
            ту ты у уже чего чем через что чтобы эта эти этих это этого этой этом этот эту я
            """
        )
    ),
    "uk": frozenset(
        _listed(
            """
            а або аби але б без би був була були було бути в вам вас ви від він вона вони воно все всі всього да де
            для до його її їй їх же з за зі і із й йому коли кого кому куди лише мені ми може можна мій моя на над
            нам нас не нема немає ні них ним об он перед по під при про саме скільки та так також там те ти тим то
            того тобто той тільки ту у усі це цей ці цього цієї цьому цю чи чим чого чому що щоб я як яка яке який
            яким якими яких якій якого якої якому яку які
            """
        )
    ),
    "kk": frozenset(
        _listed(
            """
            ал ана арқылы ба бар барлық бе біз бір біздің бойынша болады болса болып бұл да дан де деген деп дейін
            ма маған мен мені менің ме не неге немесе неше оған одан ол олар оның осы па пе сен сіз сіздің соң
            туралы тек үшін және жоқ керек кез кейін кім қай қайда қалай қандай қанша қашан мына мұнда егер емес әр
            әрі
            """
        )
    ),
}

_CYRILLIC = regex.compile(r"\p{Script=Cyrillic}")
_SCRIPTS = {
    name: regex.compile(rf"\p{{Script={name}}}") for name in ("Latin", "Cyrillic", "Arabic", "Devanagari", "Greek")
}
_LANGUAGE_OF_SCRIPT = {"Latin": "en", "Arabic": "ar", "Devanagari": "hi", "Greek": "el"}
_KAZAKH_LETTERS = frozenset("әғқңөұүһ")
_UKRAINIAN_LETTERS = frozenset("їєґ")
_RUSSIAN_LETTERS = frozenset("ыэъё")

_SNOWBALL = {
    "ar": "arabic", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german", "el": "greek", "en": "english",
    "es": "spanish", "et": "estonian", "eu": "basque", "fi": "finnish", "fr": "french", "ga": "irish", "hi": "hindi",
    "hu": "hungarian", "hy": "armenian", "id": "indonesian", "it": "italian", "lt": "lithuanian", "ne": "nepali",
    "nl": "dutch", "no": "norwegian", "pl": "polish", "pt": "portuguese", "ro": "romanian", "ru": "russian",
    "sr": "serbian", "sv": "swedish", "ta": "tamil", "tr": "turkish", "yi": "yiddish",
}  # fmt: skip
_LATIN_LANGUAGES = frozenset(_SNOWBALL) - {"ar", "el", "hi", "hy", "ne", "ru", "sr", "ta", "yi"}

# Endings from longest to shortest; what remains must keep three letters.
_UKRAINIAN_ENDINGS = tuple(
    sorted(
        _listed(
            """
            ами ями ові еві ого его ому ему ими іми ати яти ити іти ути ється ються ють уть ать ять ала ила али или
            ало ило ів їв ий ій их іх им ім ою ею єю ої ах ях ам ям ом ем єм ія ії ію ією ання ення іння ує ає є а я
            у ю о е і ї и й ь
            """
        ),
        key=len,
        reverse=True,
    )
)
_KAZAKH_ENDINGS = tuple(
    sorted(
        _listed(
            """
            лар лер дар дер тар тер ның нің дың дің тың тің ға ге қа ке на не да де та те нда нде дан ден тан тен
            нан нен ды ді ты ті ны ні мен бен пен ымыз іміз мыз міз ыңыз іңіз ңыз ңіз сы сі ым ім ың ің дағы дегі
            тағы тегі ындағы індегі ушы уші ған ген қан кен ады еді йды йді ы і н у
            """
        ),
        key=len,
        reverse=True,
    )
)
_SHORTEST_STEM = 3
_KAZAKH_ROUNDS = 4
_local = threading.local()


def script_of(word: str) -> str | None:
    """Return the script that most letters of a word belong to, where it is one we know.

    >>> script_of("Қазақстан"), script_of("SWIFT"), script_of("2026")
    ('Cyrillic', 'Latin', None)
    """
    counts = {name: len(pattern.findall(word)) for name, pattern in _SCRIPTS.items()}
    best = max(counts, key=lambda name: counts[name])
    return best if counts[best] else None


def detect_language(text: str) -> str | None:
    """Guess the language of a text from its script and letters; None where nothing tells.

    Tells Russian, Ukrainian and Kazakh apart; every other text in Latin letters counts as English.

    >>> [detect_language(text) for text in ("Какая ставка?", "Яка ставка і чи є комісія?", "Мөлшерлеме қандай?")]
    ['ru', 'uk', 'kk']
    """
    script = script_of(text)
    if script != "Cyrillic":
        return _LANGUAGE_OF_SCRIPT.get(script or "")
    letters = set(text.casefold())
    if letters & _KAZAKH_LETTERS:
        return "kk"
    if letters & _UKRAINIAN_LETTERS or ("і" in letters and not letters & _RUSSIAN_LETTERS):
        return "uk"
    if letters & _RUSSIAN_LETTERS:
        return "ru"
    words = regex.findall(r"\p{L}+", text.casefold())
    shares = {name: sum(word in STOP_WORDS[name] for word in words) for name in ("ru", "uk", "kk")}
    return max(shares, key=lambda name: shares[name])


@functools.lru_cache(maxsize=200_000)
def stem(word: str, language: str | None) -> str:
    """Return the stem of a case-folded word; the word itself where its language has no stemmer here.

    A word in Latin letters inside a text in Cyrillic letters is stemmed as English, so that product names match.

    >>> stem("ставки", "ru") == stem("ставка", "ru"), stem("несиенің", "kk") == stem("несиеге", "kk")
    (True, True)
    """
    if script_of(word) == "Latin":
        return _snowball(language if language in _LATIN_LANGUAGES else "en", word)
    match language:
        case "uk":
            return _without_ending(word, _UKRAINIAN_ENDINGS)
        case "kk":
            return _without_endings(word, _KAZAKH_ENDINGS)
        case str() if language in _SNOWBALL and language not in _LATIN_LANGUAGES:
            return _snowball(language, word)
        case _:
            return word


def _snowball(language: str, word: str) -> str:
    """Stem with Snowball; its stemmers hold state, so each thread has its own."""
    stemmers: dict[str, Any] = _local.__dict__
    if language not in stemmers:
        made = need("snowballstemmer", package="snowballstemmer", extra="reference", needed_for="reference_rag")
        stemmers[language] = made.stemmer(_SNOWBALL[language])
    stemmed: str = stemmers[language].stemWord(word)
    return stemmed


def _without_ending(word: str, endings: tuple[str, ...]) -> str:
    for ending in endings:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            return word.removesuffix(ending)
    return word


def _without_endings(word: str, endings: tuple[str, ...]) -> str:
    """Take endings off one after the other, as an agglutinative language puts them on."""
    for _ in range(_KAZAKH_ROUNDS):
        shorter = _without_ending(word, endings)
        if shorter == word:
            break
        word = shorter
    return word
