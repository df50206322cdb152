"""An index behind HTTP, kept up to date by three requests that are described as data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import ConfigDict

from ragtriage.core.clock import Clock, SystemClock
from ragtriage.core.configuration import HttpSystem, Positive
from ragtriage.core.records import Document, Record
from ragtriage.core.system import Question
from ragtriage.runs.asking import Reply
from ragtriage.runs.maintenance import Returned, returned
from ragtriage.runs.secrets import Secrets
from ragtriage.runs.systems.http import HttpEndpoint

__all__ = ["HttpMaintenance", "IndexAccess", "IndexRequest", "with_our_names"]

_NAMES = {"{{id}}": "{{case_id}}", "{{text}}": "{{question}}"}


class IndexRequest(HttpSystem):
    """One request to the index; `{{id}}` and `{{text}}` are those of the document, `{{question}}` what is searched."""

    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"] = "POST"  # type: ignore[assignment]  # more than a question needs
    """How it is sent."""


class IndexAccess(Record):
    """`index.toml`: how documents are written, deleted and searched."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    write: IndexRequest
    """Commits a document; any status of 2xx says that it was taken."""
    delete: IndexRequest
    """Deletes a document by its id."""
    search: IndexRequest
    """Searches; its `fields` read rankings or context from the reply."""
    timeout_s: Positive = 10.0
    """The longest that one request may take, in seconds."""


class HttpMaintenance:
    """The index that `access` describes; raises MissingExtra where aiohttp or jsonpath is absent."""

    def __init__(self, access: IndexAccess, *, secrets: Secrets, clock: Clock | None = None) -> None:
        clock = SystemClock() if clock is None else clock

        def opened(kind: type[HttpEndpoint], request: IndexRequest) -> HttpEndpoint:
            plain = with_our_names(request)
            return kind(plain, clock=clock, timeout_s=access.timeout_s, concurrency=1, secrets=secrets)

        self._write, self._delete = opened(_Acknowledged, access.write), opened(_Acknowledged, access.delete)
        self._search = opened(HttpEndpoint, access.search)

    async def write(self, document: Document) -> None:
        """Send the document."""
        await self._write.ask(Question(document.text, document.doc_id))

    async def delete(self, doc_id: str) -> None:
        """Send the deletion."""
        await self._delete.ask(Question("", doc_id))

    async def search(self, question: str) -> Returned:
        """Search and read the fields of the reply."""
        asked = Question(question, "freshness")
        return returned(await self._search.ask(asked), asked)

    async def close(self) -> None:
        """Close the connections."""
        for endpoint in (self._write, self._delete, self._search):
            await endpoint.close()


class _Acknowledged(HttpEndpoint):
    """An endpoint whose status says all; its reply may be empty or anything."""

    def _read(self, response: Any) -> Reply:
        return super()._read(response) if not 200 <= response.status < 300 else Reply("", response.duration_ms)  # noqa: PLR2004 - success


def with_our_names(request: IndexRequest) -> IndexRequest:
    """Put the names that a question has in place of those of a document.

    >>> with_our_names(IndexRequest(url="http://x/{{id}}", body={"t": ["{{text}}"]})).body
    {'t': ['{{question}}']}
    """
    return request.model_copy(update={"url": _renamed(request.url), "body": _renamed(request.body)})


def _renamed(value: Any) -> Any:
    if isinstance(value, str):
        for name, ours in _NAMES.items():
            value = value.replace(name, ours)
        return value
    if isinstance(value, Mapping):
        return {key: _renamed(inner) for key, inner in value.items()}
    return [_renamed(inner) for inner in value] if isinstance(value, list | tuple) else value
