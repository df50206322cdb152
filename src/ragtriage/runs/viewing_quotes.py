"""Text that an answer copies from documents which the one who asked may not see."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from ragtriage.core.records import Case, Document, Principal, Trace
from ragtriage.data.corpus import Corpus
from ragtriage.data.eligibility import permitted
from ragtriage.text.tokens import words

__all__ = ["QUOTE_TOKENS", "forbidden_quotes", "quotes_of"]

QUOTE_TOKENS = 8
_Run: TypeAlias = tuple[str, ...]


def quotes_of(
    cases: Sequence[Case], traces: Sequence[Trace | None], corpus: Corpus | None
) -> list[tuple[str, ...] | None]:
    """Return for each case the forbidden documents that its answer copies; None without an answer or a corpus."""
    if corpus is None:
        return [None] * len(cases)
    answers = [trace.answer if trace is not None else None for trace in traces]
    return forbidden_quotes(
        [None if a is None else (c.question, a.text, c.principal) for c, a in zip(cases, answers, strict=True)], corpus
    )


def forbidden_quotes(
    answers: Sequence[tuple[str, str, Principal] | None], corpus: Corpus
) -> list[tuple[str, ...] | None]:
    """Return for each (question, answer, principal) the forbidden documents it copies; None stays None.

    A copy is a run of at least `QUOTE_TOKENS` words, compared with case and digits folded, that stands in a document
    the principal may not see and neither in the question nor in any document that the principal may see.
    """
    restricted = [d for d in corpus.documents.values() if d.tenant is not None or d.acl]
    suspects = _documents_that_share_text(restricted, answers)
    shared = {run for document in suspects for run in _runs(document.text)}
    own = [set() if given is None else (_runs(given[1]) & shared) - _runs(given[0]) for given in answers]
    wanted = {run for runs in own for run in runs}
    everywhere = _holders(corpus.documents.values(), wanted) if wanted else {}
    return [
        None if given is None else _copied(given[2], runs, everywhere) for given, runs in zip(answers, own, strict=True)
    ]


def _runs(text: str) -> set[_Run]:
    tokens = words(text)
    return {tuple(tokens[i : i + QUOTE_TOKENS]) for i in range(len(tokens) - QUOTE_TOKENS + 1)}


def _documents_that_share_text(
    documents: Sequence[Document], answers: Sequence[tuple[str, str, Principal] | None]
) -> list[Document]:
    """Find the documents of which any answer might hold a run, by hashes: 8 bytes a run of an answer."""
    import numpy as np  # noqa: PLC0415 - numpy is loaded where numbers are

    if not documents:
        return []
    hashes = [np.fromiter(map(hash, _runs(given[1])), dtype=np.int64) for given in answers if given is not None]
    said = np.unique(np.concatenate([*hashes, np.empty(0, dtype=np.int64)]))
    if not len(said):
        return []
    found = []
    for document in documents:
        held = np.fromiter(map(hash, _runs(document.text)), dtype=np.int64)
        place = np.minimum(np.searchsorted(said, held), len(said) - 1)
        if (said[place] == held).any():
            found.append(document)
    return found


def _holders(documents: Iterable[Document], wanted: set[_Run]) -> dict[_Run, list[Document]]:
    """Return for each wanted run the documents that hold it."""
    found: dict[_Run, list[Document]] = {}
    for document in documents:
        for run in _runs(document.text) & wanted:
            found.setdefault(run, []).append(document)
    return found


def _copied(principal: Principal, runs: set[_Run], holders: dict[_Run, list[Document]]) -> tuple[str, ...]:
    """Return the documents whose text was copied and that the principal may see nowhere."""
    copied: set[str] = set()
    for run in runs:
        if not any(permitted(document, principal) for document in holders[run]):
            copied.update(document.doc_id for document in holders[run])
    return tuple(sorted(copied))
