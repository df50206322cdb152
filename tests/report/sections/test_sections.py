"""What the sections say, worked out by hand from the report in conftest."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ragtriage.core.records import Answer, Citation, Timing
from ragtriage.core.results import LeafShare
from ragtriage.core.verdicts import (
    AnswerSimilarity,
    BehaviourVerdict,
    ClaimVerdict,
    JudgeFailure,
    PartVerdict,
    QuestionsVerdict,
    RelevanceVerdict,
    RubricGrade,
    Verdicts,
)
from ragtriage.report.model import Report
from ragtriage.report.sections.answer import answer_text
from ragtriage.report.sections.case_detail import case_detail
from ragtriage.report.sections.case_list import case_list
from ragtriage.report.sections.citations import citation_lines
from ragtriage.report.sections.comparison import comparison
from ragtriage.report.sections.expectations import expectations
from ragtriage.report.sections.judge_record import judge_facts
from ragtriage.report.sections.judge_trust import judge_trust
from ragtriage.report.sections.marking import Marking
from ragtriage.report.sections.service import service
from ragtriage.report.sections.slices import slice_table, worst_slices
from ragtriage.report.sections.sources import sources
from ragtriage.report.sections.stages import pipeline
from ragtriage.report.sections.verdict import verdict
from ragtriage.report.sections.waterfall import leaves_by_slice, waterfall


def test_rules_stand_worst_first(report: Report) -> None:
    decision = verdict(report)
    assert [line.rule.verdict for line in decision.rules] == ["fail", "undecidable", "pass"]
    assert decision.sentence == (
        "1 of 3 gate rules fails, 1 more cannot be decided. 4 of 6 cases are not ok; most broke here: 1 at filter, "
        "1 at retrieval."
    )


def test_no_rules_is_no_verdict(report: Report) -> None:
    empty = report.results.gate.model_copy(update={"rules": (), "verdict": "pass"})
    decision = verdict(Report(results=report.results.model_copy(update={"gate": empty})))
    assert (decision.verdict, decision.word) == (None, "No gate")


def test_a_rule_only_undecidable_is_said_alone(report: Report) -> None:
    rule = report.results.gate.rules[1]
    gate = report.results.gate.model_copy(update={"rules": (rule,), "verdict": "undecidable"})
    decision = verdict(Report(results=report.results.model_copy(update={"gate": gate})))
    assert decision.sentence.startswith("1 of 1 gate rule cannot be decided. ")


def test_bars_follow_the_pipeline_and_add_up(report: Report) -> None:
    fall = waterfall(report)
    assert [(bar.leaf, bar.before, bar.cases) for bar in fall.bars] == [
        ("filter", 0, 1),
        ("retrieval", 1, 1),
        ("generation", 2, 1),
        ("service", 3, 1),
    ]
    assert fall.unexplained == 0
    assert fall.bars[1].case_ids == ("en-lost-card",)


def test_cases_without_a_diagnosis_are_counted(report: Report) -> None:
    shares = (LeafShare(leaf="filter", cases=1, share=0.25),)
    assert waterfall(Report(results=report.results.model_copy(update={"diagnosis": shares}))).unexplained == 3


def test_leaves_by_slice_are_counts(report: Report) -> None:
    table = leaves_by_slice(report)
    assert table.leaves == ("filter", "retrieval")
    assert [(row.slice, row.counts, row.not_ok) for row in table.rows] == [
        ({"language": "ru"}, (1, 0), 1),
        ({"language": "en"}, (0, 1), 1),
    ]
    assert table.most == 1


def test_a_repair_wins_at_most_the_cases_that_broke_there(report: Report) -> None:
    fall = waterfall(report)
    assert fall.ok == 1 / 5  # one of the five that are judged is ok
    assert [bar.repaired for bar in fall.bars] == [2 / 5] * 4


def test_the_pipeline_runs_from_left_to_right_with_its_key_numbers(report: Report) -> None:
    stages = pipeline(report)
    assert [(stage.name, stage.broken) for stage in stages] == [
        ("Filters", 1),
        ("Retrieval", 1),
        ("Context", 0),
        ("Generation", 1),
        ("Service", 1),
    ]
    assert [row.name for row in stages[1].rows] == ["retrieval.candidate_ceiling@50", "retrieval.recall@4"]
    # A number that does not exist gives way to one that does.
    assert "generation.nugget_recall" not in [row.name for row in stages[3].rows]


def test_the_cut_off_that_the_gate_asks_for_is_the_one_shown(report: Report) -> None:
    first = report.results.metrics[0].model_copy(update={"name": "retrieval.recall@1"})
    results = report.results.model_copy(update={"metrics": (first, *report.results.metrics)})
    names = [row.name for stage in pipeline(Report(results=results)) for row in stage.rows]
    assert "retrieval.recall@4" in names
    assert "retrieval.recall@1" not in names


def test_small_slices_are_never_the_worst(report: Report) -> None:
    worst = worst_slices(report)
    assert [(one.row.slice, one.row.name, one.gap) for one in worst] == [
        ({"language": "ru"}, "retrieval.recall@4", 0.5)
    ]


def test_the_slice_table_keeps_a_gap_where_the_run_has_no_row(report: Report) -> None:
    table = slice_table(report)
    assert [row.name for row in table.whole] == ["retrieval.recall@4", "generation.required_facts"]
    found = {line.name: [None if cell is None else cell.row.value for cell in line.cells] for line in table.lines}
    assert found == {"ru": [0.0, 0.0], "kk": [1.0, 0.5], "en": [0.5, None], "ar": [None, None]}
    assert {line.by for line in table.lines} == {"language"}


def test_broken_cases_stand_first_in_the_order_of_the_pipeline(report: Report) -> None:
    assert [(line.case_id, line.state) for line in case_list(report)] == [
        ("ru-early-repayment", "not_ok"),
        ("en-lost-card", "not_ok"),
        ("kk-monthly-fee", "not_ok"),
        ("ar-transfer-limit", "failed"),
        ("en-block-card", "ok"),
        ("ru-open", "no_expectation"),
    ]


def test_a_judge_that_broke_is_no_failed_case(report: Report) -> None:
    failed = {case.case_id: report.failure(case) for case in report.results.cases}
    assert {name for name, one in failed.items() if one} == {"ar-transfer-limit"}
    assert failed["ar-transfer-limit"].error == "TimeoutError"


def test_the_comparison_knows_what_broke_and_what_changed(compared: Report) -> None:
    found = comparison(compared)
    by_name = {one.row.metric: one for one in found.metrics}
    recall = by_name["retrieval.recall@4"]
    assert (recall.row.base, recall.row.candidate, recall.row.difference, recall.change) == (0.75, 0.5, -0.25, "worse")
    assert (recall.row.pairs, recall.row.regressed, recall.sure) == (4, ("en-lost-card",), False)
    assert by_name["system.errors"].change == "no difference"
    assert by_name["generation.nugget_recall"].change == "not comparable"
    assert [one.row.metric for one in found.moved] == ["retrieval.recall@4"]
    assert found.bundle == (("system", "reference_rag:older", "reference_rag:answer"),)
    assert found.mended == ()
    (broke,) = found.broke
    assert (broke.case_id, broke.leaf, broke.before.answer) == ("en-lost-card", "retrieval", "2,500 tenge.")


def test_cost_and_latency_are_read_from_the_traces(report: Report) -> None:
    found = service(report, case_list(report))
    stages = {line.stage: line for line in found.stages}
    assert list(stages) == ["retrieve", "generate", "embed"]
    generate = stages["generate"]
    assert (generate.questions, generate.p50_ms, generate.p95_ms) == (3, 380, 412)
    assert generate.cost == pytest.approx(0.0009)
    assert generate.share == pytest.approx((412 + 380 + 240) / (412 + 380 + 240 + 38 + 41))
    assert (stages["embed"].p50_ms, stages["embed"].share, stages["embed"].cost) == (None, None, 0.0001)
    assert (found.whole.questions, found.whole.p50_ms, found.whole.p95_ms) == (3, 421, 450)  # 252, 421 and 450 ms
    assert found.whole.cost == pytest.approx(0.001)
    assert found.slowest[0] == ("ru-early-repayment", 450)
    assert (found.first_token, found.tokens) == (None, ())


def test_a_whole_question_takes_what_its_trace_calls_total(report: Report) -> None:
    total = Timing(stage="total", start_ms=0, duration_ms=700)
    trace = report.traces["ru-early-repayment"]
    traces = {"ru-early-repayment": trace.model_copy(update={"timings": (*trace.timings, total)})}
    found = service(replace(report, traces=traces), case_list(replace(report, traces=traces)))
    assert [line.stage for line in found.stages] == ["retrieve", "generate"]
    assert found.whole.p50_ms == 700


def test_trust_in_the_judge_is_counted_and_not_guessed(report: Report) -> None:
    found = judge_trust(report)
    assert [(one.judge, one.calibrated, one.cases, one.claims) for one in found.judges] == [("lexical", False, 2, 3)]
    assert found.judges[0].labels == (("supported", 2), ("contradicted", 1), ("not_in_context", 0))
    assert {row.name for row in found.proxies} == {"generation.faithfulness", "generation.nugget_recall"}
    assert (found.metrics, [rule.metric for rule in found.rules]) == (10, ["generation.faithfulness"])
    assert (found.failed, found.suspect) == (1, 0)


def test_expectations_say_what_came_of_them(report: Report) -> None:
    case, trace = report.cases["kk-monthly-fee"], report.traces["kk-monthly-fee"]
    found = {(one.what, one.text): (one.met, one.holds) for one in expectations(case, trace, None)}
    assert found == {
        ("behaviour", "answer"): ("did answer", True),
        ("must say", "990"): ("stated", True),
        ("must say", "қосымшада"): ("not stated", False),
        ("must not say", "тегін"): ("not said", True),
    }
    unanswered = expectations(case, None, None)
    assert {(one.met, one.holds) for one in unanswered} == {(None, None)}


def test_a_claim_that_says_what_is_forbidden_is_guilty_though_its_sources_support_it(report: Report) -> None:
    case = report.cases["kk-monthly-fee"]
    forbidding = case.model_copy(
        update={"expected": case.expected.model_copy(update={"forbidden_claims": ("990",), "injection": "КАССАДА"})}
    )
    answer = report.traces["kk-monthly-fee"].answer
    claims = answer_text(answer, report.verdicts["kk-monthly-fee"], forbidding).claims
    assert [(claim.number, claim.label, claim.guilty) for claim in claims] == [
        (1, "supported", ("990",)),
        (2, "contradicted", ("КАССАДА",)),
    ]
    assert [claim.guilty for claim in answer_text(answer, report.verdicts["kk-monthly-fee"], case).claims] == [(), ()]


def test_a_citation_of_what_was_not_given_is_told(report: Report) -> None:
    trace = report.traces["kk-monthly-fee"]
    cited = trace.answer.citations[0].model_copy(update={"ids": ("kk-car-loan-2026#70", "ru-car-loan-2024", "nothing")})
    answer = trace.answer.model_copy(update={"citations": (cited,)})
    marking = Marking.of(report.cases["kk-monthly-fee"], report.documents)
    lines = citation_lines(
        trace.model_copy(update={"answer": answer}), report.verdicts["kk-monthly-fee"], marking, report.documents
    )
    assert [(line.id, line.in_context, line.untrusted) for line in lines] == [
        ("kk-car-loan-2026#70", True, False),
        ("ru-car-loan-2024", False, True),
        ("nothing", False, False),
    ]
    assert lines[0].claims == ((1, "supported"),)
    assert lines[0].mark == "gold"
    silent = trace.answer.model_copy(update={"citations": None})
    assert citation_lines(trace.model_copy(update={"answer": silent}), None, marking, report.documents) is None


def verdicts(*claims: ClaimVerdict) -> Verdicts:
    return Verdicts(case_id="c", judge="j", rubric="r", claims=claims)


def test_an_answer_is_cut_at_claims_and_citations_and_loses_nothing() -> None:
    text = "One. Two. Three."
    claims = (
        ClaimVerdict(claim_id="1", of="answer", text="One.", start=0, end=4, context="supported"),
        ClaimVerdict(claim_id="2", of="answer", text="Two.", start=5, end=9, context="contradicted"),
    )
    answer = Answer(text=text, citations=(Citation(start=5, end=7, ids=("x",)), Citation(start=9, end=16, ids=("y",))))
    drawn = answer_text(answer, verdicts(*claims))
    assert drawn.text == text
    assert [(s.text, s.claim, s.ends, s.cited) for s in drawn.segments] == [
        ("One.", 1, True, ()),
        (" ", 0, False, ()),
        ("Tw", 2, False, ("x",)),
        ("o.", 2, True, ()),
        (" Three.", 0, False, ("y",)),
    ]


def test_claims_that_overlap_or_stand_nowhere_break_nothing() -> None:
    claims = (
        ClaimVerdict(claim_id="1", of="answer", text="abc", start=0, end=3, context="supported"),
        ClaimVerdict(claim_id="2", of="answer", text="bcd", start=1, end=4, context="contradicted"),
        ClaimVerdict(claim_id="3", of="answer", text="elsewhere", start=90, end=99, context="not_in_context"),
    )
    drawn = answer_text(Answer(text="abcde"), verdicts(*claims))
    assert drawn.text == "abcde"
    assert [(s.text, s.claim) for s in drawn.segments] == [("a", 1), ("bc", 1), ("d", 2), ("e", 0)]
    assert [claim.text for claim in drawn.claims] == [None, None, "elsewhere"]


def test_an_empty_answer_keeps_its_citations() -> None:
    drawn = answer_text(Answer(text="", citations=(Citation(start=0, end=0, ids=("x",)),)), None)
    assert [segment.cited for segment in drawn.segments] == [("x",)]


def test_a_slice_is_worse_where_its_interval_excludes_the_whole(report: Report) -> None:
    row, whole = report.results.metrics[12], report.results.metrics[0]  # language=en against all, 0.5 both
    low = row.model_copy(update={"interval": (0.1, 0.4), "value": 0.3})
    far = row.model_copy(update={"interval": (0.0, 0.9), "value": 0.1, "slice": {"language": "xx"}})
    few = row.model_copy(update={"interval": (0.0, 0.1), "value": 0.0, "slice": {"language": "yy"}, "small": True})
    same = row.model_copy(update={"interval": (0.4, 0.4), "value": 0.4, "slice": {"language": "zz"}})
    made = Report(results=report.results.model_copy(update={"metrics": (whole, low, far, few, same)}))
    marked = {line.name: [cell.worse for cell in line.cells if cell] for line in slice_table(made).lines}
    assert marked == {"en": [True], "xx": [False], "yy": [False], "zz": [False]}
    # What chance alone may explain comes after what it may not, however wide the gap.
    assert [one.row.slice["language"] for one in worst_slices(made)] == ["en", "xx", "zz"]


def test_evidence_that_the_principal_may_not_see_need_not_be_found(report: Report) -> None:
    case = report.cases["ru-early-repayment"]
    hidden = case.evidence[0].model_copy(update={"doc_id": "ru-car-loan-2024", "start": 0, "end": 10, "group": "b"})
    asked = case.model_copy(update={"evidence": (case.evidence[0], hidden)})
    whole = replace(report, cases={**report.cases, case.case_id: asked})
    line = case_list(whole)[0]
    detail = case_detail(whole, line, sources=sources(whole, hits=10), scores={}, rows=(), depth=10)
    assert [(one.doc_id, one.eligible) for one in detail.evidence] == [
        ("ru-car-loan-2026", True),
        ("ru-car-loan-2024", False),
    ]
    assert detail.missing_predicates == ()
    assert [(one.text, one.removes) for one in detail.predicates] == [
        ("version == '2024'", ("ru-car-loan-2026",)),
        ("language == 'ru'", ()),
    ]


def test_everything_that_a_judge_said_is_worded(report: Report) -> None:
    said = Verdicts(
        case_id="kk-monthly-fee",
        judge="openai/x",
        rubric="9f",
        behaviour=BehaviourVerdict(behaviour="clarify"),
        parts=(PartVerdict(text="the fee", label="answered"), PartVerdict(text="where", label="not_answered")),
        relevance=(RelevanceVerdict(id="kk-car-loan-2026#70", grade=3),),
        questions=QuestionsVerdict(noncommittal=False, questions=("How much?",), similarities=(0.91,), embedder="e5"),
        similarity=AnswerSimilarity(cosine=0.8, embedder="e5"),
        rubric_grade=RubricGrade(grade=4, low=1, high=5, expected=3.75),
        failed=(JudgeFailure(ask="nuggets", kind="BadReply", message="two objects"),),
        served=("x-2026",),
        trusted=("claims",),
    )
    assert judge_facts(said) == (
        ("failed", "nuggets: BadReply: two objects"),
        ("behaviour of the answer", "clarify"),
        ("part of the question", "the fee: answered"),
        ("part of the question", "where: not answered"),
        ("relevance, 0 to 3", "kk-car-loan-2026#70: 3"),
        ("it answers", "How much? (0.910)"),
        ("similarity to the reference", "0.800 by e5"),
        ("grade by the rubric", "4 on a scale from 1 to 5, weighted 3.750"),
        ("served by", "x-2026"),
    )
    (line,) = judge_trust(replace(report, verdicts={"kk-monthly-fee": said})).judges
    assert (line.agreement, line.unread, line.served) == ("measured for claims", 1, ("x-2026",))
