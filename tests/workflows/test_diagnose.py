import pytest
from tests.workflows.projects import write_article

from ragtriage.core.errors import UnknownName
from ragtriage.workflows.diagnose import diagnose
from ragtriage.workflows.evaluate import evaluate


@pytest.fixture(scope="module")
def article(tmp_path_factory):
    """The article's four queries, with the tenant as a plain field of the documents."""
    folder = tmp_path_factory.mktemp("article")
    return evaluate(write_article(folder, tenant_is_access=False), output=folder / "run")


@pytest.fixture(scope="module")
def with_access(tmp_path_factory):
    """The same with the tenant as access control."""
    folder = tmp_path_factory.mktemp("access")
    return evaluate(write_article(folder, tenant_is_access=True), output=folder / "run")


def causes(run):
    return {case.case_id: case.diagnosis for case in run.results.cases}


def test_half_of_the_articles_queries_lose_their_document_to_a_predicate(article):
    row = article.results.row("filters.false_exclusion_rate")
    assert f"{row.value:.2%}" == "50.00%"
    assert row.scored == 4


def test_the_filter_is_named_for_q1_and_q3_though_nothing_is_wrong_with_faithfulness(article):
    found = causes(article)
    assert {name: d.leaf for name, d in found.items() if d is not None} == {"q1": "filter", "q3": "filter"}
    assert "locale == 'en-US'" in found["q1"].cause
    assert "tenant == 'acme'" in found["q3"].cause
    assert found["q1"].evidence["documents"] == ["d2"]
    assert article.results.row("generation.faithfulness").value == 1.0
    assert [(s.leaf, s.cases, s.share) for s in article.results.diagnosis if not s.slice] == [("filter", 2, 1.0)]


def test_a_document_that_access_control_hides_is_no_false_exclusion(with_access):
    row = with_access.results.row("filters.false_exclusion_rate")
    assert f"{row.value:.2%}" == "33.33%"
    assert (row.scored, row.undefined) == (3, 1)
    found = causes(with_access)
    assert found["q1"].leaf == "filter"
    assert found["q3"] is None or found["q3"].leaf != "filter"
    assert with_access.results.row("filters.access_violations").value == 0


def test_the_waterfall_names_leaf_predicate_cases_and_what_a_repair_wins(article):
    text = diagnose(article).waterfall()
    assert text.startswith("4 cases: 2 ok, 2 not ok, 0 failed")
    assert "filter" in text
    assert "locale == 'en-US'" in text
    assert "cases: q1, q3" in text
    assert "at most 100 % of the cases would be ok" in text
    assert "--case q1" in text


def test_one_case_is_told_from_its_question_to_its_cause(article):
    text = diagnose(article.folder).case("q1")
    for part in (
        "question: Which fee is d2?",
        "d2 (grade 1): dense nowhere, not in the context",
        "locale == 'en-US' (hard, question, removes gold d2)",
        "dense: 3 results",
        "answer (answer)",
        "[supported]",
        "uncalibrated proxy",
        "cause (filter): eligible evidence removed by predicate locale == 'en-US'",
        "advice: ",
    ):
        assert part in text


def test_an_unknown_case_names_the_nearest(article):
    with pytest.raises(UnknownName, match=r"there is no case in this run 'q11'\. Did you mean 'q1'"):
        diagnose(article).case("q11")


def test_a_run_without_a_known_fault_says_so(tmp_path):
    folder = tmp_path / "project"
    write_article(folder, tenant_is_access=False)
    cases = (folder / "golden" / "cases.jsonl").read_text().splitlines()
    (folder / "golden" / "cases.jsonl").write_text("\n".join(c for c in cases if '"q2"' in c or '"q4"' in c) + "\n")
    run = evaluate(folder / "ragtriage.toml", output=folder / "run")
    assert diagnose(run).waterfall().endswith("no case is known to be wrong\n")
