"""Markdown for a comment under a pull request: the verdict first, the failed cases folded away at the end.

Text under test stands only in cells and after fixed words, with every sign that GitHub's Markdown, its links, mentions
or HTML would obey written as an entity or held apart in a `<span>`; what is drawn equals what was given.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ragtriage.core.declare import report_format
from ragtriage.core.results import CASES, MetricRow, UnitScore, Verdict
from ragtriage.report.escaping import visible
from ragtriage.report.model import Report
from ragtriage.report.sections.case_list import STATES, CaseLine, case_list
from ragtriage.report.sections.comparison import Comparison, Difference, comparison
from ragtriage.report.sections.record import LeftOut, run_record
from ragtriage.report.sections.slices import worst_slices
from ragtriage.report.sections.stages import metric_groups, pipeline
from ragtriage.report.sections.units import worst_units
from ragtriage.report.sections.verdict import verdict
from ragtriage.report.sections.waterfall import waterfall
from ragtriage.report.wording import (
    PROXY,
    command,
    count,
    interval,
    number,
    percent,
    signed,
    signed_interval,
    singular,
    slice_name,
    units,
)

__all__ = ["MARKER", "MAX_CHARACTERS", "escaped", "markdown"]

MARKER = "<!-- ragtriage -->"
MAX_CHARACTERS = 65_000  # a comment on GitHub holds 65,536
_SIGNS: dict[Verdict, str] = {"pass": "\u2705 pass", "fail": "\u274c fail", "undecidable": "\u2754 undecidable"}
_CELL = 300  # characters of a text that a cell shows
_ROOM_FOR_CASES = 20_000  # kept free of what comes before them
_BAR = 20
_TURNED = 10  # cases that broke or were mended, each
_MOST_SLICES = 5
_MOST_UNITS = 5
_MOST_REASONS, _MOST_NAMES = 6, 5  # of metrics that are left out
_METRIC_HEADS = ("Metric", "Value", "95 % interval", "n", "Undefined", "Failed")

_ENTITIES = {char: f"&#{ord(char)};" for char in "\\`*_[]<>|~&:."}
_APART = {char: f"<span>{char}</span>" for char in "@#$"}  # a mention, an issue, a formula: found in the drawn text
# Inside a word `_` means nothing; `:` and `.` mean something only where an address begins.
_SPECIAL = re.compile(r"[\\`*\[\]<>|~&@#$\n]|(?<![^\W_])_|_(?![^\W_])|:(?=//)|(?<=www)[.]", re.IGNORECASE)


@report_format(suffix=".md", title="Markdown (fits a PR comment)")
def markdown(report: Report) -> str:
    """Return the report as GitHub Markdown of fewer than 65,536 characters."""
    compared = comparison(report)
    blocks = [MARKER, *_head(report), *_gate(report), *(_differences(compared) if compared is not None else ())]
    blocks += [*_waterfall(report), *_stages(report), *_slices(report), *_units(report)]
    body, foot = _within(blocks, MAX_CHARACTERS - _ROOM_FOR_CASES), _foot(report)
    cases = _cases(report, MAX_CHARACTERS - len(body) - len(foot))
    room = MAX_CHARACTERS - len(body) - len(foot) - len(cases)
    return "\n".join(filter(None, [body, cases, _within(_all_metrics(report), room - 3), foot]))


def escaped(text: str) -> str:
    r"""Write text so that Markdown draws exactly it, on one line; a line break becomes `<br>`.

    >>> escaped("a | b\nc")
    'a &#124; b<br>c'
    """
    return _SPECIAL.sub(_sign, visible(text.replace("\r\n", "\n").replace("\r", "\n")))


def _sign(match: re.Match[str]) -> str:
    char = match.group()
    return "<br>" if char == "\n" else _APART[char] if char in _APART else _ENTITIES[char]


def _code(text: str) -> str:
    return f"<code>{escaped(text)}</code>"


def _short(text: str) -> str:
    return escaped(text if len(text) <= _CELL else text[: _CELL - 1] + "\u2026")


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]], *, align: str) -> str:
    """Draw a table of cells that are escaped already; `align` has a letter for each column, l or r."""
    rule = [{"l": "---", "r": "--:"}[letter] for letter in align]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (heads, rule, *rows)) + "\n"


def _within(blocks: Sequence[str], room: int) -> str:
    """Keep the blocks that fit, in order, and say so where some do not."""
    told = "_What did not fit into a comment stands in the HTML report._\n"
    kept: list[str] = []
    room -= len(told) + 1
    for block in blocks:
        room -= len(block) + 1
        if room < 0:
            kept.append(told)
            break
        kept.append(block)
    return "\n".join(kept)


def _head(report: Report) -> list[str]:
    decision, counts = verdict(report), report.results.counts
    sign = _SIGNS[decision.verdict].split()[0] + " " if decision.verdict else ""
    status = "" if decision.status == "complete" else f" The run is {decision.status}."
    heads = ("cases", "ok", "not ok", "failed", "no expectation", "traced")
    tally = (counts.cases, counts.ok, counts.not_ok, counts.failed, counts.no_expectation, counts.traced)
    lines = [f"## {sign}{decision.word}\n", f"{escaped(decision.sentence)}{status}\n"]
    return [*lines, _table(heads, [[str(n) for n in tally]], align="rrrrrr")]


def _gate(report: Report) -> list[str]:
    rows = [
        [
            _SIGNS[line.rule.verdict] + (" (critical)" if line.rule.critical else ""),
            _name(line.rule.metric, line.rule.level, line.proxy),
            escaped(slice_name(line.rule.slice)) if line.rule.slice else "",
            f"**{number(line.rule.value, unit=line.unit)}**",
            line.demand,
            interval(line.rule.interval, unit=line.unit),
            str(line.rule.scored) + (f" <sub>{escaped(population)}</sub>" if (population := line.population) else ""),
            _short(line.rule.reason),
        ]
        for line in verdict(report).rules
    ]
    heads = ("Gate rule", "Metric", "Slice", "Value", "Limit", "95 % interval", "n", "Reason")
    return ["### Gate\n", _table(heads, rows, align="lllrrrrl")] if rows else []


def _name(metric: str, level: str | None, proxy: bool) -> str:  # noqa: FBT001 - a fact of the row, not an option
    name = _code(metric) + (f" ({escaped(level)})" if level else "")
    return f"{name} <sub>{PROXY}</sub>" if proxy else name


def _waterfall(report: Report) -> list[str]:
    fall = waterfall(report)
    if not fall.bars:
        return []
    rows = []
    for bar in fall.bars:
        start = min(_BAR - 1, round(_BAR * bar.before / fall.not_ok))
        size = max(1, min(_BAR - start, round(_BAR * bar.cases / fall.not_ok)))
        drawn = "\u2591" * start + "\u2588" * size + "\u2591" * (_BAR - start - size)
        rows.append([bar.leaf, f"`{drawn}`", bar.meaning, str(bar.cases), percent(bar.share)])
    if fall.unexplained:
        rows.append(["no diagnosis", "", "", str(fall.unexplained), percent(fall.unexplained / fall.not_ok)])
    return [f"### {fall.title}\n", _table(("Leaf", "", "What it means", "Cases", "Share"), rows, align="lllrr")]


def _stages(report: Report) -> list[str]:
    """Draw the key numbers of each stage."""
    rows = [
        [f"**{stage.name}**" if place == 0 else "", str(stage.broken) if place == 0 else "", *_metric(row)]
        for stage in pipeline(report)
        for place, row in enumerate(stage.rows)
    ]
    heads = ("Stage", "Broken cases", *_METRIC_HEADS)
    return ["### Stages\n", _table(heads, rows, align="lrlrrrrr")] if rows else []


def _all_metrics(report: Report) -> list[str]:
    return [
        f"<details><summary>{escaped(group.name)}: {count(len(group.rows), 'metric')}</summary>\n\n"
        f"{_table(_METRIC_HEADS, map(_metric, group.rows), align='lrrrrr')}\n</details>\n"
        for group in metric_groups(report)
    ]


def _metric(row: MetricRow) -> list[str]:
    name = _name(row.name, row.level, row.proxy)
    if row.population != CASES:
        name += f" <sub>{escaped(row.population)}</sub>"
    if row.value is None and row.reason:
        name += f"<br><sub>no value: {_short(row.reason)}</sub>"
    ends = interval(row.interval, unit=row.unit)
    return [name, number(row.value, unit=row.unit), ends, str(row.scored), str(row.undefined), str(row.failed)]


def _differences(compared: Comparison) -> list[str]:
    """Draw what moved, the cases that turned and what else differs between the runs."""
    heads = ("Metric", "Base", "Candidate", "Difference", "95 % interval", "n", "")
    moved, ok = compared.shown, compared.ok
    said = f"{count(len(ok.broke), 'case')} broke, {len(ok.mended)} were mended, of {ok.pairs} judged in both runs "
    lines = [f"### Against {_code(compared.base_id)}\n", f"{said}(McNemar p = {ok.p:.3f}).\n"]
    lines.append(
        _table(heads, map(_difference, moved), align="lrrrrrl")
        if moved
        else f"None of {count(len(compared.metrics), 'metric')} moved.\n"
    )
    if len(compared.moved) > len(moved):
        lines.append(f"and {len(compared.moved) - len(moved)} more metrics that moved\n")
    if compared.slices:
        rows = [[_short(slice_name(one.row.slice)), *_difference(one)] for one in compared.slices[:_MOST_SLICES]]
        lines += ["Slices that moved, the surest first:\n", _table(("Slice", *heads), rows, align="llrrrrrl")]
    for title, turned in (("broke", compared.broke), ("were mended", compared.mended)):
        if turned:
            rows = [
                [_code(t.case_id), _short(t.question or ""), t.leaf or "", _short(t.cause or "")]
                for t in turned[:_TURNED]
            ]
            first = f", the first {_TURNED}" if len(turned) > _TURNED else ""
            lines.append(
                f"<details><summary>{count(len(turned), 'case')} that {title}{first}</summary>\n\n"
                f"{_table(('Case', 'Question', 'Leaf', 'Cause'), rows, align='llll')}\n</details>\n"
            )
    if compared.bundle:
        differs = ", ".join(_code(name) for name, _, _ in compared.bundle)
        lines.append(f"The runs differ in: {differs}.\n")
    return lines


def _difference(one: Difference) -> list[str]:
    row = one.row
    return [
        _name(row.metric, row.level, row.proxy),
        number(row.base, unit=row.unit),
        number(row.candidate, unit=row.unit),
        "\u2013" if row.difference is None else f"**{signed(row.difference, unit=row.unit)}**",
        signed_interval(row.interval, unit=row.unit),
        str(row.pairs) if row.pairs else "no pairs",
        one.said,
    ]


def _slices(report: Report) -> list[str]:
    rows = [
        [escaped(slice_name(one.row.slice)), *_metric(one.row), number(one.whole.value, unit=one.whole.unit)]
        for one in worst_slices(report)
    ]
    heads = ("Slice", *_METRIC_HEADS, "All cases")
    return ["### Worst slices\n", _table(heads, rows, align="llrrrrrr")] if rows else []


def _units(report: Report) -> list[str]:
    """Draw the worst units: one table, the others folded."""
    blocks = []
    for place, table in enumerate(worst_units(report, most=_MOST_UNITS)):
        rows = [[_code(line.unit.unit_id), escaped(line.about), *map(_score, line.scores)] for line in table.lines]
        one, names = singular(table.population).capitalize(), [_code(row.name) for row in table.columns]
        drawn = _table((escaped(one), "Kind", *names), rows, align="ll" + "r" * len(names))
        missed = f"{table.imperfect} of {units(table.measured, table.population)} not at its best"
        title = f"Worst {escaped(table.population)} by {_code(table.lead.name)}: {missed}"
        if place == 0:
            blocks += [f"### {title}\n", drawn]
        else:
            blocks.append(f"<details><summary>{title}</summary>\n\n{drawn}\n</details>\n")
    return blocks


def _score(score: UnitScore | None) -> str:
    if score is None or score.status == "undefined":
        return "\u2013"
    return "failed" if score.value is None else number(score.value)


def _cases(report: Report, room: int) -> str:
    broken = [line for line in case_list(report) if line.state in ("failed", "not_ok")]
    if not broken:
        return ""
    title = f"<details><summary>{len(broken)} cases that failed or are not ok</summary>\n\n"
    heads = ("Case", "State", "Leaf", "Question", "Cause", "Advice")
    start, end = _table(heads, (), align="llllll"), "\n</details>\n"
    room -= len(title) + len(start) + len(end) + 100
    rows = []
    for line in broken:
        row = "| " + " | ".join(_case(line)) + " |\n"
        room -= len(row)
        if room < 0:
            break
        rows.append(row)
    left = len(broken) - len(rows)
    more = f"\nand {left} more in the HTML report\n" if left else ""
    return title + start + "".join(rows) + more + end


def _case(line: CaseLine) -> list[str]:
    found, failure = line.diagnosis, line.failure
    cause = found.cause if found else f"{failure.error}: {failure.message}" if failure else ""
    return [
        _code(line.case_id),
        STATES[line.state],
        found.leaf if found else "",
        _short(line.question or ""),
        _short(cause),
        _short(found.advice if found else ""),
    ]


def _foot(report: Report) -> str:
    record = run_record(report)
    worst = next((line for line in case_list(report) if line.state in ("failed", "not_ok")), None)
    follow = f"Follow a case: {_code(command(report.folder, worst.case_id))}<br>\n" if worst else ""
    notes = "".join(f"Note: {_short(note)}<br>\n" for note in record.notes[:10])
    left = "".join(_left_out(one) for one in record.left_out[:_MOST_REASONS])
    return f"{follow}{notes}{left}Run {_code(record.run_id)}\n"


def _left_out(one: LeftOut) -> str:
    more = len(one.names) - _MOST_NAMES
    names = ", ".join(map(_code, one.names[:_MOST_NAMES])) + (f" and {more} more" if more > 0 else "")
    return f"Left out: {names}: {_short(one.why)}<br>\n"
