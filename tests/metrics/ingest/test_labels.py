"""Entities, relations, personal data and languages against seqeval, sklearn and numbers worked out by hand."""

from __future__ import annotations

import json
import warnings

import pytest
import seqeval.metrics as theirs
from hypothesis import given, settings
from hypothesis import strategies as st
from seqeval.scheme import IOB2
from sklearn.metrics import f1_score

from ragtriage.core.label_views import LabelledSpan, LanguageView, RelationsView, SpansView, Triple
from ragtriage.core.score import Undefined, Value
from ragtriage.metrics.ingest.language_f1 import language_f1
from ragtriage.metrics.ingest.ner_f1 import ner_f1
from ragtriage.metrics.ingest.pii_precision import pii_precision
from ragtriage.metrics.ingest.pii_recall import pii_recall
from ragtriage.metrics.ingest.relation_f1 import relation_f1
from ragtriage.text.tags import spans_of, tag_faults

TAGS = st.sampled_from(["O", "B-PER", "I-PER", "B-LOC", "I-LOC"])
SENTENCE = st.integers(1, 7).flatmap(lambda n: st.tuples(*(st.lists(TAGS, min_size=n, max_size=n) for _ in range(2))))
SENTENCES = st.lists(SENTENCE, min_size=1, max_size=6)
PARTS = {"precision": theirs.precision_score, "recall": theirs.recall_score, "f1": theirs.f1_score}


def views(sentences, *, strict):
    return [SpansView(spans_of(a, strict=strict), spans_of(b, strict=strict)) for a, b in sentences]


@pytest.mark.parametrize("strict", [True, False])
@given(SENTENCES)
@settings(max_examples=150, deadline=None)
def test_entity_f1_agrees_with_seqeval_in_both_modes(strict, sentences):
    gold, found = ([list(pair[side]) for pair in sentences] for side in (0, 1))
    mode = {"mode": "strict", "scheme": IOB2} if strict else {}
    given_views = views(sentences, strict=strict)
    for part, score in PARTS.items():
        for average in ("micro", "macro", "weighted"):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # seqeval warns where something is undefined, and says 0
                expected = score(gold, found, average=average, zero_division=0, **mode)
            ours = ner_f1(given_views, part=part, average=average)
            if isinstance(ours, Undefined):  # where seqeval says NaN or 0
                assert not expected > 0
            else:
                assert ours.value == pytest.approx(expected, abs=1e-12)


def test_the_case_b74_in_both_modes(shared):
    case = json.loads(shared("cases/inputs/B74.json").read_text())
    pairs = list(zip(case["gold"], case["pred"], strict=True))
    assert [tag_faults(tags) for tags in case["gold"]] == [[], [], []]
    strict, lenient = views(pairs, strict=True), views(pairs, strict=False)
    assert ner_f1(strict, part="precision") == Value(0.0, 1)
    assert ner_f1(strict, part="recall") == Value(0.0, 3)
    assert ner_f1(strict) == Value(0.0, 4)
    assert ner_f1(lenient, part="precision") == Value(1 / 2, 2)
    assert ner_f1(lenient, part="recall") == Value(1 / 3, 3)
    assert ner_f1(lenient).value == pytest.approx(0.4)
    assert isinstance(ner_f1(lenient[1:2]), Undefined)


def test_entities_of_one_type_are_counted_alone():
    sentences = [(["B-PER", "O", "B-LOC"], ["B-PER", "O", "O"])]
    assert ner_f1(views(sentences, strict=True), entity="PER") == Value(1.0, 2)
    assert ner_f1(views(sentences, strict=True), entity="LOC") == Value(0.0, 1)
    assert isinstance(ner_f1(views(sentences, strict=True), entity="ORG"), Undefined)


def test_a_relation_the_other_way_round_is_another():
    a, b, c = Triple("bank", "issues", "card"), Triple("card", "issues", "bank"), Triple("bank", "owns", "atm")
    view = RelationsView(gold=frozenset({a, c}), found=frozenset({a, b}))
    assert relation_f1([view]) == Value(2 * 1 / 4, 4)
    assert relation_f1([view], part="precision") == Value(1 / 2, 2)
    assert relation_f1([view], average="macro").value == pytest.approx((2 / 3 + 0) / 2)
    assert relation_f1([view], relation="issues") == Value(2 / 3, 3)
    assert isinstance(relation_f1([]), Undefined)


def test_personal_data_is_found_exactly_or_in_part():
    view = SpansView(
        gold=frozenset({LabelledSpan(0, 9, "phone"), LabelledSpan(20, 30, "email"), LabelledSpan(40, 56, "card")}),
        found=frozenset({LabelledSpan(2, 9, "phone"), LabelledSpan(20, 30, "card")}),
    )
    assert pii_recall(view) == Value(0.0, 3)
    assert pii_recall(view, match="overlap") == Value(1 / 3, 3)
    assert pii_precision(view, match="overlap") == Value(1 / 2, 2)
    assert pii_recall(view, entity="phone", match="overlap") == Value(1.0, 1)
    assert isinstance(pii_precision(view, entity="email"), Undefined)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abcd")), min_size=1, max_size=20))
@settings(max_examples=80, deadline=None)
def test_language_f1_agrees_with_sklearn(pairs):
    labelled, said = zip(*pairs, strict=True)
    names = sorted(set(labelled))
    ours = [LanguageView(a, b) for a, b in pairs]
    macro = f1_score(labelled, said, labels=names, average="macro", zero_division=0)
    assert language_f1(ours).value == pytest.approx(macro, abs=1e-12)
    for name, score in zip(names, f1_score(labelled, said, labels=names, average=None, zero_division=0), strict=True):
        assert language_f1(ours, language=name).value == pytest.approx(score, abs=1e-12)
    assert isinstance(language_f1(ours, language="z"), Undefined)
