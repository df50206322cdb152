"""Links to an ontology against networkx, seqeval-style span sets, sklearn and numbers worked out by hand."""

from __future__ import annotations

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import precision_score, recall_score

from ragtriage.core.ontology import Concept, Ontology
from ragtriage.core.ontology_views import AuditView, Link, LinksView
from ragtriage.core.score import Undefined, Value
from ragtriage.core.views import RepeatsView
from ragtriage.metrics.ontology.citation_completeness import citation_completeness
from ragtriage.metrics.ontology.confusion_kind import confusion_kind
from ragtriage.metrics.ontology.disambiguation import disambiguation
from ragtriage.metrics.ontology.hierarchical_f1 import hierarchical_f1
from ragtriage.metrics.ontology.mention_f1 import mention_f1
from ragtriage.metrics.ontology.nil_precision import nil_precision
from ragtriage.metrics.ontology.nil_recall import nil_recall
from ragtriage.metrics.ontology.provenance_depth import provenance_depth
from ragtriage.metrics.ontology.reproducibility_rate import reproducibility_rate
from ragtriage.metrics.ontology.semantic_conformance import semantic_conformance
from ragtriage.metrics.ontology.vocabulary_conformance import vocabulary_conformance
from ragtriage.metrics.ontology.wu_palmer import wu_palmer

PRODUCTS = Ontology(
    {
        c.concept_id: c
        for c in (
            Concept("product"),
            Concept("card", ("product",)),
            Concept("loan", ("product",)),
            Concept("debit", ("card",)),
            Concept("credit", ("card", "loan")),  # both a card and a loan
            Concept("mortgage", ("loan",)),
        )
    }
)


@st.composite
def graphs(draw):
    """A rooted graph: each concept is a kind of one to three of those before it."""
    concepts = {"c0": Concept("c0")}
    for number in range(1, draw(st.integers(2, 9))):
        parents = draw(st.lists(st.sampled_from(sorted(concepts)), min_size=1, max_size=3, unique=True))
        concepts[f"c{number}"] = Concept(f"c{number}", tuple(parents))
    return Ontology(concepts)


def digraph(ontology):
    graph = nx.DiGraph()
    graph.add_nodes_from(ontology.concepts)
    graph.add_edges_from((parent, c.concept_id) for c in ontology.concepts.values() for parent in c.parents)
    return graph


def one(gold, linked, ontology=PRODUCTS):
    return LinksView((Link("x", gold),), (Link("x", linked),), ontology)


@given(graphs(), st.data())
@settings(max_examples=150, deadline=None)
def test_hierarchical_f1_agrees_with_networkx(ontology, data):
    names = st.lists(st.sampled_from(sorted(ontology.concepts)), max_size=3, unique=True)
    gold, linked = data.draw(names), data.draw(names)
    graph = digraph(ontology)
    closed = [{a for name in side for a in nx.ancestors(graph, name) | {name}} - {"c0"} for side in (gold, linked)]
    view = LinksView(*(tuple(Link(name, name) for name in side) for side in (gold, linked)), ontology)
    both, total = len(closed[0] & closed[1]), len(closed[0]) + len(closed[1])
    expected = Value(2 * both / total, total) if total else Undefined("there is no entity to count")
    assert hierarchical_f1(view) == expected
    if closed[1]:
        assert hierarchical_f1(view, part="precision") == Value(both / len(closed[1]), len(closed[1]))
    if closed[0]:
        assert hierarchical_f1(view, part="recall") == Value(both / len(closed[0]), len(closed[0]))


@given(graphs(), st.data())
@settings(max_examples=150, deadline=None)
def test_wu_palmer_agrees_with_networkx(ontology, data):
    a, b = (data.draw(st.sampled_from(sorted(ontology.concepts))) for _ in range(2))
    graph = digraph(ontology)
    shortest = {n: nx.shortest_path_length(graph, "c0", n) + 1 for n in graph}
    longest = {n: max(map(len, nx.all_simple_paths(graph, "c0", n)), default=1) for n in graph}
    both = (nx.ancestors(graph, a) | {a}) & (nx.ancestors(graph, b) | {b})
    deepest = max(shortest[n] for n in both)
    tied = sorted(n for n in both if shortest[n] == deepest)
    common = next((n for n in (a, b) if n in tied), tied[0])
    steps = sum(
        min(
            nx.shortest_path_length(graph, n, one) + nx.shortest_path_length(graph, n, common)
            for n in graph
            if nx.has_path(graph, n, one) and nx.has_path(graph, n, common)
        )
        for one in (a, b)
    )
    assert wu_palmer(one(a, b, ontology)).value == pytest.approx(2 * longest[common] / (2 * longest[common] + steps))
    own = wu_palmer(one(a, b, ontology), depth="own").value
    assert own == pytest.approx(2 * longest[common] / (longest[a] + longest[b]))


def test_the_articles_cars_are_nearer_to_each_other_than_to_a_submarine():
    names = (("vehicle",), ("car", "vehicle"), ("vessel", "vehicle"), ("sedan", "car"), ("hatchback", "car"),
             ("submarine", "vessel"))  # fmt: skip
    cars = Ontology({n: Concept(n, tuple(parents)) for n, *parents in names})
    # {car, sedan} and {car, hatchback} share 1 of 2; {vessel, submarine} shares nothing once the root is left out.
    assert hierarchical_f1(one("hatchback", "sedan", cars)) == Value(0.5, 4)
    assert hierarchical_f1(one("hatchback", "submarine", cars)) == Value(0.0, 4)
    assert wu_palmer(one("hatchback", "sedan", cars)).value == pytest.approx(2 * 2 / (3 + 3))
    assert wu_palmer(one("hatchback", "submarine", cars)).value == pytest.approx(2 * 1 / (3 + 3))


def test_concepts_under_different_roots_meet_at_an_unnamed_one():
    two = Ontology({n: Concept(n, tuple(p)) for n, *p in (("a",), ("b",), ("a1", "a"))})
    assert wu_palmer(one("a", "b", two)).value == pytest.approx(2 * 1 / (2 + 2))
    assert wu_palmer(one("a1", "b", two)).value == pytest.approx(2 * 1 / (3 + 2))
    assert wu_palmer(one("a1", "b", two), depth="own").value == pytest.approx(2 * 1 / (3 + 2))
    assert hierarchical_f1(one("a1", "a", two)) == Value(2 / 3, 3)  # several roots: each tells something


@pytest.mark.parametrize(
    ("linked", "kind"),
    [("credit", "sibling"), ("card", "ancestor"), ("product", "ancestor"), ("mortgage", "unrelated"),
     ("no-such", "unrelated")],
)  # fmt: skip
def test_a_wrong_link_has_one_kind_of_confusion(linked, kind):
    shares = {k: confusion_kind(one("debit", linked), kind=k).value for k in
              ("sibling", "ancestor", "descendant", "unrelated")}  # fmt: skip
    assert shares == {k: float(k == kind) for k in shares}
    assert confusion_kind(one("product", "debit"), kind="descendant") == Value(1.0, 1)


def test_mentions_count_where_both_ends_are_the_same():
    gold = (Link((0, 4), "card"), Link((9, 12), "loan"), Link((20, 25), None))
    linked = (Link((0, 4), "loan"), Link((9, 13), "loan"))
    assert mention_f1(LinksView(gold, linked), part="precision") == Value(1 / 2, 2)
    assert mention_f1(LinksView(gold, linked), part="recall") == Value(1 / 3, 3)
    assert mention_f1(LinksView(gold, linked)) == Value(2 / 5, 5)
    assert disambiguation(LinksView(gold, linked)) == Value(0.0, 1)


def test_a_question_without_entities_is_undefined_where_none_was_found_and_wrong_where_one_was():
    assert mention_f1(LinksView((), ())) == Undefined("there is no mention to count")
    assert mention_f1(LinksView((), (Link((0, 1), "card"),))) == Value(0.0, 1)
    assert mention_f1(LinksView(None, ())) == Undefined("the case labels no entities")
    assert mention_f1(LinksView((), None)) == Undefined("the trace records no entities")


@given(st.lists(st.tuples(st.none() | st.just("card"), st.none() | st.just("card")), min_size=1, max_size=12))
@settings(max_examples=60, deadline=None)
def test_nil_agrees_with_sklearn(pairs):
    gold = tuple(Link(str(i), a) for i, (a, _) in enumerate(pairs))
    linked = tuple(Link(str(i), b) for i, (_, b) in enumerate(pairs))
    truth, said = [a is None for a, _ in pairs], [b is None for _, b in pairs]
    for metric, score, there in ((nil_precision, precision_score, said), (nil_recall, recall_score, truth)):
        found = metric(LinksView(gold, linked))
        if any(there):
            assert found.value == pytest.approx(score(truth, said))
            assert found.support == sum(there)
        else:
            assert isinstance(found, Undefined)


def test_valid_is_not_right():
    view = LinksView(
        gold=(Link("a", "debit"), Link("b", "credit"), Link("c", "loan")),
        linked=(Link("a", "debit"), Link("b", "debit"), Link("c", "lone"), Link("d", "loan"), Link("e", None)),
        ontology=PRODUCTS,
    )
    assert vocabulary_conformance(view) == Value(3 / 4, 4)
    assert semantic_conformance(view) == Value(1 / 4, 4)


def test_an_answer_can_be_audited_as_far_as_its_citations_lead():
    view = AuditView(
        claims=(("d1#2",), ("9f8e",), ("gone",), ()), citations=("d1#2", "9f8e", "gone"),
        sources={"d1#2": "d1", "9f8e": None},
    )  # fmt: skip
    assert citation_completeness(view) == Value(2 / 4, 4)
    assert provenance_depth(view) == Value(1 / 3, 3)
    assert citation_completeness(AuditView(None, (), {})) == Undefined("no judge ran")
    assert provenance_depth(AuditView((), (), {})) == Undefined("the answer has no citation")


@pytest.mark.parametrize(
    ("answers", "exact", "semantic"),
    [
        (("The fee is 5 %.", "The fee is 5 %."), 1.0, 1.0),
        (("The fee is 5 %.", "the fee is 5%"), 0.0, 1.0),
        (("The fee is 5 %.", "the fee is 6 %"), 0.0, 0.0),
        (("Комиссия 5 000 ₸ до 1 марта 2026 года", "комиссия 5000 ₸ до 01.03.2026"), 0.0, 1.0),
        (("The fee is charged", "The fee is not charged"), 0.0, 0.0),
        (("yes", "yes", "no"), 0.0, 0.0),
    ],
)
def test_the_same_answer_is_the_same_text_or_says_the_same(answers, exact, semantic):
    assert reproducibility_rate(RepeatsView(answers)) == Value(exact, 1)
    assert reproducibility_rate(RepeatsView(answers), form="semantic") == Value(semantic, 1)


def test_one_answer_reproduces_nothing():
    assert isinstance(reproducibility_rate(RepeatsView(("yes",))), Undefined)
