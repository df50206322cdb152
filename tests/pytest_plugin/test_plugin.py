"""The pytest plugin in a project of its own, run by a pytest of its own."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from pathlib import Path

import pytest

from ragtriage.core.score import Value
from ragtriage.workflows.evaluate import evaluate
from ragtriage.workflows.init import init

ROOT = Path(__file__).resolve().parents[2]
HEAVY = {"pydantic", "numpy", "duckdb", "rich", "jinja2", "rapidfuzz", "regex", "sqlite3", "asyncio", "click"}
LOOKUPS = ["saturday", "how-many-books", "late", "card"]
NOT_OK = ["saturday", "late"]
FACTS = "    rag.check(retrieval_recall=0.5, generation_required_facts=0.75, filters_access_violations=0)"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The generated project, whose pipeline notes each question that it is asked."""
    init(tmp_path)
    pipeline = tmp_path / "my_rag.py"
    noting = 'def answer(question):\n    with open(LOG, "a") as log:\n        log.write(question.case_id + "\\n")\n'
    text = pipeline.read_text().replace("def answer(question):\n", noting)
    pipeline.write_text(text.replace("\n\ndef words", f"\nLOG = {str(tmp_path / 'asked')!r}\n\ndef words", 1))
    return tmp_path


def run(project: Path, tests: str, *options: str, plugins: Sequence[str] = ()) -> subprocess.CompletedProcess[str]:
    """Run a test file with the plugin as an installed entry point would load it, and with no other of this machine."""
    (project / "tests").mkdir(exist_ok=True)
    (project / "tests" / "test_rag.py").write_text("import pytest\n\n" + tests, encoding="utf-8")
    named = [word for plugin in ("ragtriage.pytest_plugin", *plugins) for word in ("-p", plugin)]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    path = f"{ROOT / 'src'}{os.pathsep}{environment.get('PYTHONPATH', '')}"
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-W", "error", "--strict-markers", *named, *options],
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
        env={**environment, "PYTHONPATH": path, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
    )


def outcomes(done: subprocess.CompletedProcess[str]) -> dict[str, int]:
    last = [line for line in done.stdout.splitlines() if line.strip()][-1]
    return {word.rstrip("s"): int(number) for number, word in re.findall(r"(\d+) (passed|failed|errors?)", last)}


def test_the_entry_point_loads_this_plugin() -> None:
    program = (
        "import importlib.metadata as m; (e,) = [e for e in m.entry_points(group='pytest11') if e.name == 'ragtriage'];"
        "print(e.value)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "ragtriage.pytest_plugin\n"


def test_loading_it_imports_nothing_heavy() -> None:
    program = (
        "import sys, pytest\nbefore = set(sys.modules)\nimport ragtriage.pytest_plugin\n"
        "print(*sorted({m.split('.')[0] for m in set(sys.modules) - before}))"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment)
    assert set(done.stdout.split()).isdisjoint(HEAVY)
    assert "ragtriage" in done.stdout.split()


def test_without_the_marker_it_is_silent_and_reads_nothing(project: Path) -> None:
    (project / "ragtriage.toml").write_text("broken = [")
    tests = (
        "import sys\n"
        "@pytest.fixture\ndef case():\n    return 'mine'\n\n"
        "def test_mine(case):\n    assert case == 'mine'\n    assert 'pydantic' not in sys.modules\n"
    )
    done = run(project, tests, "-q")
    assert outcomes(done) == {"passed": 1}
    assert "ragtriage" not in done.stdout + done.stderr


CHECKED = """
def only(name):
    return pytest.mark.ragtriage(where=f"case_id = '{name}'")

@pytest.mark.ragtriage(golden="golden", where="kind = 'lookup'")
def test_facts(case, rag):
    assert rag.trace.case_id == rag.case.case_id == case.case_id
    rag.check(retrieval_recall=0.5, generation_required_facts=0.75, filters_access_violations=0)

@only("parking")
def test_strict(rag):
    rag.check(retrieval_recall=0.5)

@only("parking")
def test_lenient(rag):
    rag.check(retrieval_recall=0.5, allow_undefined=True)

@only("late")
def test_lower_holds(rag):  # its document stands second
    rag.check(retrieval_first_relevant_rank=2)
    rag.check(retrieval_first_relevant_rank=3)

@only("late")
def test_lower_does_not_hold(rag):
    rag.check(retrieval_first_relevant_rank=1)

@only("saturday")
def test_cut_and_level(rag):  # one of two results is relevant, and it stands first
    rag.check(retrieval_precision_at_1=1, retrieval_recall_at_1=1, level="document")
    assert rag.score("retrieval.precision@2").value == rag.score("retrieval_precision_at_2").value == 0.5
    rag.check(retrieval_precision_at_2=0.51)
"""


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, dict[str, str | None]]:
    """What pytest printed of these checks, and the message of each test's failure in the JUnit file."""
    folder = tmp_path_factory.mktemp("checked")
    init(folder)
    done = run(folder, CHECKED, "--junit-xml", "junit.xml")
    found: dict[str, str | None] = {}
    for each in ET.parse(folder / "junit.xml").getroot().iter("testcase"):  # noqa: S314 - our own file
        failure = each.find("failure")
        found[each.attrib["name"]] = None if failure is None else failure.attrib["message"]
    return done.stdout, found


def test_each_case_is_one_test_with_its_id_in_the_junit_file(checked: tuple[str, dict[str, str | None]]) -> None:
    facts = {name: told is not None for name, told in checked[1].items() if name.startswith("test_facts")}
    assert facts == {f"test_facts[{name}]": name in NOT_OK for name in LOOKUPS}


def test_a_failure_names_metric_value_support_limit_and_cause(checked: tuple[str, dict[str, str | None]]) -> None:
    printed, found = checked
    lines = str(found["test_facts[saturday]"]).splitlines()
    assert lines[:3] == [
        "AssertionError: case 'saturday': 1 of 3 limits does not hold",
        "  generation.required_facts: 0.000 (support 1), limit at least 0.75",
        "cause: generation: the answer leaves out a required fact: 14:00 / 2 pm",
    ]
    assert lines[3].startswith("advice: ")
    assert lines[4:] == [
        "question: When does the library close on Saturday?",
        "answer: The library is open from Monday to Friday, 9:00 to 19:00.",
    ]
    assert f"tests/test_rag.py:{CHECKED.splitlines().index(FACTS) + 3}: AssertionError" in printed
    assert "pytest_plugin.py" not in printed


def test_an_undefined_score_does_not_hold_unless_it_is_allowed(checked: tuple[str, dict[str, str | None]]) -> None:
    found = checked[1]
    told = str(found["test_strict[parking]"])
    assert re.search(r"retrieval\.recall@2 \(\w+\): undefined, .*; allow_undefined=True lets this pass", told)
    assert "cause: generation: " in told  # it answers what it had to leave open
    assert found["test_lenient[parking]"] is None


def test_lower_is_better_turns_the_limit_round(checked: tuple[str, dict[str, str | None]]) -> None:
    assert checked[1]["test_lower_holds[late]"] is None
    told = str(checked[1]["test_lower_does_not_hold[late]"])
    assert "retrieval.first_relevant_rank (document): 2 (support 1), limit at most 1" in told


def test_a_cut_stands_behind_the_name(checked: tuple[str, dict[str, str | None]]) -> None:
    told = str(checked[1]["test_cut_and_level[saturday]"])
    assert "retrieval.precision@2 (document): 0.500 (support 2), limit at least 0.51" in told


def test_a_failed_case_never_holds_and_says_what_broke(project: Path) -> None:
    pipeline = project / "my_rag.py"
    pipeline.write_text(pipeline.read_text() + "\n\ndef answer(question):\n    return 1 / 0\n")
    tests = (
        "@pytest.mark.ragtriage(where=\"case_id = 'card'\")\n"
        "def test_it(rag):\n    rag.check(retrieval_recall=0, allow_undefined=True)\n"
    )
    done = run(project, tests)
    assert outcomes(done) == {"failed": 1}
    assert re.search(r"retrieval\.recall@2 \(\w+\): failed in system: ZeroDivisionError: division by zero", done.stdout)
    assert "cause: service: " in done.stdout


def test_a_check_that_means_nothing_fails_in_its_own_words(project: Path) -> None:
    calls = [
        ("retrieval_recal=1", "there is no metric 'retrieval.recal'. Did you mean 'retrieval.recall'"),
        ("retrieval_recall=80", "the limit of retrieval.recall@2 lies between 0 and 1. Got 80"),
        ("retrieval_recall='high'", "the limit of retrieval.recall@2 must be a number. Got 'high'"),
        ("retrieval_recall=True", "the limit of retrieval.recall@2 must be a number. Got True"),
        ("system_latency_p95=100", "system.latency_p95 is measured over many cases and has no score of one"),
        ("retrieval_recall=1, level='chnk'", "retrieval.recall@2 is not measured at the level 'chnk'. Its levels are:"),
        ("retrieval_kendall_tau=1", "retrieval.kendall_tau cannot run: it compares two runs"),
        ("", "check() was given no metric"),
    ]
    head = "only = pytest.mark.ragtriage(where=\"case_id = 'card'\")\n"
    tests = [f"@only\ndef test_{place}(rag):\n    rag.check({call})\n" for place, (call, _) in enumerate(calls)]
    done = run(project, head + "".join(tests))
    assert outcomes(done) == {"failed": len(calls)}
    for place, (_, told) in enumerate(calls):
        assert f"test_rag.py:{6 + 3 * place}: {told}" in done.stdout
    assert "single_case.py" not in done.stdout


def test_a_marker_that_means_nothing_is_a_collection_error(project: Path) -> None:
    marks = [
        ("where=\"kind = 'lokup'\"", "case, rag", "no case of the golden set meets the condition"),
        ("where='nonsense ='", "case, rag", "the condition 'nonsense =' cannot be read"),
        ("golden='gone'", "rag", "gone"),
        ("config='gone.toml'", "rag", "gone.toml: No such file or directory"),
        ("goldn='golden'", "rag", "takes no 'goldn'; it takes golden, where, config"),
        ("where=3", "rag", "'where' of the marker ragtriage must be text. Got 3"),
        ("'golden'", "rag", "takes keywords alone: golden, where, config"),
        ("", "request", "a test marked ragtriage takes `case` or `rag`"),
    ]
    (project / "tests").mkdir()
    for place, (mark, arguments, _) in enumerate(marks):
        text = f"import pytest\n\n@pytest.mark.ragtriage({mark})\ndef test_it({arguments}):\n    pass\n"
        (project / "tests" / f"test_{place}.py").write_text(text)
    done = run(project, "def test_good():\n    pass\n")
    assert done.returncode == 2
    assert outcomes(done) == {"error": len(marks)}
    for place, (_, _, told) in enumerate(marks):
        (section,) = re.findall(rf"ERROR collecting tests/test_{place}\.py _+\n((?:(?!____).*\n)*)", done.stdout)
        assert told in section


def test_a_broken_project_names_every_fault(project: Path) -> None:
    (project / "golden" / "golden.toml").write_text('name = "small"\n')
    (project / "golden" / "cases.jsonl").write_text('{"case_id": "a"}\n{"question": "?"}\n')
    done = run(project, "@pytest.mark.ragtriage\ndef test_it(rag):\n    pass\n")
    assert outcomes(done) == {"error": 1}
    assert "cases.jsonl:1: 'question' is missing" in done.stdout
    assert "cases.jsonl:2: 'case_id' is missing" in done.stdout


def test_fixtures_without_the_marker_say_so(project: Path) -> None:
    done = run(project, "def test_it(rag):\n    pass\n")
    assert outcomes(done) == {"error": 1}
    assert "the fixture `case` belongs to tests marked ragtriage" in done.stdout


def test_a_system_that_cannot_be_loaded_fails_each_test_plainly(project: Path) -> None:
    (project / "my_rag.py").write_text("import no_such_module\n")
    done = run(project, "@pytest.mark.ragtriage\ndef test_it(rag):\n    rag.check(retrieval_recall=1)\n", "-q")
    assert outcomes(done) == {"failed": 5}
    assert "the system under test 'my_rag:answer' cannot be loaded: ModuleNotFoundError" in done.stdout


def test_each_case_is_asked_once_for_all_tests_and_only_when_looked_at(project: Path) -> None:
    tests = (
        "@pytest.mark.ragtriage\ndef test_one(rag):\n    rag.check(filters_access_violations=0)\n\n"
        "@pytest.mark.ragtriage\ndef test_two(rag):\n    assert rag.trace.answer.text\n\n"
        "@pytest.mark.ragtriage\ndef test_three(case):\n    assert case.question\n"
    )
    assert outcomes(run(project, tests, "-k", "three")) == {"passed": 5}
    assert not (project / "asked").exists()
    done = run(project, tests, "-k", "one or two")
    assert outcomes(done) == {"passed": 10}, done.stdout
    assert sorted((project / "asked").read_text().split()) == sorted([*LOOKUPS, "parking"])


def test_several_processes_share_the_cases_and_leave_nothing_behind(project: Path) -> None:
    tests = (
        "@pytest.mark.ragtriage\ndef test_it(rag):\n    rag.check(generation_required_facts=1, allow_undefined=True)\n"
    )
    done = run(project, tests, "-n", "2", plugins=["xdist.plugin"])
    assert outcomes(done) == {"passed": 3, "failed": 2}, done.stdout
    assert sorted((project / "asked").read_text().split()) == sorted([*LOOKUPS, "parking"])
    assert not (project / "runs").exists()


def test_a_golden_set_and_a_configuration_can_be_named(project: Path) -> None:
    cases = (project / "golden" / "cases.jsonl").read_text().splitlines()
    other = project / "other"
    other.mkdir()
    (other / "cases.jsonl").write_text(cases[3] + "\n")
    (other / "golden.toml").write_text('name = "other"\n')
    (project / "ragtriage.toml").rename(project / "rag.toml")
    tests = (
        "@pytest.mark.ragtriage(config='../rag.toml', golden='other')\n"
        "def test_it(case, rag):\n    assert case.case_id == 'card'\n    rag.check(retrieval_recall=1)\n"
    )
    assert outcomes(run(project, tests)) == {"passed": 1}
    done = run(project, "@pytest.mark.ragtriage\ndef test_it(rag):\n    pass\n")
    assert "there is no ragtriage.toml in" in done.stdout


def test_the_marker_works_on_classes_and_async_systems(project: Path) -> None:
    pipeline = project / "my_rag.py"
    pipeline.write_text(
        pipeline.read_text()
        + "\n\nimport asyncio\n_plain, LOOPS = answer, set()\n\n"
        + "async def answer(question):\n    LOOPS.add(id(asyncio.get_running_loop()))\n    await asyncio.sleep(0)\n"
        + "    assert len(LOOPS) == 1\n    return _plain(question)\n"
    )
    tests = (
        "@pytest.mark.ragtriage(where=\"kind = 'lookup'\")\n"
        "class TestIt:\n    def test_it(self, rag):\n        rag.check(retrieval_recall=1)\n"
    )
    assert outcomes(run(project, tests)) == {"passed": 4}


def test_the_scores_are_those_of_a_run(project: Path) -> None:
    """Every metric of every case, as the plugin measures the case alone and as a run of all cases measures it."""
    run_of_all = evaluate(project / "ragtriage.toml", output=project / "run")
    expected: dict[str, dict[str, str]] = {}
    for score in run_of_all.report().scores:
        worded = repr(score.outcome) if isinstance(score.outcome, Value) else type(score.outcome).__name__
        expected.setdefault(score.case_id, {}).setdefault(score.metric, worded)
    expected_ok = {case.case_id: case.ok for case in run_of_all.results.cases}
    names = sorted(next(iter(expected.values())))
    tests = (
        "import json\nfrom ragtriage.core.score import Value\n"
        f"NAMES = {names!r}\n\n"
        "@pytest.mark.ragtriage\ndef test_it(case, rag):\n"
        "    scores = {name: rag.score(name) for name in NAMES}\n"
        "    found = {n: repr(s) if isinstance(s, Value) else type(s).__name__ for n, s in scores.items()}\n"
        f"    with open({str(project / 'found')!r}, 'a') as file:\n"
        "        file.write(json.dumps([case.case_id, rag.result.ok, found]) + '\\n')\n"
    )
    assert outcomes(run(project, tests)) == {"passed": 5}
    lines = [json.loads(line) for line in (project / "found").read_text().splitlines()]
    assert {name: ok for name, ok, _ in lines} == expected_ok
    assert len(names) > 80
    for name, _, found in lines:
        assert found == expected[name], name
