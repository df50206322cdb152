"""Where cases broke: of the cases that are not ok, how many at which leaf, in the order of the pipeline."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from ragtriage.core.results import Leaf
from ragtriage.report.model import Report
from ragtriage.report.wording import LEAVES, slice_name

__all__ = ["LeafBar", "LeafTable", "Waterfall", "leaves_by_slice", "waterfall"]


@dataclass(frozen=True, slots=True)
class LeafBar:
    """One leaf; `before` counts the cases that broke earlier in the pipeline, `case_ids` those that broke here."""

    leaf: Leaf
    meaning: str
    cases: int
    share: float
    before: int
    case_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Waterfall:
    """`not_ok` cases in all; `unexplained` of them have no diagnosis."""

    not_ok: int
    unexplained: int
    bars: tuple[LeafBar, ...]

    @property
    def title(self) -> str:
        """What the waterfall shows."""
        if self.not_ok == 1:
            return "Where the one case that is not ok broke"
        return f"Where the {self.not_ok:,} cases that are not ok broke"


@dataclass(frozen=True, slots=True)
class LeafTable:
    """Cases that broke, by slice (rows) and leaf (columns, in pipeline order)."""

    leaves: tuple[Leaf, ...]
    rows: tuple[tuple[str, tuple[int, ...]], ...]


def waterfall(report: Report) -> Waterfall:
    """Count the broken cases of each leaf; leaves at which none broke are left out."""
    results = report.results
    ids: dict[Leaf, list[str]] = defaultdict(list)
    for case in results.cases:
        if case.ok is False and case.diagnosis is not None:
            ids[case.diagnosis.leaf].append(case.case_id)
    shares = {share.leaf: share for share in results.diagnosis if not share.slice}
    bars: list[LeafBar] = []
    for leaf, meaning in LEAVES.items():
        if leaf in shares and shares[leaf].cases:
            before = sum(bar.cases for bar in bars)
            bars.append(LeafBar(leaf, meaning, shares[leaf].cases, shares[leaf].share, before, tuple(ids[leaf])))
    not_ok = results.counts.not_ok
    return Waterfall(not_ok, max(0, not_ok - sum(bar.cases for bar in bars)), tuple(bars))


def leaves_by_slice(report: Report) -> LeafTable:
    """Count the broken cases of each leaf within each slice that the run reports; empty where it reports none."""
    found: dict[str, dict[Leaf, int]] = defaultdict(dict)
    for share in report.results.diagnosis:
        if share.slice:
            found[slice_name(share.slice)][share.leaf] = share.cases
    leaves = tuple(leaf for leaf in LEAVES if any(leaf in row for row in found.values()))
    rows = tuple((name, tuple(row.get(leaf, 0) for leaf in leaves)) for name, row in found.items())
    return LeafTable(leaves, rows)
