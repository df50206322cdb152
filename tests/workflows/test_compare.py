import pytest
from tests.workflows.projects import write_project

from ragtriage.core.errors import NotComparable
from ragtriage.workflows.compare import compare
from ragtriage.workflows.compare_output import drawn_markdown, drawn_text
from ragtriage.workflows.evaluate import evaluate

DOCUMENTS = [{"doc_id": f"d{i}", "text": f"Text number {i}."} for i in range(12)]


def run_of(folder, found, *, question="Where"):
    """A run over twelve questions; of those in `found` the document comes first, of the others not at all."""
    cases = [
        {"case_id": f"c{i}", "question": f"{question} {i}?", "language": "kk" if i < 6 else "ru",
         "evidence": [{"doc_id": f"d{i}"}]}
        for i in range(12)
    ]  # fmt: skip
    traces = [
        {"trace_id": f"c{i}", "case_id": f"c{i}", "question": f"{question} {i}?",
         "rankings": [{"stage": "dense", "hits": [{"id": f"d{i if i in found else (i + 1) % 12}"}]}]}
        for i in range(12)
    ]  # fmt: skip
    settings = '[metrics]\ninclude = ["retrieval.recall@4", "retrieval.coverage"]\n'
    settings += '[slices]\nby = ["language"]\nmin_cases = 2\n'
    config = write_project(folder, documents=DOCUMENTS, cases=cases, traces=traces, settings=settings)
    return evaluate(config, output=folder / "run")


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A run that finds everything, and one that misses the Kazakh questions."""
    place = tmp_path_factory.mktemp("runs")
    return run_of(place / "base", range(12)), run_of(place / "candidate", range(6, 12))


def test_a_lost_language_is_shown_with_its_cases(runs):
    found = compare(*runs)
    whole, kazakh, russian = [row for row in found.rows if row.metric == "retrieval.recall@4"]
    assert (whole.base, whole.candidate, whole.difference, whole.pairs) == (1.0, 0.5, -0.5, 12)
    assert whole.regressed == tuple(f"c{i}" for i in range(6))
    assert whole.p == 2 / 2**6
    assert (kazakh.slice, kazakh.difference) == ({"language": "kk"}, -1.0)
    assert (russian.slice, russian.difference, russian.regressed) == ({"language": "ru"}, 0.0, ())
    assert found.ok.broke == tuple(f"c{i}" for i in range(6))


def test_every_other_difference_of_the_runs_is_told(runs):
    assert [field for field, _, _ in compare(*runs).bundle] == ["system.told.records"]
    told = [line for line in repr(compare(*runs)).splitlines() if line.startswith("differs: ")]
    assert len(told) == 1
    assert told[0].startswith("differs: system.told.records: ")


def test_a_run_compared_with_itself_has_not_moved(runs):
    found = compare(runs[0], runs[0].folder)
    assert found.bundle == ()
    assert not any(row.difference for row in found.rows)
    assert "nothing else differs between the runs" in repr(found)


def test_every_case_that_turned_and_every_slice_are_named_where_asked(tmp_path):
    base, candidate = run_of(tmp_path / "base", range(12)), run_of(tmp_path / "candidate", ())
    found = compare(base, candidate)
    shown, every = drawn_text(found), drawn_text(found, every=True)
    assert "broke: c0, c1, c2, c3, c4, c5, c6, c7, c8, c9 and 2 more" in shown
    assert "broke: c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11" in every
    assert drawn_markdown(found, every=True).count("\n|") >= drawn_markdown(found).count("\n|")


def test_runs_on_different_golden_sets_are_refused(runs, tmp_path):
    other = run_of(tmp_path, range(12), question="When")
    with pytest.raises(NotComparable, match="different golden sets"):
        compare(runs[0], other)


def test_text_under_test_is_data_in_markdown(runs):
    text = compare(*runs).to_markdown()
    assert "| retrieval.recall" in text
    assert "−0.500" in text
    assert "\x1b" not in text
