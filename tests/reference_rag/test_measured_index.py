"""The reference pipeline under the measurements of an index: freshness by its own `answer`, tokens of its own model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ragtriage.core.index_views import ChangeView
from ragtriage.core.records import Document
from ragtriage.core.score import Value
from ragtriage.core.system import Question
from ragtriage.models.token_ports import CallableTokens
from ragtriage.runs.freshness import Polling
from ragtriage.runs.maintenance import PythonMaintenance
from ragtriage.workflows.index_freshness import index_freshness
from ragtriage.workflows.multi_vector import Asked, compare_multi_vector
from reference_rag.entry import build
from reference_rag.late import TokenVectors


class Rebuilt:
    """A pipeline that is built anew after every change, as a nightly job does."""

    def __init__(self) -> None:
        self.documents = {
            name: Document(doc_id=name, text=text, language="en")
            for name, text in (("fees", "A gold card costs 12 a month."), ("loans", "A loan has a rate of 5 %."))
        }
        self._build()

    def _build(self) -> None:
        self._pipeline = build(documents=list(self.documents.values()), mode="bm25", embedder="lsa")

    def write(self, document: Document) -> None:
        self.documents[document.doc_id] = document
        self._build()

    def search(self, question: Question) -> Any:
        return self._pipeline(question)

    def delete(self, doc_id: str) -> None:
        del self.documents[doc_id]
        self._build()


def test_the_freshness_of_a_pipeline_is_measured_by_its_own_answer() -> None:
    rag = Rebuilt()
    port = PythonMaintenance(write=rag.write, delete=rag.delete, search=rag.search, takes_question=True)
    found = index_freshness(port, markers=2, polling=Polling(deadline_s=30))
    assert [change.kind for change in found.changes] == ["written", "deleted"] * 2
    assert all(isinstance(change.outcome, ChangeView) for change in found.changes)
    assert found.unseen.value == 0.0
    assert isinstance(found.freshness_p99, Value)
    assert sorted(rag.documents) == ["fees", "loans"]


def test_an_embedder_of_tokens_is_a_late_interaction_model() -> None:
    class Letters:
        """A vector for each letter, as the pipeline's port gives them."""

        def tokens(self, texts: Sequence[str]) -> list[TokenVectors]:
            return [
                TokenVectors(
                    np.eye(26, dtype=np.float32)[[ord(letter) - 97 for letter in text]],
                    np.array([[place, place + 1] for place in range(len(text))], dtype=np.int64).reshape(-1, 2),
                )
                for text in texts
            ]

    class Counts:
        identity = "counts"

        async def embed(self, texts: Sequence[str]) -> list[Any]:
            return [table.vectors.sum(axis=0) for table in Letters().tokens(texts)]

    model = CallableTokens(lambda texts, _: [one.vectors for one in Letters().tokens(texts)], identity="letters")
    found = compare_multi_vector(
        {"a": "aaab", "c": "cd"}, [Asked("ab", {"a": 1})], passages=Counts(), queries=Counts(), tokens=model, k=1
    )
    assert found.scores[0].multi == 1.0
    assert found.storage == (4 + 2) / 2
