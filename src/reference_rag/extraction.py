"""What a question says about where its answer stands: language or locale, product, day."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Literal

from ragtriage.core.records import Document, Predicate
from ragtriage.core.system import Question
from reference_rag.dates import day_in
from reference_rag.languages import detect_language
from reference_rag.tokens import words

__all__ = ["PRODUCT_WORDS", "PredicateExtraction"]

# How a word begins that names a product; longer beginnings are listed where a short one would catch other words.
PRODUCT_WORDS: Mapping[str, tuple[str, ...]] = {
    "car_loan": (
        "автокредит", "автомоб", "авто", "машин", "көлік", "автонесие", "автокөлік", "car", "cars", "vehicle", "auto",
    ),
    "mortgage": ("ипотек", "іпотек", "mortgage", "жилищн", "житлов", "тұрғын", "квартир", "пәтер"),
    "deposit": ("вклад", "депозит", "салым", "deposit", "savings"),
    "card": (
        "карта", "карте", "карту", "карты", "картой", "карт", "картам", "картк", "карток", "карточ", "картас", "картағ",
        "картам", "картан", "card", "cards", "дебет", "debit", "банкомат", "atm",
    ),
    "transfer": ("перевод", "перевест", "переказ", "аудар", "transfer", "swift", "remittance"),
    "account": ("счет", "счёт", "рахун", "шот", "шоты", "шотт", "шотқ", "account"),
    "business": (
        "бизнес", "бізнес", "business", "ип", "фоп", "предпринимател", "підприєм", "кәсіпкер", "entrepreneur",
    ),
    "branch": (
        "отделени", "офис", "офисе", "відділен", "бөлімше", "филиал", "branch", "office", "сейфов", "ячейк", "комірк",
    ),
    "security": (
        "мошенни", "шахра", "алаяқ", "fraud", "scam", "phish", "фишинг", "фішинг", "парол", "құпиясөз", "password",
    ),
}  # fmt: skip
_SHORT = 5  # a beginning shorter than this must be the whole word, or it would catch others
_MOST_PRODUCTS = 2  # a question that names more is about none in particular


@dataclass(frozen=True, slots=True)
class PredicateExtraction:
    """Reads predicates off a question, with the values that the corpus really holds.

    `locales`, `languages`, `products`: values in the corpus, empty where it does not tell them apart. `hard`: fields
    whose predicates filter; all others only lift what meets them.
    """

    locales: tuple[str, ...]
    languages: tuple[str, ...]
    products: tuple[str, ...]
    hard: frozenset[str]
    now: date | None = None

    @classmethod
    def of(cls, documents: Collection[Document], *, hard: Collection[str], now: date | None) -> PredicateExtraction:
        """Learn from the corpus which values its fields take; a field with one value tells nothing apart."""

        def values(found: set[str]) -> tuple[str, ...]:
            return tuple(sorted(found)) if len(found) > 1 else ()

        def of_metadata(name: str) -> tuple[str, ...]:
            return values({v for d in documents if isinstance(v := d.metadata.get(name), str)})

        languages = values({d.language for d in documents if d.language})
        return cls(of_metadata("locale"), languages, of_metadata("product"), frozenset(hard), now)

    def extract(self, question: Question) -> tuple[Predicate, ...]:
        """Return the predicates of a question: at most one of locale and language, one of product, one of the day."""
        found = [self._spoken(question), self._product(question.text), self._day(question)]
        return tuple(predicate for predicate in found if predicate is not None)

    def _spoken(self, question: Question) -> Predicate | None:
        language = question.language or detect_language(question.text)
        if language is None:
            return None
        of_language = [name for name in self.locales if name.split("-")[0] == language]
        if self.locales:
            return self._one_of("locale", of_language)
        return self._one_of("language", [language] if language in self.languages else [])

    def _product(self, text: str) -> Predicate | None:
        spoken = set(words(text))
        named = [name for name in self.products if _names(spoken, PRODUCT_WORDS.get(name, (name.replace("_", " "),)))]
        return self._one_of("product", named if len(named) <= _MOST_PRODUCTS else [])

    def _day(self, question: Question) -> Predicate | None:
        asked, named = question.as_of, day_in(question.text)
        day = asked or named or self.now
        if day is None:
            return None
        origin = "question" if asked is None and named is not None else "date of asking"
        return Predicate(field="valid_on", value=day.isoformat(), mode=self._mode("valid_on"), origin=origin)

    def _one_of(self, field: str, values: list[str]) -> Predicate | None:
        if not values:
            return None
        if len(values) == 1:
            return Predicate(field=field, value=values[0], mode=self._mode(field), origin="question")
        return Predicate(field=field, op="in", value=[*values], mode=self._mode(field), origin="question")

    def _mode(self, field: str) -> Literal["hard", "soft"]:
        return "hard" if field in self.hard else "soft"


def _names(spoken: set[str], beginnings: tuple[str, ...]) -> bool:
    return any(
        word == beginning if len(beginning) < _SHORT else word.startswith(beginning)
        for word in spoken
        for beginning in beginnings
    )
