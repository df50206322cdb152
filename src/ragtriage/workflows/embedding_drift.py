"""How far a pinned probe set drifted between two embedders, or between two versions of one.

The probe set is some hundred texts that stay the same for ever, kept with the vectors that the index was built from.
Three numbers answer three questions: cosines, whether one model moved; neighbours, whether searches will return other
things (the one number that also compares two models); the classifier, whether the two sets of vectors differ as a
whole, in ways that no single cosine shows.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from ragtriage.core.errors import BadInput
from ragtriage.core.index_views import ProbeView
from ragtriage.core.score import Score, Value
from ragtriage.data.vector_files import VectorSet, read_vectors
from ragtriage.metrics.ingest.embedding_probe_drift import embedding_probe_drift
from ragtriage.metrics.ingest.probe_domain_auc import probe_domain_auc
from ragtriage.metrics.ingest.probe_neighbour_overlap import probe_neighbour_overlap
from ragtriage.models.ports import Embedder
from ragtriage.report.escaping import one_line
from ragtriage.report.wording import count, interval, number
from ragtriage.stats.nearest import exact_neighbours, prepared
from ragtriage.workflows.averages import Average, average
from ragtriage.workflows.awaiting import finished
from ragtriage.workflows.given_parts import Reading

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "EmbeddingDrift",
    "as_json",
    "as_tables",
    "drift_of_files",
    "drift_of_vectors",
    "embed_probes",
    "embedding_drift",
    "probe_views",
]

_WORST = 10
_NAMES_SHOWN = 5


@dataclass(frozen=True, slots=True)
class EmbeddingDrift:
    """What changed between `old` and `new`; numbers that do not exist say why.

    `drift`: 1 - mean cosine, undefined where the dimensions differ. `overlap`: share of the `k` nearest probes kept.
    `domain_auc`: 0.5 where old and new cannot be told apart. `worst`: the probes that kept the fewest neighbours, with
    that share, the fewest first.
    """

    old: str
    new: str
    probes: int
    k: int
    drift: Average
    overlap: Average
    domain_auc: Score
    worst: tuple[tuple[str, float], ...]


def embedding_drift(
    probes: Mapping[str, str], old: Embedder, new: Embedder, *, k: int = 10, seed: int = 0
) -> EmbeddingDrift:
    """Embed the probes (id to text) by both and compare; the embedders answer one after the other.

    Raises BadInput for an empty probe set or vectors that cannot be used, and what the embedders raise.
    """

    async def both() -> tuple[VectorSet, VectorSet]:
        return await embed_probes(probes, old), await embed_probes(probes, new)

    return drift_of_vectors(*finished(both), k=k, seed=seed)


async def embed_probes(probes: Mapping[str, str], embedder: Embedder) -> VectorSet:
    """Return the vectors of the probes, to be compared now or kept for later; raises BadInput where they do not fit."""
    import numpy as np  # noqa: PLC0415 - loaded where vectors are

    rows = await embedder.embed(list(probes.values()))
    if len(rows) != len(probes) or len({len(row) for row in rows}) > 1:
        raise BadInput(f"{embedder.identity} gave {len(rows)} vectors, not all of one length, for {len(probes)} probes")
    table = np.stack(rows).astype(np.float32) if rows else np.zeros((0, 0), dtype=np.float32)
    return VectorSet(tuple(probes), table, embedder.identity)


def drift_of_files(
    old: Path, new: Path, *, old_ids: Path | None = None, new_ids: Path | None = None, k: int = 10, seed: int = 0
) -> EmbeddingDrift:
    """Compare two files of vectors (`.npy`, `.jsonl`, `.parquet`) by their ids; raises BadInput with every fault."""
    reading = Reading("the command")
    before = reading.tried(partial(read_vectors, old, ids=old_ids), named="OLD")
    after = reading.tried(partial(read_vectors, new, ids=new_ids), named="NEW")
    if before is None or after is None:
        raise reading.error
    return drift_of_vectors(before, after, k=k, seed=seed)


def drift_of_vectors(old: VectorSet, new: VectorSet, *, k: int = 10, seed: int = 0) -> EmbeddingDrift:
    """Compare two sets of vectors of the same ids; raises BadInput where one side lacks an id that the other has."""
    views = probe_views(old, new, depth=k)
    overlaps = [probe_neighbour_overlap(view, k=k) for view in views]
    ranked = sorted(
        (score.value, view.probe_id)
        for view, score in zip(views, overlaps, strict=True)
        if isinstance(score, Value) and score.value < 1
    )
    return EmbeddingDrift(
        old.identity,
        new.identity,
        len(views),
        k,
        average((embedding_probe_drift(view) for view in views), population="probes", seed=seed),
        average(overlaps, population="probes", seed=seed),
        probe_domain_auc(views),
        tuple((name, share) for share, name in ranked[:_WORST]),
    )


def as_json(found: EmbeddingDrift) -> str:
    """Return JSON: `null` with the reason where there is no number, and the probes that kept the fewest neighbours."""
    content = {
        "old": found.old,
        "new": found.new,
        "probes": found.probes,
        "metrics": {name: _plain(number) for name, number in _numbers(found)},
        "worst": [{"probe": name, f"probe_neighbour_overlap@{found.k}": share} for name, share in found.worst],
    }
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def as_tables(found: EmbeddingDrift) -> tuple[Text | Table, ...]:
    """Return a table of the numbers, with why there is none, and one of the probes that kept the fewest neighbours."""
    title = Text(one_line(f"{count(found.probes, 'probe')}: {found.old} and {found.new}"))
    table = Table("metric", box=SIMPLE_HEAD)
    for name in ("value", "interval", "n"):
        table.add_column(name, justify="right")
    numbers = _numbers(found)
    lacking = any(one.value is None for _, one in numbers)
    if lacking:
        table.add_column("why there is none")
    for name, one in numbers:
        ends = None if one.low is None or one.high is None else (one.low, one.high)
        row = [name, number(one.value), interval(ends), f"{one.scored:,}", *([one.reason or ""] if lacking else [])]
        table.add_row(*map(Text, row))
    if not found.worst:
        return title, table
    worst = Table("fewest neighbours kept", box=SIMPLE_HEAD)
    worst.add_column(f"of {found.k}", justify="right")
    for name, share in found.worst:
        worst.add_row(Text(one_line(name)), number(share))
    return title, table, worst


def _numbers(found: EmbeddingDrift) -> list[tuple[str, Average]]:
    """Name each number as rows of a run do; the area has no interval here."""
    area = found.domain_auc
    told = (
        Average(area.value, None, None, area.support)
        if isinstance(area, Value)
        else Average(None, None, None, 0, reason=area.reason)
    )
    return [
        ("ingest.embedding_probe_drift", found.drift),
        (f"ingest.probe_neighbour_overlap@{found.k}", found.overlap),
        ("ingest.probe_domain_auc", told),
    ]


def _plain(one: Average) -> dict[str, Any]:
    if one.value is None:
        return {"value": None, "scored": one.scored, "undefined": one.undefined, "reason": one.reason}
    ends = None if one.low is None or one.high is None else [one.low, one.high]
    return {"value": one.value, "interval": ends, "scored": one.scored, "undefined": one.undefined}


def probe_views(old: VectorSet, new: VectorSet, *, depth: int | None) -> tuple[ProbeView, ...]:
    """Pair two sets by id and search the neighbours of each probe among the others, by cosine; ties by id.

    `depth`: how many neighbours; None: they are not searched. Raises BadInput where the ids differ or numbers are not
    finite.
    """
    missing, added = sorted({*old.ids} - {*new.ids}), sorted({*new.ids} - {*old.ids})
    if missing or added:
        raise BadInput(
            f"a pinned probe set is the same on both sides. Only old: {_shown(missing)}; only new: {_shown(added)}"
        )
    ids = sorted(old.ids)
    rows = [_ordered(side, ids) for side in (old, new)]
    found = [_neighbours(table, side.identity, ids, depth) for table, side in zip(rows, (old, new), strict=True)]
    return tuple(ProbeView(name, rows[0][at], rows[1][at], found[0][at], found[1][at]) for at, name in enumerate(ids))


def _ordered(side: VectorSet, ids: list[str]) -> NDArray[np.float32]:
    place = {name: row for row, name in enumerate(side.ids)}
    return side.vectors[[place[name] for name in ids]]


def _neighbours(
    table: NDArray[np.float32], identity: str, ids: list[str], depth: int | None
) -> list[tuple[str, ...] | None]:
    """Return for each row the ids of its nearest others; None where it has no direction, or nothing is searched."""
    try:
        rows = prepared(table, distance="cosine")
    except ValueError as error:
        raise BadInput(f"{identity}: {error}") from error
    if depth is None or not len(rows):
        return [None] * len(rows)
    reach = min(depth, len(rows) - 1)
    places = exact_neighbours(rows, rows, k=reach + 1).places.tolist()
    return [
        tuple(ids[place] for place in found if place != row)[:reach] if rows[row].any() else None
        for row, found in enumerate(places)
    ]


def _shown(names: list[str]) -> str:
    more = f" and {len(names) - _NAMES_SHOWN} more" if len(names) > _NAMES_SHOWN else ""
    return ", ".join(map(repr, names[:_NAMES_SHOWN])) + more if names else "none"
