"""Search again with other forms of a question, so that what a rewrite won or lost can be told."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from ragtriage.core.records import Hit, Ranking, Trace
from ragtriage.core.system import Override, Question
from ragtriage.runs.asking import AskFailed, System, read_reply
from ragtriage.runs.viewing_stages import ALONE, RAW, RM3, SEARCHES, final_hits, recorded
from ragtriage.text.rm3 import expanded_question

__all__ = ["Searches", "searched"]

Form = Literal["raw", "rm3", "rewrites"]


@dataclass(frozen=True, slots=True)
class Searches:
    """Which forms of every question are searched, and where the text of a result is found (None: not known)."""

    forms: tuple[Form, ...]
    text_of: Callable[[Hit], str | None]


async def searched(system: System, trace: Trace, question: Question, searches: Searches, asked_at: datetime) -> Trace:
    """Return the trace with a ranking for each form of its question, as the system returns it when asked for that.

    The system is asked with its query replaced; a form that the trace holds already is not asked again. What failed is
    told under `searches` of the trace's metadata, and only the metrics that need it fail. A system that takes no
    override, and a trace without rankings, stay as they are.
    """
    if not searches.forms or not system.takes_override or trace.error is not None or recorded(trace) is None:
        return trace
    search = _Search(system, question, asked_at)
    found: dict[str, Ranking] = {}
    failed: dict[str, str] = {}
    known = {ranking.stage: ranking for ranking in trace.rankings or ()}

    async def add(stage: str, text: str) -> Ranking | None:
        if stage in known:
            return known[stage]
        (hits,) = await asyncio.gather(search.hits(text), return_exceptions=True)
        if isinstance(hits, Exception):  # whatever the system raises costs this number and not the case
            failed[stage] = str(hits) if isinstance(hits, AskFailed) else f"{type(hits).__name__}: {hits}"
            return None
        if isinstance(hits, BaseException):
            raise hits
        found[stage] = Ranking(stage=stage, hits=hits)
        return found[stage]

    raw = None
    if "raw" in searches.forms or "rm3" in searches.forms:
        raw = await add(RAW, question.text)
    if "rm3" in searches.forms and raw is not None:
        expanded = _expanded(question, raw, searches)
        if expanded is None:
            failed[RM3] = "the texts of the first results are not known"
        else:
            await add(RM3, expanded)
    if "rewrites" in searches.forms:
        for number, text in enumerate(trace.rewrites or (), start=1):
            await add(f"{ALONE}{number}", text)
    told = {**trace.metadata, SEARCHES: {"failed": failed}} if failed else trace.metadata
    return trace.model_copy(update={"rankings": (*(trace.rankings or ()), *found.values()), "metadata": told})


@dataclass(frozen=True, slots=True)
class _Search:
    system: System
    question: Question
    asked_at: datetime

    async def hits(self, text: str) -> tuple[Hit, ...]:
        """Return the final ranking for a query; raises AskFailed, or whatever the system raises."""
        reply = await self.system.ask(self.question, override=Override(query=text))
        trace = read_reply(reply, self.question, repeat=0, asked_at=self.asked_at)
        if trace.error is not None:
            raise AskFailed(trace.error.type, trace.error.message, stage=trace.error.stage)
        hits = final_hits(trace)
        if hits is None:
            raise AskFailed("NoRankings", "the system returned no rankings")
        return hits


def _expanded(question: Question, raw: Ranking, searches: Searches) -> str | None:
    texts: list[str] = []
    scores: list[float] = []
    for hit in raw.hits:
        text = searches.text_of(hit)
        if text is not None:
            texts.append(text)
            scores.append(hit.score if hit.score is not None else 0.0)
    if raw.hits and not texts:
        return None
    return expanded_question(question.text, texts, scores, language=question.language)
