"""`rank` against trec_eval's published outputs, and our own rules where they differ."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ragtriage.core.errors import BadInput, UnknownName
from ragtriage.core.score import Undefined, Value
from ragtriage.core.tables import read_parquet, write_parquet
from ragtriage.workflows.rank import RankReport, rank
from ragtriage.workflows.rank_output import as_json, as_parquet

Shared = Callable[[str], Path]

NAMES = {
    "map": "map",
    "Rprec": "r_precision",
    "bpref": "bpref",
    "recip_rank": "mrr",
    "ndcg": "ndcg",
    "rbp": "rbp",
    **{f"P_{k}": f"precision@{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)},
    **{f"recall_{k}": f"recall@{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)},
    **{f"ndcg_cut_{k}": f"ndcg@{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)},
    **{f"map_cut_{k}": f"map@{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)},
    **{f"success_{k}": f"hit_rate@{k}" for k in (1, 5, 10)},
}


def published(path: Path) -> dict[tuple[str, str], float]:
    """Our name and question ("all": the mean) to the value that trec_eval printed."""
    rows = (line.split() for line in path.read_text().splitlines())
    return {(NAMES[row[0]], row[1]): float(row[2]) for row in rows if row[0] in NAMES}


@pytest.mark.parametrize(
    ("output", "qrels", "run", "min_grade"),
    [
        ("out.test.aq", "qrels.test", "results.test", 1),
        ("out.test.aqc", "qrels.test", "results.trunc", 1),
        ("out.test.aql", "qrels.rel_level", "results.test", 2),
    ],
)
def test_like_trec_eval_agrees_with_its_published_outputs_to_four_decimals(
    shared: Shared, output: str, qrels: str, run: str, min_grade: int
) -> None:
    expected = published(shared(f"data/trec_eval/{output}"))
    report = rank(
        shared(f"data/trec_eval/{qrels}"), [shared(f"data/trec_eval/{run}")],
        metrics=list(NAMES.values()), min_grade=min_grade, like="trec_eval",
    )  # fmt: skip
    (scored,) = report.runs
    means = {(m.asked, "all"): m.value for m in scored.metrics}
    each = {
        (asked, question): float(column.values[row])
        for asked, column in scored.scores.items()
        for row, question in enumerate(scored.questions)
    }
    assert len(expected) == 4 * len(NAMES)
    found = means | each
    wrong = {key: (value, found[key]) for key, value in expected.items() if abs(found[key] - value) > 0.5001e-4}
    assert not wrong


def test_judged_is_the_complement_of_trec_evals_unjudged_share(shared: Shared) -> None:
    report = rank(
        shared("data/trec_eval/qrels.test"),
        [shared("data/trec_eval/results.test")],
        metrics=["judged@5", "judged@10", "judged@20"],
    )
    (run,) = report.runs
    rows = (line.split() for line in shared("data/trec_eval/out.test.aq").read_text().splitlines())
    unjudged = {(row[0], row[1]): float(row[2]) for row in rows if row[0].startswith("unj_")}
    for k in (5, 10, 20):
        for row, question in enumerate(run.questions):
            judged = run.scores[f"judged@{k}"].values[row]
            assert judged == pytest.approx(1 - unjudged[f"unj_{k}", question], abs=0.5001e-4)


def test_comments_in_a_qrels_file_are_passed_over_and_counted(shared: Shared) -> None:
    plain = rank(shared("data/trec_eval/qrels.test"), [shared("data/trec_eval/results.test")])
    commented = rank(shared("data/trec_eval/qrels.test.with-comments"), [shared("data/trec_eval/results.test")])
    assert [m.value for m in plain.runs[0].metrics] == [m.value for m in commented.runs[0].metrics]
    assert any("comment" in note for note in commented.notes)
    assert not any("comment" in note for note in plain.notes)


def write(folder: Path, name: str, *lines: str) -> Path:
    path = folder / name
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def only(report: RankReport, asked: str) -> tuple[float | None, int, int, int]:
    (summary,) = [m for m in report.runs[0].metrics if m.asked == asked]
    return summary.value, summary.scored, summary.undefined, summary.missing


@pytest.fixture
def small(tmp_path: Path) -> tuple[Path, Path]:
    qrels = write(tmp_path, "qrels", "q1 0 d1 1", "q2 0 d2 1", "q3 0 d3 1", "q4 0 d4 0")
    run = write(tmp_path, "run", "q1 Q0 d1 1 9.0 t", "q9 Q0 d1 1 9.0 t")
    return qrels, run


def test_questions_without_a_ranking_score_zero_and_are_counted(small: tuple[Path, Path]) -> None:
    """q4 is judged and nothing in it is relevant, so it is undefined and not missing."""
    qrels, run = small
    report = rank(qrels, [run], metrics=["mrr"])
    assert only(report, "mrr") == (pytest.approx(1 / 3), 3, 1, 2)
    assert report.runs[0].scores["mrr"][3] == Undefined("nothing is relevant")
    assert "run: no ranking for 2 questions, scored 0 and counted as missing: q2, q3" in report.notes


def test_an_unknown_question_is_left_out_and_noted(small: tuple[Path, Path]) -> None:
    report = rank(*small[:1], [small[1]], metrics=["mrr"])
    assert "run: left out 1 question without judgements: q9" in report.notes
    assert report.runs[0].questions == ("q1", "q2", "q3", "q4")


def test_like_trec_eval_counts_questions_without_relevant_documents_as_zero(small: tuple[Path, Path]) -> None:
    qrels, run = small
    for name in ("recall@10", "precision@10", "hit_rate@10", "mrr", "ndcg@10", "map", "r_precision", "bpref", "rbp"):
        value, scored, undefined, _ = only(rank(qrels, [run], metrics=[name], like="trec_eval"), name)
        assert (scored, undefined) == (4, 0)
        assert value is not None


def test_graded_measures_of_trec_eval_know_no_least_grade(tmp_path: Path) -> None:
    """trec_eval -l2 -m ndcg: a document of grade 1 still gains, a question with no other is scored."""
    qrels = write(tmp_path, "qrels", "q1 0 a 1", "q1 0 b 0")
    run = write(tmp_path, "run", "q1 Q0 b 1 2 t", "q1 Q0 a 2 1 t")
    like = rank(qrels, [run], metrics=["ndcg", "map"], min_grade=2, like="trec_eval")
    assert only(like, "ndcg")[0] == pytest.approx(0.6309, abs=1e-4)  # 1 / log2(3)
    assert only(like, "map")[0] == 0
    ours = rank(qrels, [run], metrics=["ndcg", "map"], min_grade=2)
    assert only(ours, "ndcg") == (None, 0, 1, 0)


def test_ndcg_is_exponential_unless_like_trec_eval_or_asked_otherwise(tmp_path: Path) -> None:
    """Case B03: 0.6199 with linear gain, 0.5869 with the default."""
    qrels = write(tmp_path, "qrels", "q1 0 junk -1", "q1 0 ok 1", "q1 0 best 2")
    run = write(tmp_path, "run", "q1 Q0 junk 1 3 t", "q1 Q0 ok 2 2 t", "q1 Q0 best 3 1 t")
    names = ["ndcg@3", "ndcg@3(gain=linear)", "ndcg@3(gain=exponential)"]
    ours = [m.value for m in rank(qrels, [run], metrics=names).runs[0].metrics]
    assert ours == pytest.approx([0.5869, 0.6199, 0.5869], abs=5e-5)
    like = [m.value for m in rank(qrels, [run], metrics=names, like="trec_eval").runs[0].metrics]
    assert like == pytest.approx([0.6199, 0.6199, 0.5869], abs=5e-5)


def case(shared: Shared, name: str) -> dict[str, Any]:
    found = json.loads(shared(f"cases/inputs/{name}.json").read_text())
    assert isinstance(found, dict)
    return found


def written(folder: Path, qrels: dict[str, dict[str, int]], run: dict[str, list[str]]) -> tuple[Path, Path]:
    """Write a case's judgements and lists as TREC files, scores falling with the rank."""
    judged = write(folder, "qrels", *(f"{q} 0 {d} {g}" for q, row in qrels.items() for d, g in row.items()))
    rows = (f"{q} Q0 {d} {n} {-n} t" for q, found in run.items() for n, d in enumerate(found, start=1))
    return judged, write(folder, "run", *rows)


def test_equal_scores_go_by_document_id_descending_unless_the_rank_decides_b11(shared: Shared, tmp_path: Path) -> None:
    """apple is relevant to q1 and zebra to q2, both at rank 1 with equal scores."""
    given = case(shared, "B11")
    qrels, _ = written(tmp_path, given["qrels"], {})
    run = write(tmp_path, "run", *(f"{q} Q0 {d} {place} {score} t" for q, d, place, score in given["run"]))
    by_rank = rank(qrels, [run], metrics=["mrr"], order="rank")
    assert by_rank.runs[0].scores["mrr"].values.tolist() == [1.0, 1.0]
    assert not by_rank.notes
    by_score = rank(qrels, [run], metrics=["mrr"])
    assert by_score.runs[0].scores["mrr"].values.tolist() == [pytest.approx(1 / 3), 1.0]
    (note,) = by_score.notes
    assert "in 1 question the rank column and the scores order the results differently" in note
    assert "document id, descending; --order rank" in note


def test_duplicates_are_removed_and_counted_b09(shared: Shared, tmp_path: Path) -> None:
    """The list is k1 three times, then x; k1 and k2 are relevant."""
    given = case(shared, "B09")
    qrels, run = written(tmp_path, given["qrels"], given["run"])
    report = rank(qrels, [run], metrics=["hit_rate@1", "recall@4", "mrr", "map", "ndcg@4"])
    assert [m.value for m in report.runs[0].metrics] == pytest.approx([1, 0.5, 1, 0.5, 0.6131], abs=5e-5)
    assert report.notes == ("run: left out 2 duplicates: results whose document stands higher in the same list",)


def test_questions_that_brought_nothing_count_b13(shared: Shared, tmp_path: Path) -> None:
    given = case(shared, "B13")
    qrels, run = written(tmp_path, given["qrels"], given["run"])
    assert only(rank(qrels, [run], metrics=["mrr"]), "mrr") == (pytest.approx(1 / 3), 3, 0, 2)


def test_recall_is_divided_by_all_that_is_relevant_b01(shared: Shared, tmp_path: Path) -> None:
    given = case(shared, "B01")
    qrels, run = written(tmp_path, given["qrels"], given["run"])
    names = ["recall@1", "recall@3", "recall@10", "hit_rate@1", "precision@1", "precision@3"]
    values = [m.value for m in rank(qrels, [run], metrics=names).runs[0].metrics]
    assert values == pytest.approx([0.2, 0.2, 0.2, 1, 1, 1 / 3])


def test_a_question_without_gold_is_undefined_and_stays_out_of_the_mean(tmp_path: Path) -> None:
    """Case B15 as a file can hold it: q1 has judged documents, none of them relevant."""
    qrels = write(tmp_path, "qrels", "q1 0 d1 0", "q2 0 d2 1")
    run = write(tmp_path, "run", "q1 Q0 d9 1 1 t", "q2 Q0 d2 1 1 t")
    assert only(rank(qrels, [run], metrics=["recall@10"]), "recall@10") == (1.0, 1, 1, 0)


def test_all_faults_of_a_run_are_reported_with_their_lines(tmp_path: Path) -> None:
    qrels = write(tmp_path, "qrels", "q1 0 d1 1")
    run = write(
        tmp_path,
        "run",
        "q1 Q0 d1 1 high t",
        "q1 Q0 d2 2",
        "",
        "q1 Q0 d3 3 nan t",
        "q1 Q0 d4 4 1_0 t",
        "q1 Q0 d5 5 inf t",
    )
    with pytest.raises(BadInput) as caught:
        rank(qrels, [run])
    lines = [(fault.line, fault.message) for fault in caught.value.faults]
    assert [line for line, _ in lines] == [1, 2, 4, 5, 6]
    assert lines[0][1] == "the score must be a finite number. Got 'high' instead"
    assert lines[1][1] == "a line must have 6 fields: question Q0 document rank score tag. Got 4"


def test_all_faults_of_a_qrels_file_are_reported_and_contradictions_among_them(tmp_path: Path) -> None:
    run = write(tmp_path, "run", "q1 Q0 d1 1 1 t")
    qrels = write(
        tmp_path, "qrels", "q1 0 d1 1", "q1 0 d2 much", "q1 0 d1 2", "q1 0 d3 1.5", "q1 0 d4 99999", "q2 d1 1"
    )
    with pytest.raises(BadInput) as caught:
        rank(qrels, [run])
    assert [fault.line for fault in caught.value.faults] == [2, 3, 4, 5, 6]
    assert "'d1' of question 'q1' has grade 2 here and 1 in line 1" in str(caught.value)


def test_an_equal_judgement_that_stands_twice_counts_once_and_is_noted(tmp_path: Path) -> None:
    qrels = write(tmp_path, "qrels", "q1 0 d1 1", "q1 0 d1 1", "q1 0 d2 1")
    run = write(tmp_path, "run", "q1 Q0 d1 1 1 t")
    report = rank(qrels, [run], metrics=["recall@10"])
    assert only(report, "recall@10")[0] == 0.5
    assert report.notes == ("qrels: left out 1 judgement that stood there with the same grade",)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ("recal@5", "there is no rank metric 'recal'. Did you mean 'recall'"),
        ("retrieval.recal@5", "Did you mean 'recall'"),
        ("recall", "'recall' needs k: write it like 'recall@10'"),
        ("recall@0", "k must be 1 or more"),
        ("ndcg@10(gain=cubic)", "must be one of exponential, linear"),
        ("coverage", "needs more than judgements and one run"),
        ("rbp(p=1)", "p must be above 0 and below 1"),
        ("ndcg@10(gian=linear)", "Did you mean 'gain'"),
    ],
)
def test_a_metric_that_cannot_be_computed_says_why(small: tuple[Path, Path], asked: str, message: str) -> None:
    with pytest.raises(BadInput, match=message.replace("(", r"\(").replace("?", r"\?")):
        rank(small[0], [small[1]], metrics=[asked])
    assert issubclass(UnknownName, BadInput)


def test_short_and_full_names_mean_the_same_metric(small: tuple[Path, Path]) -> None:
    names = ["mrr@5", "reciprocal_rank@5", "retrieval.reciprocal_rank@5"]
    values = {m.value for m in rank(small[0], [small[1]], metrics=names).runs[0].metrics}
    assert values == {1 / 3}


def test_a_grade_map_maps_all_grades_at_once(tmp_path: Path) -> None:
    """1 is best and 4 least, as in Cranfield; -1 becomes 0."""
    qrels = write(tmp_path, "qrels", "q1 0 best 1", "q1 0 least 4", "q1 0 none -1")
    run = write(tmp_path, "run", "q1 Q0 least 1 2 t", "q1 Q0 best 2 1 t")
    grades = {"1": 4, "4": 1, "-1": 0}
    report = rank(qrels, [run], metrics=["ndcg@2(gain=linear)"], grade_map=grades)
    # (1 + 4 / log2 3) / (4 + 1 / log2 3) = 3.5237 / 4.6309
    assert only(report, "ndcg@2(gain=linear)")[0] == pytest.approx(0.7609, abs=5e-5)


def test_beir_judgements_and_parquet_tables_give_what_trec_files_give(tmp_path: Path) -> None:
    judged = [("q1", "a", 2), ("q1", "b", 1), ("q2", "c", 1), ("q2", "d", 0)]
    results = [("q1", "b", 2.0), ("q1", "x", 1.5), ("q1", "a", 1.0), ("q2", "d", 0.25)]
    trec = rank(
        write(tmp_path, "qrels", *(f"{q} 0 {d} {g}" for q, d, g in judged)),
        [write(tmp_path, "run", *(f"{q} Q0 {d} 0 {s} t" for q, d, s in results))],
    )
    heading = "query-id\tcorpus-id\tscore"
    beir = write(tmp_path, "test.tsv", heading, *(f"{q}\t{d}\t{g}" for q, d, g in judged))
    columns = dict(zip(("question", "document", "score"), map(list, zip(*results, strict=True)), strict=True))
    write_parquet(tmp_path / "run.parquet", columns, {"question": "text", "document": "text", "score": "number"})
    graded = dict(zip(("question", "document", "grade"), map(list, zip(*judged, strict=True)), strict=True))
    write_parquet(tmp_path / "qrels.parquet", graded, {"question": "text", "document": "text", "grade": "whole"})
    for qrels in (beir, tmp_path / "qrels.parquet"):
        other = rank(qrels, [tmp_path / "run.parquet"])
        assert [m.value for m in other.runs[0].metrics] == [m.value for m in trec.runs[0].metrics]
        assert other.runs[0].questions == trec.runs[0].questions


def test_several_runs_are_named_by_their_files(small: tuple[Path, Path], tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    again = write(tmp_path / "other", "run", "q1 Q0 d1 1 9.0 t")
    third = write(tmp_path, "third", "q1 Q0 d1 1 9.0 t")
    report = rank(small[0], [small[1], again, third])
    assert [run.name for run in report.runs] == [str(small[1]), str(again), "third"]
    with pytest.raises(BadInput, match="given twice"):
        rank(small[0], [small[1], small[1]])


def test_the_rank_column_must_hold_ranks_where_it_decides(tmp_path: Path) -> None:
    qrels = write(tmp_path, "qrels", "q1 0 d1 1")
    run = write(tmp_path, "run", "q1 Q0 d1 first 1 t", "q1 Q0 d2 2 2 t")
    assert only(rank(qrels, [run], metrics=["mrr"]), "mrr")[0] == 0.5
    with pytest.raises(BadInput, match=r"run:1: the rank must be a whole number\. Got 'first' instead"):
        rank(qrels, [run], metrics=["mrr"], order="rank")


def test_the_interval_holds_the_mean_and_is_the_same_again(shared: Shared) -> None:
    paths = shared("data/trec_eval/qrels.test"), [shared("data/trec_eval/results.test")]
    first, second = rank(*paths), rank(*paths)
    for metric in first.runs[0].metrics:
        assert metric.interval is not None
        assert metric.value is not None
        assert metric.interval[0] <= metric.value <= metric.interval[1]
    assert first.runs[0].metrics == second.runs[0].metrics


def test_the_median_is_reported_for_the_rank_of_the_first_relevant_result(tmp_path: Path) -> None:
    qrels = write(tmp_path, "qrels", *(f"q{i} 0 d 1" for i in range(4)))
    lists = [["d"], ["x", "d"], ["x", "y", "z", "d"], ["x"]]
    run = write(
        tmp_path, "run", *(f"q{i} Q0 {d} 0 {-n} t" for i, found in enumerate(lists) for n, d in enumerate(found))
    )
    report = rank(qrels, [run], metrics=["first_relevant_rank"])
    assert only(report, "first_relevant_rank") == (2.0, 3, 1, 0)


def test_values_are_the_same_whatever_the_other_questions_hold(tmp_path: Path) -> None:
    """A long list of another question must not change the last digit of a score."""
    qrels = write(tmp_path, "qrels", *(f"{q} 0 d{i} {1 + i % 3}" for q in ("q1", "q2") for i in range(0, 60, 7)))
    short = [f"q1 Q0 d{i * 3} 0 {-i} t" for i in range(17)]
    long = [f"q2 Q0 d{i} 0 {-i} t" for i in range(700)]
    names = ["ndcg", "ndcg@10", "map", "bpref", "rbp", "recall@10", "context_precision"]
    alone = rank(qrels, [write(tmp_path, "alone", *short)], metrics=names)
    beside = rank(qrels, [write(tmp_path, "beside", *short, *long)], metrics=names)
    for name in names:
        assert alone.runs[0].scores[name][0] == beside.runs[0].scores[name][0]
        assert isinstance(alone.runs[0].scores[name][0], Value)


def test_a_run_without_rows_leaves_every_question_missing(small: tuple[Path, Path], tmp_path: Path) -> None:
    empty = write(tmp_path, "empty")
    assert only(rank(small[0], [empty], metrics=["mrr"]), "mrr") == (0.0, 3, 1, 3)
    with pytest.raises(BadInput, match="holds no judgement"):
        rank(empty, [small[1]])


def test_what_is_read_back_from_parquet_is_what_was_scored(small: tuple[Path, Path], tmp_path: Path) -> None:
    report = rank(small[0], [small[1]], metrics=["mrr", "recall@1"])
    path = tmp_path / "scores.parquet"
    path.write_bytes(as_parquet(report))
    assert list(read_parquet(path)) == [
        {"question": "q1", "mrr": 1.0, "recall@1": 1.0},
        {"question": "q2", "mrr": 0.0, "recall@1": 0.0},
        {"question": "q3", "mrr": 0.0, "recall@1": 0.0},
        {"question": "q4", "mrr": None, "recall@1": None},
    ]
    questions = json.loads(as_json(report, per_question=True))["questions"]
    assert questions["q4"]["mrr"] == {"undefined": "nothing is relevant"}
    assert questions["q1"] == {"mrr": 1.0, "recall@1": 1.0}
