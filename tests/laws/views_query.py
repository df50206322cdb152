"""Random views of query understanding."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from ragtriage.core import query_views
from ragtriage.core.rankings import Rankings

IDS = st.sampled_from([f"d{i}" for i in range(8)])
NAMES = st.none() | st.sampled_from(["fee", "card", "complaint"])


@st.composite
def two_searches(draw: st.DrawFn, kind: type[Any]) -> Any:
    """The same questions searched twice: other results, the same gold."""
    gold = draw(st.lists(st.dictionaries(IDS, st.integers(0, 3), max_size=4), min_size=1, max_size=5))
    lists = st.lists(IDS, max_size=6)
    sides = [Rankings.of([draw(lists) for _ in gold], gold) for _ in range(2)]
    assert np.array_equal(sides[0].relevant, sides[1].relevant)
    return kind(*sides)


FOUND = st.dictionaries(IDS, st.integers(1, 12), max_size=4)
VIEWS: dict[type, st.SearchStrategy[Any]] = {
    **{
        kind: two_searches(kind)
        for kind in (
            query_views.ExpansionPair, query_views.HydePair, query_views.Rm3Pair, query_views.FloorPair,
        )
    },
    query_views.MultiQueryView: st.builds(
        query_views.MultiQueryView, needed=st.frozensets(IDS, max_size=4),
        found=st.none() | st.lists(FOUND, max_size=4).map(tuple),
    ),
    query_views.IntentView: st.builds(query_views.IntentView, expected=NAMES, recognised=NAMES),
    query_views.RouteView: st.builds(query_views.RouteView, expected=NAMES, taken=NAMES),
}  # fmt: skip
