"""Ontologies in every form that is read, against rdflib's own words, NLTK's WordNet and files written by hand."""

from __future__ import annotations

import json
import random
import shutil
import socket
from itertools import pairwise
from pathlib import Path

import nltk.data
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from nltk.corpus.reader.wordnet import WordNetCorpusReader

from ragtriage.core.errors import BadInput
from ragtriage.core.ontology_views import Link, LinksView
from ragtriage.data.ontologies import read_ontology
from ragtriage.metrics.ontology.wu_palmer import wu_palmer

CONCEPTS = [{"id": "product"}, {"id": "card", "parents": ["product"], "labels": ["Card", "карта"]}]
SKOS = """
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix b: <https://bank.example/> .
b:product a skos:Concept ; skos:narrower b:loan .
b:card a skos:Concept ; skos:broader b:product ; skos:prefLabel "Card"@en, "карта"@ru .
b:loan a skos:Concept .
"""
OWL = """<?xml version="1.0"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:owl="http://www.w3.org/2002/07/owl#"
         xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#">
  <owl:Class rdf:about="https://bank.example/product"><rdfs:subClassOf rdf:resource="http://www.w3.org/2002/07/owl#Thing"/></owl:Class>
  <owl:Class rdf:about="https://bank.example/card">
    <rdfs:subClassOf rdf:resource="https://bank.example/product"/>
    <rdfs:subClassOf><owl:Restriction/></rdfs:subClassOf>
    <rdfs:label>Card</rdfs:label>
  </owl:Class>
</rdf:RDF>
"""
# Numbers, names and parts of speech of WordNet's files of lexicographers; NLTK needs the names alone.
LEXNAMES = "".join(f"{n:02d}\tfile{n:02d}\t1\n" for n in range(45))


def test_json_and_json_lines_say_the_same(tmp_path):
    (tmp_path / "o.json").write_text(json.dumps({"name": "bank", "concepts": CONCEPTS}))
    (tmp_path / "o.jsonl").write_text("".join(json.dumps(c) + "\n" for c in CONCEPTS))
    one, other = (read_ontology(tmp_path / name) for name in ("o.json", "o.jsonl"))
    assert one.concepts == other.concepts
    assert one.concepts["card"].parents == ("product",)
    assert one.ancestors("card") == {"card", "product"}


def test_skos_broader_and_narrower_are_read(tmp_path):
    (tmp_path / "bank.ttl").write_text(SKOS)
    found = read_ontology(tmp_path / "bank.ttl", base="https://bank.example/")
    assert {name: c.parents for name, c in found.concepts.items()} == {
        "product": (), "card": ("product",), "loan": ("product",),
    }  # fmt: skip
    assert found.concepts["card"].labels == ("Card", "карта")


def test_owl_classes_are_read_without_restrictions_and_without_thing(tmp_path):
    (tmp_path / "bank.owl").write_text(OWL)
    found = read_ontology(tmp_path / "bank.owl", base="https://bank.example/")
    assert {name: c.parents for name, c in found.concepts.items()} == {"product": (), "card": ("product",)}


def test_every_fault_is_told_at_once(tmp_path):
    concepts = [*CONCEPTS, {"id": "card"}, {"id": "loan", "parents": ["produkt"]}]
    (tmp_path / "o.json").write_text(json.dumps({"concepts": concepts}))
    with pytest.raises(BadInput) as caught:
        read_ontology(tmp_path / "o.json")
    text = str(caught.value)
    assert "'card' stands twice" in text
    assert "'loan' is a kind of 'produkt', which is no concept of it. Did you mean 'product'?" in text


def test_a_loop_is_shown(tmp_path):
    loop = [{"id": "a", "parents": ["b"]}, {"id": "b", "parents": ["c"]}, {"id": "c", "parents": ["a"]}]
    (tmp_path / "o.json").write_text(json.dumps({"concepts": loop}))
    with pytest.raises(BadInput, match="a > b > c > a: a concept cannot stand under itself"):
        read_ontology(tmp_path / "o.json")


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("o.json", '{"concepts": []}', "there is no concept in it"),
        ("o.json", '{"concepts": [{"id": "a", "parent": []}]}', "'concepts.0.parent' is no known field"),
        ("o.json", "[1, 2]", "o.json"),
        ("o.ttl", "@prefix broken", "is no turtle"),
        ("o.owl", "<rdf", "is no xml"),
        ("o.nt", "<a> <b> .", "is no nt"),
        ("o.ttl", "", "there is no concept in it"),
        ("o.csv", "a,b", "an ontology is a file that ends in"),
    ],
)
def test_what_cannot_be_read_is_said(tmp_path, name, content, told):
    (tmp_path / name).write_text(content)
    with pytest.raises(BadInput, match=told):
        read_ontology(tmp_path / name)


@given(st.text(max_size=60), st.sampled_from(["o.ttl", "o.nt", "o.owl", "o.json", "o.jsonl"]))
@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
def test_junk_is_bad_input_and_nothing_else(tmp_path, text, name):
    (tmp_path / name).write_text(text, encoding="utf-8", errors="replace")
    with pytest.raises(BadInput):
        read_ontology(tmp_path / name)


def test_a_file_that_refers_to_others_makes_no_connection(tmp_path, monkeypatch):
    def refuse(*_args, **_kwargs):
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket, "socket", refuse)
    entity = '<!DOCTYPE r [<!ENTITY x SYSTEM "http://127.0.0.1:9/x">]>'
    (tmp_path / "o.owl").write_text(
        OWL.replace("?>\n", f"?>\n{entity}\n", 1).replace("<rdfs:label>Card", "<rdfs:label>&x;")
    )
    found = read_ontology(tmp_path / "o.owl")
    assert len(found.concepts) == 2


@pytest.mark.filterwarnings("ignore:The multilingual functions")
def test_wordnet_agrees_with_nltk(tmp_path, capability, monkeypatch):
    capability("wordnet")
    monkeypatch.setattr(nltk.data, "path", [str(tmp_path)])  # NLTK reads nothing elsewhere
    here, copy = Path("/usr/share/wordnet"), tmp_path / "corpora" / "wordnet"
    shutil.copytree(here, copy)
    (copy / "lexnames").write_text(LEXNAMES)
    theirs = WordNetCorpusReader(str(copy), omw_reader=None)
    ours = read_ontology(here)
    assert len(ours.concepts) == len(list(theirs.all_synsets("n")))
    names = random.Random(7).sample(sorted(ours.concepts), 400)
    for name in names[:100]:
        synset = theirs.synset(name)
        above = {s.name() for s in (*synset.hypernyms(), *synset.instance_hypernyms())}
        assert set(ours.concepts[name].parents) == above
        assert ours.depth(name) == synset.max_depth() + 1
    assert theirs.synset("dog.n.01").wup_similarity(theirs.synset("cat.n.01")) == pytest.approx(0.857, abs=5e-4)
    for a, b in [("dog.n.01", "cat.n.01"), *pairwise(names)]:
        found = wu_palmer(LinksView((Link("x", a),), (Link("x", b),), ours))
        assert found.value == pytest.approx(theirs.synset(a).wup_similarity(theirs.synset(b)), abs=1e-12), (a, b)
