"""HTML for notebooks: a run, a comparison, a case; no script, styles in attributes, the data as text.

A notebook shows this in its own page, light or dark, so colours are few and work on both.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from ragtriage.core.results import MetricRow, Verdict
from ragtriage.core.verdicts import Label
from ragtriage.decisions.comparison import ComparedRuns
from ragtriage.report.escaping import visible
from ragtriage.report.model import Report
from ragtriage.report.sections.answer import AnswerText
from ragtriage.report.sections.case_detail import CaseDetail
from ragtriage.report.sections.case_list import STATES
from ragtriage.report.sections.comparison import Difference, difference_of
from ragtriage.report.sections.marking import Mark
from ragtriage.report.sections.slices import worst_slices
from ragtriage.report.sections.stages import key_rows
from ragtriage.report.sections.verdict import verdict
from ragtriage.report.sections.waterfall import waterfall
from ragtriage.report.wording import PROXY, count, interval, number, percent, signed, signed_interval, slice_name

__all__ = ["case_html", "comparison_html", "run_html"]

_SIGNS: dict[Verdict, tuple[str, str]] = {
    "pass": ("\u2713", "#1a7f45"),
    "fail": ("\u2717", "#c9302c"),
    "undecidable": ("?", "#9a6700"),
}
_LABELS: dict[Label, str] = {"supported": "#1a7f45", "contradicted": "#c9302c", "not_in_context": "#9a6700"}
_MARKS: dict[Mark, str] = {
    "gold": "\u25cf gold",
    "near": "\u25cb gold document",
    "forbidden": "\u2298 forbidden",
    "stale": "\u25f7 not in force",
    "": "",
}
_MOST_CASES, _MOST_ROWS, _RESULTS = 10, 15, 5
_NUMBER = "text-align:right"
_WRAP = "white-space:pre-wrap;text-align:left;max-width:50em"


def run_html(report: Report) -> str:
    """Draw a run: verdict, gate rules, where cases broke, worst slices, key numbers."""
    decision, fall = verdict(report), waterfall(report)
    color = _SIGNS[decision.verdict][1] if decision.verdict else ""
    sign = f"{_SIGNS[decision.verdict][0]} " if decision.verdict else ""
    parts = [
        _tag("p", _tag("b", _text(f"{sign}{decision.word}"), f"font-size:1.4em;color:{color}")),
        _tag("p", _text(decision.sentence)),
        _tag("p", _tag("small", _text(f"run {report.results.run_id}, {decision.status}"))),
    ]
    if decision.rules:
        rules = [
            [
                _tag(
                    "span", _text(f"{_SIGNS[r.rule.verdict][0]} {r.rule.verdict}"), f"color:{_SIGNS[r.rule.verdict][1]}"
                ),
                _named(r.rule.metric, r.rule.level, proxy=r.proxy)
                + _small(slice_name(r.rule.slice) if r.rule.slice else ""),
                _text(number(r.rule.value, unit=r.unit)),
                _text(r.demand),
                _text(interval(r.rule.interval, unit=r.unit)),
                str(r.rule.scored),
                _text(r.rule.reason),
            ]
            for r in decision.rules
        ]
        parts.append(
            _table("Gate", ("verdict", "rule", "value", "limit", "95 % interval", "n", "reason"), rules, numbers=(2, 5))
        )
    if fall.bars:
        bars = [
            [_text(b.leaf), _bar(b.before, b.cases, fall.not_ok), str(b.cases), percent(b.share), _text(b.meaning)]
            for b in fall.bars
        ]
        parts.append(_table(fall.title, ("leaf", "", "cases", "share", "what it means"), bars, numbers=(2, 3)))
    worst = [
        [_text(slice_name(o.row.slice)), *_numbers(o.row), number(o.whole.value, unit=o.whole.unit)]
        for o in worst_slices(report)
    ]
    if worst:
        parts.append(_table("Worst slices", ("slice", *_HEADS, "all cases"), worst, numbers=(2, 7)))
    rows = [_numbers(row) for row in key_rows(report)]
    parts.append(_table("Stages", _HEADS, rows, numbers=(1, 5)))
    return _tag("div", "".join(parts))


_HEADS = ("metric", "value", "95 % interval", "n", "undefined", "failed")


def comparison_html(runs: ComparedRuns) -> str:
    """Draw a comparison: the metrics that moved, the cases that turned, what else differs."""
    found = [difference_of(row) for row in runs.rows if not row.slice]
    moved = sorted((one for one in found if one.row.difference), key=lambda one: not one.sure)
    heads = ("metric", "base", "candidate", "difference", "95 % interval", "pairs", "worse", "better", "")
    turned = [("broke", runs.ok.broke), ("mended", runs.ok.mended)]
    said = [
        _tag("p", f"{_tag('b', _text(runs.candidate_id))} against {_tag('b', _text(runs.base_id))}"),
        _tag(
            "p",
            _text(
                f"{count(len(runs.ok.broke), 'case')} broke and {len(runs.ok.mended)} were mended, of "
                f"{count(runs.ok.pairs, 'case')} judged in both runs (McNemar p = {runs.ok.p:.3f})."
            ),
        ),
    ]
    said += [_tag("p", f"{what}: {_text(_listed(names))}") for what, names in turned if names]
    if moved:
        title = f"{len(moved)} of {count(len(found), 'metric')} moved"
        said.append(_table(title, heads, map(_difference, moved[:_MOST_ROWS]), numbers=(1, 7)))
        if len(moved) > _MOST_ROWS:
            said.append(_tag("p", f"and {len(moved) - _MOST_ROWS} more"))
    else:
        said.append(_tag("p", "No metric moved."))
    differs = [[_text(name), _text(base or "(none)"), _text(now or "(none)")] for name, base, now in runs.bundle]
    if differs:
        said.append(_table("What else differs", ("field", "base", "candidate"), differs))
    return _tag("div", "".join(said))


def case_html(detail: CaseDetail) -> str:
    """Draw one case: cause, question, answer claim by claim, expectations, evidence, rankings, context."""
    line, found = detail.line, detail.line.diagnosis
    color = {"ok": "#1a7f45", "not_ok": "#c9302c", "failed": "#9a6700", "no_expectation": ""}[line.state]
    about = ", ".join(filter(None, [line.kind, line.language, f"asked by {detail.principal}"]))
    parts = [
        _tag(
            "p",
            f"{_tag('b', STATES[line.state], f'color:{color}')} {_tag('code', _text(line.case_id))} {_small(about)}",
        ),
        _tag("p", _tag("b", _text(line.question or "")), _WRAP, auto=True),
    ]
    if found is not None:
        parts.append(_tag("p", f"{_tag('b', f'Broke at {found.leaf}:')} {_text(found.cause)}<br>{_text(found.advice)}"))
    if line.failure is not None:
        parts.append(_tag("p", _text(f"Failed at {line.failure.stage}: {line.failure.error}: {line.failure.message}")))
    if detail.answer is not None:
        proxy = f" {_small(PROXY)}" if detail.judge is not None and not detail.judge.calibrated else ""
        parts += [_tag("p", _tag("b", "Answer") + proxy), _claims(detail.answer)]
    if detail.reference is not None:
        parts += [_tag("p", _tag("b", "Reference")), _claims(detail.reference)]
    rules = [[_text(e.what), _text(e.text), _text(e.met or "")] for e in detail.expectations]
    if rules:
        parts.append(_table("Expected", ("what", "", "came out"), rules))
    held = [
        [_text(e.doc_id), _text(e.quote or ""), _text(_stood(e.ranks)), _there(e.in_context)] for e in detail.evidence
    ]
    if held:
        parts.append(_table("Gold evidence", ("document", "quote", "found at", "context"), held))
    if detail.rankings.columns:
        ranks = [
            [str(rank), *(f"{_text(_MARKS[c.mark])} {_text(c.hit.id)}" if c else "" for c in cells)]
            for rank, cells in detail.rankings.rows[:_RESULTS]
        ]
        parts.append(_table("Rankings", ("", *(_text(c.stage) for c in detail.rankings.columns)), ranks, escaped=True))
    items = [[str(c.place), _text(_MARKS[c.mark]), _text(c.item.id), _text(c.item.text)] for c in detail.context or ()]
    if items:
        parts.append(_table("Context", ("", "", "id", "text"), items))
    return _tag("div", "".join(parts))


def _text(value: str) -> str:
    return escape(visible(value))


def _small(text: str) -> str:
    return f" {_tag('small', _text(text))}" if text else ""


def _tag(name: str, content: str, style: str = "", *, auto: bool = False) -> str:
    attributes = f' style="{style}"' if style else ""
    return f"<{name}{attributes}{' dir=auto' if auto else ''}>{content}</{name}>"


def _named(metric: str, level: str | None, *, proxy: bool) -> str:
    return _tag("code", _text(metric)) + _small(level or "") + (_small(PROXY) if proxy else "")


def _numbers(row: MetricRow) -> list[str]:
    counts = [str(row.scored), str(row.undefined), str(row.failed)]
    named = _named(row.name, row.level, proxy=row.proxy) + _small(f"no value: {row.reason}" if row.reason else "")
    return [named, number(row.value, unit=row.unit), interval(row.interval, unit=row.unit), *counts]


def _difference(one: Difference) -> list[str]:
    row = one.row
    return [
        _named(row.metric, row.level, proxy=row.proxy),
        number(row.base, unit=row.unit),
        number(row.candidate, unit=row.unit),
        "" if row.difference is None else signed(row.difference, unit=row.unit),
        signed_interval(row.interval, unit=row.unit),
        str(row.pairs) if row.pairs else "no pairs",
        str(len(row.regressed)),
        str(len(row.improved)),
        one.said,
    ]


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_CASES} more" if len(names) > _MOST_CASES else ""
    return ", ".join(names[:_MOST_CASES]) + more


def _claims(text: AnswerText) -> str:
    drawn = []
    for part in text.segments:
        color = _LABELS[part.label] if part.label else ""
        drawn.append(_tag("span", _text(part.text), f"border-bottom:2px solid {color}") if color else _text(part.text))
        if part.ends and part.label:
            drawn.append(_tag("sup", f"{part.claim} {text.words[part.label]} ", f"color:{color}"))
        drawn += [_small(f"[{identity}]") for identity in part.cited]
    return _tag("p", "".join(drawn), _WRAP, auto=True)


def _stood(ranks: Iterable[tuple[str, int | None]]) -> str:
    return ", ".join(f"{stage} {'nowhere' if rank is None else rank}" for stage, rank in ranks)


def _there(inside: bool | None) -> str:  # noqa: FBT001 - a fact of the record, not an option
    return {True: "there", False: "not there", None: "not recorded"}[inside]


def _bar(before: int, cases: int, whole: int) -> str:
    start, width = 100 * before / whole, max(1.0, 100 * cases / whole)
    bar = _tag(
        "span", "", f"display:inline-block;height:.8em;width:{width:.1f}%;margin-left:{start:.1f}%;background:#c9302c"
    )
    return _tag("span", bar, "display:inline-block;width:12em")


def _table(
    title: str,
    heads: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    numbers: tuple[int, int] | None = None,
    escaped: bool = False,
) -> str:
    """Draw a table of cells that are HTML already; columns from `numbers[0]` to `numbers[1]` hold numbers."""
    first, last = numbers or (1, 0)
    head = "".join(_tag("th", one if escaped else _text(one), "text-align:left") for one in heads)
    body = "".join(
        "<tr>"
        + "".join(_tag("td", c, _NUMBER if first <= n <= last else _WRAP, auto=True) for n, c in enumerate(row))
        + "</tr>"
        for row in rows
    )
    caption = _tag("caption", _tag("b", _text(title)), "text-align:left;caption-side:top")
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
