"""A chart is well-formed, stands by itself, and says its numbers in words."""

from __future__ import annotations

import math
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtriage.report.figures import Line, Point, line_chart

SVG = "{http://www.w3.org/2000/svg}"
NUMBERS = st.floats(-1e9, 1e9, allow_nan=False)
POINTS = st.builds(
    Point, x=st.floats(0.001, 1e6), y=NUMBERS, low=st.none() | NUMBERS, high=st.none() | NUMBERS, label=st.text()
)
SERIES = st.builds(Line, name=st.text(), points=st.lists(POINTS, min_size=1, max_size=5).map(tuple))
LINES = st.lists(SERIES, min_size=1, max_size=6)


def parsed(text: str) -> ET.Element:
    return ET.fromstring(text)  # noqa: S314 - our own output


def drawn(*lines: Line, **options: object) -> ET.Element:
    return parsed(line_chart(lines, title="T", x_label="tokens", y_label="recall", **options))  # type: ignore[arg-type]


def test_places_follow_the_numbers() -> None:
    line = Line("a", (Point(128, 0.5, 0.4, 0.6), Point(256, 0.6), Point(512, 1.0)))
    linear, log = drawn(line, y_range=(0, 1)), drawn(line, y_range=(0, 1), x_scale="log")
    across = [[float(c.get("cx", "")) for c in svg.iter(f"{SVG}circle")][:3] for svg in (linear, log)]
    left, right = across[0][0], across[0][2]
    assert across[0][1] == pytest.approx(left + (right - left) / 3, abs=0.1)
    assert across[1][1] == pytest.approx((left + right) / 2, abs=0.1)
    up = [float(c.get("cy", "")) for c in linear.iter(f"{SVG}circle")][:3]
    assert up[1] == pytest.approx(up[2] + (up[0] - up[2]) * 0.8, abs=0.1)
    bars = [b for b in linear.iter(f"{SVG}line") if (b.get("class") or "").startswith("bar")]
    assert len(bars) == 3  # one interval: a line and its two ends


def test_its_numbers_are_said_in_words_and_named_for_readers_of_the_page() -> None:
    svg = drawn(Line("fees & more", (Point(128, 0.5, 0.4, 0.6, label="knee"),)), marks=[(128, "here")])
    described = next(svg.iter(f"{SVG}desc"))
    assert described.text == "recall by tokens. fees & more: 128: 0.5 (0.4 to 0.6) knee. here at 128."
    names = (svg.get("aria-labelledby") or "").split()
    assert svg.get("role") == "img"
    assert {e.get("id") for e in svg.iter() if e.get("id")} == set(names)


def test_lines_differ_by_form_and_not_by_colour_alone() -> None:
    svg = drawn(*(Line(str(n), (Point(1, n), Point(2, n))) for n in range(4)))
    dashes = [path.get("stroke-dasharray") for path in svg.iter(f"{SVG}path")][:4]
    assert len(set(dashes)) == 4


@settings(max_examples=150, deadline=None)
@given(LINES, st.sampled_from(["linear", "log"]))
def test_any_numbers_and_any_names_give_a_well_formed_picture_without_script(lines: list[Line], scale: str) -> None:
    text = line_chart(lines, title="<script>", x_label="&", y_label='"', x_scale=scale)  # type: ignore[arg-type]
    svg = parsed(text)
    assert {e.tag.removeprefix(SVG) for e in svg.iter()} <= {
        "svg", "title", "desc", "style", "text", "line", "path", "circle", "rect", "polygon"}  # fmt: skip
    places = [float(e.get(name, "0")) for e in svg.iter() for name in ("x1", "y1", "cx", "cy") if e.get(name)]
    assert all(map(math.isfinite, places))
    assert text == line_chart(lines, title="<script>", x_label="&", y_label='"', x_scale=scale)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("lines", "options"),
    [
        ([], {}),
        ([Line("a", ())], {}),
        ([Line("a", (Point(1, math.nan),))], {}),
        ([Line("a", (Point(1, 1, high=math.inf),))], {}),
        ([Line("a", (Point(0, 1),))], {"x_scale": "log"}),
    ],
)
def test_what_cannot_be_drawn_is_refused(lines: list[Line], options: dict[str, str]) -> None:
    with pytest.raises(ValueError, match=r"(chart|axis) needs"):
        line_chart(lines, title="T", x_label="x", y_label="y", **options)  # type: ignore[arg-type]


def test_ticks_stand_where_they_are_wanted_and_only_in_reach() -> None:
    svg = drawn(Line("a", (Point(1.3, 0.5), Point(7.9, 0.6))), x_ticks=(1, 2, 5, 10))
    words = [text.text for text in svg.iter(f"{SVG}text") if text.get("text-anchor") == "middle"]
    assert words == ["2", "5", "tokens"]


def test_a_word_that_would_cover_another_is_left_to_its_points_title() -> None:
    line = Line("a", (Point(1, 0.5, label="first"), Point(1.01, 0.5, label="second"), Point(9, 0.5, label="third")))
    svg = drawn(line)
    words = {text.text for text in svg.iter(f"{SVG}text")}
    assert {"first", "third"} <= words
    assert "second" not in words
    titles = [title.text or "" for title in svg.iter(f"{SVG}title")]
    assert any("second" in title for title in titles)
