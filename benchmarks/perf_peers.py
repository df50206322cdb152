"""One piece of work, done by the package that others use for it: prints CPU seconds and values as JSON.

`python perf_peers.py WORK`, in an environment that holds apted, datasketch, jiwer and lxml, and not ragtriage. The
first small round, which loads, is not timed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import perf_work

__all__: list[str] = []


def _teds(shape: str, count: int) -> Callable[[], list[float]]:
    """PubTabNet's algorithm: lxml reads, apted compares, rapidfuzz gives the costs of cells."""
    import lxml.html  # noqa: PLC0415 - each process loads what it measures
    from apted import APTED, Config  # noqa: PLC0415
    from rapidfuzz.distance import Levenshtein  # noqa: PLC0415

    class Node:
        def __init__(self, element: Any) -> None:
            self.tag = element.tag
            self.spans = (element.get("colspan", "1"), element.get("rowspan", "1"))
            self.content = list(element.text_content()) if element.tag == "td" else []
            self.children = [Node(child) for child in element] if element.tag != "td" else []
            self.size: int = 1 + sum(child.size for child in self.children)

    class Costs(Config):  # type: ignore[misc]
        def rename(self, node1: Any, node2: Any) -> float:
            if node1.tag != node2.tag or node1.spans != node2.spans:
                return 1.0
            if node1.tag == "td" and (node1.content or node2.content):
                return float(Levenshtein.normalized_distance(node1.content, node2.content))
            return 0.0

    def teds(pair: tuple[str, str]) -> float:
        one, other = (Node(lxml.html.document_fromstring(html).xpath("body/table")[0]) for html in pair)
        return 1 - float(APTED(one, other, Costs()).compute_edit_distance()) / max(one.size, other.size)

    rows, columns = map(int, shape.split("x"))
    teds(perf_work.tables(3, 3, 1)[0])
    pairs = perf_work.tables(rows, columns, count)
    return lambda: [teds(pair) for pair in pairs]


def _duplicates() -> Callable[[], list[float]]:
    from datasketch import MinHash, MinHashLSH  # noqa: PLC0415

    def find(texts: list[str]) -> list[float]:
        shingles = []
        for text in texts:
            words = text.split()
            shingles.append([" ".join(words[i : i + 3]).encode() for i in range(len(words) - 2)])
        index = MinHashLSH(threshold=0.7, num_perm=128)
        found: list[float] = []
        for place, sketch in enumerate(MinHash.generator(shingles, num_perm=128)):
            if index.query(sketch):
                found.append(place)
            index.insert(place, sketch)
        return found

    texts, _ = perf_work.corpus(20_000, 150)
    find(texts[:100])
    return lambda: find(texts)


def _rates(name: str) -> Callable[[], list[float]]:
    import jiwer  # noqa: PLC0415

    rate = getattr(jiwer, name)
    pairs = perf_work.documents(1000, 5000)
    rate(*pairs[0])
    return lambda: [rate(reference, read) for reference, read in pairs]


def _main(work: str) -> None:
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
