"""Random tables with their extractions, broken ones among them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from ragtriage.core.table_views import TablesView

CELLS = st.builds(
    "<{0}{2}>{1}</{0}>".format,
    st.sampled_from(["td", "th"]),
    st.sampled_from(["", "1", "12", "<b>fee</b>", "a<br>b", "&lt;5", "<table><tr><td>x</td></tr></table>"]),
    st.sampled_from(["", ' colspan="2"', " rowspan=2", ' colspan="x"']),
)
ROWS = st.lists(CELLS, max_size=3).map(lambda cells: f"<tr>{''.join(cells)}</tr>")
SECTIONS = st.builds(
    lambda tag, rows: "".join(rows) if tag is None else f"<{tag}>{''.join(rows)}</{tag}>",
    st.sampled_from([None, "thead", "tbody", "tfoot"]),
    st.lists(ROWS, max_size=3),
)
BROKEN = st.sampled_from(["", "no table", "<table>", "<td>1", "<table><tr><td>1<tr><td>2", "</table></tr>"])
TABLES = st.lists(SECTIONS, max_size=2).map(lambda parts: f"<table>{''.join(parts)}</table>") | BROKEN
SOME = st.lists(TABLES, max_size=3).map(tuple)

VIEWS: dict[type, st.SearchStrategy[Any]] = {
    TablesView: st.builds(TablesView, reference=SOME, extracted=st.none() | SOME),
}
