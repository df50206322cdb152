"""A report made by hand: six cases in four languages, each of which went its own way; and larger ones from it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ragtriage.core.records import Case, Document, Hit, Trace
from ragtriage.core.results import (
    CaseResult,
    CaseScore,
    Counts,
    Diagnosis,
    GateResult,
    LeafShare,
    MetricRow,
    Results,
    RuleResult,
)
from ragtriage.core.score import Failed, Outcome, Undefined, Value
from ragtriage.core.verdicts import ClaimVerdict, SourceSpan, Verdicts
from ragtriage.report.model import Report
from ragtriage.workflows.compare import compared_with
from ragtriage.workflows.run import Run

RU = (
    "Тариф «Автокредит „Дорога“» действует с 1 января 2026 года. Досрочное погашение в первые шесть месяцев: 1 % от "
    "досрочно погашаемой суммы. После шести месяцев комиссия не взимается. Заявление подают в отделении."
)
KK = (
    "«Жол» автонесиесі. Алғашқы алты айда мерзімінен бұрын өтеу: өтелетін соманың 1 %-ы. Айлық қызмет ақысы 990 теңге. "
    "Өтінішті қосымшада беруге болады."
)
EN = (
    "Card replacement. A lost card is blocked at once by calling 7711. A new card costs 2,500 tenge and arrives within "
    "three working days. Delivery to another city takes up to seven days."
)
AR = "حدود التحويل اليومية. الحد الأقصى للتحويل في اليوم هو 500000 تنغي. يمكن رفع الحد في الفرع بوثيقة هوية."
OLD = "Тариф 2024 года. Досрочное погашение: 3 % от суммы."

DOCUMENTS = {
    "ru-car-loan-2026": Document(
        doc_id="ru-car-loan-2026", text=RU, title="Тариф автокредита 2026", language="ru", version="2026"
    ),
    "kk-car-loan-2026": Document(doc_id="kk-car-loan-2026", text=KK, title="«Жол» автонесиесі", language="kk"),
    "en-card": Document(doc_id="en-card", text=EN, title="Card replacement", language="en"),
    "ar-limits": Document(doc_id="ar-limits", text=AR, title="حدود التحويل", language="ar"),
    "ru-car-loan-2024": Document(
        doc_id="ru-car-loan-2024", text=OLD, title="Тариф 2024", language="ru", tenant="north", trusted=False
    ),
}


def _span(text: str, part: str) -> tuple[int, int]:
    start = text.index(part)
    return start, start + len(part)


def _evidence(doc_id: str, part: str, **more: object) -> dict[str, object]:
    start, end = _span(DOCUMENTS[doc_id].text, part)
    return {"doc_id": doc_id, "start": start, "end": end, "quote": part, **more}


def _hits(*parts: tuple[str, int, int, float]) -> tuple[Hit, ...]:
    return tuple(Hit(id=f"{d}#{s}", doc_id=d, start=s, end=e, score=score) for d, s, e, score in parts)


def _item(doc_id: str, start: int, end: int) -> dict[str, object]:
    text = DOCUMENTS[doc_id].text[start:end]
    return {"id": f"{doc_id}#{start}", "doc_id": doc_id, "start": start, "end": end, "text": text}


def _case(**fields: object) -> Case:
    return Case.model_validate(fields, strict=False)


def _trace(**fields: object) -> Trace:
    return Trace.model_validate(fields, strict=False)


CASES = (
    _case(
        case_id="ru-early-repayment",
        question="Какую комиссию возьмут, если я закрою автокредит через три месяца?",
        language="ru",
        kind="lookup",
        risk="high",
        as_of="2026-11-15",
        evidence=[
            _evidence("ru-car-loan-2026", "Досрочное погашение в первые шесть месяцев: 1 %", grade=3, group="a"),
            _evidence("kk-car-loan-2026", "Алғашқы алты айда мерзімінен бұрын өтеу", grade=2, group="a"),
        ],
        predicates=[{"field": "language", "value": "ru", "mode": "hard"}],
        expected={"behaviour": "answer", "answer": "1 % от суммы.", "required_facts": [{"any_of": ["1 %"]}]},
    ),
    _case(
        case_id="kk-monthly-fee",
        question="Айлық қызмет ақысы қанша және өтінішті қайда беремін?",
        language="kk",
        kind="multi_hop",
        risk="medium",
        evidence=[_evidence("kk-car-loan-2026", "Айлық қызмет ақысы 990 теңге")],
        expected={
            "behaviour": "answer",
            "answer": "990 теңге, қосымшада.",
            "required_facts": [{"any_of": ["990"]}, {"any_of": ["қосымшада"]}],
            "forbidden_claims": ["тегін"],
        },
    ),
    _case(
        case_id="en-lost-card",
        question="How much does a new card cost?",
        language="en",
        kind="lookup",
        risk="low",
        evidence=[_evidence("en-card", "A new card costs 2,500 tenge")],
        expected={"behaviour": "answer"},
    ),
    _case(
        case_id="ar-transfer-limit",
        question="ما هو الحد الأقصى للتحويل اليومي؟",
        language="ar",
        kind="lookup",
        risk="high",
        evidence=[_evidence("ar-limits", "500000 تنغي")],
        expected={"behaviour": "answer", "required_facts": [{"any_of": ["500000"]}]},
    ),
    _case(
        case_id="en-block-card",
        question="Which number blocks a lost card?",
        language="en",
        kind="lookup",
        risk="critical",
        evidence=[_evidence("en-card", "blocked at once by calling 7711")],
        expected={"behaviour": "answer", "answer": "Call 7711.", "required_facts": [{"any_of": ["7711"]}]},
    ),
    _case(case_id="ru-open", question="Что посоветуете?", language="ru", kind="ambiguous"),
)

TRACES = (
    _trace(
        trace_id="t1",
        case_id="ru-early-repayment",
        question=CASES[0].question,
        principal={"tenant": None},
        rewrites=["комиссия досрочное погашение автокредит"],
        predicates=[
            {"field": "version", "value": "2024", "mode": "hard", "origin": "extracted"},
            {"field": "language", "value": "ru", "mode": "hard", "origin": "profile"},
        ],
        rankings=[
            {"stage": "dense", "hits": _hits(("en-card", 0, 60, 0.31), ("ru-car-loan-2024", 0, 50, 0.29))},
            {"stage": "sparse", "hits": _hits(("ru-car-loan-2024", 0, 50, 4.1))},
            {"stage": "fused", "hits": _hits(("ru-car-loan-2024", 0, 50, 0.03), ("en-card", 0, 60, 0.02))},
        ],
        context=[_item("ru-car-loan-2024", 0, 50), _item("en-card", 0, 60)],
        answer={"text": "Не нашёл ответа в документах.", "abstained": True, "citations": []},
        timings=[
            {"stage": "retrieve", "start_ms": 0, "duration_ms": 38},
            {"stage": "generate", "start_ms": 38, "duration_ms": 412},
        ],
        cost={"total": 0.0004, "stages": {"generate": 0.0004}},
    ),
    _trace(
        trace_id="t2",
        case_id="kk-monthly-fee",
        question=CASES[1].question,
        predicates=[],
        rankings=[
            {"stage": "dense", "hits": _hits(("en-card", 60, 120, 0.5), ("kk-car-loan-2026", 70, 140, 0.48))},
            {"stage": "fused", "hits": _hits(("kk-car-loan-2026", 70, 140, 0.03), ("en-card", 60, 120, 0.02))},
        ],
        context=[
            _item("kk-car-loan-2026", 70, 140),
            {"id": "note", "text": "A passage that stands in no document."},
        ],
        answer={
            "text": "Айлық қызмет ақысы 990 теңге. Өтінішті тек кассада бересіз.",
            "abstained": False,
            "citations": [{"start": 0, "end": 29, "ids": ["kk-car-loan-2026#70"]}],
        },
        timings=[
            {"stage": "retrieve", "start_ms": 0, "duration_ms": 41},
            {"stage": "generate", "start_ms": 41, "duration_ms": 380},
        ],
        cost={"total": 0.0006, "stages": {"generate": 0.0005, "embed": 0.0001}},
    ),
    _trace(
        trace_id="t3",
        case_id="en-lost-card",
        question=CASES[2].question,
        predicates=[],
        rankings=[{"stage": "dense", "hits": _hits(("ar-limits", 0, 40, 0.4))}],
        context=[_item("ar-limits", 0, 40)],
        answer={"text": "I do not know.", "abstained": True},
    ),
    _trace(
        trace_id="t5",
        case_id="en-block-card",
        question=CASES[4].question,
        predicates=[],
        rankings=[
            {"stage": "dense", "hits": _hits(("ar-limits", 0, 40, 0.4), ("en-card", 0, 66, 0.39))},
            {"stage": "reranked", "hits": _hits(("en-card", 0, 66, 0.9), ("ar-limits", 0, 40, 0.1))},
        ],
        context=[_item("en-card", 0, 66)],
        answer={
            "text": "Call 7711: the card is blocked at once.",
            "abstained": False,
            "citations": [{"start": 0, "end": 39, "ids": ["en-card#0"]}],
        },
        timings=[{"stage": "generate", "start_ms": 12, "duration_ms": 240}],
    ),
    _trace(
        trace_id="t6",
        case_id="ru-open",
        question=CASES[5].question,
        answer={"text": "Уточните вопрос.", "abstained": False},
    ),
)

_ANSWER = "Айлық қызмет ақысы 990 теңге. Өтінішті тек кассада бересіз."
VERDICTS = (
    Verdicts(
        case_id="kk-monthly-fee",
        judge="lexical",
        rubric="9f2c1e",
        claims=(
            ClaimVerdict(
                claim_id="a1",
                of="answer",
                text=_ANSWER[:29],
                start=0,
                end=29,
                context="supported",
                score=0.97,
                spans=(SourceSpan(id="kk-car-loan-2026#70", start=14, end=43),),
                items={"kk-car-loan-2026#70": "supported", "note": "not_in_context"},
                reference="supported",
                cited=("kk-car-loan-2026#70",),
                cited_together="supported",
            ),
            ClaimVerdict(
                claim_id="a2",
                of="answer",
                text=_ANSWER[30:],
                start=30,
                end=59,
                context="contradicted",
                score=0.12,
                items={"kk-car-loan-2026#70": "contradicted", "note": "not_in_context"},
            ),
            ClaimVerdict(
                claim_id="r1", of="reference", text="990 теңге", start=0, end=9, context="supported", answer="supported"
            ),
            ClaimVerdict(
                claim_id="r2",
                of="reference",
                text="қосымшада.",
                start=11,
                end=21,
                context="not_in_context",
                answer="not_in_context",
            ),
        ),
    ),
    Verdicts(
        case_id="en-block-card",
        judge="lexical",
        rubric="9f2c1e",
        claims=(
            ClaimVerdict(
                claim_id="a1",
                of="answer",
                text="Call 7711: the card is blocked at once.",
                start=0,
                end=39,
                context="supported",
                spans=(SourceSpan(id="en-card#0", start=18, end=65),),
            ),
        ),
    ),
)

_TIMEOUT = Failed("system", "TimeoutError", "no answer within 60 s")
_NONE = Undefined("nothing is relevant")
_IDS = tuple(case.case_id for case in CASES)


def _outcomes(*values: float | Outcome) -> tuple[Outcome, ...]:
    return tuple(Value(float(v), 1) if isinstance(v, int | float) else v for v in values)


# Metric and level -> the outcome of each case, in the order of CASES; the fourth case timed out.
SCORES: dict[tuple[str, str | None], tuple[Outcome, ...]] = {
    ("retrieval.recall@4", "evidence"): _outcomes(0, 1, 0, _TIMEOUT, 1, _NONE),
    ("retrieval.candidate_ceiling@50", "evidence"): _outcomes(0, 1, 0, _TIMEOUT, 1, _NONE),
    ("filters.false_exclusion_rate", None): _outcomes(1, 0, 0, _TIMEOUT, 0, Undefined("no eligible gold document")),
    ("filters.access_violations", None): _outcomes(0, 0, 0, _TIMEOUT, 0, 0),
    ("context.evidence_recall", None): _outcomes(0, 1, 0, _TIMEOUT, 1, Undefined("no gold spans")),
    ("generation.required_facts", None): _outcomes(
        0, 0.5, Undefined("none declared"), _TIMEOUT, 1, Undefined("none declared")
    ),
    ("generation.faithfulness", None): _outcomes(
        Undefined("no claim: the answer abstains"),
        0.5,
        Undefined("no claim: the answer abstains"),
        _TIMEOUT,
        1,
        Failed("judge", "BadReply", "two objects that disagree"),
    ),
    ("generation.nugget_recall", None): _outcomes(*[Undefined("no nuggets declared")] * 3, _TIMEOUT)
    + _outcomes(*[Undefined("no nuggets declared")] * 2),
    ("system.errors", None): _outcomes(0, 0, 0, 1, 0, 0),
}


def _row(name: str, level: str | None, value: float | None, counts: tuple[int, int, int], **more: object) -> MetricRow:
    scored, undefined, failed = counts
    facts = {"unit": "fraction", "better": "higher", **more}
    return MetricRow(name=name, level=level, value=value, scored=scored, undefined=undefined, failed=failed, **facts)  # type: ignore[arg-type]


ROWS = (
    _row("retrieval.recall@4", "evidence", 0.5, (4, 1, 1), interval=(0.0, 1.0), missing=1),
    _row("retrieval.candidate_ceiling@50", "evidence", 0.5, (4, 1, 1), interval=(0.0, 1.0)),
    _row("filters.false_exclusion_rate", None, 0.25, (4, 1, 1), interval=(0.0, 0.75), better="lower"),
    _row("filters.access_violations", None, 0.0, (5, 0, 1), better="lower", unit="violations a question"),
    _row("context.evidence_recall", None, 0.5, (4, 1, 1), interval=(0.0, 1.0)),
    _row("generation.required_facts", None, 0.5, (3, 2, 1), interval=(0.0, 1.0)),
    _row("generation.faithfulness", None, 0.75, (2, 2, 2), interval=(0.5, 1.0), proxy=True),
    _row("generation.nugget_recall", None, None, (0, 5, 1), proxy=True, reason="no nuggets declared"),
    _row("system.errors", None, 1 / 6, (6, 0, 0), better="lower", interval=(0.0, 0.5)),
    _row("system.latency_p95", None, 60000.0, (6, 0, 0), better="lower", unit="milliseconds", aggregate="set"),
    _row("retrieval.recall@4", "evidence", 0.0, (1, 1, 0), slice={"language": "ru"}),
    _row("retrieval.recall@4", "evidence", 1.0, (1, 0, 0), slice={"language": "kk"}, small=True),
    _row("retrieval.recall@4", "evidence", 0.5, (2, 0, 0), slice={"language": "en"}, interval=(0.0, 1.0)),
    _row("retrieval.recall@4", "evidence", None, (0, 0, 1), slice={"language": "ar"}, reason="all cases failed"),
    _row("generation.required_facts", None, 0.0, (1, 1, 0), slice={"language": "ru"}),
    _row("generation.required_facts", None, 0.5, (1, 0, 0), slice={"language": "kk"}, small=True),
)


def _broken(leaf: str, cause: str, advice: str, evidence: dict[str, object] | None = None) -> Diagnosis:
    return Diagnosis(leaf=leaf, cause=cause, advice=advice, evidence=evidence or {})  # type: ignore[arg-type]


RESULTS = Results(
    run_id="2026-11-15T09-00-00-4f1c",
    status="complete",
    bundle={"golden": "sha256:11aa", "corpus": "sha256:22bb", "system": "reference_rag:answer", "code": "0.1.0"},
    counts=Counts(cases=6, traced=5, failed=1, ok=1, not_ok=4, no_expectation=1),
    metrics=ROWS,
    cases=(
        CaseResult(
            case_id=_IDS[0],
            ok=False,
            broken=("required facts",),
            diagnosis=_broken(
                "filter",
                "eligible evidence removed by predicate version == '2024'",
                "Extract the version from the question, or make it a boost.",
                {"removed_by": {"version == '2024'": ["ru-car-loan-2026"]}},
            ),
        ),
        CaseResult(
            case_id=_IDS[1],
            ok=False,
            broken=("required facts",),
            critical=("generation.forbidden_claims",),
            diagnosis=_broken("generation", "a claim contradicts the context", "Ask for quotations before the answer."),
        ),
        CaseResult(
            case_id=_IDS[2],
            ok=False,
            broken=("behaviour",),
            diagnosis=_broken("retrieval", "the evidence is in no candidate list", "Add a sparse lane."),
        ),
        CaseResult(
            case_id=_IDS[3],
            ok=False,
            broken=("behaviour",),
            diagnosis=_broken("service", "time-out after 60 s", "Raise the limit or find what hangs."),
        ),
        CaseResult(case_id=_IDS[4], ok=True),
        CaseResult(case_id=_IDS[5], ok=None),
    ),
    diagnosis=(
        LeafShare(leaf="filter", cases=1, share=0.25),
        LeafShare(leaf="retrieval", cases=1, share=0.25),
        LeafShare(leaf="generation", cases=1, share=0.25),
        LeafShare(leaf="service", cases=1, share=0.25),
        LeafShare(leaf="filter", cases=1, share=1.0, slice={"language": "ru"}),
        LeafShare(leaf="retrieval", cases=1, share=1.0, slice={"language": "en"}),
    ),
    gate=GateResult(
        verdict="fail",
        rules=(
            RuleResult(
                metric="filters.access_violations",
                kind="max",
                value=0.0,
                scored=5,
                limit=0.0,
                critical=True,
                verdict="pass",
                reason="0 is at most 0",
            ),
            RuleResult(
                metric="generation.faithfulness",
                kind="min",
                value=0.75,
                interval=(0.5, 1.0),
                scored=2,
                limit=0.7,
                verdict="undecidable",
                reason="rests on an uncalibrated judge",
            ),
            RuleResult(
                metric="retrieval.recall@4",
                level="evidence",
                kind="min",
                value=0.5,
                interval=(0.0, 1.0),
                scored=4,
                limit=0.85,
                verdict="fail",
                reason="0.5 is below 0.85",
            ),
        ),
    ),
    left_out={"generation.semantic_similarity": "needs an embedding model"},
    notes=("one of six cases timed out",),
)


def _scores() -> Iterable[CaseScore]:
    for (metric, level), outcomes in SCORES.items():
        for case_id, outcome in zip(_IDS, outcomes, strict=True):
            yield CaseScore(case_id, metric, level, outcome)


REPORT = Report(
    results=RESULTS,
    scores=tuple(_scores()),
    cases={case.case_id: case for case in CASES},
    traces={trace.case_id: trace for trace in TRACES if trace.case_id},
    verdicts={one.case_id: one for one in VERDICTS},
    documents=DOCUMENTS,
)


def compared_report() -> Report:
    """The report beside a base run in which one case more was right, and its evidence was found."""
    rows = tuple(
        row.model_copy(update={"value": 0.75}) if row.name == "retrieval.recall@4" and not row.slice else row
        for row in ROWS
    )
    cases = tuple(
        case.model_copy(update={"ok": True, "diagnosis": None}) if case.case_id == "en-lost-card" else case
        for case in RESULTS.cases
    )
    scores = tuple(
        replace(score, outcome=Value(1.0, 1))
        if (score.case_id, score.metric) == ("en-lost-card", "retrieval.recall@4")
        else score
        for score in REPORT.scores
    )
    bundle = {**RESULTS.bundle, "system": "reference_rag:older"}
    base = RESULTS.model_copy(update={"run_id": "base-run", "metrics": rows, "cases": cases, "bundle": bundle})
    told = TRACES[2].answer.model_copy(update={"text": "2,500 tenge.", "abstained": False})
    traces = {**REPORT.traces, "en-lost-card": TRACES[2].model_copy(update={"answer": told})}
    earlier = replace(REPORT, results=base, scores=scores, traces=traces)
    return replace(REPORT, compared=compared_with(Run(earlier), REPORT))


def grown_report(count: int) -> Report:
    """The first five cases over and over, under new ids, with long rankings; `count` is a multiple of five."""
    names = [f"case-{n:04}" for n in range(count)]
    report, old = REPORT, RESULTS
    cases = tuple(old.cases[n % 5].model_copy(update={"case_id": name}) for n, name in enumerate(names))
    fifth = count // 5
    counts = Counts(cases=count, traced=4 * fifth, failed=fifth, ok=fifth, not_ok=4 * fifth, no_expectation=0)
    traces = {}
    for n, name in enumerate(names):
        trace = report.traces.get(_IDS[n % 5])
        if trace is None:
            continue
        hits = _hits(*((d, s, s + 20, 0.1) for s in range(0, 40, 2) for d in ("en-card", "ru-car-loan-2026")))
        rankings = tuple(TRACES[0].rankings[0].model_copy(update={"stage": stage, "hits": hits}) for stage in _STAGES)
        traces[name] = trace.model_copy(update={"case_id": name, "rankings": rankings})
    return Report(
        results=old.model_copy(update={"cases": cases, "counts": counts}),
        scores=tuple(replace(s, case_id=n) for n, i in _pairs(names) for s in report.scores_by_case[i]),
        cases={n: report.cases[i].model_copy(update={"case_id": n}) for n, i in _pairs(names)},
        traces=traces,
        verdicts={n: report.verdicts[i] for n, i in _pairs(names) if i in report.verdicts},
        documents=report.documents,
    )


_STAGES = ("dense", "sparse", "fused", "reranked")


def _pairs(names: list[str]) -> list[tuple[str, str]]:
    return [(name, _IDS[n % 5]) for n, name in enumerate(names)]
