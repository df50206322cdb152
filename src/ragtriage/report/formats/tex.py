"""LaTeX: the metrics over all cases as one table for a paper (needs the package booktabs)."""

from __future__ import annotations

import re

from ragtriage.core.declare import report_format
from ragtriage.core.results import MetricRow
from ragtriage.report.escaping import one_line
from ragtriage.report.model import Report
from ragtriage.report.wording import PROXY, interval, number

__all__ = ["latex"]

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{char: "\\" + char for char in "&%$#_{}"},
}
_PATTERN = re.compile("[" + re.escape("".join(_SPECIAL)) + "]")


@report_format(suffix=".tex", title="LaTeX table")
def latex(report: Report) -> str:
    """Return a `tabular` of all metrics over all cases with interval, n, undefined and failed."""
    rows = [_row(row) for row in report.results.metrics if not row.slice]
    head = "Metric & Value & 95\\,\\% interval & $n$ & Undefined & Failed \\\\"
    return "\n".join([r"\begin{tabular}{lrrrrr}", r"\toprule", head, r"\midrule", *rows, r"\bottomrule", _END])


_END = "\\end{tabular}\n"


def _row(row: MetricRow) -> str:
    name = row.name + (f" ({row.level})" if row.level else "") + (f" [{PROXY}]" if row.proxy else "")
    ends = interval(row.interval, unit=row.unit).replace("\u2013", "--")
    value = number(row.value, unit=row.unit).replace("\u2013", "--")
    cells = [_escaped(name), value, ends, row.scored, row.undefined, row.failed]
    return " & ".join(map(str, cells)) + r" \\"


def _escaped(text: str) -> str:
    return _PATTERN.sub(lambda match: _SPECIAL[match.group()], one_line(text))
