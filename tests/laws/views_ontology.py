"""Random views of the ontology stage."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from ragtriage.core.ontology import Concept, Ontology
from ragtriage.core.ontology_views import AuditView, Link, LinksView, OutputView

NAMES = [f"c{i}" for i in range(7)]
IDS = st.sampled_from(["a", "b", "gone"])


@st.composite
def ontologies(draw: st.DrawFn) -> Ontology:
    """Up to seven concepts; each is a kind of some of those before it."""
    concepts: dict[str, Concept] = {}
    for name in NAMES[: draw(st.integers(1, 7))]:
        parents = draw(st.lists(st.sampled_from(sorted(concepts)), max_size=2, unique=True)) if concepts else []
        concepts[name] = Concept(name, tuple(parents))
    return Ontology(concepts)


PLACES = st.sampled_from([(0, 3), (4, 9), (10, 12), "card"])
LINKS = st.dictionaries(PLACES, st.none() | st.sampled_from([*NAMES, "unknown"]), max_size=4).map(
    lambda found: tuple(Link(place, concept) for place, concept in found.items())
)
VIEWS: dict[type, st.SearchStrategy[Any]] = {
    LinksView: st.builds(
        LinksView, gold=st.none() | LINKS, linked=st.none() | LINKS, ontology=st.none() | ontologies()
    ),
    OutputView: st.builds(
        OutputView,
        text=st.none() | st.sampled_from(["", "1", '{"fee": 1}', '{"fee": 1, "fee": 2}', "NaN", "[" * 5000]),
        schema=st.none() | st.sampled_from([{}, {"type": "object"}, {"type": 5}, {"$ref": "#/missing"}, {"$ref": "#"}]),
    ),
    AuditView: st.builds(
        AuditView,
        claims=st.none() | st.lists(st.lists(IDS, max_size=2).map(tuple), max_size=4).map(tuple),
        citations=st.none() | st.lists(IDS, max_size=4).map(tuple),
        sources=st.dictionaries(st.sampled_from(["a", "b"]), st.none() | st.just("d1")),
    ),
}  # fmt: skip
