"""The pytest plugin: a golden set as parametrised tests, one test a case.

    @pytest.mark.ragtriage(golden="golden", where="'table' in tags")
    def test_tables(case, rag):
        rag.check(retrieval_recall=0.8, generation_number_grounding=1.0)

Loading it imports nothing of the library but its errors; everything else is imported when a marked test is collected.
Each process opens the system for itself and writes nothing, so tests may run in several processes at once.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ragtriage.core.errors import BadInput, RagtriageError

if TYPE_CHECKING:
    from ragtriage.core.records import Case, Trace
    from ragtriage.core.results import CaseResult
    from ragtriage.core.score import Outcome
    from ragtriage.workflows.inputs import Inputs
    from ragtriage.workflows.single_case import CaseAsker, MeasuredCase

__all__ = ["Rag"]

_MARK = "ragtriage"
_FILE = "ragtriage.toml"
_KEYWORDS = ("golden", "where", "config")


class Rag:
    """What a marked test holds in its hand: the system under test, asked the one question of its case.

    The question is asked when something of the answer is first looked at.
    """

    def __init__(self, asker: CaseAsker, case: Case, inputs: Inputs) -> None:
        self._asker = asker
        self._inputs = inputs
        self.case = case

    @property
    def trace(self) -> Trace:
        """What happened to the question; of a case that failed it holds the error."""
        return self._measured.trace

    @property
    def result(self) -> CaseResult:
        """Whether the case is ok by its expectations, and the cause where it is not."""
        return self._measured.result

    def score(self, metric: str, *, level: str | None = None) -> Outcome:
        """Return one score; `retrieval_recall`, `retrieval_recall_at_10` and `retrieval.recall@10` are names."""
        from ragtriage.workflows.case_check import outcome_of  # noqa: PLC0415 - loaded where a case is measured

        return outcome_of(self._measured, metric, level=level)[2]

    def check(self, *, allow_undefined: bool = False, level: str | None = None, **limits: float) -> None:
        """Hold metrics against limits: at least where more is better, at most where less is.

        A metric is named as a keyword (`retrieval_recall=0.8`, at k = context size; `retrieval_recall_at_10=0.8`). All
        that do not hold are told at once, with the cause that the diagnosis names. An undefined score does not hold
        unless `allow_undefined`; a failed one never does. `level` takes ranking metrics at that level of relevance.
        Raises AssertionError, and BadInput for a name or limit that means nothing.
        """
        from ragtriage.workflows.case_check import check_case  # noqa: PLC0415

        __tracebackhide__ = True
        told = check_case(self._measured, limits, level=level, allow_undefined=allow_undefined)
        if told is not None:
            raise AssertionError(told)

    @property
    def _measured(self) -> MeasuredCase:
        return self._asker.ask(self.case)

    def __repr__(self) -> str:
        """Name the case."""
        return f"Rag({self.case.case_id!r})"


@dataclass(frozen=True, slots=True)
class _Project:
    """What the tests of one configuration and golden set share in this process."""

    inputs: Inputs
    asker: CaseAsker


_PROJECTS = pytest.StashKey[dict[tuple[Path, Path | None], _Project]]()


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known, also where unknown ones are errors."""
    told = "one test for each case of a golden set; the test takes `case` and `rag`. All three are optional"
    config.addinivalue_line("markers", f"ragtriage(golden, where, config): {told}")


def pytest_unconfigure(config: pytest.Config) -> None:
    """Let go of the systems that were asked."""
    for project in config.stash.get(_PROJECTS, {}).values():
        project.asker.close()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make one test of each case."""
    mark = metafunc.definition.get_closest_marker(_MARK)
    if mark is None:
        return
    if "case" not in metafunc.fixturenames:
        pytest.fail(f"{metafunc.definition.nodeid}: a test marked {_MARK} takes `case` or `rag`", pytrace=False)
    try:
        cases = _cases(metafunc.definition, mark)
    except RagtriageError as error:
        pytest.fail(f"{metafunc.definition.nodeid}: {_visible(error)}", pytrace=False)
    metafunc.parametrize("case", cases, ids=[case.case_id for case in cases])


@pytest.fixture
def case(request: pytest.FixtureRequest) -> Case:
    """Return the golden case that this test is about."""
    pytest.fail(f"{request.node.nodeid}: the fixture `case` belongs to tests marked {_MARK}", pytrace=False)


@pytest.fixture
def rag(request: pytest.FixtureRequest, case: Case) -> Rag:
    """Return the system under test, asked the question of this test's case; `rag.check(...)` holds it to limits."""
    mark = request.node.get_closest_marker(_MARK)
    if mark is None:
        pytest.fail(f"{request.node.nodeid}: the fixture `rag` belongs to tests marked {_MARK}", pytrace=False)
    project = _project(request.node, mark)
    return Rag(project.asker, case, project.inputs)


@pytest.hookimpl(hookwrapper=True)  # the form that every pytest reads: a plugin that cannot be loaded stops all tests
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, None]:
    """Tell what is wrong with a project, or with a limit, in its own words and without our traceback."""
    outcome = yield
    raised = call.excinfo
    if raised is not None and isinstance(raised.value, RagtriageError) and item.get_closest_marker(_MARK):
        outcome.get_result().longrepr = f"{_line(item, raised)}{_visible(raised.value)}"


def _visible(error: RagtriageError) -> str:
    """Return what an error says without letting what it quotes steer the terminal."""
    from ragtriage.report.escaping import visible  # noqa: PLC0415 - only where something is wrong

    return visible(str(error))


def _line(item: pytest.Item, raised: pytest.ExceptionInfo[BaseException]) -> str:
    """Return the line of the test's own file that led to an error, as `test_it.py:7: `; nothing where none did."""
    lines = [entry.lineno + 1 for entry in raised.traceback if Path(entry.path) == item.path]
    return f"{item.path.name}:{lines[-1]}: " if lines else ""


def _cases(node: pytest.Item, mark: pytest.Mark) -> tuple[Case, ...]:
    from ragtriage.workflows.inputs import chosen_cases  # noqa: PLC0415 - only where the marker is used

    where = _arguments(mark).get("where")
    return chosen_cases(_project(node, mark).inputs.whole.cases, limit=None, where=where)


def _project(node: pytest.Item, mark: pytest.Mark) -> _Project:
    """Return the project of a marked test, read once in this process; raises BadInput."""
    arguments = _arguments(mark)
    file = _configuration(node.path.parent, arguments.get("config"))
    golden = None if "golden" not in arguments else (file.parent / arguments["golden"]).resolve()
    projects = node.config.stash.setdefault(_PROJECTS, {})
    if (file, golden) not in projects:
        projects[file, golden] = _read(file, golden)
    return projects[file, golden]


def _read(file: Path, golden: Path | None) -> _Project:
    from ragtriage.core.clock import SystemClock  # noqa: PLC0415 - only where the marker is used
    from ragtriage.workflows.inputs import read_inputs, settings_from  # noqa: PLC0415
    from ragtriage.workflows.settings import read_settings  # noqa: PLC0415
    from ragtriage.workflows.single_case import CaseAsker  # noqa: PLC0415

    settings = read_settings(file)
    if golden is not None and golden != (settings.base / settings.configuration.golden.path).resolve():
        settings = settings_from(file, system=None, golden=golden, corpus=None, metrics=None, repeat=None)
    inputs = read_inputs(settings, limit=None, where=None)
    return _Project(inputs, CaseAsker(inputs, clock=SystemClock(), environment=os.environ))


def _arguments(mark: pytest.Mark) -> Mapping[str, str]:
    """Return the marker's arguments as text; raises BadInput for others than it has."""
    if mark.args:
        raise BadInput(f"the marker {_MARK} takes keywords alone: {', '.join(_KEYWORDS)}")
    for name, value in mark.kwargs.items():
        if name not in _KEYWORDS:
            raise BadInput(f"the marker {_MARK} takes no {name!r}; it takes {', '.join(_KEYWORDS)}")
        if value is not None and not isinstance(value, str | os.PathLike):
            raise BadInput(f"{name!r} of the marker {_MARK} must be text. Got {value!r}")
    return {name: os.fspath(value) for name, value in mark.kwargs.items() if value is not None}


def _configuration(folder: Path, given: str | None) -> Path:
    """Return the configuration that is named, from the test's folder on, or the nearest one at or above it."""
    if given is not None:
        return (folder / given).resolve()
    for place in (folder, *folder.parents):
        if (place / _FILE).is_file():
            return (place / _FILE).resolve()
    raise BadInput(f"there is no {_FILE} in {folder} or above; name one: @pytest.mark.{_MARK}(config=...)")
