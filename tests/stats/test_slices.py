import pytest

from ragtriage.core.errors import UnknownName
from ragtriage.core.records import Case
from ragtriage.stats.slices import belongs, slices_of

CASES = [
    Case(case_id="a", question="?", language="ru", kind="lookup", tags=("table", "fee")),
    Case(case_id="b", question="?", language="kk", kind="no_answer", tags=("table",)),
    Case(case_id="c", question="?", kind="lookup"),
]


def test_a_field_makes_one_slice_a_value():
    assert [(dict(s.where), s.rows) for s in slices_of(CASES, ["kind"])] == [
        ({"kind": "lookup"}, (0, 2)),
        ({"kind": "no_answer"}, (1,)),
    ]


def test_a_case_belongs_to_the_slice_of_each_of_its_tags():
    assert [(dict(s.where), s.rows) for s in slices_of(CASES, ["tags"])] == [
        ({"tags": "fee"}, (0,)),
        ({"tags": "table"}, (0, 1)),
    ]


def test_a_pair_of_fields_makes_a_slice_for_each_pair_that_occurs():
    assert [(dict(s.where), s.rows) for s in slices_of(CASES, ["language+kind"])] == [
        ({"language": "kk", "kind": "no_answer"}, (1,)),
        ({"language": "ru", "kind": "lookup"}, (0,)),
    ]


def test_a_case_without_a_value_is_in_no_slice_of_that_field():
    assert {row for s in slices_of(CASES, ["language"]) for row in s.rows} == {0, 1}


def test_a_field_given_twice_is_sliced_once():
    assert len(slices_of(CASES, ["kind", "kind"])) == 2


def test_an_unknown_field_names_the_nearest():
    with pytest.raises(UnknownName, match="Did you mean 'language'"):
        slices_of(CASES, ["languge"])
    with pytest.raises(UnknownName, match="Did you mean 'kind'"):
        belongs(CASES[0], {"kinds": "lookup"})


def test_a_case_lies_in_a_slice_where_every_field_agrees():
    assert belongs(CASES[0], {"language": "ru", "tags": "fee"})
    assert not belongs(CASES[0], {"language": "ru", "tags": "price"})
    assert not belongs(CASES[2], {"language": "ru"})
    assert belongs(CASES[2], {})
