"""Text as the SQuAD measures compare it, for any script."""

from __future__ import annotations

import regex

from ragtriage.core.records import Expected
from ragtriage.text.language import base_language, guess_language
from ragtriage.text.normalise import fold_text
from ragtriage.text.tokens import UNSPACED, tokens

__all__ = ["NO_ANSWER", "NO_REFERENCE", "references", "squad_tokens"]

NO_ANSWER = "no answer was recorded"
NO_REFERENCE = "the case declares no reference answer"
_PUNCTUATION = regex.compile(r"""[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~\p{P}]""")
_ARTICLES = regex.compile(r"\b(?:a|an|the)\b")
_UNSPACED = regex.compile(rf"[{UNSPACED}]")


def references(expected: Expected) -> list[str]:
    """Return the reference answer and its alternatives, those that hold something."""
    return [text for text in (expected.answer, *expected.alternatives) if text is not None and text.strip()]


def squad_tokens(text: str, *, language: str | None) -> list[str]:
    """Return the tokens of a text: folded, without punctuation, without articles where it is English.

    Words between white space, as in SQuAD; scripts that write no spaces are cut by character.

    >>> squad_tokens("The U.S. fee!", language="en"), squad_tokens("退款, 34", language="zh")
    (['us', 'fee'], ['退', '款', '34'])
    """
    folded = _PUNCTUATION.sub("", fold_text(text, language=language))
    known = base_language(language) or guess_language(text)
    if known in {None, "en"}:
        folded = _ARTICLES.sub(" ", folded)
    found: list[str] = []
    for word in folded.split():
        found.extend([t.text for t in tokens(word)] if _UNSPACED.search(word) else [word])
    return found
