"""A guess at the language of a text, from its script, its letters and its commonest words."""

from __future__ import annotations

import functools
from collections import Counter

import regex

from ragtriage.text.normalise import fold_text
from ragtriage.text.stop_words import STOP_WORDS

__all__ = ["base_language", "guess_language", "language_of"]

_SCRIPTS = {
    "cyrillic": r"\p{Cyrillic}", "latin": r"\p{Latin}", "arabic": r"\p{Arabic}", "devanagari": r"\p{Devanagari}",
    "ja": r"[\p{Hiragana}\p{Katakana}]", "han": r"\p{Han}", "ko": r"\p{Hangul}", "th": r"\p{Thai}", "he": r"\p{Hebrew}",
    "el": r"\p{Greek}", "ka": r"\p{Georgian}", "hy": r"\p{Armenian}", "bn": r"\p{Bengali}", "ta": r"\p{Tamil}",
    "te": r"\p{Telugu}", "lo": r"\p{Lao}", "km": r"\p{Khmer}", "my": r"\p{Myanmar}",
}  # fmt: skip
_SCRIPT = regex.compile("|".join(f"(?P<{name}>{pattern}+)" for name, pattern in _SCRIPTS.items()))
_CYRILLIC = {
    "kk": "әғқңөұүһ", "uk": "їєґ", "be": "ў", "sr": "ђћљњџј", "mk": "ѓќѕ", "ru": "ыэъё",
}  # fmt: skip
_LATIN_LETTERS = {"tr": "ığş", "pl": "łąęńśźż", "de": "ßäöü", "es": "ñ¿¡", "pt": "ãõ", "fr": "èêëœç"}
_TELLING = 12
_SURE = 3
_SHORT = 40
_WORD = regex.compile(r"[\p{L}\p{M}']+")


def base_language(language: str | None) -> str | None:
    """Return the language of a tag without region or script, in lower case.

    >>> base_language("en-US")
    'en'
    """
    return language.replace("_", "-").split("-")[0].lower() if language else None


def _by_stop_words(folded: str, languages: tuple[str, ...], bonus: Counter[str]) -> str | None:
    counts: Counter[str] = Counter(bonus)
    for word in _WORD.findall(folded):
        for language in languages:
            if word in STOP_WORDS[language]:
                counts[language] += 2
    best = max(counts.values(), default=0)
    leaders = [language for language in languages if best and counts[language] == best]
    if leaders[:1] == ["en"]:
        return "en"
    sure = best >= _SURE or set(languages) <= set(_CYRILLIC)  # one short word is common to many Latin languages
    return leaders[0] if len(leaders) == 1 and sure else None


def _cyrillic(folded: str) -> str | None:
    marks = {language: sum(folded.count(c) for c in letters) for language, letters in _CYRILLIC.items()}
    if "і" in folded:  # Kazakh has both і and ы, Ukrainian only і, Russian only ы
        marks["kk" if "ы" in folded and not marks["be"] else "uk"] += folded.count("і")
    elif not marks["uk"] and not marks["kk"] and sum(c.isalpha() for c in folded) >= _TELLING:
        marks["ru"] += 1
    for language in ("kk", "be", "sr", "mk"):
        if marks[language] and marks[language] * 40 >= len(folded) / 4:
            return language
    return _by_stop_words(folded, ("ru", "uk", "kk"), Counter({k: 3 * marks[k] for k in ("ru", "uk") if marks[k]}))


def _arabic(folded: str) -> str:
    if any(c in folded for c in "ٹڈڑےں"):
        return "ur"
    return "fa" if any(c in folded for c in "پچژگ") else "ar"


@functools.lru_cache(maxsize=4096)
def guess_language(text: str) -> str | None:
    """Guess the language (two letters) of most of a text, or None where letters and common words do not tell.

    >>> guess_language("Какая комиссия за перевод?"), guess_language("Аударым үшін комиссия қанша?")
    ('ru', 'kk')
    >>> guess_language("Яка комісія за переказ і коли?"), guess_language("What is the fee?"), guess_language("42")
    ('uk', 'en', None)
    """
    folded = fold_text(text[:4000])
    counts: Counter[str] = Counter()
    for found in _SCRIPT.finditer(folded):
        counts[str(found.lastgroup)] += len(found[0])
    if not counts:
        return None
    script = counts.most_common(1)[0][0]
    match script:
        case "cyrillic":
            return _cyrillic(folded)
        case "latin":
            bonus = {name: sum(folded.count(c) for c in letters) for name, letters in _LATIN_LETTERS.items()}
            return _by_stop_words(folded, ("en", "de", "fr", "es", "it", "pt", "tr", "pl", "nl"), Counter(bonus))
        case "arabic":
            return _arabic(folded)
        case "devanagari":
            return "hi"
        case "han":
            return "ja" if counts["ja"] else "zh"
    return script


def language_of(text: str, default: str | None) -> str | None:
    """Return the language of a text: as it shows, but the default where it does not or a short text may be of it.

    >>> language_of("Он екі ай", "kk"), language_of("What is the fee?", "ru"), language_of("42", "ru")
    ('kk', 'en', 'ru')
    """
    guessed = guess_language(text)
    if guessed is None or (default is not None and base_language(default) == guessed):
        return default
    short = sum(c.isalpha() for c in text) < _SHORT
    return default if short and default is not None and _same_script(text, default) else guessed


_CYRILLIC_LANGUAGES = frozenset(_CYRILLIC) | {"bg", "ky", "mn", "tg"}
_LATIN_LANGUAGES = frozenset({"en", "de", "fr", "es", "it", "pt", "tr", "pl", "nl", "cs", "sv", "fi", "uz", "az", "ro"})


def _same_script(text: str, language: str) -> bool:
    base = base_language(language)
    if base in _CYRILLIC_LANGUAGES:
        return regex.search(r"\p{Latin}", text) is None
    return base in _LATIN_LANGUAGES and base != "en" and regex.search(r"\p{Cyrillic}", text) is None
