"""Ontologies as teams keep them: our JSON, SKOS or OWL in Turtle or RDF/XML, and WordNet's own files."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ragtriage.core.errors import BadInput, Fault, did_you_mean
from ragtriage.core.files import read_json, read_records, validate_record
from ragtriage.core.ontology import Concept, Ontology
from ragtriage.core.records import Identifier, Record

__all__ = ["ConceptRecord", "OntologyRecord", "read_ontology"]

_RDF = {".ttl": "turtle", ".nt": "nt", ".rdf": "xml", ".xml": "xml", ".owl": "xml"}


class ConceptRecord(Record):
    """One entry of an ontology; `parents`: ids of what it is a kind of."""

    id: Identifier
    parents: tuple[Identifier, ...] = ()
    labels: tuple[str, ...] = ()


class OntologyRecord(Record):
    """An ontology in one JSON file."""

    name: str = ""
    concepts: tuple[ConceptRecord, ...]


def read_ontology(path: Path, *, base: str = "") -> Ontology:
    """Read an ontology; the ending of the file says what it is written in.

    `.json` and `.jsonl`: `OntologyRecord`, or a `ConceptRecord` a line. `.ttl`, `.nt`, `.rdf`, `.xml`, `.owl`: concepts
    of SKOS and classes of OWL, by the extra `ontology`; `base` is left out at the beginning of their ids. A folder that
    holds `data.noun`: WordNet. Nothing that a file refers to is fetched. Raises BadInput with every fault.
    """
    if path.is_dir():
        from ragtriage.data.ontology_wordnet import read_wordnet  # noqa: PLC0415 - for those who name such a folder

        return _checked(path, read_wordnet(path))
    suffix = path.suffix.lower()
    if suffix == ".jsonl":
        return _checked(path, map(_concept, read_records(path, ConceptRecord, key="id")))
    if suffix == ".json":
        record, problems = validate_record(OntologyRecord, read_json(path))
        if record is None:
            raise BadInput(f"{path} is no ontology:", [Fault(str(path), 0, problem) for problem in problems])
        return _checked(path, map(_concept, record.concepts))
    if suffix in _RDF:
        from ragtriage.data.ontology_rdf import read_rdf  # noqa: PLC0415 - needs an extra

        return _checked(path, read_rdf(path, form=_RDF[suffix], base=base))
    raise BadInput(f"{path}: an ontology is a file that ends in .json, .jsonl, {', '.join(_RDF)}, or WordNet's folder")


def _concept(record: ConceptRecord) -> Concept:
    return Concept(record.id, record.parents, record.labels)


def _checked(path: Path, concepts: Iterable[Concept]) -> Ontology:
    """Return the ontology; raises BadInput naming each repeated id and missing parent, and the loop if there is one."""
    found: dict[str, Concept] = {}
    faults = []
    for concept in concepts:
        if concept.concept_id in found:
            faults.append(Fault(str(path), 0, f"the concept {concept.concept_id!r} stands twice"))
        found[concept.concept_id] = concept
    if not found:
        faults.append(Fault(str(path), 0, "there is no concept in it"))
    for concept in found.values():
        for parent in concept.parents:
            if parent not in found:
                hint = did_you_mean(parent, found)
                text = f"{concept.concept_id!r} is a kind of {parent!r}, which is no concept of it.{hint}"
                faults.append(Fault(str(path), 0, text))
    if not faults:
        try:
            return Ontology(found)
        except ValueError as error:
            faults.append(Fault(str(path), 0, str(error)))
    raise BadInput(f"{path} cannot be used as an ontology:", faults)
