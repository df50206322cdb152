from __future__ import annotations

from dataclasses import replace

from ragtriage.core.records import ContextItem
from ragtriage.report.model import Report
from ragtriage.report.sections.sources import sources


def test_only_documents_that_a_case_refers_to_are_held(report: Report) -> None:
    held = sources(Report(results=report.results, documents=report.documents), hits=10)
    assert held.all == ()
    assert set(sources(report, hits=10).documents) == set(report.documents)


def test_an_excerpt_is_the_text_between_its_offsets(report: Report) -> None:
    held = sources(report, hits=10)
    found = held.excerpt("en-card", 18, 66)
    source = next(one for one in held.all if one.key == found.key)
    assert source.pieces[0].text[found.start : found.end] == report.documents["en-card"].text[18:66]
    assert held.excerpt("en-card", None, None) is None
    assert held.excerpt("nowhere", 0, 1) is None


def test_a_long_document_is_held_in_pieces_around_what_is_referred_to(report: Report) -> None:
    document = report.documents["en-card"]
    long = document.model_copy(update={"text": document.text + "x" * 50_000 + "the end"})
    item = ContextItem(id="e", doc_id="en-card", start=len(long.text) - 7, end=len(long.text), text="the end")
    trace = report.traces["en-block-card"].model_copy(update={"context": (item,)})
    grown = replace(
        report,
        documents={**report.documents, "en-card": long},
        traces={**report.traces, "en-block-card": trace},
    )
    held = sources(grown, hits=10)
    pieces = held.documents["en-card"].pieces
    assert len(pieces) == 2
    assert sum(len(piece.text) for piece in pieces) < 2_000
    assert all(long.text[p.start : p.start + len(p.text)] == p.text for p in pieces)
    assert held.of_item(item, grown.documents) is not None
    assert held.excerpt("en-card", 20_000, 20_010) is None


def test_a_passage_that_differs_from_its_document_is_held_as_it_was_given(report: Report) -> None:
    item = ContextItem(id="e", doc_id="en-card", start=0, end=9, text="shortened")
    trace = report.traces["en-block-card"].model_copy(update={"context": (item,)})
    held = sources(replace(report, traces={"en-block-card": trace}), hits=10)
    assert [piece.text for piece in held.loose["shortened"].pieces] == ["shortened"]
    assert held.of_item(item, report.documents).key == held.loose["shortened"].key
