"""What a run measures beside cases: which units there are, by what they are sliced, and why there are none."""

from __future__ import annotations

import pytest

from ragtriage.core.catalogue import METRICS
from ragtriage.core.chunk_views import AttributionView, BordersView, SentencesView
from ragtriage.core.configuration import Configuration, GateRule, GoldenSettings, MetricSettings, SystemSettings
from ragtriage.core.configuration_ingest import IngestSettings
from ragtriage.core.extraction_views import ExtractionView, TextView
from ragtriage.core.records import Case, Chunk, Document, Evidence
from ragtriage.core.results import CASES, MetricRow
from ragtriage.core.score import Failed, Undefined
from ragtriage.data.corpus import corpus_of
from ragtriage.data.extracted import plain_document
from ragtriage.data.extractions import Extraction
from ragtriage.data.golden import golden_of
from ragtriage.runs.given import Given, never_given
from ragtriage.runs.populations import Populations
from ragtriage.runs.scoring import metric_rows, score_units
from ragtriage.runs.selection import left_out_of, select, selection_of
from ragtriage.runs.viewing import build_views
from ragtriage.runs.viewing_places import Places

TEXT = "# Fees\n\nThe fee is 1 % of the sum."
DOCUMENTS = [
    Document(doc_id="a", text=TEXT, language="en", source_type="tariff"),
    Document(doc_id="b", text="Two moons.", language="kk"),
]
CHUNKS = (
    Chunk(chunk_id="a#0", doc_id="a", start=0, end=len(TEXT), text=TEXT, section_path=("Fees",)),
    Chunk(chunk_id="b#0", doc_id="b", start=0, end=3, text="Two"),
    Chunk(chunk_id="b#1", doc_id="b", start=4, end=9, text="suns?"),
)
EXTRACTION = Extraction(
    reference={"a": plain_document("abcd"), "x": plain_document("efgh")},
    extracted={"a": plain_document("abxd"), "x": Failed("ingest", "Missing", "no file")},
    classes={"a": "scan"},
)


def settings(**more):
    return Configuration(golden=GoldenSettings(path="g"), system=SystemSettings(traces="t"), **more)


def views_of(*, chunks=CHUNKS, corpus=True, extraction=None, configuration=None):
    return build_views(
        corpus=corpus_of(DOCUMENTS) if corpus else None,
        golden=golden_of([Case(case_id="c", question="?", evidence=(Evidence(doc_id="a"),))]),
        traces={},
        verdicts={},
        failures={"c": Failed("system", "TimeoutError", "")},
        chunks=chunks,
        settings=configuration or settings(),
        given=Given(extraction),
    )


def test_a_document_is_sliced_by_what_the_corpus_and_the_classes_say_of_it():
    found = views_of(extraction=EXTRACTION).population(ExtractionView)
    assert [(unit.unit_id, dict(unit.fields)) for unit in found.units] == [
        ("a", {"language": "en", "source_type": "tariff", "class": "scan"}),
        ("x", {}),
    ]
    assert found.views == (ExtractionView("abcd", "abxd"), Failed("ingest", "Missing", "no file"))


def test_texts_are_those_that_were_extracted_else_those_of_the_corpus():
    assert [v.text for v in views_of().population(TextView).views] == [TEXT, "Two moons."]
    assert views_of(extraction=EXTRACTION).population(TextView).views[0] == TextView("abxd")


def test_chunks_are_units_of_the_document_that_they_point_to():
    units = score_units(views_of(), select(["ingest.chunk_attribution"], context_size=4))
    assert [(u.population, u.unit_id, u.document, u.scores["ingest.chunk_attribution"].value) for u in units] == [
        ("chunks", "a#0", "a", 1.0),
        ("chunks", "b#0", "b", 1.0),
        ("chunks", "b#1", "b", 0.0),  # the corpus has other words there
    ]
    assert units[0].fields == {"language": "en", "source_type": "tariff"}


@pytest.mark.parametrize(
    ("view", "more", "told"),
    [
        (ExtractionView, {}, "[ingest] reference"),
        (AttributionView, {"chunks": None}, "does not list its chunks"),
        (BordersView, {"corpus": False}, "no corpus"),
        (TextView, {"corpus": False}, "no corpus"),
        (int, {}, "nothing to measure it by"),
    ],
)
def test_what_a_run_was_not_given_is_undefined_with_the_reason(view, more, told):
    found = views_of(**more).population(view)
    assert isinstance(found, Undefined)
    assert told in found.reason


def test_every_metric_of_every_stage_is_measured_or_says_why_not():
    """No selection that a user can make ends in an error of ours, whatever views metrics bring."""
    views = views_of(extraction=EXTRACTION)
    selection = select(["ingest.*", "query.*", "ontology.*"], context_size=4)
    rows = metric_rows(views, selection, [], settings(), score_units(views, selection))
    bases = {row.name.partition("@")[0].partition("(")[0] for row in rows if row.population != CASES}
    stages = ("ingest.", "query.", "ontology.")
    wanted = {n for n, metric in METRICS if n.startswith(stages) and metric.population != CASES}
    assert bases | set(selection.left_out) >= wanted
    assert all(row.value is not None or row.reason for row in rows)


def test_rows_of_documents_resample_documents_and_those_of_chunks_their_documents():
    views = views_of()
    selection = select(["ingest.chunk_attribution"], context_size=4)
    units = score_units(views, selection)
    rows = {tuple(r.slice.items()): r for r in metric_rows(views, selection, [], settings(), units)}
    whole = rows[()]
    assert (whole.population, whole.scored, whole.value) == ("chunks", 3, pytest.approx(2 / 3))
    assert whole.interval is not None
    assert rows[("language", "kk"),].interval is None  # one document alone


def test_reasons_that_no_run_can_help_are_known_before_it():
    documents = IngestSettings(reference="r", extracted="e")
    assert "[ingest] coherence" in never_given(SentencesView, documents)
    assert "[ingest] reference" in never_given(ExtractionView, None)
    assert never_given(ExtractionView, documents) is None
    assert never_given(TextView, None) is None


def test_only_a_wildcard_hides_a_metric_of_a_rare_stage_without_a_number():
    row = {"unit": "u", "better": "higher", "scored": 0, "undefined": 3, "failed": 0}
    rows = [
        MetricRow(name="query.intent_f1", value=None, reason="no case has both", **row),
        MetricRow(name="query.routing_accuracy", value=None, reason="no route", **row),
        MetricRow(name="retrieval.recall@4", value=None, reason="nothing is relevant", **row),
        MetricRow(name="ontology.mention_f1", value=None, reason="judge failed", **{**row, "failed": 1}),
    ]
    configuration = settings(
        metrics=MetricSettings(include=("query.*", "ontology.*", "retrieval.*")),
        gate=(GateRule(metric="query.routing_accuracy", min=0.5),),
    )
    assert left_out_of(rows, selection_of(configuration), configuration) == {"query.intent_f1": "no case has both"}


def test_populations_are_built_once():
    found = Populations(corpus_of(DOCUMENTS), Places(corpus_of(DOCUMENTS), CHUNKS))
    assert found.of(BordersView) is found.of(BordersView)
