"""`rank` against tools that other people wrote: pytrec_eval on random runs, ir_measures on its own test files."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from pathlib import Path

import ir_measures
import pytest
import pytrec_eval
from ir_measures import AP, RR, Bpref, Judged, P, R, Rprec, Success, nDCG

from ragtriage.data.rankings import Vocabulary, align, judgements_of, run_of
from ragtriage.workflows.rank import rank

Shared = Callable[[str], Path]
RUNS = 1000
PER_FILE = 250  # random runs that share one file, each with a question of its own
MEASURES = {
    "map": "map",
    "Rprec": "r_precision",
    "bpref": "bpref",
    "recip_rank": "mrr",
    "ndcg": "ndcg",
    **{f"P_{k}": f"precision@{k}" for k in (1, 5, 10)},
    **{f"recall_{k}": f"recall@{k}" for k in (1, 5, 10)},
    **{f"ndcg_cut_{k}": f"ndcg@{k}" for k in (1, 5, 10)},
    **{f"map_cut_{k}": f"map@{k}" for k in (1, 5, 10)},
    **{f"success_{k}": f"hit_rate@{k}" for k in (1, 5, 10)},
}


def random_data(seed: int) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """Questions with tied scores (exact in float32), grades from -1 to 3, unjudged results, some without a ranking."""
    chance = random.Random(seed)
    qrels, run = {}, {}
    for number in range(PER_FILE):
        pool = [f"doc{i}" for i in chance.sample(range(40), chance.randint(1, 30))]
        judged = [d for d in pool if chance.random() < 0.6] or pool[:1]
        qrels[f"q{number}"] = {d: chance.choice([-1, 0, 0, 1, 2, 3]) for d in judged}
        if chance.random() < 0.9:
            listed = chance.sample(pool, chance.randint(1, len(pool)))
            run[f"q{number}"] = {d: chance.randint(0, 12) / 4 for d in listed}
    return qrels, run


@pytest.mark.parametrize("seed", range(RUNS // PER_FILE))
@pytest.mark.parametrize("least", [1, 2])
def test_a_thousand_random_runs_score_as_in_pytrec_eval(tmp_path: Path, seed: int, least: int) -> None:
    qrels, run = random_data(seed)
    names = {f"{name.rsplit('_', 1)[0]}.{name.rsplit('_', 1)[1]}" if name[-1].isdigit() else name for name in MEASURES}
    expected = pytrec_eval.RelevanceEvaluator(qrels, names, relevance_level=least).evaluate(run)
    judged_file, run_file = tmp_path / "qrels", tmp_path / "run"
    judged_file.write_text("".join(f"{q} 0 {d} {g}\n" for q, row in qrels.items() for d, g in row.items()))
    rows = [f"{q} Q0 {d} 0 {s} t\n" for q, row in run.items() for d, s in row.items()]
    random.Random(seed).shuffle(rows)
    run_file.write_text("".join(rows))
    report = rank(
        judged_file, [run_file], metrics=list(MEASURES.values()), min_grade=least, like="trec_eval", resamples=100
    )
    (scored,) = report.runs
    wrong = []
    for row, question in enumerate(scored.questions):
        for theirs, ours in MEASURES.items():
            value = float(scored.scores[ours].values[row])
            reference = expected[question][theirs] if question in expected else 0.0
            if value != pytest.approx(reference, abs=1e-6):
                wrong.append((question, theirs, reference, value))
    assert not wrong
    assert len(scored.questions) == PER_FILE


def test_ir_measures_agrees_on_its_own_files_where_it_has_the_measure(shared: Shared) -> None:
    ours = {
        AP: "map", RR: "mrr", Rprec: "r_precision", P @ 5: "precision@5", R @ 10: "recall@10", Bpref: "bpref",
        nDCG @ 10: "ndcg@10(gain=linear)", Judged @ 10: "judged@10", Success @ 5: "hit_rate@5",
        AP(judged_only=True): "map(condensed=True)", RR(judged_only=True): "mrr(condensed=True)",
        P(judged_only=True) @ 5: "precision@5(condensed=True)", R(judged_only=True) @ 10: "recall@10(condensed=True)",
        nDCG(judged_only=True) @ 10: "ndcg@10(condensed=True,gain=linear)",
        Rprec(judged_only=True): "r_precision(condensed=True)",
        Success(judged_only=True) @ 5: "hit_rate@5(condensed=True)",
    }  # fmt: skip
    for name in ("compat", "cwl"):
        qrels, run = shared(f"data/ir_measures/{name}.qrels"), shared(f"data/ir_measures/{name}.run")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            judged = list(ir_measures.read_trec_qrels(str(qrels)))
            expected = list(ir_measures.iter_calc(list(ours), judged, list(ir_measures.read_trec_run(str(run)))))
        (scored,) = rank(qrels, [run], metrics=list(ours.values()), resamples=100).runs
        assert expected
        for value in expected:
            column = scored.scores[ours[value.measure]]
            row = scored.questions.index(value.query_id)
            if column.support[row]:
                assert column.values[row] == pytest.approx(value.value, abs=1e-9), (name, value)
            else:
                assert value.value == 0


def test_the_files_of_ranx_score_perfect_as_they_are_ordered(shared: Shared) -> None:
    """Grades 3, 2, 1 stand in this order, so every measure that looks at the order is 1; ndcg_burges among them."""
    qrels, run = shared("data/ranx/qrels.trec"), shared("data/ranx/run.trec")
    names = ["ndcg", "ndcg(gain=linear)", "map", "mrr", "recall@10", "r_precision"]
    assert [m.value for m in rank(qrels, [run], metrics=names).runs[0].metrics] == [1.0] * len(names)


def test_batches_of_any_size_give_the_same_rankings_as_one() -> None:
    qrels, run = random_data(7)
    documents = Vocabulary()
    aligned = align(judgements_of(qrels, documents=documents), run_of(run, documents=documents))
    whole = aligned.rankings()
    for cells in (1, 100, 10_000):
        seen = []
        for rows, part in aligned.batches(max_cells=cells):
            seen.extend(rows.tolist())
            depth, width = part.grades.shape[1], part.ideal.shape[1]
            assert (part.grades == whole.grades[rows][:, :depth]).all()
            assert (whole.grades[rows][:, depth:] == -1).all()
            assert (part.ideal == whole.ideal[rows][:, :width]).all()
            assert (part.relevant == whole.relevant[rows]).all()
            assert (part.judged_nonrelevant == whole.judged_nonrelevant[rows]).all()
        assert sorted(seen) == list(range(len(whole)))
