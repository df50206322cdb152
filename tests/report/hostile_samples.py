"""Reports whose every free field holds text that some reader would obey, past the checks that records make."""

from __future__ import annotations

from collections.abc import Callable

from tests.report.samples import CASES, RESULTS, TRACES, VERDICTS

from ragtriage.core.records import Document, Hit
from ragtriage.core.results import CaseResult, CaseScore, Diagnosis, LeafShare, UnitResult, UnitScore
from ragtriage.core.score import Failed, Undefined
from ragtriage.core.verdicts import NuggetVerdict
from ragtriage.report.model import Report

__all__ = ["HOSTILE", "payloads", "worded_report"]

HOSTILE = {
    "script": "<script>document.title='pwned'</script>",
    "break_out": "\"'></script></style></title><img src=x onerror=document.title='pwned'>",
    "template": "{{ 7 * 7 }}{% raw %}<svg/onload=document.title='pwned'>",
    "entity": "&lt;b&gt;&amp;#13; <!-- x --> ]]> <![CDATA[",
    "escapes": "\x1b[31mred\x1b]0;title\x07\x9b2J\x7f",
    "bidi": "\u202eevil\u2066 \u200fx\u2028y",
    "cells": "a | b\nsecond line",
    "code": "`code | x` \\| end",
    "formula": '=HYPERLINK("http://evil.example")',
    "hidden_formula": " \u200b@SUM(A1:A2)",
    "links": "[a](http://evil.example) ![b](//evil.example/x.png) <http://evil.example> www.evil.example",
    "mention": "@team see #12 and org/repo#3, $x$ ~~no~~ **b** _i_ x_y_z",
    "lines": "one\r\ntwo\rthree\ttab",
    "latex": "\\input{/etc/passwd} 100% & $x_1$ ~^#",
    "arabic": "ما هو الحد؟ (1 %)",
}
_HALF = UnitScore(value=0.5, support=2)
_CODE = "document.title='pwned'"
_BODIES = (
    f"<script>{_CODE}</script>",
    f"<img src=x onerror={_CODE}>",
    f"<svg onload={_CODE}>",
    f'<iframe srcdoc="<script>parent.{_CODE}</script>">',
    f'<a href="javascript:{_CODE}">x</a>',
    f"<details open ontoggle={_CODE}>",
    f"<input autofocus onfocus={_CODE}>",
    "<link rel=stylesheet href=http://evil.example/x.css>",
    "<img src=http://evil.example/pixel.png>",
    "<meta http-equiv=refresh content='0;url=http://evil.example'>",
    "<base href=http://evil.example/>",
    "<object data=http://evil.example/x.swf></object>",
    "<form action=http://evil.example><button>go",
    "<style>body{display:none}@import 'http://evil.example/x.css'</style>",
    f"<math><mtext><table><mglyph><style><img src=x onerror={_CODE}>",
    "<video poster=//evil.example/p.png><source src=//evil.example/v>",
    f"javascript:{_CODE}",
    f"data:text/html,<script>{_CODE}</script>",
    "${7*7}#{7*7}<%= 7*7 %>{{constructor.constructor('alert(1)')()}}",
    "\\u003cscript\\u003e \\x3cscript\\x3e",
)
_WRAPS = (
    "{}",
    "\"'>{}",
    "</div></section></main>{}",
    "</script>{}<script>",
    "</style>{}",
    "-->{}<!--",
    "]]>{}",
    "</template></noscript></title></textarea>{}",
    "\0{}\0",
    "\u202e{}\u2066",
    "line one\r\n{}\rline three\ttab",
    "&lt;{}&gt;&amp;&#0;",
    "'; {} //",
    "`{}`",
    '\\"{}\\',
    "%3C{}%3E",
    "ما هو {} الحد",
    "कृपया {} 日本語",
    "<\u0000b>{}",
    "\ufeff{}\u200b",
    " {} ",
    "#case=x&q={}",
    "{}" * 3,
    "a\u0301{}\U0001f469\u200d\U0001f52c",
    "</DIV>{}</sCrIpT>",
)


def payloads(count: int) -> list[str]:
    """So many different texts, of every kind in turn."""
    pairs = [(wrap, body) for wrap in _WRAPS for body in _BODIES]
    found = [f"{wrap.replace('{}', body)} {n}.{n % 7}" for n, (wrap, body) in enumerate(pairs * 2)]
    return found[:count]


def worded_report(give: Callable[[], str], *, cases: int = 1) -> Report:
    """A report of so many cases (and one that failed) with a text from `give` in every free field."""
    row = RESULTS.metrics[0].model_copy(update={"name": give(), "level": give(), "reason": give(), "unit": give()})
    silent = RESULTS.metrics[7].model_copy(update={"name": give(), "reason": give(), "proxy": True})
    sliced = row.model_copy(update={"slice": {give(): give()}})
    worded = [_Worded(give, row.name, row.level) for _ in range(cases)]
    failed = RESULTS.cases[3].model_copy(update={"case_id": f"{give()} failed"})
    rule = RESULTS.gate.rules[2].model_copy(
        update={"metric": row.name, "level": row.level, "reason": give(), "slice": {give(): give()}}
    )
    counts = {"cases": cases + 1, "not_ok": cases + 1, "ok": 0, "no_expectation": 0}
    measured = row.model_copy(update={"name": "ingest.cer", "level": None, "population": "documents", "value": 0.5})
    kind = give()
    units = (
        UnitResult(population="documents", unit_id=give(), fields={"class": kind}, scores={"ingest.cer": _HALF}),
        UnitResult(
            population="documents", unit_id=give(), scores={"ingest.cer": UnitScore(status="failed", reason=give())}
        ),
    )
    by_class = measured.model_copy(update={"slice": {"class": kind}})
    results = RESULTS.model_copy(
        update={
            "run_id": give(),
            "bundle": {give(): give()},
            "metrics": (row, silent, sliced, measured, by_class),
            "units": units,
            "cases": (*(one.result for one in worded), failed),
            "counts": RESULTS.counts.model_copy(update=counts),
            "diagnosis": (
                LeafShare(leaf="filter", cases=cases + 1, share=1.0),
                LeafShare.model_construct(leaf="filter", cases=1, share=1.0, slice={give(): give()}),
            ),
            "gate": RESULTS.gate.model_copy(update={"rules": (rule,)}),
            "left_out": {give(): give()},
            "notes": (give(),),
        }
    )
    return Report(
        results=results,
        units=units,
        scores=(
            *(score for one in worded for score in one.scores),
            CaseScore(failed.case_id, row.name, row.level, Failed(give(), give(), give())),
        ),
        cases={one.case_id: one.case for one in worded},
        traces={one.case_id: one.trace for one in worded},
        verdicts={one.case_id: one.verdicts for one in worded},
        documents={one.document.doc_id: one.document for one in worded},
        folder=give(),
    )


class _Worded:
    """One case whose texts are all given from outside."""

    def __init__(self, give: Callable[[], str], metric: str, level: str) -> None:
        self.give, self.case_id, self.doc_id = give, give(), give()
        self.gold, self.answer = give(), give()
        found = Diagnosis.model_construct(
            leaf="filter", cause=give(), advice=give(), evidence={give(): give(), "more": [give()]}
        )
        self.result = CaseResult.model_construct(
            case_id=self.case_id, ok=False, broken=(give(),), critical=(give(),), diagnosis=found
        )
        self.document = Document.model_construct(
            doc_id=self.doc_id,
            text=f"{self.gold} and {give()}",
            title=give(),
            language=give(),
            source_type=give(),
            version=give(),
            tenant=None,
            acl=(),
            trusted=False,
            supersedes=give(),
            valid_from=None,
            valid_to=None,
            metadata={},
            uri=None,
        )
        self.nugget = give()
        self.case, self.trace = self._case(), self._trace()
        self.verdicts = self._verdicts()
        self.scores = (CaseScore(self.case_id, metric, level, Undefined(give())),)

    def _case(self) -> object:
        give, case = self.give, CASES[1]
        evidence = case.evidence[0].model_copy(
            update={"doc_id": self.doc_id, "start": 0, "end": len(self.gold), "quote": self.gold, "group": give()}
        )
        nugget = {"text": self.nugget, "importance": "vital"}
        expected = case.expected.model_copy(
            update={
                "answer": give(),
                "alternatives": (give(),),
                "forbidden_claims": (give(),),
                "injection": give(),
                "fields": {give(): give()},
                "nuggets": (NuggetVerdict.model_construct(**nugget, label="support"),),
            }
        )
        more = {"question": give(), "kind": give(), "language": give(), "tags": (give(),), "risk": give()}
        return case.model_copy(update={"case_id": self.case_id, "evidence": (evidence,), "expected": expected, **more})

    def _trace(self) -> object:
        give, trace = self.give, TRACES[0]
        hit = Hit.model_construct(id=give(), doc_id=self.doc_id, start=0, end=len(self.gold), score=1.0)
        item = trace.context[0].model_copy(
            update={"id": hit.id, "doc_id": self.doc_id, "start": 0, "end": len(self.gold), "text": self.gold}
        )
        loose = item.model_copy(update={"id": give(), "doc_id": None, "text": f"loose {give()}"})
        citation = (
            TRACES[1]
            .answer.citations[0]
            .model_copy(update={"start": 0, "end": len(self.answer), "ids": (hit.id, give())})
        )
        predicate = trace.predicates[0].model_copy(update={"field": give(), "value": give(), "origin": give()})
        return trace.model_copy(
            update={
                "case_id": self.case_id,
                "rewrites": (give(),),
                "predicates": (predicate,),
                "rankings": (trace.rankings[0].model_copy(update={"stage": give(), "hits": (hit,)}),),
                "context": (item, loose),
                "answer": trace.answer.model_copy(update={"text": self.answer, "citations": (citation,)}),
                "timings": (trace.timings[0].model_copy(update={"stage": give()}),),
                "cost": trace.cost.model_copy(update={"stages": {give(): 0.1}}),
            }
        )

    def _verdicts(self) -> object:
        give, claim = self.give, VERDICTS[0].claims[0]
        item = self.trace.context[0].id
        placed = claim.model_copy(
            update={
                "text": self.answer,
                "start": 0,
                "end": len(self.answer),
                "items": {item: "contradicted"},
                "context": "contradicted",
                "spans": (claim.spans[0].model_copy(update={"id": item, "start": 0, "end": len(self.gold)}),),
            }
        )
        loose = placed.model_copy(update={"text": f"other {give()}", "start": 0, "end": 0, "spans": ()})
        nugget = NuggetVerdict(text=self.nugget, importance="vital", label="support")
        update = {
            "case_id": self.case_id,
            "judge": give(),
            "rubric": give(),
            "claims": (placed, loose),
            "nuggets": (nugget,),
        }
        return VERDICTS[0].model_copy(update=update)
