"""Word overlap with the reference, against SQuAD's own script and the rouge_score package."""

from __future__ import annotations

import collections
import json
import re
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer

from ragtriage.core.records import Expected
from ragtriage.core.score import Undefined, Value
from ragtriage.core.views import AnswerView
from ragtriage.metrics.generation.exact_match import exact_match
from ragtriage.metrics.generation.rouge_l import rouge_l
from ragtriage.metrics.generation.token_f1 import token_f1
from ragtriage.metrics.generation.verbatim_overlap import verbatim_overlap

PIECES = st.sampled_from(
    ["The", "a", "an", "fee", "Fee.", "U.S.", "don't", "5,000", "--", "costs", "(x)", "two-day", "$5"]
)
ASCII = st.lists(PIECES, max_size=8).map(" ".join)


def view(text, *references, language=None):
    answer = references[0] if references else None
    return AnswerView("?", text, "answer", answerable=True, language=language,
                      expected=Expected(answer=answer, alternatives=references[1:]))  # fmt: skip


def squad_normalise(text):
    """The published evaluate-v1.1 script."""
    text = "".join(c for c in text.lower() if c not in set(string.punctuation))
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", text).split())


def squad_f1(prediction, truth):
    made, wanted = squad_normalise(prediction).split(), squad_normalise(truth).split()
    common = sum((collections.Counter(made) & collections.Counter(wanted)).values())
    if common == 0:
        return 0.0
    precision, recall = common / len(made), common / len(wanted)
    return 2 * precision * recall / (precision + recall)


@settings(max_examples=300, deadline=None)
@given(ASCII, st.lists(ASCII, min_size=1, max_size=3))
def test_exact_match_and_f1_agree_with_the_squad_script(answer, references):
    wanted = [r for r in references if squad_normalise(r)]
    given_view = view(answer, *references, language="en")
    if not wanted:
        assert isinstance(exact_match(given_view), Undefined)
        assert isinstance(token_f1(given_view), Undefined)
        return
    assert exact_match(given_view).value == max(squad_normalise(answer) == squad_normalise(r) for r in wanted)
    assert token_f1(given_view).value == pytest.approx(max(squad_f1(answer, r) for r in wanted))


@settings(max_examples=300, deadline=None)
@given(ASCII, ASCII)
def test_rouge_l_agrees_with_rouge_score_on_ascii_text(answer, reference):
    score = rouge_l(view(answer, reference))
    expected = RougeScorer(["rougeL"]).score(reference, answer)["rougeL"].fmeasure
    if isinstance(score, Undefined):
        assert re.search("[a-z0-9]", reference.lower()) is None
        return
    assert score.value == pytest.approx(expected)


def test_identical_text_scores_one_in_every_script_and_accents_count(shared):
    pairs = json.loads(shared("cases/inputs/B21.json").read_text(encoding="utf-8"))["pairs"]
    for metric in (rouge_l, token_f1, exact_match):
        assert [metric(view(a, b)).value for a, b in pairs[:-1]] == [1.0] * (len(pairs) - 1)
        assert metric(view(*pairs[-1])).value < 1.0
        assert isinstance(metric(view("", "")), Undefined)


def test_an_empty_answer_to_a_declared_reference_scores_nothing():
    assert [m(view("", "退款")) for m in (rouge_l, token_f1, exact_match)] == [Value(0.0, support=1)] * 3


def test_characters_are_the_words_of_scripts_without_spaces():
    assert token_f1(view("退款在十天内完成", "退款在十四天内完成")).value == pytest.approx(16 / 17)
    assert rouge_l(view("退款在十天内完成", "退款在十四天内完成")).value == pytest.approx(16 / 17)


def test_articles_are_dropped_in_english_alone():
    assert exact_match(view("the fee", "fee", language="en")).value == 1.0
    assert exact_match(view("a taxa", "taxa", language="pt")).value == 0.0


def test_the_best_alternative_counts():
    assert exact_match(view("1%", "one percent")).value == 0.0
    assert exact_match(view("1%", "one percent", "1 %")).value == 1.0
    assert exact_match(view("5 000 ₸", "пять тысяч", "5 000 ₸")).value == 1.0
    assert token_f1(view("Paris", "Lyon", "paris!")).value == 1.0


def test_without_a_reference_or_an_answer_there_is_nothing_to_compare():
    for metric in (rouge_l, token_f1, exact_match):
        assert metric(view("x")) == Undefined("the case declares no reference answer")
        assert metric(view(None, "x")) == Undefined("no answer was recorded")


def test_verbatim_overlap_is_the_longest_copied_run():
    def copied(answer, *context):
        return verbatim_overlap(
            AnswerView("?", answer, "answer", answerable=True, expected=Expected(), context=context)
        )

    assert copied("Комиссия за перевод 1 % [1]", "О тарифах. Комиссия за перевод 1 % и всё.") == Value(1.0, support=4)
    assert copied("one two x four five six", "one two", "four five six").value == pytest.approx(0.5)
    assert copied("new words", "old text") == Value(0.0, support=2)
    assert copied("new") == Value(0.0, support=1)
    assert isinstance(copied(" [1]"), Undefined)
