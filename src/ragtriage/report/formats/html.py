"""HTML: one page that needs nothing else, from the verdict down to the text that a claim was checked against.

Data stands in text nodes and quoted attributes alone, escaped by the template engine. Each text is written once. The
script (allowed by its hash, like the style sheet; the page may load nothing) draws the cases from a JSON document that
stands in a text node. Without it the page still says whether to ship, where it breaks, which cases broke and why.
A report of more cases than `MOST_CASES` is a front page and pages of cases in a folder beside it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from ragtriage.core.declare import report_format
from ragtriage.core.results import Leaf
from ragtriage.report.formats._page_data import PageData
from ragtriage.report.formats._templates import drawn, text_node
from ragtriage.report.model import Report
from ragtriage.report.sections.case_detail import case_detail, case_rows
from ragtriage.report.sections.case_list import CaseLine, case_list
from ragtriage.report.sections.case_scores import score_columns
from ragtriage.report.sections.comparison import comparison
from ragtriage.report.sections.judge_trust import judge_trust
from ragtriage.report.sections.record import run_record
from ragtriage.report.sections.service import service
from ragtriage.report.sections.slices import slice_table, worst_slices
from ragtriage.report.sections.sources import Sources, sources
from ragtriage.report.sections.stages import metric_groups, pipeline
from ragtriage.report.sections.units import worst_units
from ragtriage.report.sections.verdict import verdict
from ragtriage.report.sections.waterfall import leaves_by_slice, waterfall
from ragtriage.report.write import PAGE

if TYPE_CHECKING:
    from markupsafe import Markup

__all__ = ["MAX_BYTES", "MOST_CASES", "html_files", "html_page"]

MAX_BYTES = 1_000_000  # of a page of up to 250 cases; a larger one may be larger in proportion
MOST_CASES = 2_000  # that one page holds
PAGE_CASES = 500  # of each page in a folder
_BYTES_A_CASE = MAX_BYTES // 250
_NOTHING = Sources((), {}, {})


@dataclass(frozen=True, slots=True)
class _Depth:
    """How much of each case the page holds: results of a ranking, and how many of them with their text.

    `ok`: the same for cases that are ok; 0 leaves the details of those out.
    """

    broken: int
    ok: int
    texts: int


_DEPTHS = (_Depth(10, 10, 10), _Depth(10, 5, 5), _Depth(6, 4, 0), _Depth(6, 0, 0))


def html_files(report: Report, name: str) -> Mapping[str, str]:
    """Return the page under its `name`, and of a large report the pages in the folder beside it."""
    lines = case_list(report)
    if len(lines) <= MOST_CASES:
        return {name: html_page(report)}
    pages = [lines[start : start + PAGE_CASES] for start in range(0, len(lines), PAGE_CASES)]
    folder = PurePath(name).stem
    files = {
        f"{folder}/{PAGE.format(number)}": _cases_page(report, page, _Page(number, len(pages), name))
        for number, page in enumerate(pages, start=1)
    }
    return {name: _front_page(report, pages, folder), **files}


@report_format(suffix=".html", title="HTML page", files=html_files)
def html_page(report: Report) -> str:
    """Return one page, with as much of each case as fits; what had to be left out is said on it."""
    lines, page = case_list(report), ""
    most = max(MAX_BYTES, _BYTES_A_CASE * len(lines))
    for depth in _DEPTHS if len(lines) <= MOST_CASES else _DEPTHS[-1:]:
        data = _data(report, lines, depth)
        page = drawn("report.html.jinja", {**_summary(report, lines), "data": data, "depth": depth, "most_bytes": most})
        if len(page.encode()) <= most:
            break
    return page


@dataclass(frozen=True, slots=True)
class _Page:
    """One of the pages of a large report; `front`: the name of the page that links to it."""

    number: int
    pages: int
    front: str


def _cases_page(report: Report, lines: Sequence[CaseLine], page: _Page) -> str:
    ids = [line.case_id for line in lines]
    mine = replace(
        report,
        scores=tuple(score for case_id in ids for score in report.scores_by_case.get(case_id, ())),
        traces={case_id: report.traces[case_id] for case_id in ids if case_id in report.traces},
        cases={case_id: report.cases[case_id] for case_id in ids if case_id in report.cases},
    )
    # The columns of all metrics would repeat on every page what nobody looks up there.
    data = _data(mine, lines, _DEPTHS[0], key_metrics=True)
    folder = [PAGE.format(number) for number in range(1, page.pages + 1)]
    content = {
        "decision": verdict(report),
        "record": run_record(report),
        "data": data,
        "page": page,
        "before": folder[page.number - 2] if page.number > 1 else None,
        "after": folder[page.number] if page.number < page.pages else None,
    }
    return drawn("cases.html.jinja", content)


def _front_page(report: Report, pages: Sequence[Sequence[CaseLine]], folder: str) -> str:
    lines = [line for page in pages for line in page]
    place = {line.case_id: number for number, page in enumerate(pages, start=1) for line in page}
    data = PageData(_NOTHING, report.folder, report.config, page_of=place.__getitem__)
    for line in lines:
        data.add(line, None, before=_before(report, line))
    data.add_metrics(score_columns(report, [line.case_id for line in lines], rows=case_rows(report)))
    content = {**_summary(report, lines), "data": _node(data), "depth": _DEPTHS[0], "most_bytes": 0}
    return drawn("report.html.jinja", {**content, "folder": folder, "pages": len(pages)})


def _summary(report: Report, lines: Sequence[CaseLine]) -> dict[str, Any]:
    """Return all that stands above and below the cases."""
    return {
        "report": report,
        "decision": verdict(report),
        "stages": pipeline(report),
        "waterfall": waterfall(report),
        "by_slice": leaves_by_slice(report),
        "causes": _causes(lines),
        "worst": worst_slices(report),
        "slices": slice_table(report),
        "compared": comparison(report),
        "groups": metric_groups(report),
        "units": worst_units(report),
        "service": service(report, lines),
        "judging": judge_trust(report),
        "record": run_record(report),
        "shown_depth": _DEPTHS[0],
        "folder": None,
        "pages": 0,
    }


def _causes(lines: Iterable[CaseLine]) -> dict[Leaf | None, dict[str, list[str]]]:
    """Group the broken cases by leaf and cause, for a page whose script does not run."""
    found: dict[Leaf | None, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for line in lines:
        if line.state in ("failed", "not_ok"):
            diagnosis, failure = line.diagnosis, line.failure
            cause = diagnosis.cause if diagnosis else f"{failure.error}: {failure.message}" if failure else ""
            found[diagnosis.leaf if diagnosis else None][cause].append(line.case_id)
    return found


def _data(report: Report, lines: Sequence[CaseLine], depth: _Depth, *, key_metrics: bool = False) -> Markup:
    held = sources(report, hits=depth.texts)
    size = report.settings.system.context_size if report.settings is not None else 0
    data = PageData(held, report.folder, report.config, context_size=size)
    for line in lines:
        results = depth.broken if line.state in ("failed", "not_ok") else depth.ok
        detail = case_detail(report, line, sources=held, scores={}, rows=(), depth=results) if results else None
        data.add(line, detail, before=_before(report, line))
    rows = case_rows(report) if key_metrics else None
    data.add_metrics(score_columns(report, [line.case_id for line in lines], rows=rows))
    return _node(data)


def _before(report: Report, line: CaseLine) -> Any:
    return report.compared.before.get(line.case_id) if report.compared is not None else None


def _node(data: PageData) -> Markup:
    return text_node(data.text())
