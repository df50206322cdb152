"""Random views of what detectors find in texts."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from ragtriage.core.label_views import LabelledSpan, LanguageView, PersonalDataView, RelationsView, SpansView, Triple

SPANS = st.frozensets(
    st.tuples(st.integers(0, 9), st.integers(1, 4), st.sampled_from(["PER", "LOC"])).map(
        lambda t: LabelledSpan(t[0], t[0] + t[1], t[2])
    ),
    max_size=4,
)
NAMES = st.sampled_from("abc")
TRIPLES = st.frozensets(
    st.builds(Triple, head=NAMES, relation=st.sampled_from(["owns", "pays"]), tail=NAMES), max_size=4
)
LANGUAGES = st.sampled_from(["en", "ru", "uk", "kk"])
VIEWS: dict[type, st.SearchStrategy[Any]] = {
    SpansView: st.builds(SpansView, gold=SPANS, found=SPANS),
    PersonalDataView: st.builds(PersonalDataView, gold=SPANS, found=SPANS),
    RelationsView: st.builds(RelationsView, gold=TRIPLES, found=TRIPLES),
    LanguageView: st.builds(LanguageView, labelled=LANGUAGES, identified=st.none() | LANGUAGES),
}
