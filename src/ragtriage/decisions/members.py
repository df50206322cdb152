"""Who is counted: the cases of a run and the units of its other populations, by slice and by cluster."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ragtriage.core.records import Case
from ragtriage.core.results import CASES, UnitResult
from ragtriage.stats.slices import belongs, clusters_of

__all__ = ["Members"]


class Members:
    """Ids by population, each slice looked up once."""

    def __init__(self, cases: Sequence[Case], units: Iterable[UnitResult] = ()) -> None:
        self._cases = cases
        self._units: dict[str, list[UnitResult]] = {}
        for unit in units:
            self._units.setdefault(unit.population, []).append(unit)
        self._ids: dict[tuple[str, str, tuple[tuple[str, str], ...]], list[str]] = {}
        self._clusters: dict[str, dict[str, str]] = {}

    def ids(self, population: str, where: Mapping[str, str], *, metric: str) -> list[str]:
        """Return the ids of a slice, in order; raises UnknownName for a field that cases cannot be sliced by.

        Of other units, those that the metric was tried on: texts of two files may have one id and different fields.
        """
        key = population, "" if population == CASES else metric, tuple(where.items())
        if key not in self._ids:
            if population == CASES:
                self._ids[key] = [case.case_id for case in self._cases if belongs(case, where)]
            else:
                known = self._units.get(population, ())
                self._ids[key] = [
                    unit.unit_id for unit in known if metric in unit.scores and where.items() <= unit.fields.items()
                ]
        return self._ids[key]

    def clusters(self, population: str) -> Mapping[str, str]:
        """Return by id which document each belongs to: those of one document are resampled together."""
        if population not in self._clusters:
            if population == CASES:
                names = clusters_of(self._cases)
                found = {case.case_id: name for case, name in zip(self._cases, names, strict=True)}
            else:
                found = {unit.unit_id: unit.document or unit.unit_id for unit in self._units.get(population, ())}
            self._clusters[population] = found
        return self._clusters[population]
