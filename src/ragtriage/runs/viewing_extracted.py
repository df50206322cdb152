"""Views of extraction: a document as it was written down, and as an extractor gave it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ragtriage.core.extraction_views import (
    BlocksView,
    BoilerplateView,
    ExtractionView,
    HeadingsView,
    ListsView,
    TextView,
    TitleView,
)
from ragtriage.core.score import Failed, Undefined
from ragtriage.core.table_views import TablesView
from ragtriage.data.extracted_document import ExtractedDocument

__all__ = ["EXTRACTION_VIEWS", "boilerplate_view"]

_Found = ExtractedDocument | None


def boilerplate_view(
    reference: ExtractedDocument, found: ExtractedDocument, page: ExtractedDocument | Failed | None
) -> BoilerplateView | Undefined | Failed:
    """Return a page before and after cleaning beside its body; `page` None: there is none."""
    if page is None:
        return Undefined("there is no page of this stem")
    if isinstance(page, Failed):
        return page
    return BoilerplateView(page=page.text, body=reference.text, extracted=found.text)


def _text(reference: ExtractedDocument, found: _Found) -> ExtractionView:
    return ExtractionView(reference=reference.text, extracted=None if found is None else found.text)


def _alone(reference: ExtractedDocument, found: _Found) -> TextView:
    del reference
    return TextView(text=None if found is None else found.text)


def _blocks(reference: ExtractedDocument, found: _Found) -> BlocksView:
    return BlocksView(reference=reference.blocks, extracted=None if found is None else found.blocks)


def _headings(reference: ExtractedDocument, found: _Found) -> HeadingsView | Undefined:
    if reference.headings is None:
        return _without("headings")
    return HeadingsView(reference=reference.headings, extracted=None if found is None else found.headings)


def _lists(reference: ExtractedDocument, found: _Found) -> ListsView | Undefined:
    if reference.lists is None:
        return _without("lists")
    return ListsView(reference=reference.lists, extracted=None if found is None else found.lists)


def _title(reference: ExtractedDocument, found: _Found) -> TitleView | Undefined:
    if reference.title is None:
        return _without("title")
    return TitleView(reference=reference.title, extracted=None if found is None else found.title)


def _tables(reference: ExtractedDocument, found: _Found) -> TablesView | Undefined:
    if reference.tables is None:
        return _without("tables")
    return TablesView(reference=reference.tables, extracted=None if found is None else found.tables)


def _without(what: str) -> Undefined:
    return Undefined(f"the reference is plain text, which has no {what}")


EXTRACTION_VIEWS: dict[type[Any], Callable[[ExtractedDocument, _Found], Any]] = {
    ExtractionView: _text,
    TextView: _alone,
    BlocksView: _blocks,
    HeadingsView: _headings,
    ListsView: _lists,
    TitleView: _title,
    TablesView: _tables,
}
