"""Which documents, chunks ... stand among the worst, in which order and beside what, worked out by hand."""

from __future__ import annotations

import re
from collections.abc import Mapping

from tests.report.samples import RESULTS

from ragtriage.core.results import GateResult, MetricRow, RuleResult, UnitResult, UnitScore
from ragtriage.report.formats.html import html_page
from ragtriage.report.formats.md import markdown
from ragtriage.report.formats.terminal import terminal
from ragtriage.report.model import Report
from ragtriage.report.sections.stages import pipeline
from ragtriage.report.sections.units import UnitTable, worst_units
from ragtriage.report.sections.verdict import verdict

UNDEFINED, FAILED = UnitScore(status="undefined", reason="nothing there"), UnitScore(status="failed", reason="Timeout")


def scored(value: float, support: int = 1) -> UnitScore:
    return UnitScore(value=value, support=support)


def row(name: str, value: float | None, *, population: str, better: str = "higher", **slice_: str) -> MetricRow:
    facts = {"scored": 3, "undefined": 0, "failed": 0, "unit": "fraction", "better": better, "slice": slice_}
    return MetricRow(name=name, value=value, population=population, **facts)  # type: ignore[arg-type]


def text(name: str, recall: UnitScore, precision: UnitScore = UNDEFINED) -> UnitResult:
    scores = {"ingest.pii_recall": recall, "ingest.pii_precision": precision}
    return UnitResult(population="texts", unit_id=name, scores=scores)


def group(name: str, false_merges: UnitScore, missed: UnitScore) -> UnitResult:
    scores = {"ingest.false_merge_rate": false_merges, "ingest.missed_merge_rate": missed}
    return UnitResult(population="groups", unit_id=name, scores=scores)


TEXTS = (
    row("ingest.pii_recall", 0.5, population="texts"),
    row("ingest.pii_precision", 0.9, population="texts"),
)
GROUPS = (
    row("ingest.false_merge_rate", 0.5, population="groups", better="lower"),
    row("ingest.missed_merge_rate", 0.5, population="groups", better="lower"),
)


def report(rows: tuple[MetricRow, ...], *units: UnitResult, stopped: str | None = None) -> Report:
    gate = None
    if stopped is not None:
        rule = RuleResult(metric=stopped, kind="max", limit=0.1, value=0.5, scored=3, verdict="fail", reason="too many")
        gate = GateResult(verdict="fail", rules=(rule,))
    return Report(results=RESULTS.model_copy(update={"metrics": rows, "gate": gate, "units": units}), units=units)


def ids(table: UnitTable) -> list[str]:
    return [line.unit.unit_id for line in table.lines]


def leads(found: Report) -> list[str]:
    return [table.lead.name for table in worst_units(found)]


def test_what_failed_comes_first_then_the_worst_and_of_equals_what_rests_on_more() -> None:
    (table,) = worst_units(
        report(
            TEXTS[:1],
            text("one of one", scored(0.0)),
            text("none", UNDEFINED),
            text("perfect", scored(1.0, 9)),
            text("half", scored(0.5, 2)),
            text("all of four", scored(0.0, 4)),
            text("broken", FAILED),
        )
    )
    assert ids(table) == ["broken", "all of four", "one of one", "half"]
    assert (table.imperfect, table.measured) == (4, 6)


def test_every_metric_that_orders_units_has_its_table_also_where_they_are_of_one_population() -> None:
    found = report(GROUPS, group("a", scored(1.0), UNDEFINED), group("d", UNDEFINED, scored(1.0)))
    assert [(table.lead.name, ids(table)) for table in worst_units(found)] == [
        ("ingest.false_merge_rate", ["a"]),
        ("ingest.missed_merge_rate", ["d"]),
    ]


def test_what_the_gate_does_not_let_pass_comes_first() -> None:
    units = (text("t", scored(0.0)), group("a", scored(1.0), scored(1.0)))
    assert leads(report((*TEXTS, *GROUPS), *units))[0] == "ingest.pii_recall"
    stopped = report((*TEXTS, *GROUPS), *units, stopped="ingest.missed_merge_rate")
    assert leads(stopped)[0] == "ingest.missed_merge_rate"
    assert leads(stopped)[1] == "ingest.pii_recall"


def test_a_metric_that_no_shown_unit_misses_takes_no_column() -> None:
    (table,) = worst_units(report(TEXTS, text("t", scored(0.0), scored(1.0)), text("u", scored(0.0))))
    assert [one.name for one in table.columns] == ["ingest.pii_recall"]
    wrong = worst_units(report(TEXTS, text("t", scored(0.0), scored(0.5))))
    assert [[one.name for one in table.columns] for table in wrong] == [
        ["ingest.pii_recall", "ingest.pii_precision"],
        ["ingest.pii_precision", "ingest.pii_recall"],
    ]


def slices(**fields: Mapping[str, float | None]) -> tuple[MetricRow, ...]:
    return tuple(
        row("ingest.pii_recall", value, population="texts", **{field: name})
        for field, values in fields.items()
        for name, value in values.items()
    )


def shown_slices(*rows: MetricRow) -> list[dict[str, str]]:
    (table,) = worst_units(report((*TEXTS[:1], *rows), text("t", scored(0.0))))
    return [dict(line.slice) for line in table.classes]


def test_units_are_split_by_what_they_were_given_for_that_else_by_language() -> None:
    languages = {"en": 0.4, "kk": 0.2}
    channels = {"mail": 0.9, "chat": 0.1}
    assert shown_slices(*slices(language=languages)) == [{"language": "kk"}, {"language": "en"}]
    both = slices(language=languages, channel=channels, source_type={"faq": 0.3, "news": 0.5})
    assert shown_slices(*both) == [{"channel": "chat"}, {"channel": "mail"}]


def test_slices_that_all_say_the_same_are_left_out() -> None:
    assert shown_slices(*slices(language={"en": 0.5})) == []
    assert shown_slices(*slices(language={"en": 0.5, "kk": 0.5, "ru": None})) == []


def test_one_table_stands_open_and_the_others_are_folded_under_what_they_hold() -> None:
    found = report(
        (*TEXTS, *GROUPS), text("t", scored(0.0)), text("u", scored(1.0)), group("a", scored(1.0), UNDEFINED)
    )
    page, drawn = html_page(found), markdown(found)
    section = page[page.index('<section id="units">') :].partition("</section>")[0]
    told = [re.sub(r"<[^>]*>", "", line) for line in re.findall(r"<h[23]>.*?</h[23]>|<summary>.*?</summary>", section)]
    assert told == [
        "Worst texts and groups",
        "1 of 2 texts is not at the best of ingest.pii_recall",
        "The worst of 1 group by ingest.false_merge_rate",
    ]
    assert "### Worst texts by <code>ingest.pii_recall</code>: 1 of 2 texts not at its best" in drawn
    assert "<details><summary>Worst groups by <code>ingest.false_merge_rate</code>" in drawn


def test_a_gate_rule_says_what_its_n_counts() -> None:
    found = report(TEXTS, text("t", scored(0.0)), stopped="ingest.pii_recall")
    assert [line.population for line in verdict(found).rules] == ["texts"]
    assert "| 3 <sub>texts</sub> |" in markdown(found)
    assert ">3 <small>texts</small>" in html_page(found)
    assert "ingest.pii_recall \u00b7 texts   " in terminal(found)


def test_a_key_number_that_the_gate_does_not_let_pass_is_always_shown() -> None:
    names = ("cer", "evidence_split", "pii_recall", "false_merge_rate", "stale_query_share", "boilerplate_recall")
    rows = tuple(row(f"ingest.{name}", 0.5, population="documents") for name in names)
    assert [one.name.partition(".")[2] for one in pipeline(report(rows))[0].rows] == list(names[:4])
    stopped = pipeline(report(rows, stopped="ingest.boilerplate_recall"))
    assert [one.name.partition(".")[2] for one in stopped[0].rows] == [*names[:3], "boilerplate_recall"]
