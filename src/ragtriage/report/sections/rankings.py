"""Each ranking of a case side by side, with gold marked and what each step moved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ragtriage.core.records import Hit, Ranking
from ragtriage.data.relevance import Passage
from ragtriage.report.sections.marking import Mark, Marking

__all__ = ["RankingColumn", "RankingTable", "ResultCell", "ranking_table", "ranks_of"]

_FUSED = "fused"


@dataclass(frozen=True, slots=True)
class ResultCell:
    """One result. `moved`: places gained (positive) or lost since the step before; None: nothing to compare with.

    `new`: the step before did not have it.
    """

    rank: int
    hit: Hit
    mark: Mark
    moved: int | None = None
    new: bool = False


@dataclass(frozen=True, slots=True)
class RankingColumn:
    """One ranking: its first results, the marked ones beyond them, and how many it held in all."""

    stage: str
    length: int
    cells: tuple[ResultCell, ...]
    deeper: tuple[ResultCell, ...]


@dataclass(frozen=True, slots=True)
class RankingTable:
    """All rankings in the order in which they were made; `recorded` False: the trace holds none."""

    recorded: bool
    columns: tuple[RankingColumn, ...]

    @property
    def rows(self) -> tuple[tuple[int, tuple[ResultCell | None, ...]], ...]:
        """Rank by rank the cell of each column, None where a ranking is shorter."""
        depth = max((len(column.cells) for column in self.columns), default=0)
        return tuple(
            (rank + 1, tuple(c.cells[rank] if rank < len(c.cells) else None for c in self.columns))
            for rank in range(depth)
        )


def ranking_table(rankings: Sequence[Ranking] | None, marking: Marking, *, depth: int) -> RankingTable:
    """Set the rankings side by side.

    A list before the fused one is compared with nothing; the fused one with the best rank in any list before it; each
    later one with the list before it.
    """
    if rankings is None:
        return RankingTable(recorded=False, columns=())
    names = [ranking.stage for ranking in rankings]
    fused = names.index(_FUSED) if _FUSED in names else None
    columns = [
        _column(ranking, marking, _before(rankings, place, fused), depth=depth)
        for place, ranking in enumerate(rankings)
    ]
    return RankingTable(recorded=True, columns=tuple(columns))


def ranks_of(rankings: Sequence[Ranking] | None, marking: Marking) -> tuple[tuple[str, int | None], ...]:
    """Return for each ranking the rank at which the gold evidence is found, None where it is not."""
    return tuple(
        (ranking.stage, marking.completed_at([_passage(hit) for _, hit in _numbered(ranking)]))
        for ranking in rankings or ()
    )


def _before(rankings: Sequence[Ranking], place: int, fused: int | None) -> dict[str, int] | None:
    if place == 0 or (fused is not None and place < fused):
        return None
    earlier = rankings[:place] if place == fused else rankings[place - 1 : place]
    best: dict[str, int] = {}
    for ranking in earlier:
        for rank, hit in _numbered(ranking):
            best[hit.id] = min(rank, best.get(hit.id, rank))
    return best


def _column(ranking: Ranking, marking: Marking, before: dict[str, int] | None, *, depth: int) -> RankingColumn:
    cells = [_cell(rank, hit, marking, before) for rank, hit in _numbered(ranking)]
    deeper = tuple(cell for cell in cells[depth:] if cell.mark == "gold")
    return RankingColumn(ranking.stage, len(cells), tuple(cells[:depth]), deeper)


def _cell(rank: int, hit: Hit, marking: Marking, before: dict[str, int] | None) -> ResultCell:
    mark = _mark(marking, hit)
    if before is None:
        return ResultCell(rank, hit, mark)
    if hit.id not in before:
        return ResultCell(rank, hit, mark, new=True)
    return ResultCell(rank, hit, mark, moved=before[hit.id] - rank)


def _mark(marking: Marking, hit: Hit) -> Mark:
    passage = _passage(hit)
    return marking.mark(hit.id, passage.doc_id, hit.start, hit.end)


def _passage(hit: Hit) -> Passage:
    return Passage(hit.id, hit.doc_id or (hit.id if hit.start is None else None), hit.start, hit.end)


def _numbered(ranking: Ranking) -> list[tuple[int, Hit]]:
    """Count the results from 1, repeats of an id left out."""
    first = {hit.id: hit for hit in reversed(ranking.hits)}
    kept = dict.fromkeys(hit.id for hit in ranking.hits)
    return [(rank, first[identity]) for rank, identity in enumerate(kept, start=1)]
