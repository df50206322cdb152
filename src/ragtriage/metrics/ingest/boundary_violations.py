"""How often a chunk border cuts what belongs together."""

from __future__ import annotations

import functools
from typing import Literal

from ragtriage.core.chunk_views import BordersView
from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.text.borders import Border, borders


@metric(
    title="Boundary violations",
    unit="borders that cut something / borders",
    bounds=(0, 1),
    better="lower",
    source="Metrics for every stage of RAG: chunking",
    aggregate="micro",
    parts=("kind", ("any", "table", "item", "clause", "code", "sentence")),
)
def boundary_violations(
    view: BordersView, *, kind: Literal["any", "table", "item", "clause", "code", "sentence"] = "any"
) -> Score:
    r"""Borders that cut a table, a list item, a numbered clause, a code block or a sentence / borders.

    `kind` counts those alone that cut one of that kind; a border may cut several. A piece that one chunk holds whole,
    as an overlap may, is not cut. Undefined for a document without borders: fewer than two chunks.

    >>> view = BordersView("- One ends.\n- Two ends.\n\nThree ends.", chunks=((0, 11), (12, 18), (19, 36)))
    >>> [boundary_violations(view, kind=kind).value for kind in ("any", "item", "table")]
    [0.5, 0.5, 0.0]
    """
    found = _borders(view)
    if not found:
        return Undefined("the document has no borders: fewer than two chunks")
    cutting = sum(bool(border.cuts) if kind == "any" else kind in border.cuts for border in found)
    return Value(cutting / len(found), support=len(found))


@functools.lru_cache(maxsize=2)  # each kind asks about the same document
def _borders(view: BordersView) -> list[Border]:
    return borders(view.text, view.chunks)
