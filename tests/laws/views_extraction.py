"""Random documents with their extractions, for the laws that hold for every metric."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from ragtriage.core import extraction_views as views

TEXT = st.text(max_size=30) | st.sampled_from(
    [
        "",
        " \u00a0\n",
        "The fee is 1 %.\n\nIt is due  on the\tfirst.",
        "The fee is 1 %. It is due",
        "كارت\u200cهاى",
        "ﬁne",
        "Рay",
        "退款在十四天内",
        "e\u0301 🏳️\u200d🌈 \U0001d538",
    ]
)
BLOCKS = st.lists(TEXT | st.sampled_from(["a", "b", "c", "d"]), max_size=6).map(tuple)
HEADINGS = st.lists(
    st.builds(
        views.Heading,
        level=st.integers(1, 3),
        text=st.sampled_from(["", "Fees", "Fees ", "Limits"]),
        parent=st.sampled_from([None, "Fees", "Limits"]),
    ),
    max_size=4,
).map(tuple)
LISTS = st.lists(st.lists(st.sampled_from(["a", "b", "c ", ""]), max_size=4).map(tuple), max_size=3).map(tuple)

VIEWS: dict[type, st.SearchStrategy[Any]] = {
    views.ExtractionView: st.builds(views.ExtractionView, reference=TEXT, extracted=st.none() | TEXT),
    views.TextView: st.builds(views.TextView, text=st.none() | TEXT),
    views.BlocksView: st.builds(views.BlocksView, reference=BLOCKS, extracted=st.none() | BLOCKS),
    views.HeadingsView: st.builds(views.HeadingsView, reference=HEADINGS, extracted=st.none() | HEADINGS),
    views.ListsView: st.builds(views.ListsView, reference=LISTS, extracted=st.none() | LISTS),
    views.TitleView: st.builds(views.TitleView, reference=TEXT, extracted=st.none() | TEXT),
    views.BoilerplateView: st.builds(views.BoilerplateView, page=TEXT, body=TEXT, extracted=st.none() | TEXT),
}
