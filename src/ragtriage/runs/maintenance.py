"""The port to an index that is kept up to date: write a document, delete it, search.

What a search returned is all that counts. An answer that repeats the question proves nothing about the index.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal, Protocol, TypeAlias

from ragtriage.core.clock import Clock, SystemClock
from ragtriage.core.records import Document, Hit, Trace
from ragtriage.core.system import Question
from ragtriage.runs.asking import AskFailed, Reply, read_reply
from ragtriage.runs.systems.python import PythonSystem

__all__ = ["IndexMaintenance", "Operation", "PythonMaintenance", "Returned", "returned"]

OperationKind: TypeAlias = Literal["write", "delete", "search"]


@dataclass(frozen=True, slots=True)
class Returned:
    """What a search returned: the ids of results and of their documents, and the texts where they came along."""

    ids: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()

    def shows(self, token: str) -> bool:
        """Whether a word that nothing else contains stands in any id or text.

        >>> Returned(ids=("marker-abc#0",)).shows("abc"), Returned(texts=("none",)).shows("abc")
        (True, False)
        """
        return any(token in found for found in (*self.ids, *self.texts))


class IndexMaintenance(Protocol):
    """What freshness is measured on; a call keeps its own deadline, and raises AskFailed or what the system raises."""

    async def write(self, document: Document) -> None:
        """Commit a document; returns when the system says that it has it, searchable or not."""
        ...

    async def delete(self, doc_id: str) -> None:
        """Delete a document; returns when the system says so."""
        ...

    async def search(self, question: str) -> Returned:
        """Search and say what came."""
        ...

    async def close(self) -> None:
        """Let go of connections and threads."""
        ...


@dataclass(frozen=True, slots=True)
class Operation(Question):
    """A question to the system, or a change of its index; `document` is what is written."""

    kind: OperationKind = "search"
    document: Document | None = None


class PythonMaintenance:
    """Three callables as an index: `write(document)`, `delete(doc_id)`, `search(question)`, plain or coroutines.

    `search` gets the question as a text, or as a `Question` where `takes_question` (a pipeline's own `answer`). It
    returns ids, `Hit`s, a dictionary with the fields of a trace, or a Trace. A call that does not come back within
    `timeout_s` is left behind in its own thread and raises AskFailed.
    """

    def __init__(
        self,
        *,
        write: Callable[[Document], Any],
        delete: Callable[[str], Any],
        search: Callable[[Any], Any],
        takes_question: bool = False,
        timeout_s: float = 10.0,
        clock: Clock | None = None,
    ) -> None:
        self._write, self._delete, self._search = write, delete, search
        self._takes_question = takes_question
        self._system = PythonSystem(self._call, SystemClock() if clock is None else clock, timeout_s)

    async def write(self, document: Document) -> None:
        """Call `write`."""
        await self._system.ask(Operation(document.text, document.doc_id, kind="write", document=document))

    async def delete(self, doc_id: str) -> None:
        """Call `delete`."""
        await self._system.ask(Operation("", doc_id, kind="delete"))

    async def search(self, question: str) -> Returned:
        """Call `search` and read what it returns."""
        asked = Question(question, "freshness")
        reply = await self._system.ask(Operation(question, asked.case_id, kind="search"))
        return returned(reply, asked)

    async def close(self) -> None:
        """End the idle threads."""
        await self._system.close()

    def _call(self, operation: Operation) -> Any:
        if operation.document is not None:
            return self._write(operation.document)
        if operation.kind == "delete":
            return self._delete(operation.case_id)
        return self._search(Question(operation.text, operation.case_id) if self._takes_question else operation.text)


def returned(reply: Reply, question: Question) -> Returned:
    """Read what a search returned: a list of ids or `Hit`s, or whatever a system under test may reply.

    Raises AskFailed where it tells of no results: neither rankings nor context.

    >>> returned(Reply(["a", "b"], 1.0), Question("?", "q")).ids
    ('a', 'b')
    """
    value = reply.value
    if isinstance(value, list | tuple | set | frozenset):
        strange = next((item for item in value if not isinstance(item, str | Hit)), None)
        if strange is not None:
            raise AskFailed("InvalidReply", f"a list of results holds ids or Hits. Got {type(strange).__name__}")
        hits = tuple(item if isinstance(item, Hit) else Hit(id=item) for item in value)
        return Returned(_ids(hits))
    trace = read_reply(reply, question, repeat=0, asked_at=datetime.now(UTC))
    if trace.error is not None:
        raise AskFailed(trace.error.type, trace.error.message, stage=trace.error.stage)
    return _of_trace(trace)


def _of_trace(trace: Trace) -> Returned:
    if trace.rankings is None and trace.context is None:
        raise AskFailed(
            "InvalidReply", "the search returned neither rankings nor context, so nothing can be found in it"
        )
    hits = tuple(hit for ranking in trace.rankings or () for hit in ranking.hits)
    items = trace.context or ()
    ids = _ids(hits) + tuple(name for item in items for name in (item.id, item.doc_id) if name is not None)
    return Returned(ids, tuple(item.text for item in items))


def _ids(hits: tuple[Hit, ...]) -> tuple[str, ...]:
    return tuple(name for hit in hits for name in (hit.id, hit.doc_id) if name is not None)
