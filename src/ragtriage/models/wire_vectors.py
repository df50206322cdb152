"""Embeddings and reranking as text: requests written, replies read strictly, and nothing sent."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

from ragtriage.models.attempts import AttemptFailed, HttpReply
from ragtriage.models.ports import Usage, Vector
from ragtriage.models.wire import parsed, read_usage, whole

__all__ = ["embedding_body", "most_text_tokens", "read_embeddings", "read_ranking", "rerank_body"]

_TOKENS_A_TEXT = 8


def embedding_body(texts: Sequence[str], *, model: str) -> bytes:
    """Write the body of a request for vectors."""
    return _json({"model": model, "input": list(texts), "encoding_format": "float"})


def rerank_body(query: str, texts: Sequence[str], *, model: str) -> bytes:
    """Write the body of a request for scores of all texts."""
    body = {"model": model, "query": query, "documents": list(texts), "top_n": len(texts), "return_documents": False}
    return _json(body)


def most_text_tokens(texts: Sequence[str], *, query: str = "") -> Usage:
    """Return the tokens that texts, each with the query, can be billed for at the worst."""
    size = sum(len(text.encode()) + len(query.encode()) + _TOKENS_A_TEXT for text in texts)
    return Usage(input_tokens=size, output_tokens=0)


def read_embeddings(reply: HttpReply, *, count: int) -> tuple[list[Vector], Usage | None]:
    """Read exactly one vector a text, all of one length, of finite numbers; raises AttemptFailed."""
    import numpy as np  # noqa: PLC0415 - loaded with the first vector

    document = parsed(reply)
    usage = read_usage(document)
    rows = _by_index(document.get("data"), "embedding", count, usage)
    vectors: list[Vector] = []
    for row in rows:
        if not isinstance(row, list) or not row or not all(type(number) in {int, float} for number in row):
            raise _bad("a vector must be a list of numbers", usage)
        with np.errstate(over="ignore"):  # what float32 cannot hold becomes infinite, and is refused below
            vectors.append(np.array(row, dtype=np.float64).astype(np.float32))
    if len({vector.size for vector in vectors}) > 1 or not all(np.isfinite(vector).all() for vector in vectors):
        raise _bad("vectors must be of one length and hold finite numbers", usage)
    return vectors, usage


def read_ranking(reply: HttpReply, *, count: int) -> tuple[list[float], Usage | None]:
    """Read exactly one score a text, in the order of the texts; raises AttemptFailed."""
    document = parsed(reply)
    usage = read_usage(document)
    key = "results" if "results" in document else "data"
    scores = _by_index(document.get(key), "relevance_score", count, usage)
    for score in scores:
        if type(score) not in {int, float} or not math.isfinite(score):
            raise _bad("a relevance score must be a finite number", usage)
    return [float(score) for score in scores], usage


def _by_index(rows: Any, name: str, count: int, usage: Usage | None) -> list[Any]:
    """Return one field of each row in the order of the rows' index, every index exactly once."""
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise _bad("must hold a list of rows", usage)
    found = {whole(row.get("index")): row.get(name) for row in rows}
    if len(rows) != count or set(found) != set(range(count)):
        raise _bad(f"must hold each index from 0 to {count - 1} exactly once", usage)
    return [found[index] for index in range(count)]


def _json(body: Any) -> bytes:
    return json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def _bad(what: str, usage: Usage | None) -> AttemptFailed:
    return AttemptFailed("bad_reply", f"the reply is not of the protocol: {what}", billed=usage)
