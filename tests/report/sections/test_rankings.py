from __future__ import annotations

from ragtriage.core.configuration import Configuration
from ragtriage.core.records import Hit, Ranking
from ragtriage.report.model import Report
from ragtriage.report.sections.marking import Marking
from ragtriage.report.sections.rankings import ranking_table, ranks_of

NOBODY = Marking.of(None, {})


def ranking(stage: str, *ids: str) -> Ranking:
    return Ranking(stage=stage, hits=tuple(Hit(id=one) for one in ids))


def test_each_step_is_compared_with_the_one_before_it() -> None:
    table = ranking_table(
        [
            ranking("dense", "a", "b", "c"),
            ranking("sparse", "c", "d"),
            ranking("fused", "c", "a", "e"),
            ranking("reranked", "a", "c"),
        ],
        NOBODY,
        depth=10,
    )
    moves = {c.stage: [(x.hit.id, x.moved, x.new) for x in c.cells] for c in table.columns}
    # Lists that are fused have nothing before them; the fused one is held against the best rank in any of them.
    assert moves["sparse"] == [("c", None, False), ("d", None, False)]
    assert moves["fused"] == [("c", 0, False), ("a", -1, False), ("e", None, True)]
    assert moves["reranked"] == [("a", 1, False), ("c", -1, False)]


def test_repeats_take_no_rank() -> None:
    table = ranking_table([ranking("dense", "a", "a", "b")], NOBODY, depth=10)
    assert [(cell.rank, cell.hit.id) for cell in table.columns[0].cells] == [(1, "a"), (2, "b")]
    assert table.columns[0].length == 2


def test_a_trace_without_rankings_is_not_a_trace_with_empty_ones() -> None:
    assert not ranking_table(None, NOBODY, depth=10).recorded
    assert ranking_table([ranking("dense")], NOBODY, depth=10).recorded


def test_gold_is_marked_by_what_a_result_covers(report: Report) -> None:
    marking = Marking.of(report.cases["en-block-card"], report.documents)
    start, end = 33, 65  # "blocked at once by calling 7711"
    assert report.documents["en-card"].text[start:end].startswith("blocked at once")
    assert marking.mark("x", "en-card", start, end) == "gold"
    assert marking.mark("x", "en-card", 100, 140) == "near"
    assert marking.mark("x", "ar-limits", 0, 10) == ""
    assert marking.mark("x", "unknown", 0, 10) == ""


def test_a_document_of_another_tenant_and_one_not_in_force_are_marked(report: Report) -> None:
    case = report.cases["ru-early-repayment"]
    old = report.documents["ru-car-loan-2026"].model_copy(update={"valid_to": case.as_of.replace(year=2025)})
    marking = Marking.of(case, {**report.documents, "ru-car-loan-2026": old})
    assert marking.mark("x", "ru-car-loan-2024", 0, 10) == "forbidden"
    assert marking.mark("x", "ru-car-loan-2026", 0, 10) == "stale"


def test_gold_beyond_the_depth_is_kept_with_its_rank(report: Report) -> None:
    hits = [Hit(id=f"n{n}", doc_id="ar-limits", start=0, end=9) for n in range(12)]
    gold = Hit(id="g", doc_id="en-card", start=0, end=66)
    marking = Marking.of(report.cases["en-block-card"], report.documents)
    lists = [Ranking(stage="dense", hits=(*hits, gold))]
    column = ranking_table(lists, marking, depth=3).columns[0]
    assert [cell.rank for cell in column.cells] == [1, 2, 3]
    assert [(cell.rank, cell.hit.id) for cell in column.deeper] == [(13, "g")]
    assert ranks_of(lists, marking) == (("dense", 13),)


def test_gold_is_marked_as_the_run_counts_it(report: Report) -> None:
    case, settings = (
        report.cases["en-block-card"],
        Configuration.model_validate({"golden": {"path": "golden", "min_overlap": 0.9}, "system": {"python": "x:y"}}),
    )
    lax = Marking.of(case, report.documents)
    strict = Marking.of(case, report.documents, settings=settings)
    start, end = 33, 64  # the span "blocked at once by calling 7711"
    assert (case.evidence[0].start, case.evidence[0].end) == (start, end)
    assert [one.mark("x", "en-card", start, end - 10) for one in (lax, strict)] == ["gold", "near"]
    assert [one.mark("x", "en-card", start, end - 2) for one in (lax, strict)] == ["gold", "gold"]


def test_evidence_that_two_results_cover_together_is_found_with_the_second(report: Report) -> None:
    marking = Marking.of(report.cases["en-block-card"], report.documents)
    parts = [Hit(id="a", doc_id="en-card", start=30, end=48), Hit(id="b", doc_id="en-card", start=48, end=70)]
    assert ranks_of([Ranking(stage="dense", hits=tuple(parts))], marking) == (("dense", 2),)
