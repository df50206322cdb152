"""Text for a terminal: at most 40 lines of 80 columns that say whether to ship and where it breaks."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragtriage.core.declare import report_format
from ragtriage.core.results import CASES, MetricRow, Verdict
from ragtriage.report.escaping import cells, one_line
from ragtriage.report.model import Report
from ragtriage.report.sections.comparison import comparison
from ragtriage.report.sections.slices import worst_slices
from ragtriage.report.sections.stages import pipeline
from ragtriage.report.sections.verdict import RuleLine, verdict
from ragtriage.report.sections.waterfall import waterfall
from ragtriage.report.wording import (
    PROXY,
    command,
    count,
    interval,
    number,
    percent,
    probability,
    scope,
    slice_name,
    unit_sign,
)

if TYPE_CHECKING:
    from rich.text import Text

__all__ = ["MAX_LINES", "terminal"]

MAX_LINES = 40
_LEAST_WIDTH = 60
_DAGGER = "\u2020"  # stands for `PROXY`, which a line at the end says in full
_MOST_RULES, _MOST_LEAVES, _MOST_SLICES = 6, 6, 5
_SIGNS: dict[Verdict, tuple[str, str]] = {
    "pass": ("\u2713", "green"),
    "fail": ("\u2717", "red"),
    "undecidable": ("?", "yellow"),
}


@dataclass(frozen=True, slots=True)
class _Cell:
    """A word in a column: cut or filled to `width` cells, at its right end where it is a number."""

    text: str
    width: int
    style: str = ""
    right: bool = False


@report_format(suffix=".txt", title="Plain text, as in a terminal")
def terminal(report: Report, *, width: int = 80, color: bool = False) -> str:
    """Return the summary for `width` columns; the data cannot leave its cell nor reach the terminal's controls."""
    from rich.console import Console  # noqa: PLC0415 - loaded where something is drawn

    wide = max(_LEAST_WIDTH, width)
    stream = io.StringIO()
    console = Console(
        file=stream,
        width=wide + 1,
        force_terminal=color,
        color_system="standard" if color else None,
        no_color=not color,
        legacy_windows=False,
        highlight=False,
        emoji=False,
        markup=False,
        _environ={},
    )
    for line in _lines(report, wide):
        console.print(line, soft_wrap=True)
    return "".join(f"{line.rstrip()}\n" for line in stream.getvalue().splitlines())


def _lines(report: Report, width: int) -> list[Text]:
    head = [*_head(report, width), *_gate(report, width), *_waterfall(report, width), *_slices(report, width)]
    tail = _follow(report, width)
    body = [*head, *_stages(report, width, most=MAX_LINES - len(head) - len(tail) - 1)]
    said = f"{_DAGGER} {PROXY}: nobody has measured how far its judge agrees with people"
    return [*body, *([_line(said, width, "dim")] if any(_DAGGER in line.plain for line in body) else []), *tail]


def _row(parts: Sequence[_Cell]) -> Text:
    from rich.text import Text  # noqa: PLC0415

    line = Text(no_wrap=True)
    for part in parts:
        shown = one_line(part.text, width=part.width)
        gap = " " * (part.width - cells(shown))
        line.append(gap + shown if part.right else shown + gap, style=part.style or None)
    return line


def _line(text: str, width: int, style: str = "") -> Text:
    return _row([_Cell(text, width, style)])


def _copied(text: str) -> Text:
    """Return a line that is copied: the terminal may break it, nothing of it is cut."""
    from rich.text import Text  # noqa: PLC0415

    return Text("  " + one_line(text), no_wrap=True)


def _head(report: Report, width: int) -> list[Text]:
    decision, counts = verdict(report), report.results.counts
    sign, style = _SIGNS[decision.verdict] if decision.verdict else ("\u2022", "")
    status = "" if decision.status == "complete" else f" ({decision.status})"
    tally = f"  {counts.cases} cases: {counts.ok} ok, {counts.not_ok} not ok, {counts.failed} failed"
    tally += f", {counts.no_expectation} without expectation; {counts.traced} traced"
    first = f"{sign} {decision.word}"
    run = f"run {report.results.run_id}{status}"
    left = len(first) + 2
    return [
        _row([_Cell(first, left, f"bold {style}".strip()), _Cell(run, width - left, "dim", right=True)]),
        *(_line(f"  {text}", width) for text in _wrapped(decision.sentence, width - 2)),
        _line(tally, width, "dim"),
        *(_line(f"  {text}", width) for text in _compared(report, width - 2)),
    ]


def _compared(report: Report, width: int) -> list[str]:
    """Say what changed against the base run, in at most two lines."""
    found = comparison(report)
    if found is None:
        return []
    ok, sure = found.ok, [one for one in found.metrics if one.sure and one.change in ("better", "worse")]
    turned = f"{count(len(ok.broke), 'case')} broke, {len(ok.mended)} mended (p = {probability(ok.p)})"
    worse = sum(one.change == "worse" for one in sure)
    metrics = f"{worse} of {count(len(found.metrics), 'metric')} got worse and {len(sure) - worse} better beyond chance"
    return _wrapped(f"against {one_line(found.base_id, width=30)}: {turned}; {metrics}", width)


def _wrapped(text: str, width: int) -> list[str]:
    lines = [""]
    for word in one_line(text).split(" "):
        joined = f"{lines[-1]} {word}".strip()
        if cells(joined) > width:
            lines.append(word)
        else:
            lines[-1] = joined
    return lines[:2]


def _title(text: str, heads: Sequence[_Cell], width: int) -> list[Text]:
    taken = sum(head.width for head in heads)
    title = _Cell(text, width - taken, "bold")
    return [_line("", width), _row([title, *(_Cell(h.text, h.width, "dim", h.right) for h in heads)])]


def _columns(*words: str) -> list[_Cell]:
    widths = (9, 13, 6, 7, 7)
    return [_Cell(word, size, right=True) for word, size in zip(words, widths, strict=True)]


def _numbers(row: MetricRow) -> list[_Cell]:
    ends = _whole(interval(row.interval, unit=row.unit), 12)
    return _columns(number(row.value, unit=row.unit), ends, str(row.scored), str(row.undefined), str(row.failed))


def _whole(text: str, width: int) -> str:
    """Leave out what does not fit: half an interval says something else."""
    return text if len(text) <= width else ""


def _marked(row: MetricRow) -> str:
    unit = unit_sign(row.unit)
    name = f"{row.name}, {unit}" if unit else row.name
    name = name if row.population == CASES else f"{name} \u00b7 {row.population}"
    return f"{name} {_DAGGER}" if row.proxy else name


def _gate(report: Report, width: int) -> list[Text]:
    rules = verdict(report).rules
    if not rules:
        return []
    heads = [_Cell(w, s, right=True) for w, s in (("value", 8), ("limit", 13), ("interval", 13), ("n", 6))]
    shown = rules[:_MOST_RULES] if len(rules) <= _MOST_RULES else rules[: _MOST_RULES - 1]
    lines = [*_title("Gate", heads, width), *(_rule(rule, width) for rule in shown)]
    if len(rules) > len(shown):
        lines.append(_line(f"  and {len(rules) - len(shown)} more rules", width, "dim"))
    return lines


def _rule(line: RuleLine, width: int) -> Text:
    rule = line.rule
    sign, style = _SIGNS[rule.verdict]
    about = scope(rule.level, rule.slice)
    name = " \u00b7 ".join(filter(None, [rule.metric, about, "critical" if rule.critical else ""]))
    mark = f" {_DAGGER}" if line.proxy else ""
    counted = f"{name} \u00b7 {line.population}{mark}"
    name = counted if line.population and cells(one_line(counted)) <= width - 42 else name + mark
    return _row(
        [
            _Cell(sign, 2, style),
            _Cell(name, width - 42),
            _Cell(number(rule.value, unit=line.unit), 8, style, right=True),
            _Cell(line.demand, 13, right=True),
            _Cell(_whole(interval(rule.interval, unit=line.unit), 12), 13, right=True),
            _Cell(str(rule.scored), 6, right=True),
        ]
    )


def _waterfall(report: Report, width: int) -> list[Text]:
    fall = waterfall(report)
    if not fall.bars:
        return []
    bars = sorted(fall.bars, key=lambda bar: -bar.cases)[:_MOST_LEAVES]
    kept = [bar for bar in fall.bars if bar in bars]
    room = 16
    lines = _title(fall.title, [], width)
    for bar in kept:
        # The bar begins where the one before it ended, so that the steps make a waterfall.
        start = round(room * bar.before / fall.not_ok)
        size = max(1, round(room * bar.cases / fall.not_ok))
        drawn = " " * min(start, room - size) + "\u2588" * size
        parts = [_Cell(f"  {bar.leaf}", 13), _Cell(drawn, room, "red"), _Cell(str(bar.cases), 5, right=True)]
        parts += [_Cell(percent(bar.share), 6, right=True), _Cell("", 2), _Cell(bar.meaning, width - 42, "dim")]
        lines.append(_raw(parts))
    rest = sum(bar.cases for bar in fall.bars if bar not in kept)
    if rest or fall.unexplained:
        lines.append(_line(f"  {rest} at other leaves, {fall.unexplained} without a diagnosis", width, "dim"))
    return lines


def _raw(parts: Sequence[_Cell]) -> Text:
    """Draw a row whose second cell keeps its leading spaces, which the others fold away."""
    from rich.text import Text  # noqa: PLC0415

    name, bar, *rest = parts
    line = _row([_Cell("", 2), _Cell(name.text, name.width - 2)])
    line.append_text(Text(bar.text.ljust(bar.width), style=bar.style))
    line.append_text(_row(rest))
    return line


def _slices(report: Report, width: int) -> list[Text]:
    worst = worst_slices(report, most=_MOST_SLICES)
    if not worst:
        return []
    heads = [_Cell(w, s, right=True) for w, s in (("value", 8), ("all", 8), ("n", 6), ("undef.", 7), ("failed", 7))]
    lines = _title("Worst slices", heads, width)
    for one in worst:
        row, unit = one.row, one.row.unit
        numbers = (number(row.value, unit=unit), number(one.whole.value, unit=unit))
        words = (*numbers, str(row.scored), str(row.undefined), str(row.failed))
        name = f"{slice_name(row.slice)}: {row.name}"
        if cells(one_line(name)) > width - 38:
            name = f"{slice_name(row.slice)}: {row.name.partition('.')[2] or row.name}"
        counted = (_Cell(word, head.width, right=True) for word, head in zip(words, heads, strict=True))
        lines.append(_row([_Cell("", 2), _Cell(name, width - 38), *counted]))
    return lines


def _stages(report: Report, width: int, *, most: int) -> list[Text]:
    """Draw the key numbers: one of every stage, then more of those that broke most, as far as there is room."""
    heads = _columns("value", "interval", "n", "undef.", "failed")
    stages = [stage for stage in pipeline(report) if stage.rows]
    all_rows = [(at, place) for at, stage in enumerate(stages) for place in range(len(stage.rows))]
    all_rows.sort(key=lambda one: (one[1] > 0, -stages[one[0]].broken, one))
    rows = [stages[at].rows[place] for at, place in sorted(all_rows[: max(0, most - 2)])]
    lines = [_row([_Cell("", 2), _Cell(_marked(row), width - 44), *_numbers(row)]) for row in rows]
    return [*_title("Stages", heads, width), *lines] if lines else []


def _follow(report: Report, width: int) -> list[Text]:
    fall = waterfall(report)
    worst = max(fall.bars, key=lambda bar: bar.cases, default=None)
    follow = command(report.folder, worst.case_ids[0] if worst and worst.case_ids else "ID")
    if cells(one_line(follow)) > width - 2:
        follow = command(report.folder, "ID")
    return [
        _line("", width),
        _line("Follow a number to its cases:", width, "dim"),
        _copied(follow),
        _copied(f"report: {report.folder}/report.html"),
    ]
