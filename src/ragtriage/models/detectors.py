"""Detectors of language and of personal data: two ports, and what ships behind them.

Code alone is always there. `py3langid` (extra `language`) knows more languages; Presidio (extra `pii`) also finds names
and addresses. Neither loads anything that is not installed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from ragtriage.core.errors import BadInput, MissingExtra
from ragtriage.core.label_views import LabelledSpan
from ragtriage.text.language import base_language, guess_language
from ragtriage.text.personal_data import find_personal_data

__all__ = [
    "CodeLanguages", "CodePersonalData", "LanguageIdentifier", "PersonalDataDetector", "Presidio", "Py3Langid",
]  # fmt: skip

_LEAST_SURE = 0.3


class LanguageIdentifier(Protocol):
    """Says in which language a text is."""

    def identify(self, text: str) -> str | None:
        """Return the language as a tag (`kk`); None where it cannot be told."""
        ...


class PersonalDataDetector(Protocol):
    """Finds personal data in a text."""

    def find(self, text: str) -> tuple[LabelledSpan, ...]:
        """Return typed spans in code points, in order."""
        ...


class CodeLanguages:
    """The language by script and letters, as the project's own rules read it.

    >>> CodeLanguages().identify("Қандай комиссия алынады?")
    'kk'
    """

    def identify(self, text: str) -> str | None:
        """Return the language; None where the rules do not know it."""
        return guess_language(text)


class CodePersonalData:
    """Personal data by form and checksum: see `text.personal_data`."""

    def find(self, text: str) -> tuple[LabelledSpan, ...]:
        """Return typed spans in code points, in order."""
        return find_personal_data(text)


class Py3Langid:
    """The package py3langid, over the languages it knows or a few of them; raises MissingExtra.

    `least_sure`: a text whose language is less likely than this is not told.
    """

    def __init__(self, *, languages: tuple[str, ...] = (), least_sure: float = _LEAST_SURE) -> None:
        try:
            from py3langid import langid  # noqa: PLC0415 - an extra
        except ImportError as error:
            raise MissingExtra("py3langid", extra="language", needed_for="this identifier of languages") from error
        self._identifier: Any = langid.LanguageIdentifier.from_model_file(langid.MODEL_FILE, norm_probs=True)
        unknown = sorted(set(languages) - set(self._identifier.labels))
        if unknown:
            raise BadInput(f"py3langid does not know the languages {', '.join(unknown)}")
        if languages:
            self._identifier.set_languages(list(languages))
        self._least_sure = least_sure

    def identify(self, text: str) -> str | None:
        """Return the likeliest language."""
        if not any(char.isalpha() for char in text):
            return None
        language, likely = self._identifier.classify(text)
        return base_language(language) if float(likely) >= self._least_sure else None


class Presidio:
    """The package Presidio with a spaCy model that is installed; raises MissingExtra, and BadInput for a missing model.

    `model`: the name of the model's package. `names`: what its entity types are called here; a type that is not named
    keeps Presidio's name in lower case. `least_sure`: a finding with a lower score is left out.
    """

    def __init__(
        self,
        *,
        model: str,
        language: str = "en",
        names: Mapping[str, str] | None = None,
        least_sure: float = _LEAST_SURE,
    ) -> None:
        try:
            import spacy  # noqa: PLC0415 - an extra
            import tldextract  # noqa: PLC0415 - what Presidio reads domains by
            from presidio_analyzer import AnalyzerEngine  # noqa: PLC0415
            from presidio_analyzer.nlp_engine import SpacyNlpEngine  # noqa: PLC0415
        except ImportError as error:
            raise MissingExtra("presidio-analyzer", extra="pii", needed_for="this detector") from error
        if not spacy.util.is_package(model):  # Presidio would fetch it
            raise BadInput(f"the spaCy model {model!r} is not installed, and nothing is fetched: install its package")
        # By default it downloads the list of domain endings at the first address; it carries a copy of its own.
        tldextract.tldextract.TLD_EXTRACTOR = tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None)
        engine: Any = SpacyNlpEngine(models=[{"lang_code": language, "model_name": model}])
        engine.nlp = {language: spacy.load(model)}
        self._analyzer = AnalyzerEngine(nlp_engine=engine, supported_languages=[language])
        self._language, self._least_sure = language, least_sure
        self._names = {"CREDIT_CARD": "card", "EMAIL_ADDRESS": "email", "PHONE_NUMBER": "phone", "IBAN_CODE": "iban"}
        self._names |= dict(names or {})

    def find(self, text: str) -> tuple[LabelledSpan, ...]:
        """Return typed spans in code points, in order."""
        results = self._analyzer.analyze(text=text, language=self._language, score_threshold=self._least_sure)
        spans = {LabelledSpan(r.start, r.end, self._names.get(r.entity_type, r.entity_type.lower())) for r in results}
        return tuple(sorted(spans))
