"""A finished run in Python: its numbers, its cases, and how they look in a terminal or a notebook."""

from __future__ import annotations

import html
import importlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragtriage.core.configuration import Configuration
from ragtriage.core.errors import BadInput, UnknownName
from ragtriage.core.files import read_json, validate_record
from ragtriage.core.results import CASES, CaseResult, CaseScore, MetricRow, Results, UnitResult, UnitScore
from ragtriage.core.score import Value
from ragtriage.core.tables import matching, read_parquet
from ragtriage.report.escaping import cells, one_line
from ragtriage.report.formats._notebook import run_html
from ragtriage.report.model import Report
from ragtriage.report.sections.units import company, sorted_units
from ragtriage.report.wording import interval, number, singular, slice_name
from ragtriage.runs.store import RunStore
from ragtriage.workflows.case_view import CaseView, detail_of
from ragtriage.workflows.compared import read_comparison
from ragtriage.workflows.folder import COMPARISON, RESULTS, SCORES

__all__ = ["CaseList", "MetricRows", "Run", "Table", "shown_path"]

_WIDTH = 60


@dataclass(frozen=True, slots=True)
class Table:
    """A table of words: plain in a terminal, HTML in a notebook; the data stands in it as text."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def __repr__(self) -> str:
        """Draw it with columns of equal width."""
        lines = [tuple(one_line(word, width=_WIDTH) for word in row) for row in (self.columns, *self.rows)]
        widths = [max(cells(line[place]) for line in lines) for place in range(len(self.columns))]
        drawn = ("  ".join(w + " " * (size - cells(w)) for w, size in zip(line, widths, strict=True)) for line in lines)
        return "\n".join([one_line(self.title), *(line.rstrip() for line in drawn)])

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{html.escape(word)}</th>" for word in self.columns)
        body = "".join(f"<tr>{''.join(f'<td>{html.escape(word)}</td>' for word in row)}</tr>" for row in self.rows)
        title = html.escape(self.title)
        return f"<table><caption>{title}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


@dataclass(frozen=True, slots=True, repr=False)
class MetricRows:
    """Rows of one metric, one for each value of the fields that were asked for."""

    rows: tuple[MetricRow, ...]

    def table(self) -> Table:
        """Return the rows in words."""
        lines = tuple(_line(row, slice_name(row.slice)) for row in self.rows)
        name = self.rows[0].name if self.rows else ""
        return Table(name, ("slice", "level", "value", "interval", "scored", "undefined", "failed"), lines)

    def to_pandas(self) -> Any:
        """Return the rows as a data frame, a column for each field of the slice; raises BadInput without pandas."""
        try:
            pandas = importlib.import_module("pandas")  # optional, and its types are not needed here
        except ImportError as error:
            raise BadInput("to_pandas needs pandas, which is not installed: pip install pandas") from error
        fields = ("name", "level", "value", "interval", "scored", "undefined", "failed", "unit", "small", "reason")
        return pandas.DataFrame([{**row.slice, **{name: getattr(row, name) for name in fields}} for row in self.rows])

    def __repr__(self) -> str:
        """Draw the table."""
        return repr(self.table())

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()


@dataclass(frozen=True, slots=True)
class RunMetric:
    """One metric of a run at one level."""

    row: MetricRow
    known: tuple[MetricRow, ...]

    @property
    def value(self) -> float | None:
        """The number over all cases; None where there is none, with the reason in `row.reason`."""
        return self.row.value

    def by(self, *fields: str) -> MetricRows:
        """Return the metric over each slice of these fields; raises UnknownName for fields the run has no slices of.

        A metric that is undefined for every case has no slices: its one row says why.
        """
        wanted = {name for field in fields for name in field.split("+")}
        found = tuple(row for row in self.known if row.level == self.row.level and set(row.slice) == wanted)
        if not found and self.row.value is None and not self.row.failed:
            return MetricRows((self.row,))
        if not found:
            known = sorted({"+".join(row.slice) for row in self.known if row.slice})
            raise UnknownName("+".join(fields), known=known, what="slice of this run")
        return MetricRows(found)


@dataclass(frozen=True, slots=True, repr=False)
class CaseList:
    """Cases of a run, in golden order."""

    run: Run
    results: tuple[CaseResult, ...]

    def __len__(self) -> int:
        """Count the cases."""
        return len(self.results)

    def where(self, condition: str) -> CaseList:
        """Keep the cases for which an SQL condition holds over fields of the case, `ok`, `leaf` and metrics.

        A metric stands there by its name (`generation.faithfulness < 0.7`, `retrieval.recall@4 = 0`), at its default
        level; a score that is undefined or failed is null and meets no comparison. Raises BadInput.
        """
        if not self.results:
            return self
        for name, population in self.run.populations.items():
            if _quoted(condition, [name]) != condition:
                raise BadInput(f"{name} is measured on {population} and not on cases: see units({name!r})")
        rows = [self.run.row_of(result) for result in self.results]
        found = matching(_quoted(condition, self.run.metric_names), rows)
        return CaseList(self.run, tuple(self.results[index] for index in found))

    def show(self, count: int = 10) -> Table:
        """Return the first cases as a table."""
        report, lines = self.run.report(), []
        for result in self.results[:count]:
            case, trace = report.cases.get(result.case_id), report.traces.get(result.case_id)
            answer = trace.answer.text if trace is not None and trace.answer is not None else ""
            ok = {True: "ok", False: "not ok", None: "-"}[result.ok]
            cause = "" if result.diagnosis is None else f"{result.diagnosis.leaf}: {result.diagnosis.cause}"
            lines.append((result.case_id, ok, cause, case.question if case else "", answer))
        title = f"{len(self.results)} cases" + (f", the first {count}" if len(self.results) > count else "")
        return Table(title, ("case", "ok", "cause", "question", "answer"), tuple(lines))

    def __repr__(self) -> str:
        """Draw the first ten."""
        return repr(self.show())

    def _repr_html_(self) -> str:
        return self.show()._repr_html_()


class Run:
    """A run that was measured; `Run.load(folder)` reads one that was made earlier."""

    def __init__(self, report: Report, *, folder: Path | None = None) -> None:
        self._report = report
        self._numbers: dict[str, dict[str, float | None]] | None = None
        self.folder = folder

    @classmethod
    def load(cls, folder: str | Path) -> Run:
        """Read a run folder; the corpus and the system are not needed. Raises BadInput, StorageFailed."""
        place = Path(folder)
        if not (place / RESULTS).exists():
            hint = f"; finish it with --resume {place}" if RunStore.exists(place) else ""
            raise BadInput(f"{place} holds no finished run: there is no {RESULTS} in it{hint}")
        results, problems = validate_record(Results, read_json(place / RESULTS))
        if results is None:
            raise BadInput(f"{place / RESULTS}: {'; '.join(problems)}")
        scores, units = _scores(place / SCORES, results)
        with RunStore.open(place) as store:
            report = Report(
                results=results,
                scores=scores,
                units=units,
                cases={case.case_id: case for case in store.cases()},
                traces=dict(store.traces()),
                verdicts=dict(store.verdicts()),
                documents=store.documents(),
                compared=read_comparison(place / COMPARISON),
                settings=validate_record(Configuration, dict(store.plan.configuration))[0],
                folder=str(folder),
                config=shown_path(store.plan.file),
            )
        return cls(report, folder=place)

    @property
    def results(self) -> Results:
        """What `results.json` holds."""
        return self._report.results

    @property
    def cases(self) -> CaseList:
        """All cases in golden order."""
        return CaseList(self, self.results.cases)

    def case(self, case_id: str) -> CaseView:
        """Return one case in full; raises UnknownName for a case that the run does not hold."""
        return CaseView(detail_of(self._report, case_id))

    @property
    def metric_names(self) -> tuple[str, ...]:
        """The names of all metrics with their parameters."""
        return tuple(dict.fromkeys(row.name for row in self.results.metrics))

    def metric(self, name: str, *, level: str | None = None) -> RunMetric:
        """Return a metric, at its default level unless one is given; raises UnknownName."""
        row = self.results.row(name, level=level)
        if row is None:
            raise UnknownName(name, known=self.metric_names, what="metric in this run")
        return RunMetric(row, tuple(other for other in self.results.metrics if other.name == name))

    @property
    def populations(self) -> Mapping[str, str]:
        """What each metric counts that counts no cases: documents, chunks ..."""
        return {row.name: row.population for row in self.results.metrics if row.population != CASES}

    def units(self, name: str, count: int = 10) -> Table:
        """Return the documents, chunks ... of a metric, the worst first; raises UnknownName for one that has none."""
        row = self.results.row(name)
        if row is None or name not in self.populations:
            raise UnknownName(name, known=self.populations, what="metric of documents or chunks in this run")
        found = sorted_units(self._report.units, row)
        lines = tuple(
            (
                unit.unit_id,
                ", ".join(filter(None, (company(unit), *unit.fields.values()))),
                number(unit.scores[name].value, unit=row.unit),
                unit.scores[name].reason or "",
            )
            for unit in found[:count]
        )
        title = f"{name}: {len(found)} {row.population}" + (f", the first {count}" if len(found) > count else "")
        return Table(title, (singular(row.population), "kind", "value", "reason"), lines)

    def report(self) -> Report:
        """Return what every report is drawn from."""
        return self._report

    def row_of(self, result: CaseResult) -> dict[str, Any]:
        """Return one case as plain data: its fields, `ok`, `leaf`, and its scores by the names of the metrics."""
        case = self._report.cases.get(result.case_id)
        row: dict[str, Any] = {} if case is None else case.model_dump(mode="json")
        row |= {"case_id": result.case_id, "ok": result.ok}
        row["leaf"] = result.diagnosis.leaf if result.diagnosis is not None else None
        return row | self._by_case().get(result.case_id, {})

    def _by_case(self) -> Mapping[str, dict[str, float | None]]:
        """Return the scores by case and metric, each at the metric's default level, which stands first."""
        if self._numbers is None:
            self._numbers = {}
            for score in self._report.scores:
                mine = self._numbers.setdefault(score.case_id, {})
                mine.setdefault(score.metric, score.outcome.value if isinstance(score.outcome, Value) else None)
        return self._numbers

    def table(self) -> Table:
        """Return every metric over all cases, at each level."""
        rows = tuple(_line(row, row.name) for row in self.results.metrics if not row.slice)
        verdict = "" if self.results.gate is None else f", gate: {self.results.gate.verdict}"
        counts = self.results.counts
        title = f"{self.results.run_id}: {counts.ok} of {counts.cases} cases ok, {counts.failed} failed{verdict}"
        return Table(title, ("metric", "level", "value", "interval", "scored", "undefined", "failed"), rows)

    def __repr__(self) -> str:
        """Draw the table."""
        return repr(self.table())

    def _repr_html_(self) -> str:
        return run_html(self._report)


def shown_path(path: str | None) -> str | None:
    """Return a path as one types it: relative where it lies below the current folder."""
    if path is None:
        return None
    here, place = Path.cwd(), Path(path)
    return str(place.relative_to(here)) if place.is_relative_to(here) else path


def _line(row: MetricRow, first: str) -> tuple[str, ...]:
    counts = (str(row.scored), str(row.undefined), str(row.failed))
    shown = number(row.value, unit=row.unit), interval(row.interval, unit=row.unit)
    return (first, row.level or "", *shown, *counts)


def _scores(path: Path, results: Results) -> tuple[tuple[CaseScore, ...], tuple[UnitResult, ...]]:
    """Read the scores of cases, and those of other units with what the results say of them."""
    cases: list[CaseScore] = []
    units: dict[tuple[str, str, str | None], dict[str, UnitScore]] = {}
    documents: dict[tuple[str, str, str | None], str | None] = {}
    for row in read_parquet(path):
        score = UnitScore(value=row["value"], support=row["support"], status=row["status"], reason=row["reason"])
        if row.get("population") in (None, CASES):  # None: a run of before there were others
            cases.append(CaseScore(row["case_id"], row["metric"], row["level"], score.outcome))
        else:
            key = row["population"], row["unit_id"], row.get("fields")  # None: a run of before they stood there
            units.setdefault(key, {})[row["metric"]] = score
            documents[key] = row.get("document")
    known = {(unit.population, unit.unit_id): unit for unit in results.units}
    return tuple(cases), tuple(
        _unit(key, documents[key], known.get(key[:2])).model_copy(update={"scores": scores})
        for key, scores in units.items()
    )


def _unit(key: tuple[str, str, str | None], document: str | None, known: UnitResult | None) -> UnitResult:
    """Return a unit without its scores, from what Parquet holds of it and the results of the first of them."""
    population, unit_id, fields = key
    plain = known or UnitResult(population=population, unit_id=unit_id)
    return plain if fields is None else plain.model_copy(update={"document": document, "fields": json.loads(fields)})


def _quoted(condition: str, names: Sequence[str]) -> str:
    r"""Put metric names, which SQL cannot read by themselves (`retrieval.recall@4`), into quotation marks.

    >>> _quoted("retrieval.recall@4 < 1 and question <> 'retrieval.recall@4'", ["retrieval.recall@4"])
    '"retrieval.recall@4" < 1 and question <> \'retrieval.recall@4\''
    """
    known = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    pattern = rf"""('(?:[^']|'')*'|"[^"]*")|(?<![\w.])({known})(?![\w@(.])""" if known else "(?!)(.)(.)"
    return re.sub(pattern, lambda found: found[1] or f'"{found[2]}"', condition)
