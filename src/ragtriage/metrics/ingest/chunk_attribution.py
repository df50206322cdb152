"""How many chunks can be followed back to their source."""

from __future__ import annotations

from typing import Literal

from ragtriage.core.chunk_views import AttributionView
from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value


@metric(
    title="Chunk attribution",
    unit="fraction of chunks",
    bounds=(0, 1),
    better="higher",
    source="Metrics for every stage of RAG: chunk attribution fidelity",
    aggregate="micro",
)
def chunk_attribution(
    view: AttributionView, *, of: Literal["all", "document", "offsets", "text", "anchor"] = "all"
) -> Score:
    """1 if the chunk's pointer to its source resolves, else 0.

    `document`: the document exists; `offsets`: they lie in it, start before end; `text`: what stands there is the
    chunk, character for character; `anchor`: a page or section is named. `all` wants each of them, an anchor only
    where the document has pages or sections. `anchor` alone is undefined where it has neither; all else is always
    defined for a chunk, so that only a system without chunks has no number.

    >>> chunk_attribution(AttributionView("parrot", 7, 13, document="parrot parrot", anchored=None))
    Value(value=1.0, support=1)
    >>> chunk_attribution(AttributionView("parrot", 6, 12, document="parrot parrot", anchored=None))
    Value(value=0.0, support=1)
    """
    if of == "anchor" and view.anchored is None:
        return Undefined("the document has neither pages nor sections")
    document = view.document is not None
    offsets = view.document is not None and 0 <= view.start < view.end <= len(view.document)
    text = offsets and view.document is not None and view.document[view.start : view.end] == view.text
    resolved = {
        "document": document,
        "offsets": offsets,
        "text": text,
        "anchor": view.anchored is True,
        "all": text and view.anchored is not False,
    }
    return Value(float(resolved[of]), support=1)
