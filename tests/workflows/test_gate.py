import pytest
from tests.workflows.test_compare import run_of

from ragtriage.core.errors import BadInput
from ragtriage.workflows.gate import gate
from ragtriage.workflows.run import Run


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A run that finds everything, and one that misses the Kazakh questions."""
    place = tmp_path_factory.mktemp("gates")
    return run_of(place / "base", range(12)), run_of(place / "candidate", range(6, 12))


def rules(run, *lines):
    """A configuration beside the run's own, with these rules."""
    own = (run.folder.parent / "ragtriage.toml").read_text()
    file = run.folder.parent / "gate.toml"
    file.write_text(own + "".join(f"[[gate]]\n{line}\n" for line in lines))
    return file


MIN = 'metric = "retrieval.recall@4"\nmin = 0.9'
DROP = 'metric = "retrieval.recall@4"\nmax_drop = 0.02'
KAZAKH = 'metric = "retrieval.recall@4"\nmin = 0.9\nslice = { language = "kk" }'
RUSSIAN = 'metric = "retrieval.recall@4"\nmin = 0.9\nslice = { language = "ru" }'


@pytest.mark.parametrize(
    ("tried", "verdict", "code"),
    [
        ((0, [MIN], False), "pass", 0),
        ((1, [MIN], False), "fail", 1),
        ((1, [KAZAKH], False), "fail", 1),
        ((1, [RUSSIAN], False), "pass", 0),
        ((1, [DROP], False), "undecidable", 3),
        ((1, [DROP], True), "fail", 1),
        ((0, [DROP], True), "pass", 0),
        ((0, [MIN.replace("@4", "@7")], False), "undecidable", 3),
        ((0, [MIN, DROP], False), "undecidable", 3),
    ],
)
def test_a_run_passes_fails_or_cannot_be_decided(runs, tried, verdict, code):
    which, lines, with_base = tried
    run = runs[which]
    found = gate(run.folder, baseline=runs[0] if with_base else None, config=rules(run, *lines))
    assert (found.verdict, found.exit_code, found.passed) == (verdict, code, code == 0)
    assert bool(found.reasons) is (verdict != "pass")


def test_without_a_configuration_the_runs_own_rules_hold(runs):
    found = gate(runs[1])
    assert (found.verdict, found.result.rules) == ("pass", ())
    assert "no gate rule is set" in repr(found)


def test_the_decision_names_rule_value_limit_and_reason(runs):
    text = repr(gate(runs[1], config=rules(runs[1], MIN)))
    assert text.startswith("Fail: do not ship")
    assert "✗ fail: retrieval.recall@4 (document): 0.500" in text
    assert "n = 12" in text
    assert gate(runs[1], config=rules(runs[1], MIN)).reasons == (
        "retrieval.recall@4 (document): the value 0.5 is not at least 0.9",
    )


def test_a_run_that_was_made_elsewhere_needs_a_configuration(runs):
    elsewhere = Run(runs[0].report())
    with pytest.raises(BadInput, match="name a configuration with -c"):
        gate(elsewhere)
    assert gate(elsewhere, config=rules(runs[0], MIN)).passed
