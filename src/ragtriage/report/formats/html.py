"""HTML: one page that needs nothing else, from the verdict down to the text that a claim was checked against.

Data stands in text nodes and quoted attributes alone, escaped by the template engine. Each source text is written once.
A small script (allowed by its hash, like the style sheet; the page may load nothing) draws a case when it is opened,
from a JSON document that stands in a text node, and filters the list. Without it the page still says whether to ship,
where it breaks, which cases broke and why.
"""

from __future__ import annotations

import base64
import hashlib
import json
import urllib.parse
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ragtriage.core.declare import report_format
from ragtriage.report import wording
from ragtriage.report.formats._case_data import CaseData
from ragtriage.report.model import Report
from ragtriage.report.sections.case_detail import case_detail, case_rows
from ragtriage.report.sections.case_list import STATES, CaseLine, case_list
from ragtriage.report.sections.comparison import comparison
from ragtriage.report.sections.record import run_record
from ragtriage.report.sections.service import service
from ragtriage.report.sections.slices import slice_table, worst_slices
from ragtriage.report.sections.sources import Sources, sources
from ragtriage.report.sections.stages import metric_groups, pipeline
from ragtriage.report.sections.verdict import verdict
from ragtriage.report.sections.waterfall import leaves_by_slice, waterfall

if TYPE_CHECKING:
    import jinja2
    from markupsafe import Markup

__all__ = ["MAX_BYTES", "html_page"]

MAX_BYTES = 1_000_000
_MANY_CASES = 500


@dataclass(frozen=True, slots=True)
class _Depth:
    """How much of each case the page holds: results of a ranking, and how many of them with their text.

    `ok`: the same for cases that are ok; 0 leaves the details of those out.
    """

    broken: int
    ok: int
    texts: int


_DEPTHS = (_Depth(10, 10, 10), _Depth(10, 5, 5), _Depth(6, 4, 0), _Depth(6, 0, 0))


@report_format(suffix=".html", title="HTML page")
def html_page(report: Report) -> str:
    """Return the page, with as much of each case as fits into a megabyte; what had to be left out is said on it."""
    template = _environment().get_template("report.html.jinja")
    page = ""
    for depth in _DEPTHS if len(report.results.cases) <= _MANY_CASES else _DEPTHS[-1:]:
        page = template.render(_content(report, depth))
        if len(page.encode()) <= MAX_BYTES:
            break
    return page


def _content(report: Report, depth: _Depth) -> dict[str, Any]:
    held, lines = sources(report, hits=depth.texts), case_list(report)
    return {
        "report": report,
        "decision": verdict(report),
        "stages": pipeline(report),
        "waterfall": waterfall(report),
        "by_slice": leaves_by_slice(report),
        "worst": worst_slices(report),
        "slices": slice_table(report),
        "compared": comparison(report),
        "cases": lines,
        "data": _data(report, lines, held, depth),
        "groups": metric_groups(report),
        "service": service(report),
        "record": run_record(report),
        "sources": held,
        "shortened": depth != _DEPTHS[0],
        "depth": depth,
    }


def _data(report: Report, lines: Iterable[CaseLine], held: Sources, depth: _Depth) -> Markup:
    """Return the JSON of the cases as the content of an element: there `<`, `>` and `&` alone mean something."""
    from markupsafe import Markup  # noqa: PLC0415 - loaded where a page is drawn

    scores = {(score.case_id, score.metric, score.level): score for score in report.scores}
    rows, data = case_rows(report), CaseData(held, report.folder)
    for line in lines:
        results = depth.broken if line.state in ("failed", "not_ok") else depth.ok
        data.add(
            line,
            case_detail(report, line, sources=held, scores=scores, rows=rows, depth=results) if results else None,
        )
    text = data.text().encode("utf-8", "replace").decode()
    return Markup(text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))  # noqa: S704 - escaped here


def _environment() -> jinja2.Environment:
    import jinja2  # noqa: PLC0415 - loaded where a page is drawn

    loader = jinja2.PackageLoader("ragtriage.report.formats", "templates")
    environment = jinja2.Environment(
        loader=loader,
        autoescape=True,
        finalize=_written,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"plain": _plain, "breakable": _breakable}
    style, script = (_asset(loader.get_source(environment, name)[0]) for name in ("report.css", "report.js"))
    environment.globals |= {
        "style": style,
        "script": script,
        "policy": f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; "
        "base-uri 'none'; form-action 'none'",
        "wording": wording,
        "states": STATES,
        "anchor": _anchor,
        "bounded": _bounded,
        "max_bytes": MAX_BYTES,
    }
    return environment


def _asset(text: str) -> str:
    """Mark a file that lies beside the templates as ours, so that it is not escaped."""
    from markupsafe import Markup  # noqa: PLC0415

    return Markup(text.replace("\r\n", "\n"))  # noqa: S704 - a file of this package


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _written(value: Any) -> Any:
    """Escape a value so that the parsed text equals it; NUL and lone surrogates, which no page may hold, are drawn."""
    from markupsafe import Markup, escape  # noqa: PLC0415

    if value is None or isinstance(value, Markup):
        return "" if value is None else value
    text = str(value).replace("\0", "\u2400").encode("utf-8", "replace").decode()
    return Markup(str(escape(text)).replace("\r", "&#13;"))  # noqa: S704 - escaped in this line


def _plain(value: Any) -> str:
    """Word a value of free evidence: lists and pairs of plain values as people write them, what nests as JSON."""
    match value:
        case str():
            return value
        case list() if all(isinstance(one, str | int | float) for one in value):
            return ", ".join(map(str, value)) or "none"
        case dict() if all(isinstance(one, str | int | float | None) for one in value.values()):
            return ", ".join(f"{name}: {'none' if one is None else one}" for name, one in value.items()) or "none"
        case _:
            return json.dumps(value, ensure_ascii=False)


def _breakable(name: str) -> Markup:
    """Let a long name break behind its underscores."""
    from markupsafe import Markup  # noqa: PLC0415 - loaded where a page is drawn

    return Markup("_<wbr>").join(_written(part) for part in name.split("_"))


def _anchor(case_id: str) -> str:
    return "case-" + urllib.parse.quote(case_id, safe="")


def _bounded(value: float | None) -> bool:
    """Say whether a number can be drawn on a scale from 0 to 1."""
    return value is not None and 0 <= value <= 1
