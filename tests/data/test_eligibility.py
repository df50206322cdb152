"""Who may see what, what is in force, what a predicate keeps."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtriage.core.records import Document, Predicate, Principal
from ragtriage.data.corpus import corpus_of
from ragtriage.data.eligibility import permitted, satisfies, valid_on


@pytest.mark.parametrize(
    ("tenant", "acl", "principal", "allowed"),
    [
        (None, (), Principal(), True),
        (None, (), Principal(tenant="acme"), True),
        ("acme", (), Principal(tenant="acme"), True),
        ("acme", (), Principal(tenant="globex"), False),
        ("acme", (), Principal(), False),
        (None, ("staff",), Principal(), False),
        (None, ("staff", "audit"), Principal(roles=("audit",)), True),
        ("acme", ("staff",), Principal(tenant="acme"), False),
        ("acme", ("staff",), Principal(tenant="acme", roles=("staff",)), True),
        ("acme", ("staff",), Principal(tenant="globex", roles=("staff",)), False),
    ],
)
def test_a_document_is_for_its_tenant_and_its_roles(
    tenant: str | None, acl: tuple[str, ...], principal: Principal, *, allowed: bool
) -> None:
    assert permitted(Document(doc_id="d", text="", tenant=tenant, acl=acl), principal) is allowed


def fees() -> Any:
    return corpus_of([
        Document(doc_id="2024", text="", valid_to=date(2024, 12, 31)),
        Document(doc_id="2025", text="", valid_from=date(2025, 1, 1), supersedes="2024"),
        Document(doc_id="2026", text="", valid_from=date(2026, 3, 1), valid_to=date(2026, 12, 31), supersedes="2025"),
    ])  # fmt: skip


@pytest.mark.parametrize(
    ("doc_id", "day", "valid"),
    [
        ("2024", date(2024, 12, 31), True),
        ("2024", date(2025, 1, 1), False),
        ("2025", date(2024, 12, 31), False),
        ("2025", date(2025, 1, 1), True),
        ("2025", date(2026, 2, 28), True),
        ("2025", date(2026, 3, 1), False),
        ("2025", date(2027, 1, 1), False),
        ("2026", date(2026, 3, 1), True),
        ("2026", date(2026, 12, 31), True),
        ("2026", date(2027, 1, 1), False),
        ("2024", None, True),
    ],
)
def test_a_document_is_in_force_until_it_ends_or_another_takes_its_place(
    doc_id: str, day: date | None, *, valid: bool
) -> None:
    assert valid_on(fees(), doc_id, day) is valid


def test_a_successor_without_a_first_day_has_always_superseded() -> None:
    corpus = corpus_of([Document(doc_id="old", text=""), Document(doc_id="new", text="", supersedes="old")])
    assert not valid_on(corpus, "old", date(1999, 1, 1))
    assert valid_on(corpus, "new", date(1999, 1, 1))


@given(st.lists(st.integers(0, 40), min_size=1, max_size=5, unique=True), st.integers(-5, 45))
def test_of_a_chain_of_versions_exactly_one_is_in_force_from_the_first_on(starts: list[int], asked: int) -> None:
    first = date(2026, 1, 1)
    chain = [
        Document(
            doc_id=f"v{n}",
            text="",
            valid_from=first + timedelta(days=start),
            supersedes=f"v{n - 1}" if n else None,
        )
        for n, start in enumerate(sorted(starts))
    ]
    corpus, day = corpus_of(chain), first + timedelta(days=asked)
    in_force = [d.doc_id for d in chain if valid_on(corpus, d.doc_id, day)]
    newest = [d.doc_id for d in chain if d.valid_from is not None and d.valid_from <= day]
    assert in_force == newest[-1:]


DOCUMENT = Document(
    doc_id="d",
    text="",
    language="kk",
    acl=("staff", "audit"),
    valid_from=date(2026, 3, 1),
    metadata={"locale": "kk-KZ", "rank": 3, "draft": False, "tags": ["card", "fee"], "place": {"city": "Almaty"}},
)


@pytest.mark.parametrize(
    ("field", "op", "value", "kept"),
    [
        ("language", "==", "kk", True),
        ("language", "!=", "kk", False),
        ("locale", "==", "kk-KZ", True),
        ("metadata.locale", "==", "kk-KZ", True),
        ("locale", "in", ["ru-KZ", "kk-KZ"], True),
        ("locale", "not_in", ["ru-KZ", "kk-KZ"], False),
        ("locale", "contains", "KZ", True),
        ("place.city", "==", "Almaty", True),
        ("tags", "==", "card", True),
        ("tags", "contains", "card", True),
        ("tags", "contains", "car", False),
        ("tags", "in", ["loan", "fee"], True),
        ("tags", "!=", "card", False),
        ("acl", "contains", "audit", True),
        ("rank", "<", 4, True),
        ("rank", ">=", 3.0, True),
        ("rank", ">", "2", False),
        ("rank", "==", True, False),
        ("draft", "==", 0, False),
        ("draft", "==", False, True),
        ("draft", "<", 1, False),
        ("valid_from", "<=", "2026-03-01", True),
        ("valid_from", "==", "2026-03-01", True),
        ("valid_from", ">", "soon", False),
        ("missing", "==", "x", False),
        ("missing", "==", None, True),
        ("missing", "!=", "x", True),
        ("missing", "in", ["x"], False),
        ("missing", "not_in", ["x"], True),
        ("missing", "<", 1, False),
        ("tenant", "in", ["acme", None], True),
        ("valid_on", "==", "2026-02-28", False),
        ("valid_on", "==", "2026-03-01", True),
    ],
)
def test_a_predicate_keeps_or_removes(field: str, op: Any, value: Any, *, kept: bool) -> None:
    predicate = Predicate(field=field, op=op, value=value)
    assert satisfies(corpus_of([DOCUMENT]), DOCUMENT, predicate) is kept


@pytest.mark.parametrize(
    ("field", "op", "value"), [("valid_on", "==", "soon"), ("valid_on", "<", "2026-01-01"), ("locale", "in", "kk-KZ")]
)
def test_a_predicate_that_means_nothing_is_an_error_not_a_miss(field: str, op: Any, value: Any) -> None:
    with pytest.raises(ValueError, match="needs"):
        satisfies(corpus_of([DOCUMENT]), DOCUMENT, Predicate(field=field, op=op, value=value))


def test_the_filter_example_of_the_article() -> None:
    documents = [
        Document(doc_id=doc_id, text="", metadata={"tenant": tenant, "locale": locale})
        for doc_id, tenant, locale in (
            ("d1", "acme", "en-US"), ("d2", "acme", "en-GB"), ("d3", "globex", "en-US"), ("d4", "acme", "en-US"),
            ("d5", "acme", "de-DE"),
        )
    ]  # fmt: skip
    corpus = corpus_of(documents)
    kept = [d.doc_id for d in documents if satisfies(corpus, d, Predicate(field="tenant", value="acme"))]
    assert kept == ["d1", "d2", "d4", "d5"]
