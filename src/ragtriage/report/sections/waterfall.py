"""Where cases broke: of the cases that are not ok, how many at which leaf, in the order of the pipeline."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from ragtriage.core.results import Leaf
from ragtriage.report.model import Report
from ragtriage.report.wording import LEAVES

__all__ = ["LeafBar", "LeafRow", "LeafTable", "Waterfall", "leaves_by_slice", "waterfall"]


@dataclass(frozen=True, slots=True)
class LeafBar:
    """One leaf; `before` counts the cases that broke earlier in the pipeline, `case_ids` those that broke here.

    `repaired`: the share of judged cases that would be ok if none broke here, at most: a case may break again further
    down.
    """

    leaf: Leaf
    meaning: str
    cases: int
    share: float
    before: int
    case_ids: tuple[str, ...]
    repaired: float


@dataclass(frozen=True, slots=True)
class Waterfall:
    """`not_ok` cases in all; `unexplained` of them have no diagnosis. `ok`: the share of judged cases that are ok."""

    not_ok: int
    unexplained: int
    ok: float
    bars: tuple[LeafBar, ...]

    @property
    def title(self) -> str:
        """What the waterfall shows."""
        if self.not_ok == 1:
            return "Where the one case that is not ok broke"
        return f"Where the {self.not_ok:,} cases that are not ok broke"


@dataclass(frozen=True, slots=True)
class LeafRow:
    """One slice: the cases that broke at each leaf of the table, and how many of it are not ok."""

    slice: Mapping[str, str]
    counts: tuple[int, ...]

    @property
    def not_ok(self) -> int:
        """The cases of the slice that broke anywhere."""
        return sum(self.counts)


@dataclass(frozen=True, slots=True)
class LeafTable:
    """Cases that broke, by slice (rows) and leaf (columns, in pipeline order); `most`: in the worst slice."""

    leaves: tuple[Leaf, ...]
    rows: tuple[LeafRow, ...]

    @property
    def most(self) -> int:
        """The cases that broke in the slice where most did."""
        return max((row.not_ok for row in self.rows), default=0)


def waterfall(report: Report) -> Waterfall:
    """Count the broken cases of each leaf; leaves at which none broke are left out."""
    results = report.results
    ids: dict[Leaf, list[str]] = defaultdict(list)
    for case in results.cases:
        if case.ok is False and case.diagnosis is not None:
            ids[case.diagnosis.leaf].append(case.case_id)
    shares = {share.leaf: share for share in results.diagnosis if not share.slice}
    right, wrong = results.counts.ok, results.counts.not_ok
    judged = max(1, right + wrong)
    bars: list[LeafBar] = []
    for leaf, meaning in LEAVES.items():
        if leaf not in shares or not shares[leaf].cases:
            continue
        cases = shares[leaf].cases
        bars.append(
            LeafBar(
                leaf=leaf,
                meaning=meaning,
                cases=cases,
                share=shares[leaf].share,
                before=sum(bar.cases for bar in bars),
                case_ids=tuple(ids[leaf]),
                repaired=(right + cases) / judged,
            )
        )
    return Waterfall(wrong, max(0, wrong - sum(bar.cases for bar in bars)), right / judged, tuple(bars))


def leaves_by_slice(report: Report) -> LeafTable:
    """Count the broken cases of each leaf within each slice that the run reports; empty where it reports none."""
    found: dict[tuple[tuple[str, str], ...], dict[Leaf, int]] = defaultdict(dict)
    for share in report.results.diagnosis:
        if share.slice:
            found[tuple(share.slice.items())][share.leaf] = share.cases
    leaves = tuple(leaf for leaf in LEAVES if any(leaf in row for row in found.values()))
    rows = tuple(LeafRow(dict(where), tuple(row.get(leaf, 0) for leaf in leaves)) for where, row in found.items())
    return LeafTable(leaves, rows)
