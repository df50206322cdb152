"""The weights of the score: a file of data that is read whole or refused, each with the sign that its figure means."""

from __future__ import annotations

from dataclasses import asdict, replace

import pytest

from ragtriage.judges.lexical import verify
from ragtriage.judges.weighing import Measured, read_weights, score_of

PLAIN = Measured(missing=0.5, copied=0.5, dense=0.5, linked=0.5, personal=0.5, supported=0, contradicted=0)


@pytest.mark.parametrize("better", ["copied", "dense", "linked", "supported"])
def test_what_speaks_for_a_text_raises_its_score(better):
    assert score_of(replace(PLAIN, **{better: 1.0})) > score_of(PLAIN)


@pytest.mark.parametrize("worse", ["missing", "personal", "contradicted"])
def test_what_speaks_against_a_text_lowers_its_score(worse):
    assert score_of(replace(PLAIN, **{worse: 1.0})) < score_of(PLAIN)


def test_there_is_one_weight_for_each_figure():
    assert set(read_weights().weights.model_dump()) == set(asdict(PLAIN))


@pytest.mark.parametrize(("claim", "context"), [("", "The fee is 1 %."), ("The fee is 1 %.", ""), ("?!", "x")])
def test_without_a_word_on_either_side_there_is_no_support_to_rank_by(claim, context):
    finding = verify(claim, context)
    assert (finding.label, finding.score, finding.spans) == ("not_in_context", 0.0, ())


@pytest.mark.parametrize(
    ("nearer", "farther"),
    [
        ("The bank opened a branch in Astana.", "The bank closed a museum in Almaty."),
        ("The fee is 450 ₸.", "The fee is 700 ₸."),
        ("Комиссия за перевод 1 %.", "Комиссия за перевод 2 %."),
        ("Банк ашты филиалды Астанада.", "Банк жапты мұражайды Алматыда."),
    ],
)
def test_a_text_that_says_what_its_source_does_not_scores_less(nearer, farther):
    assert verify(nearer, nearer).score > verify(farther, nearer).score
