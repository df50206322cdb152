"""One piece of work, done by ragtriage in a process of its own: prints CPU seconds and values as JSON.

`python perf_ours.py WORK [plain]`: `plain` hides numba. The first small round, which loads and compiles, is not timed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import perf_work

__all__: list[str] = []


def _tables(shape: str, count: int) -> list[Any]:
    from ragtriage.core.table_views import TablesView  # noqa: PLC0415 - each process loads what it measures

    rows, columns = map(int, shape.split("x"))
    return [TablesView((one,), (other,)) for one, other in perf_work.tables(rows, columns, count)]


def _teds(shape: str, count: int) -> Callable[[], list[float]]:
    from ragtriage.metrics.ingest.teds import teds  # noqa: PLC0415

    teds(_tables("3x3", 1)[0])
    views = _tables(shape, count)
    return lambda: [teds(view).value for view in views]


def _duplicates() -> Callable[[], list[float]]:
    from ragtriage.text.minhash import find_near_duplicates  # noqa: PLC0415

    texts, _ = perf_work.corpus(20_000, 150)
    find_near_duplicates(texts[:100], threshold=0.7)
    return lambda: sorted({pair.second for pair in find_near_duplicates(texts, threshold=0.7).pairs()})


def _rates(name: str) -> Callable[[], list[float]]:
    from ragtriage.core.catalogue import METRICS  # noqa: PLC0415
    from ragtriage.core.extraction_views import ExtractionView  # noqa: PLC0415

    rate = METRICS[f"ingest.{name}"]
    views = [ExtractionView(reference, read) for reference, read in perf_work.documents(1000, 5000)]
    rate(views[0])
    return lambda: [rate(view).value for view in views]


def _main(work: str, *how: str) -> None:
    if "plain" in how:
        sys.modules["numba"] = None  # type: ignore[assignment]
    kind, _, size = work.partition(":")
    shape, _, count = size.partition("*")
    match kind:
        case "teds":
            run = _teds(shape, int(count))
        case "duplicates":
            run = _duplicates()
        case _:
            run = _rates(kind)
    perf_work.tell(run)


if __name__ == "__main__":
    _main(*sys.argv[1:])
