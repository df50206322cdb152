"""How many chunks know where in their document they stand."""

from __future__ import annotations

from typing import Literal

from ragtriage.core.chunk_views import HierarchyView
from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.text.normalise import nfc


@metric(
    title="Hierarchy",
    unit="fraction of chunks",
    bounds=(0, 1),
    better="higher",
    source="Metrics for every stage of RAG: metadata",
    aggregate="micro",
    parts=("of", ("path", "section", "document")),
)
def hierarchy(view: HierarchyView, *, of: Literal["path", "section", "document"] = "path") -> Score:
    """1 if the chunk names its place in the hierarchy rightly, else 0.

    `document`: the document that its text stands in; `section`: the innermost heading over all of the chunk, none
    where it stands under none; `path`: every heading above it, in order. Section and path are wrong where the document
    is. Headings are compared in form NFC with white space folded. Undefined where the headings over the chunk are not
    known; `document` is always defined.

    >>> view = HierarchyView("d", ("Fees",), true_doc_id="d", true_path=("Loans", "Fees"))
    >>> [hierarchy(view, of=part).value for part in ("document", "section", "path")]
    [1.0, 1.0, 0.0]
    """
    if of == "document" or view.doc_id != view.true_doc_id:
        return Value(float(view.doc_id == view.true_doc_id), support=1)
    if view.true_path is None:
        return Undefined("the headings over the chunk are not known")
    named, true = _plain(view.section_path), _plain(view.true_path)
    return Value(float(named == true if of == "path" else named[-1:] == true[-1:]), support=1)


def _plain(path: tuple[str, ...]) -> list[str]:
    return [" ".join(nfc(heading).split()) for heading in path]
