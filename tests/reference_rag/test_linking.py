"""Links from questions to an ontology, in four languages, with what it is known to miss."""

from __future__ import annotations

import json

import pytest

from ragtriage.core.ontology import Concept, Ontology
from ragtriage.data.ontologies import read_ontology
from reference_rag.linking import Linker

BANK = Linker.of(
    Ontology(
        {
            c.concept_id: c
            for c in (
                Concept("product"),
                Concept("card", ("product",), ("card", "карта")),
                Concept("card:classic", ("card",), ("Классика", "Classic")),
                Concept("deposit:zapas", ("product",), ("Запас",)),
                Concept("card:zhas", ("card",), ("Жас Арлан",)),
                Concept("loan:car", ("product",), ("автокредит",)),
            )
        }
    )
)


@pytest.mark.parametrize(
    ("question", "links"),
    [
        ("Сколько стоит карта «Классика»?", [("Классика", "card:classic")]),
        ("Какая ставка по «Запасу» сейчас?", [("Запасу", "deposit:zapas")]),
        ("Какой запас прочности у банка?", []),  # a common noun is no name
        ("Жас Арлан картасы қанша тұрады?", [("Жас Арлан", "card:zhas")]),
        ("Комиссия по автокредиту за «Классику»?", [("автокредиту", "loan:car"), ("Классику", "card:classic")]),
        ("Есть ли у вас карта «Тулпар»?", [("Тулпар", None)]),  # named, and unknown
        ("What does a card cost?", []),  # any card
        ("", []),
    ],
)
def test_names_are_linked_in_any_form_and_unknown_ones_to_nothing(question, links):
    found = BANK.link(question)
    assert [(e.mention, e.id) for e in found] == links
    assert all(question[e.start : e.end] == e.mention for e in found)


def test_every_entity_of_the_banks_cases_is_in_its_ontology(root):
    ontology = read_ontology(root / "examples" / "bank" / "ontology.json")
    lines = (root / "examples" / "bank" / "golden" / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    named = {e["id"] for line in lines for e in json.loads(line).get("entities") or () if e.get("id")}
    assert named
    assert {name for name in named if name not in ontology} == set()
