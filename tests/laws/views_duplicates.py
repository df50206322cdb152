"""Random corpora whose near-duplicates were detected and labelled."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from hypothesis import strategies as st

from ragtriage.core.duplicate_views import DuplicatesView

PAIRS = list(combinations("abcdef", 2))
SOME = st.frozensets(st.sampled_from(PAIRS), max_size=8)


@st.composite
def corpora(draw: st.DrawFn) -> DuplicatesView:
    duplicates = draw(SOME)
    different = draw(st.none() | SOME)
    return DuplicatesView(draw(SOME), duplicates, None if different is None else different - duplicates)


VIEWS: dict[type, st.SearchStrategy[Any]] = {DuplicatesView: corpora()}
