"""SKOS and OWL, by rdflib: concepts with what is broader, classes with what they are a subclass of."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from xml.sax import SAXException

from ragtriage.core.errors import BadInput, MissingExtra
from ragtriage.core.files import read_bytes
from ragtriage.core.ontology import Concept

__all__ = ["read_rdf"]

# What the parsers raise for junk beside errors of their own.
_BROKEN = (SyntaxError, ValueError, AssertionError, LookupError, AttributeError, TypeError, RecursionError)


def read_rdf(path: Path, *, form: str, base: str = "") -> Iterator[Concept]:
    """Yield the concepts of a file in `form` (turtle, nt, xml), sorted by id; raises BadInput or MissingExtra.

    A concept is a `skos:Concept` or an `owl:Class` with a name of its own; its parents are what is `skos:broader` (or
    has it as `skos:narrower`) and its named `rdfs:subClassOf`. Parents that are no concept of the file, such as
    `owl:Thing`, are left out. Labels: `skos:prefLabel`, `skos:altLabel`, `rdfs:label`. A file that imports others is
    read alone.
    """
    try:
        import rdflib  # noqa: PLC0415 - an extra
        from rdflib.exceptions import Error as RdfError  # noqa: PLC0415
        from rdflib.namespace import OWL, RDF, RDFS, SKOS  # noqa: PLC0415
        from rdflib.plugins.parsers.ntriples import (  # type: ignore[attr-defined]  # noqa: PLC0415
            ParseError,
        )
    except ImportError as error:
        raise MissingExtra("rdflib", extra="ontology", needed_for=f"reading {path.name}") from error
    graph = rdflib.Graph()
    try:
        graph.parse(data=read_bytes(path), format=form, publicID=base or None)
    except (*_BROKEN, SAXException, RdfError, ParseError) as error:
        raise BadInput(f"{path}: is no {form}: {' '.join(str(error).split())[:300]}") from error
    named = {s for kind in (SKOS.Concept, OWL.Class, RDFS.Class) for s in graph.subjects(RDF.type, kind)}
    concepts = {one for one in named if isinstance(one, rdflib.URIRef) and one != OWL.Thing}
    for concept in sorted(concepts):
        above = {*graph.objects(concept, SKOS.broader), *graph.objects(concept, RDFS.subClassOf)}
        above |= set(graph.subjects(SKOS.narrower, concept))
        labels = [o for p in (SKOS.prefLabel, SKOS.altLabel, RDFS.label) for o in graph.objects(concept, p)]
        yield Concept(
            str(concept).removeprefix(base),
            tuple(sorted(str(one).removeprefix(base) for one in above if one in concepts and one != concept)),
            tuple(sorted({str(label) for label in labels})),
        )
