"""Whether the answer has the form that was asked for."""

from __future__ import annotations

import regex

from ragtriage.core.declare import metric
from ragtriage.core.records import Format
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.core.views import AnswerView
from ragtriage.metrics.generation._wording import NO_ANSWER
from ragtriage.text.json_schema import fits_schema
from ragtriage.text.language import base_language, guess_language
from ragtriage.text.normalise import nfc
from ragtriage.text.tokens import count_words

_LIMIT_S = 1.0
_LONGEST = 200_000


@metric(
    title="Format",
    unit="fraction of answers",
    bounds=(0, 1),
    better="higher",
    source="Measuring RAG (guide): required form",
)
def format(view: AnswerView) -> Score:  # noqa: A001 - the path is the name: generation.format
    r"""1 if all that the case's format declares holds, else 0; `support` counts what was checked.

    `json_schema`: the whole answer is one JSON value of that schema (references out of the schema are not followed);
    `regex`: the pattern is found in the answer; `max_words`, `max_characters`: at most that many; `language`: the
    answer's guessed language. Undefined when no format is declared, when no answer was recorded, when the schema or
    pattern is broken or takes longer than a second, and when nothing but a language is declared that cannot be told.

    >>> from ragtriage.core.records import Expected, Format
    >>> view = AnswerView("?", "from 9:00", "answer", answerable=True,
    ...     expected=Expected(format=Format(regex=r"\d{1,2}:\d{2}", max_words=2)))
    >>> format(view)
    Value(value=0.0, support=2)
    """
    wanted = view.expected.format
    if wanted is None:
        return Undefined("the case declares no format")
    if view.text is None:
        return Undefined(NO_ANSWER)
    checks = [check for check in _checks(wanted, view.text) if check is not None]
    held = [check for check in checks if isinstance(check, bool)]
    if False in held:
        return Value(0.0, support=len(held))
    if len(held) < len(checks):
        return Undefined(next(check for check in checks if isinstance(check, str)))
    return Value(1.0, support=len(held)) if held else Undefined("the case's format declares nothing")


def _checks(wanted: Format, text: str) -> list[bool | str | None]:
    """Return whether each declared part holds, or in words why it cannot be told; None: not declared."""
    return [
        None if wanted.json_schema is None else fits_schema(text, wanted.json_schema),
        None if wanted.regex is None else _matches(text, wanted.regex),
        None if wanted.max_words is None else count_words(text) <= wanted.max_words,
        None if wanted.max_characters is None else len(nfc(text)) <= wanted.max_characters,
        None if wanted.language is None else _is_in(text, wanted.language),
    ]


def _matches(text: str, pattern: str) -> bool | str:
    try:
        return regex.search(pattern, text[:_LONGEST], timeout=_LIMIT_S) is not None
    except regex.error as error:
        return f"the declared pattern is broken: {error}"
    except TimeoutError:
        return f"the declared pattern took longer than {_LIMIT_S:g} s"


def _is_in(text: str, language: str) -> bool | str:
    guessed = guess_language(text)
    return "the answer's language cannot be told" if guessed is None else guessed == base_language(language)
