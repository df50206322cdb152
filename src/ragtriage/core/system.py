"""What passes between us and a system under test: a question in, an answer or a whole trace out."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from typing import Literal

from ragtriage.core.records import ContextItem, Predicate, Principal

__all__ = ["Override", "Question"]


@dataclass(frozen=True, slots=True)
class Question:
    """One question as the system under test gets it; nothing of what is expected stands in it."""

    text: str
    case_id: str
    principal: Principal = field(default_factory=Principal)
    as_of: date | None = None
    language: str | None = None


@dataclass(frozen=True, slots=True)
class Override:
    """What a probe asks the system to do differently; None leaves the system's own way.

    `query` replaces the rewritten query, `predicates` the extracted ones, `context` the assembled context;
    `rerank` False skips the reranker; `order` puts the context items in this order (by id).
    """

    query: str | None = None
    predicates: tuple[Predicate, ...] | None = None
    context: tuple[ContextItem, ...] | None = None
    rerank: bool | None = None
    order: tuple[str, ...] | Literal["reversed"] | None = None
