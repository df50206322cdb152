"""How a comparison looks: text for a terminal, Markdown for a comment, JSON with everything."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

from ragtriage.core.results import CASES
from ragtriage.decisions.comparison import ComparedRow, ComparedRuns
from ragtriage.report.escaping import cells, one_line
from ragtriage.report.formats.md import escaped
from ragtriage.report.wording import count, number, signed, slice_name, units

__all__ = ["drawn_json", "drawn_markdown", "drawn_text"]

_HEADS = ("metric", "level", "base", "candidate", "difference", "95 % interval", "p (Holm)", "pairs", "−", "+", "")
_SLICED_HEADS = ("metric", "slice", *_HEADS[2:])
_MOST_METRICS = 40
_MOST_SLICES = 20
_MOST_CASES = 10
_MOST_FIELD = 40
_SIGNIFICANT = 0.05


def drawn_json(comparison: ComparedRuns) -> str:
    """Return everything as JSON, rows of all slices among it."""
    return json.dumps(asdict(comparison), ensure_ascii=False, indent=2) + "\n"


def drawn_text(comparison: ComparedRuns, *, every: bool = False) -> str:
    """Return a table of the metrics that moved, the slices that moved most, and what else differs.

    `every`: all metrics and all slices that moved, and all cases that turned.
    """
    lines = [f"base {comparison.base_id}, candidate {comparison.candidate_id}", ""]
    for title, heads, rows in _tables(comparison, every=every):
        lines += [title, *_aligned([heads, *rows]), ""]
    lines += [one_line(text) for text in _sentences(comparison, every=every)]
    return "\n".join(lines).rstrip() + "\n"


def drawn_markdown(comparison: ComparedRuns, *, every: bool = False) -> str:
    """Return the same as Markdown, with the data written as data."""
    lines = [f"**{escaped(comparison.candidate_id)}** against **{escaped(comparison.base_id)}**", ""]
    for title, heads, rows in _tables(comparison, every=every):
        lines += [f"{title}:", "", _row([escaped(head) for head in heads]), _row(["---"] * len(heads))]
        lines += [*(_row([escaped(cell) for cell in row]) for row in rows), ""]
    lines += [f"- {escaped(text)}" for text in _sentences(comparison, every=every)]
    return "\n".join(lines).rstrip() + "\n"


def _row(words: Sequence[str]) -> str:
    return f"| {' | '.join(words)} |"


def _tables(comparison: ComparedRuns, *, every: bool) -> list[tuple[str, tuple[str, ...], list[tuple[str, ...]]]]:
    most_metrics, most_slices = (None, None) if every else (_MOST_METRICS, _MOST_SLICES)
    whole = [row for row in comparison.rows if not row.slice]
    moved = sorted((row for row in whole if row.difference), key=_by_p)
    sliced = sorted((row for row in comparison.rows if row.slice and row.difference), key=_by_p)
    shown = [row for row in sliced if every or not row.small][:most_slices]
    found: list[tuple[str, tuple[str, ...], list[tuple[str, ...]]]] = []
    if moved:
        rest = f", {_MOST_METRICS} of them here" if len(moved) > len(moved[:most_metrics]) else ""
        title = f"{len(moved)} of {count(len(whole), 'metric')} moved{rest}, the surest first"
        found.append((title, _HEADS, [_cells(row, row.level or "") for row in moved[:most_metrics]]))
    if shown:
        title = f"{len(shown)} of {count(len(sliced), 'row')} of slices that moved, the surest first"
        found.append((title, _SLICED_HEADS, [_cells(row, _where(row)) for row in shown]))
    return found


def _by_p(row: ComparedRow) -> tuple[float, float]:
    return (1.0 if row.p is None else row.p, -abs(row.difference or 0.0))


def _where(row: ComparedRow) -> str:
    return slice_name(row.slice) if row.level is None else f"{slice_name(row.slice)} ({row.level})"


def _cells(row: ComparedRow, second: str) -> tuple[str, ...]:
    ends = "" if row.interval is None else f"[{', '.join(signed(end, unit=row.unit) for end in row.interval)}]"
    name = f"{row.metric} (uncalibrated proxy)" if row.proxy else row.metric
    return (
        name,
        second,
        number(row.base, unit=row.unit),
        number(row.candidate, unit=row.unit),
        "" if row.difference is None else signed(row.difference, unit=row.unit),
        ends,
        _p(row.p_adjusted),
        str(row.pairs) if row.pairs else "no pairs",
        str(len(row.regressed)),
        str(len(row.improved)),
        _judged(row),
    )


def _p(value: float | None) -> str:
    if value is None:
        return ""
    return "<0.001" if value < 0.001 else f"{value:.3f}"  # noqa: PLR2004 - three decimals


def _judged(row: ComparedRow) -> str:
    if row.p_adjusted is None or row.p_adjusted >= _SIGNIFICANT or row.better == "neither":
        return ""
    return "worse" if row.worse else "better"


def _sentences(comparison: ComparedRuns, *, every: bool) -> list[str]:
    ok = comparison.ok
    turned = f"{count(len(ok.broke), 'case')} broke and {len(ok.mended)} were mended"
    said = [f"{turned}, of {count(ok.pairs, 'case')} judged in both runs (McNemar p = {ok.p:.3f})"]
    for word, names in (("broke", ok.broke), ("mended", ok.mended)):
        if names:
            most = len(names) if every else _MOST_CASES
            more = f" and {len(names) - most} more" if len(names) > most else ""
            said.append(f"{word}: {', '.join(names[:most])}{more}")
    if not every and len(comparison.rows) > _MOST_METRICS:
        said.append(f"all {len(comparison.rows):,} rows: ragtriage compare ... -o FILE.json")
    unmoved = sum(not row.slice and not row.difference for row in comparison.rows)
    if unmoved:
        said.append(f"{count(unmoved, 'metric')} did not move or cannot be compared")
    whole = [row for row in comparison.rows if not row.slice]
    lost = max(whole, key=lambda row: len(row.lost), default=None)
    if lost is not None and lost.lost:
        what = units(len(lost.lost), lost.population)
        said.append(f"{lost.metric}: {what} that the base run scored have no value now")
    gained = {row.population: row for row in sorted(whole, key=lambda row: len(row.gained)) if row.gained}
    for population, row in gained.items():
        if population != CASES:
            said.append(f"{row.metric}: {units(len(row.gained), population)} without a value in the base run: no pairs")
    for names, where in ((comparison.only_base, "base"), (comparison.only_candidate, "candidate")):
        if names:
            said.append(f"only the {where} run reports {', '.join(names)}")
    if not comparison.bundle:
        said.append("nothing else differs between the runs")
    for field, base, candidate in comparison.bundle:
        said.append(f"differs: {field}: {_short(base)} -> {_short(candidate)}")
    return said


def _short(value: str | None) -> str:
    if value is None:
        return "(none)"
    return value if len(value) <= _MOST_FIELD else f"{value[: _MOST_FIELD - 1]}…"


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Set words in columns: the first two left, numbers right."""
    shown = [[one_line(word, width=60) for word in row] for row in rows]
    widths = [max(cells(row[place]) for row in shown) for place in range(len(shown[0]))]
    lines = []
    for row in shown:
        parts = []
        for place, (word, width) in enumerate(zip(row, widths, strict=True)):
            gap = " " * (width - cells(word))
            parts.append(word + gap if place < 2 else gap + word)  # noqa: PLR2004 - the two names
        lines.append("  ".join(parts).rstrip())
    return lines
