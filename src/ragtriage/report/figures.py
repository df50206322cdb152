"""Charts as SVG: lines over a numeric axis, each point with its interval.

A chart is one element that stands by itself: no script, no font, no colour that a page must bring. It follows the
reader's light or dark scheme, tells its lines apart by form as well as colour, and says its numbers in words for those
who cannot see it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Literal

from ragtriage.core.identity import hash_json
from ragtriage.report.escaping import one_line

__all__ = ["Line", "Point", "line_chart"]

_WIDTH, _HEIGHT = 640, 360
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 24, 48, 56
_ROW = 18
_ASIDE = 6
_CHARACTER, _LETTER = 7, 13  # about how wide and high a letter is
_TICKS = 5
_STYLE = """
.rt-figure{background:#fff;color:#1c2430;font:12px system-ui,sans-serif}
.rt-figure text{fill:currentColor}.rt-figure .title{font-weight:600;font-size:14px}
.rt-figure .axis{stroke:#5b6675}.rt-figure .grid{stroke:#d9dee5}.rt-figure .mark{stroke:#5b6675;stroke-dasharray:2 3}
.rt-figure .l0{stroke:#0b62b0;fill:#0b62b0}.rt-figure .l1{stroke:#a8430a;fill:#a8430a}
.rt-figure .l2{stroke:#1f7a3d;fill:#1f7a3d}.rt-figure .l3{stroke:#7b3fa0;fill:#7b3fa0}
.rt-figure path.way{fill:none;stroke-width:2}.rt-figure .bar{stroke-width:1.5}
@media (prefers-color-scheme:dark){
.rt-figure{background:#14181f;color:#e6eaf0}
.rt-figure .axis,.rt-figure .mark{stroke:#9aa5b4}.rt-figure .grid{stroke:#323a46}
.rt-figure .l0{stroke:#6cb4f5;fill:#6cb4f5}.rt-figure .l1{stroke:#f2a36b;fill:#f2a36b}
.rt-figure .l2{stroke:#7fd39a;fill:#7fd39a}.rt-figure .l3{stroke:#cfa3ec;fill:#cfa3ec}}
"""
_DASHES = ("", "6 3", "2 3", "8 3 2 3")
_COLOURS = len(_DASHES)


@dataclass(frozen=True, slots=True)
class Point:
    """One measured point; `low` and `high`: its interval, None where it has none. `label`: a word beside it."""

    x: float
    y: float
    low: float | None = None
    high: float | None = None
    label: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """A named line through points in the order of the tuple."""

    name: str
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class _Frame:
    """How numbers become places in the picture."""

    x: tuple[float, float]
    y: tuple[float, float]
    log: bool
    height: int

    def across(self, value: float) -> float:
        low, high, at = (math.log(v) if self.log else v for v in (*self.x, value))
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * ((at - low) / (high - low) if high > low else 0.5)

    def up(self, value: float) -> float:
        low, high = self.y
        return self.floor - (self.floor - _TOP) * (value - low) / (high - low)

    @property
    def floor(self) -> float:
        return _HEIGHT - _BOTTOM


def line_chart(
    lines: Sequence[Line],
    *,
    title: str,
    x_label: str,
    y_label: str,
    x_scale: Literal["linear", "log"] = "linear",
    y_range: tuple[float, float] | None = None,
    marks: Sequence[tuple[float, str]] = (),
    x_ticks: Sequence[float] = (),
) -> str:
    """Draw lines with intervals and return an SVG element.

    `x_ticks`: where the ticks below stand, those in reach; by default at the first line's points. `y_range`: None takes
    what the points and intervals reach. `marks`: vertical lines at an x, each with a word (a knee point). Raises
    ValueError without any point, for numbers that are not finite, and on a logarithmic scale for an x that is not
    above 0.

    >>> line = Line("recall", (Point(1, 0.5, 0.4, 0.6), Point(2, 0.75)))
    >>> svg = line_chart([line], title="T", x_label="x", y_label="y")
    >>> svg.startswith("<svg "), "recall: 1: 0.5 (0.4 to 0.6), 2: 0.75" in svg
    (True, True)
    """
    points = [point for line in lines for point in line.points]
    _check(points, marks, log=x_scale == "log")
    places = [point.x for point in points] + [place for place, _ in marks]
    reach = [v for p in points for v in (p.y, p.low, p.high) if v is not None]
    height = _HEIGHT + _ROW * len(lines)
    frame = _Frame((min(places), max(places)), y_range or _rounded(min(reach), max(reach)), x_scale == "log", height)
    name = f"rt-{hash_json([title, [repr(line) for line in lines]])[:10]}"
    said = " ".join(f"{line.name}: {', '.join(map(_said, line.points))}." for line in lines)
    described = f"{y_label} by {x_label}. {said} {' '.join(f'{word} at {_number(at)}.' for at, word in marks)}"
    drawn = [
        *_axes(frame, _ticks(frame, lines, x_ticks), x_label=x_label, y_label=y_label),
        *_marks(frame, marks),
        *(part for number, line in enumerate(lines) for part in _line(frame, number, line, of=len(lines))),
        *_labels(frame, lines),
        *_legend(frame, lines),
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="rt-figure" viewBox="0 0 {_WIDTH} {height}" role="img" '
        f'aria-labelledby="{name}-t {name}-d">\n<title id="{name}-t">{_text(title)}</title>\n'
        f'<desc id="{name}-d">{_text(described)}</desc>\n<style>{_STYLE}</style>\n'
        f'<text class="title" x="{_LEFT}" y="22">{_text(title)}</text>\n' + "\n".join(drawn) + "\n</svg>\n"
    )


def _check(points: Sequence[Point], marks: Sequence[tuple[float, str]], *, log: bool) -> None:
    if not points:
        raise ValueError("a chart needs at least one point")
    places = [point.x for point in points] + [place for place, _ in marks]
    values = [v for p in points for v in (p.y, p.low, p.high) if v is not None]
    if not all(map(math.isfinite, [*places, *values])):
        raise ValueError("a chart needs finite numbers")
    if log and min(places) <= 0:
        raise ValueError("a logarithmic axis needs x above 0")


def _rounded(low: float, high: float) -> tuple[float, float]:
    """Return a range in round steps that holds both numbers."""
    step = _step(low, high)
    first, last = math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step
    return (first, last) if last > first else (first - step, last + step)


def _step(low: float, high: float) -> float:
    rough = (high - low or abs(high) or 1.0) / _TICKS
    unit = 10.0 ** math.floor(math.log10(rough))
    return next((unit * factor for factor in (1, 2, 2.5, 5) if unit * factor >= rough * (1 - 1e-9)), unit * 10)


def _ticks(frame: _Frame, lines: Sequence[Line], chosen: Sequence[float]) -> tuple[float, ...]:
    if chosen:
        return tuple(place for place in chosen if frame.x[0] <= place <= frame.x[1])
    return tuple(dict.fromkeys(point.x for point in lines[0].points))


def _axes(frame: _Frame, ticks: Sequence[float], *, x_label: str, y_label: str) -> Iterator[str]:
    right, bottom = _WIDTH - _RIGHT, frame.floor
    low, high = frame.y
    step = _step(low, high)
    count = math.floor((high - low) / step + 1e-9)
    for number in range(count + 1):
        value = low + number * step
        at = frame.up(value)
        yield f'<line class="grid" x1="{_LEFT}" x2="{right}" y1="{at:.1f}" y2="{at:.1f}"/>'
        yield f'<text x="{_LEFT - 8}" y="{at + 4:.1f}" text-anchor="end">{_number(value)}</text>'
    yield f'<line class="axis" x1="{_LEFT}" x2="{right}" y1="{bottom}" y2="{bottom}"/>'
    for place in ticks:
        at = frame.across(place)
        yield f'<line class="axis" x1="{at:.1f}" x2="{at:.1f}" y1="{bottom}" y2="{bottom + 5}"/>'
        yield f'<text x="{at:.1f}" y="{bottom + 19}" text-anchor="middle">{_number(place)}</text>'
    middle = (_LEFT + right) / 2
    yield f'<text x="{middle:.1f}" y="{bottom + 40}" text-anchor="middle">{_text(x_label)}</text>'
    yield f'<text x="{_LEFT - 56}" y="{_TOP - 10}">{_text(y_label)}</text>'


def _marks(frame: _Frame, marks: Sequence[tuple[float, str]]) -> Iterator[str]:
    for place, word in marks:
        at = frame.across(place)
        yield f'<line class="mark" x1="{at:.1f}" x2="{at:.1f}" y1="{_TOP}" y2="{frame.floor}"/>'
        anchor, shift = _beside(at)
        yield f'<text x="{at + shift:.1f}" y="{_TOP + 4}" text-anchor="{anchor}">{_text(word)}</text>'


def _beside(at: float) -> tuple[str, int]:
    """Return how a word stands beside a place: towards the middle of the chart."""
    return ("end", -6) if at > (_LEFT + _WIDTH - _RIGHT) / 2 else ("start", 6)


def _line(frame: _Frame, number: int, line: Line, *, of: int) -> Iterator[str]:
    """Draw a line; beside others it stands a little to one side, so that intervals do not cover each other."""
    kind = f"l{number % _COLOURS}"
    aside = _ASIDE * (number - (of - 1) / 2)
    placed = [(frame.across(point.x) + aside, frame.up(point.y), point) for point in line.points]
    way = " ".join(f"{'L' if at else 'M'}{x:.1f} {y:.1f}" for at, (x, y, _) in enumerate(placed))
    dash = _DASHES[number % _COLOURS]
    yield f'<path class="way {kind}" d="{way}"' + (f' stroke-dasharray="{dash}"' if dash else "") + "/>"
    for x, y, point in placed:
        if point.low is not None and point.high is not None:
            low, high = frame.up(point.low), frame.up(point.high)
            yield f'<line class="bar {kind}" x1="{x:.1f}" x2="{x:.1f}" y1="{low:.1f}" y2="{high:.1f}"/>'
            for end in (low, high):
                yield f'<line class="bar {kind}" x1="{x - 4:.1f}" x2="{x + 4:.1f}" y1="{end:.1f}" y2="{end:.1f}"/>'
        yield _point(kind, number, x, y, f"{line.name}: {_said(point)}")


def _labels(frame: _Frame, lines: Sequence[Line]) -> Iterator[str]:
    """Draw the words beside points; one that would cover an earlier one is left to the point's own title."""
    drawn: list[tuple[float, float, float]] = []
    for number, point in ((number, point) for number, line in enumerate(lines) for point in line.points if point.label):
        x, y = frame.across(point.x) + _ASIDE * (number - (len(lines) - 1) / 2), frame.up(point.y) - 7
        anchor, shift = _beside(x)
        width = _CHARACTER * len(one_line(point.label))
        left = x + shift - (width if anchor == "end" else 0)
        if all(abs(y - at) >= _LETTER or left >= end or left + width <= start for start, end, at in drawn):
            drawn.append((left, left + width, y))
            yield f'<text x="{x + shift:.1f}" y="{y:.1f}" text-anchor="{anchor}">{_text(point.label)}</text>'


def _point(kind: str, number: int, x: float, y: float, said: str) -> str:
    """Draw a circle, square, diamond or triangle, so that lines differ without colour too."""
    corners = (((0, -5), (5, 0), (0, 5), (-5, 0)), ((0, -5), (5, 4), (-5, 4)))[number % 2]
    points = " ".join(f"{x + right:.1f},{y + down:.1f}" for right, down in corners)
    shape = (
        f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="4">',
        f'<rect class="{kind}" x="{x - 4:.1f}" y="{y - 4:.1f}" width="8" height="8">',
        f'<polygon class="{kind}" points="{points}">',
        f'<polygon class="{kind}" points="{points}">',
    )[number % _COLOURS]
    return f"{shape}<title>{_text(said)}</title></{shape[1 : shape.index(' ')]}>"


def _legend(frame: _Frame, lines: Sequence[Line]) -> Iterator[str]:
    """Draw the names of the lines below the chart, one in a row."""
    for number, line in enumerate(lines):
        y = frame.height - _ROW * (len(lines) - number) + 4
        kind, dash = f"l{number % _COLOURS}", _DASHES[number % _COLOURS]
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        yield f'<path class="way {kind}" d="M{_LEFT} {y}L{_LEFT + 32} {y}"{dashes}/>'
        yield _point(kind, number, _LEFT + 16, y, line.name)
        yield f'<text x="{_LEFT + 40}" y="{y + 4}">{_text(line.name)}</text>'


def _said(point: Point) -> str:
    between = ""
    if point.low is not None and point.high is not None:
        between = f" ({_number(point.low)} to {_number(point.high)})"
    return f"{_number(point.x)}: {_number(point.y)}{between}" + (f" {one_line(point.label)}" if point.label else "")


def _number(value: float) -> str:
    return f"{value:.4g}" if abs(value) < 10_000 else f"{value:,.0f}"  # noqa: PLR2004 - longer numbers want separators


def _text(text: str) -> str:
    return escape(one_line(text))
