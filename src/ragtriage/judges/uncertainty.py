"""Whether an answer says what its sources leave uncertain: that they disagree, or are silent on a part of it."""

from __future__ import annotations

import regex

from ragtriage.core.records import Case, Uncertainty
from ragtriage.core.verdicts import UncertaintyVerdict
from ragtriage.judges.asking import Ask
from ragtriage.judges.calling import Asker, AskFailed
from ragtriage.judges.catalogue import RUBRICS
from ragtriage.judges.hedges import CONFLICT, SILENT
from ragtriage.text.content import content_words, same_word
from ragtriage.text.language import guess_language
from ragtriage.text.late import late
from ragtriage.text.phrases import occurrences
from ragtriage.text.sentences import sentences

__all__ = ["RULES", "read_uncertainty", "uncertainty_of"]

RULES = (CONFLICT, SILENT)
"""All of the data, for the identity of what was judged by it."""

_PHRASES = {
    kind: late("|".join(f"(?:{one})" for one in rules), regex.IGNORECASE)
    for kind, rules in (("conflict", CONFLICT), ("partial", SILENT))
}
_DENIED_BEFORE = late(
    r"(?:\b(?:no|not|never|without|don't|doesn't)|(?<!\p{L})(?:не|нет|без|жодних|немає|ні))\W+(?:\p{L}+\W+)?$",
    regex.IGNORECASE,
)
_DENIED_WITHIN = late(
    r"(?:do(?:es)? not|don't|doesn't|are not|is not) (?:disagree|differ|diverge|conflict|contradict|vary|inconsistent)"
    r"|(?:нет|немає|жоқ|емес)(?!\p{L})|не (?:противореч|расход|разня|различа|суперечать|розход|різня)",
    regex.IGNORECASE,
)
_ASKED = {
    "conflict": "the sources disagree",
    "partial": "the sources are silent on a part of the question",
}
_AFTER = 30


def read_uncertainty(declared: Uncertainty, answer: str, *, language: str | None = None) -> UncertaintyVerdict:
    """Read it from phrases: an accepted wording, or a sentence that says so and shares a word with `about`.

    A sentence that denies a conflict says none.

    >>> read_uncertainty(Uncertainty(kind="conflict"), "Источники расходятся: 1 % или 2 %.").label
    'stated'
    >>> read_uncertainty(Uncertainty(kind="conflict"), "The sources do not disagree: it is 1 %.").label
    'not_stated'
    """
    spoken = language or guess_language(answer)
    if any(occurrences(answer, wording, language=spoken) for wording in declared.any_of):
        return UncertaintyVerdict(label="stated")
    about = None if declared.about is None else [word.text for word in content_words(declared.about, spoken)]
    pieces = [one.text.replace("’", "'") for one in sentences(answer)]
    for place, piece in enumerate(pieces):
        if _says(declared.kind, piece) and _is_about(about, " ".join(pieces[max(0, place - 1) : place + 1]), spoken):
            return UncertaintyVerdict(label="stated")
    return UncertaintyVerdict(label="not_stated")


def _says(kind: str, sentence: str) -> bool:
    for found in _PHRASES[kind].finditer(sentence):
        if kind == "partial":
            return True
        said = sentence[found.start() : found.end() + _AFTER]
        if not _DENIED_BEFORE.search(sentence[: found.start()]) and not _DENIED_WITHIN.search(said):
            return True
    return False


def _is_about(wanted: list[str] | None, text: str, language: str | None) -> bool:
    if not wanted:
        return True
    return any(same_word(word.text, one) for word in content_words(text, language) for one in wanted)


async def uncertainty_of(asker: Asker, case: Case, answer: str) -> UncertaintyVerdict | None:
    """Ask a model; None where the case declares none or there is no answer. Raises AskFailed."""
    declared = case.expected.uncertainty
    if declared is None or not answer.strip():
        return None
    told = _ASKED[declared.kind] + (f": {declared.about}" if declared.about else "")
    asked = Ask(RUBRICS["uncertainty"], {"question": case.question, "uncertain": told, "text": answer})
    (found,) = await asker.ask(asked)
    if (found.values["label"] == "stated") != bool(found.places):
        raise AskFailed("inconsistent", "it is stated without a quote, or not stated with one")
    return UncertaintyVerdict(label=found.values["label"])
