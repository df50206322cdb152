"""Random queries, probes and changes of an index."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from ragtriage.core.index_views import ChangeView, NeighboursView, ProbeView, ServedView

NUMBERS = st.sampled_from([-1e30, -1.0, -0.5, 0.0, 1e-30, 0.5, 1.0, 1e30])
IDS = st.lists(st.sampled_from("abcdef"), unique=True, max_size=5).map(tuple)


@st.composite
def neighbours(draw: st.DrawFn) -> NeighboursView:
    """Results that may repeat, lack or exceed what exact search found."""
    found = draw(st.lists(st.integers(-1, 5), max_size=6))
    size = draw(st.integers(0, 6))
    similarity = draw(st.lists(NUMBERS, min_size=len(found), max_size=len(found)))
    exact = sorted(draw(st.lists(NUMBERS, max_size=size)), reverse=True)
    return NeighboursView(
        np.array(found, dtype=np.int64), np.array(similarity, dtype=np.float64), np.array(exact, dtype=np.float64), size
    )


@st.composite
def probes(draw: st.DrawFn) -> ProbeView:
    """Vectors of two dimensions, some of one, some zero."""
    sides = [np.array(draw(st.lists(NUMBERS, min_size=n, max_size=n))) for n in draw(st.sampled_from([(2, 2), (2, 1)]))]
    return ProbeView(draw(st.sampled_from("abcdefgh")), sides[0], sides[1], *(draw(st.none() | IDS) for _ in range(2)))


VIEWS: dict[type, st.SearchStrategy[Any]] = {
    NeighboursView: neighbours(),
    ProbeView: probes(),
    ChangeView: st.builds(
        ChangeView,
        kind=st.sampled_from(["written", "deleted"]),
        lag_ms=st.none() | st.floats(0, 1e6),
        deadline_ms=st.floats(1, 1e6),
    ),
    ServedView: st.builds(ServedView, lagging=st.none() | st.booleans()),
}
