"""Metrics over claims, citations and nuggets, by hand."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtriage.core.records import Answer, Case, ContextItem, Trace
from ragtriage.core.score import Undefined, Value
from ragtriage.core.verdicts import ClaimVerdict, NuggetVerdict
from ragtriage.core.views import ClaimsView, NuggetsView
from ragtriage.judges.lexical import judge
from ragtriage.metrics.generation.citation_accuracy import citation_accuracy
from ragtriage.metrics.generation.citation_precision import citation_precision
from ragtriage.metrics.generation.citation_recall import citation_recall
from ragtriage.metrics.generation.context_recall import context_recall
from ragtriage.metrics.generation.contradiction_rate import contradiction_rate
from ragtriage.metrics.generation.correctness import correctness
from ragtriage.metrics.generation.factscore import factscore
from ragtriage.metrics.generation.faithfulness import faithfulness
from ragtriage.metrics.generation.hallucination import hallucination
from ragtriage.metrics.generation.nugget_recall import nugget_recall
from ragtriage.metrics.generation.over_citation import over_citation
from ragtriage.metrics.generation.self_knowledge import self_knowledge
from ragtriage.metrics.generation.unsupported_rate import unsupported_rate

S, C, N = "supported", "contradicted", "not_in_context"


def claim(text="x", context=None, **rest):
    return ClaimVerdict(claim_id=text, of="answer", text=text, start=0, end=1, context=context, **rest)


def view(*claims, reference=(), citations=None, abstained=False):
    return ClaimsView(claims=claims, reference=reference, context_ids=("c1",), citations=citations, abstained=abstained)


def test_faithfulness_of_the_lessons_answer_is_two_of_four():
    question = "Сколько стоит досрочное погашение автокредита?"
    context = "Досрочное погашение — 1% от остатка, не менее 5 000 ₸. Подать заявление можно в приложении"
    answer = (
        "Комиссия 1% от остатка, минимум 5 000 ₸, заявление подаётся в приложении или в отделении, "
        "рассмотрение занимает 1 день"
    )
    case = Case(case_id="c", question=question, language="ru")
    trace = Trace(trace_id="t", question=question, context=(ContextItem(id="c1", text=context),),
                  answer=Answer(text=answer))  # fmt: skip
    assert faithfulness(view(*judge(case, trace).claims)) == Value(0.5, support=4)


def test_faithfulness_of_the_articles_answer_is_three_of_four():
    context = "Mars has two moons, Phobos and Deimos. NASA's Curiosity rover landed on Mars in 2012."
    answer = "Mars has two moons. Phobos and Deimos orbit Mars. Mars has a thick atmosphere. Curiosity landed in 2012."
    case = Case(case_id="c", question="Mars?")
    trace = Trace(trace_id="t", question="Mars?", context=(ContextItem(id="c1", text=context),),
                  answer=Answer(text=answer))  # fmt: skip
    assert faithfulness(view(*judge(case, trace).claims)) == Value(0.75, support=4)


def test_an_answer_that_rests_on_nothing_is_not_faithful():
    case = Case(case_id="c", question="When was the Lima office opened?")
    for context in (None, (), (ContextItem(id="c1", text="   "),)):
        trace = Trace(
            trace_id="t", question="?", context=context, answer=Answer(text="The Lima office opened in 1998.")
        )
        assert faithfulness(view(*judge(case, trace).claims)) == Value(0.0, support=1)


def test_the_three_verdicts_share_the_claims():
    claims = [claim(context=S), claim(context=C), claim(context=N), claim(context=N)]
    assert faithfulness(view(*claims)) == Value(0.25, support=4)
    assert contradiction_rate(view(*claims)) == Value(0.25, support=4)
    assert unsupported_rate(view(*claims)) == Value(0.5, support=4)


@pytest.mark.parametrize("metric", [faithfulness, contradiction_rate, unsupported_rate, hallucination, factscore])
def test_no_claim_is_undefined_and_says_why(metric):
    assert metric(view()) == Undefined("the answer makes no checkable claim")
    assert metric(view(claim(context=S), abstained=True)) == Undefined("the answer refuses, so it makes no claim")
    assert metric(ClaimsView(claims=None, reference=None, context_ids=())) == Undefined("no judge ran")


LABELS = st.sampled_from([S, C, N])


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(LABELS, LABELS), min_size=1, max_size=8))
def test_faithfulness_hallucination_and_self_knowledge_add_up_to_one(labels):
    claims = [claim(str(i), context=a, reference=b) for i, (a, b) in enumerate(labels)]
    parts = [metric(view(*claims)).value for metric in (faithfulness, hallucination, self_knowledge)]
    assert sum(parts) == pytest.approx(1.0)


def test_hallucination_and_self_knowledge_need_a_reference():
    assert hallucination(view(claim(context=N, reference=N), claim(context=N, reference=S))).value == 0.5
    assert self_knowledge(view(claim(context=N, reference=N), claim(context=N, reference=S))).value == 0.5
    assert isinstance(hallucination(view(claim(context=N))), Undefined)
    assert isinstance(self_knowledge(view(claim(context=S))), Undefined)


def test_context_recall_counts_reference_claims():
    reference = (claim(context=S), claim(context=N), claim(context=C))
    assert context_recall(view(reference=reference)) == Value(1 / 3, support=3)
    assert isinstance(context_recall(view()), Undefined)


def test_correctness_keeps_precision_and_recall_apart():
    made = (claim(reference=S), claim(reference=N), claim(reference=C), claim(reference=S))
    wanted = (claim(answer=S), claim(answer=N), claim(answer=N), claim(answer=N))
    whole = view(*made, reference=wanted)
    assert correctness(whole, part="precision") == Value(0.5, support=4)
    assert correctness(whole, part="recall") == Value(0.25, support=4)
    assert correctness(whole).value == pytest.approx(1 / 3)
    assert correctness(view(claim(reference=N), reference=(claim(answer=N),))) == Value(0.0, support=2)


def test_an_abstention_where_an_answer_is_due_is_not_correct():
    assert correctness(view(reference=(claim(answer=N),), abstained=True)) == Value(0.0, support=1)
    assert isinstance(correctness(view(reference=(claim(answer=N),)), part="precision"), Undefined)
    assert isinstance(correctness(view(claim(reference=None))), Undefined)


def test_citations_by_alces_rules():
    both_alone = claim("a", S, items={"c1": S, "c2": S}, cited=("c1", "c2"), cited_together=S)
    only_joint = claim("b", S, items={"c1": N, "c2": N}, cited=("c1", "c2"), cited_together=S)
    one_idle = claim("c", S, items={"c1": S, "c2": N}, cited=("c1", "c2"), cited_together=S)
    wrong = claim("d", S, items={"c1": S, "c2": N}, cited=("c2",), cited_together=N)
    cited = view(both_alone, only_joint, one_idle, wrong, citations=("c1", "c2") * 3 + ("c2",))
    assert citation_precision(cited) == Value(5 / 7, support=7)
    assert citation_accuracy(cited) == Value(3 / 7, support=7)
    assert over_citation(cited) == Value(1 / 7, support=7)
    assert citation_recall(cited) == Value(3 / 4, support=4)


def test_a_dangling_citation_costs_precision():
    cited = claim("a", S, items={"c1": S}, cited=("c1", "gone"), cited_together=S)
    assert citation_precision(view(cited, citations=("c1", "gone"))).value == 0.5
    assert citation_precision(view(claim(context=S), citations=("gone",))) == Value(0.0, support=1)


def test_uncited_claims_cost_recall_and_no_citation_is_undefined_for_precision():
    bare = view(claim(context=S), citations=())
    assert citation_recall(bare) == Value(0.0, support=1)
    for metric in (citation_precision, citation_accuracy, over_citation):
        assert isinstance(metric(bare), Undefined)
        assert metric(view(claim(context=S))) == Undefined("the trace records no citations")
    assert citation_recall(view(claim(context=S))) == Undefined("the trace records no citations")


def nuggets(*pairs):
    return NuggetsView(tuple(NuggetVerdict(text="x", importance=i, label=label) for i, label in pairs))


def test_nugget_recall_in_all_its_forms():
    found = nuggets(("vital", "support"), ("vital", "partial_support"), ("okay", "support"), ("okay", "not_support"))
    assert nugget_recall(found) == Value(1.5 / 3, support=4)
    assert nugget_recall(found, credit="partial") == Value(2 / 3, support=4)
    assert nugget_recall(found, kind="vital") == Value(0.5, support=2)
    assert nugget_recall(found, kind="vital", credit="partial") == Value(0.75, support=2)
    assert nugget_recall(found, kind="all") == Value(0.5, support=4)
    assert nugget_recall(found, kind="all", credit="partial") == Value(0.625, support=4)


def test_nuggets_that_do_not_exist_are_undefined():
    assert nugget_recall(nuggets(("okay", "support")), kind="vital") == Undefined("the case has no vital nugget")
    assert nugget_recall(nuggets(("okay", "support"))) == Value(1.0, support=1)
    assert nugget_recall(nuggets()) == Undefined("the case has no nugget")
    assert nugget_recall(NuggetsView(None)) == Undefined("no judge ran")


def test_repeating_a_fact_earns_nothing():
    padded = [claim("Mars is red.", S), claim("MARS is red!", S), claim("Red is Mars", S), claim("Mars has water.", N)]
    assert faithfulness(view(*padded)).value == 0.75
    assert factscore(view(*padded)) == Value(0.5, support=2)
    assert factscore(view(claim("It costs 5 ₸.", S), claim("It costs 6 ₸.", N))) == Value(0.5, support=2)
    assert factscore(view(claim("Mars is wet.", N), claim("Mars is not wet.", S))) == Value(0.5, support=2)


def test_the_length_penalty_of_the_paper():
    two = view(claim("Mars is red.", S), claim("Venus is hot.", S))
    assert factscore(two, gamma=10).value == pytest.approx(math.exp(1 - 10 / 2))
    assert factscore(two, gamma=2).value == 1.0
