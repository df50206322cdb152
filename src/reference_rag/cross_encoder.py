"""A cross-encoder behind an endpoint that scores pairs of question and passage."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from reference_rag.endpoint import Endpoint, EndpointFailed
from reference_rag.rerank import Candidate
from reference_rag.settings import CrossEncoder, secret

__all__ = ["CrossEncoderReranker"]


class CrossEncoderReranker:
    """The reranker over `POST {base_url}/rerank`; raises EndpointFailed where not every candidate gets one score."""

    costs_nothing = False

    def __init__(self, settings: CrossEncoder) -> None:
        self.model = settings.model
        self._endpoint = Endpoint(
            settings.base_url, "/rerank", key=secret(settings.api_key), timeout_s=settings.timeout_s
        )

    def scores(self, query: str, candidates: Sequence[Candidate], *, language: str | None) -> list[float]:  # noqa: ARG002 - the port's form; the model reads the language off the text
        """Score every candidate for the query."""
        if not candidates:
            return []
        texts = [candidate.passage.text for candidate in candidates]
        reply = self._endpoint.ask_json({"model": self.model, "query": query, "documents": texts})
        results = reply.get("results") if isinstance(reply, dict) else None
        scores = dict(_pair(result) for result in results or ())
        if set(scores) != set(range(len(texts))):
            raise EndpointFailed(f"{self._endpoint.url}: {len(scores)} of {len(texts)} candidates have a score")
        return [scores[place] for place in range(len(texts))]


def _pair(result: Any) -> tuple[int, float]:
    match result:
        case {"index": int(place), "relevance_score": float(score) | int(score)}:
            return place, float(score)
        case _:
            raise EndpointFailed(f"a result of the reranker has no index and relevance_score: {str(result)[:200]}")
