"""Prometheus text: gauges for a dashboard or an alert."""

from __future__ import annotations

from collections.abc import Iterable

from ragtriage.core.declare import report_format
from ragtriage.core.results import MetricRow
from ragtriage.report.model import Report
from ragtriage.report.wording import slice_name

__all__ = ["prometheus"]


@report_format(suffix=".prom", title="Prometheus text")
def prometheus(report: Report) -> str:
    """Return the exposition; an aggregate without a number has counts and no value."""
    results = report.results
    rows = [(_labels(row), row) for row in results.metrics]
    valued = [(labels, row.value) for labels, row in rows if row.value is not None]
    lines = _gauge("ragtriage_metric", "Value of a metric over a slice.", valued)
    for name, title in (("scored", "scored on"), ("undefined", "undefined for"), ("failed", "failed in")):
        samples = [(labels, getattr(row, name)) for labels, row in rows]
        lines += _gauge(f"ragtriage_metric_{name}", f"Cases that a metric is {title}.", samples)
    counts = [({"state": name}, value) for name, value in results.counts]
    lines += _gauge("ragtriage_cases", "Cases by what became of them.", counts)
    leaves = [share for share in results.diagnosis if not share.slice]
    broken: list[tuple[dict[str, str], float]] = [({"leaf": share.leaf}, share.cases) for share in leaves]
    lines += _gauge("ragtriage_broken_cases", "Cases that broke at a leaf of the diagnosis.", broken)
    if results.gate is not None:
        states = [({"verdict": v}, int(results.gate.verdict == v)) for v in ("pass", "fail", "undecidable")]
        lines += _gauge("ragtriage_gate", "1 for the gate's verdict.", states)
    return "".join(f"{line}\n" for line in lines)


def _labels(row: MetricRow) -> dict[str, str]:
    labels = {"metric": row.name, "slice": slice_name(row.slice) if row.slice else "", "proxy": str(row.proxy).lower()}
    return labels | ({"level": row.level} if row.level else {})


def _gauge(name: str, title: str, samples: Iterable[tuple[dict[str, str], float]]) -> list[str]:
    head = [f"# HELP {name} {title}", f"# TYPE {name} gauge"]
    return head + [f"{name}{{{','.join(map(_label, labels.items()))}}} {value!r}" for labels, value in samples]


def _label(pair: tuple[str, str]) -> str:
    escaped = pair[1].replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')
    return f'{pair[0]}="{escaped}"'
