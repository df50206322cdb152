"""Random chunkings of random documents, for the laws that hold for every metric."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from ragtriage.core import chunk_views as views
from ragtriage.stats.sentence_pairs import sentence_pairs

PIECES = ("", " ", "\n", "\n\n", "One ends. ", "Fee 1 % ", "1.1. A clause. ", "- item\n", "| a | b |\n", "|---|---|\n",
          "```\n", "# Head\n", "Ставка 5 % с 2026 г. ", "退款。", "e\u0301")  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)
SPANS = st.tuples(st.integers(0, 60), st.integers(0, 60)).map(lambda pair: (min(pair), max(pair)))
DOCUMENTS = st.sampled_from(["d0", "d1"])
PATHS = st.lists(st.sampled_from(["", "Fees", "Fees ", "Limits"]), max_size=3).map(tuple)


@st.composite
def sentences(draw: st.DrawFn) -> views.SentencesView:
    """Pairs of sentences of a few dimensions, zeros among them, in chunks that may overlap or be empty."""
    count = draw(st.integers(0, 6))
    values = draw(st.lists(st.sampled_from([-1.0, 0.0, 0.5, 1e-30, 1e30]), min_size=2 * count, max_size=2 * count))
    members = st.lists(st.integers(0, max(count - 1, 0)), unique=True, max_size=count).map(sorted).map(tuple)
    return sentence_pairs(np.array(values, dtype=np.float64).reshape(count, 2), draw(st.lists(members, max_size=4)))


VIEWS: dict[type, st.SearchStrategy[Any]] = {
    views.BordersView: st.builds(views.BordersView, text=TEXTS, chunks=st.lists(SPANS, max_size=5).map(tuple)),
    views.SentencesView: sentences(),
    views.BorderLabelsView: st.builds(
        views.BorderLabelsView, reasonable=st.lists(st.booleans(), max_size=4).map(tuple)
    ),
    views.EvidenceSplitView: st.builds(
        views.EvidenceSplitView,
        spans=st.lists(st.tuples(DOCUMENTS, st.integers(0, 30), st.integers(0, 60)), max_size=4).map(tuple),
        chunks=st.none() | st.dictionaries(DOCUMENTS, st.lists(SPANS, max_size=4).map(tuple)),
    ),
    views.AttributionView: st.builds(
        views.AttributionView,
        text=TEXTS,
        start=st.integers(0, 60),
        end=st.integers(0, 60),
        document=st.none() | TEXTS,
        anchored=st.none() | st.booleans(),
    ),
    views.HierarchyView: st.builds(
        views.HierarchyView,
        doc_id=DOCUMENTS,
        section_path=PATHS,
        true_doc_id=st.none() | DOCUMENTS,
        true_path=st.none() | PATHS,
    ),
}
