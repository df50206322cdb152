"""What the parameters of an index buy: recall against latency for HNSW and IVF, as a table and as a curve."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ragtriage.core.clock import Clock, SystemClock
from ragtriage.core.errors import BadInput
from ragtriage.models.faiss_index import FaissIndex, FaissSettings, usual_nlist
from ragtriage.report.figures import Line, Point, line_chart
from ragtriage.runs.writable import check_file
from ragtriage.stats.nearest import Distance
from ragtriage.workflows.index_recall import IndexScore, Truth, measure_index
from ragtriage.workflows.recorded_recall import VectorPlaces

__all__ = ["StudyGrid", "StudyRow", "curve", "study", "study_files", "table"]

_TICKS = tuple(digit * 10.0**power for power in range(-4, 5) for digit in (1, 2, 5))
_NAMES = {"flat": "", "hnsw": ": M/efConstruction/efSearch", "ivf": ": nlist/nprobe"}
_NUMBER = re.compile(r"[0-9]+")
_COLUMNS = ("index", "build", "search", "recall@k", "build s", "queries/s", "ms/query")


@dataclass(frozen=True, slots=True)
class StudyGrid:
    """Which parameters are tried; every combination of a build is built once and searched in each way.

    `nlist` None: half, once and twice the square root of the number of items.
    """

    m: tuple[int, ...] = (8, 16, 32)
    ef_construction: tuple[int, ...] = (64, 128)
    ef_search: tuple[int, ...] = (8, 16, 32, 64, 128, 256)
    nlist: tuple[int, ...] | None = None
    nprobe: tuple[int, ...] = (1, 2, 4, 8, 16, 32)

    def cells(self, items: int) -> tuple[int, ...]:
        """Return the numbers of cells that are tried for so many items.

        >>> StudyGrid().cells(10_000)
        (50, 100, 200)
        """
        usual = usual_nlist(items)
        chosen = self.nlist if self.nlist is not None else (max(1, usual // 2), usual, min(items, 2 * usual))
        return tuple(dict.fromkeys(chosen))


@dataclass(frozen=True, slots=True)
class StudyRow:
    """One way to build and search; `build_s` seconds on one thread."""

    settings: FaissSettings
    build_s: float
    score: IndexScore

    @property
    def build(self) -> str:
        """The parameters of building, without those of searching."""
        s = self.settings
        told = {"flat": "", "hnsw": f"M={s.m}, efConstruction={s.ef_construction}", "ivf": f"nlist={s.nlist}"}
        return told[s.kind]

    @property
    def search(self) -> str:
        """The parameter of searching."""
        s = self.settings
        return {"flat": "", "hnsw": f"efSearch={s.ef_search}", "ivf": f"nprobe={s.nprobe}"}[s.kind]

    def __str__(self) -> str:
        """`hnsw M=16, efConstruction=64 efSearch=32: 0.9750 (0.9500 to 0.9900, n = 40)`."""
        named = " ".join(part for part in (self.settings.kind, self.build, self.search) if part)
        return f"{named}: {self.score.recall}"


@dataclass(frozen=True, slots=True)
class _Study:
    truth: Truth
    k: int
    repeats: int
    clock: Clock
    told: Callable[[StudyRow], None]
    rows: list[StudyRow] = field(default_factory=list)

    def add(self, settings: FaissSettings, ways: Sequence[dict[str, int]]) -> None:
        started = self.clock.monotonic_ms()
        index = FaissIndex(self.truth.vectors, settings, distance=self.truth.distance)
        build_s = (self.clock.monotonic_ms() - started) / 1000
        for way in ways:
            tuned = index.tuned(**way)
            score = measure_index(tuned, self.truth, k=self.k, repeats=self.repeats, clock=self.clock)
            row = StudyRow(tuned.settings, build_s, score)
            self.rows.append(row)
            self.told(row)


def study(
    truth: Truth,
    *,
    k: int = 10,
    grid: StudyGrid | None = None,
    repeats: int = 3,
    clock: Clock | None = None,
    told: Callable[[StudyRow], None] = lambda _: None,
) -> tuple[StudyRow, ...]:
    """Build and search FAISS flat, HNSW and IVF in every way of the grid, one thread; raises MissingExtra.

    `told` is called with each row as soon as it is measured. Times are wall times, of `repeats` rounds the fastest for
    each query; other work on the machine shows in them, recall it does not change.
    """
    grid = StudyGrid() if grid is None else grid
    found = _Study(truth, k, repeats, SystemClock() if clock is None else clock, told)
    found.add(FaissSettings("flat"), [{}])
    for m in grid.m:
        for construction in grid.ef_construction:
            settings = FaissSettings("hnsw", m=m, ef_construction=construction)
            found.add(settings, [{"ef_search": width} for width in grid.ef_search])
    for cells in grid.cells(len(truth.vectors)):
        ways = [{"nprobe": probe} for probe in grid.nprobe if probe <= cells]
        found.add(FaissSettings("ivf", nlist=cells), ways)
    return tuple(found.rows)


def study_files(
    places: VectorPlaces,
    outputs: Iterable[Path | None],
    *,
    k: int,
    distance: Distance,
    grid: StudyGrid,
    told: Callable[[StudyRow], None],
) -> tuple[StudyRow, ...]:
    """Study the vectors of files; `outputs` are looked at first, so that no study is made in vain.

    Raises BadInput with every fault of the files, or where the grid does not fit, MissingExtra, StorageFailed.
    """
    for output in filter(None, outputs):
        check_file(output, inputs=places.files)
    items, asking = places.read(distance=distance, k=k)
    cells = [number for number in grid.cells(len(items.ids)) if number > len(items.ids)]
    if cells:
        raise BadInput(f"--nlist {cells[0]} is more than the {len(items.ids):,} vectors that cells are learnt from")
    truth = Truth.among(items.vectors, asking.vectors, depth=k, distance=distance)
    return study(truth, k=k, grid=grid, told=told)


def table(rows: Sequence[StudyRow]) -> str:
    """Return the rows as a Markdown table, in the order in which they were measured."""
    lines = [_line(_COLUMNS), _line(["---"] * 3 + ["---:"] * 4)]
    for row in rows:
        score = row.score
        lines.append(
            _line(
                (
                    row.settings.kind,
                    row.build,
                    row.search,
                    "undefined" if score.recall.value is None else f"{score.recall.value:.4f}",
                    f"{row.build_s:.2f}",
                    "" if score.queries_per_s is None else f"{score.queries_per_s:,.0f}",
                    "" if score.ms_per_query is None else f"{score.ms_per_query:.3f}",
                )
            )
        )
    return "\n".join(lines) + "\n"


def curve(rows: Sequence[StudyRow], *, title: str) -> str:
    """Return recall against the median time of a query as an SVG: a line for each kind, through its best ways alone.

    A way is among the best where no way of its kind that is as fast has as high a recall. Raises ValueError where no
    row has a recall and a time.
    """
    lines = []
    for kind in dict.fromkeys(row.settings.kind for row in rows):
        points = _best(row for row in rows if row.settings.kind == kind)
        if points:
            lines.append(Line(f"{kind}{_NAMES[kind]}", points))
    return line_chart(
        lines,
        title=title,
        x_label="milliseconds a query (median)",
        y_label=f"recall@{rows[0].score.k}" if rows else "recall",
        x_scale="log",
        x_ticks=_TICKS,
    )


def _best(rows: Iterable[StudyRow]) -> tuple[Point, ...]:
    points = []
    for row in rows:
        recall, took = row.score.recall, row.score.ms_per_query
        if recall.value is not None and took:
            label = "/".join(_NUMBER.findall(f"{row.build} {row.search}"))
            points.append(Point(took, recall.value, recall.low, recall.high, label))
    kept: list[Point] = []
    for point in sorted(points, key=lambda point: (point.x, -point.y)):
        if not kept or point.y > kept[-1].y:
            kept.append(point)
    return tuple(kept)


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
