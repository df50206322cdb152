"""The reports of `samples` and `hostile_samples` as fixtures."""

from __future__ import annotations

import pytest
from tests.report.hostile_samples import HOSTILE, worded_report
from tests.report.samples import REPORT, compared_report, grown_report

from ragtriage.report.model import Report


@pytest.fixture
def report() -> Report:
    """Six cases: filter, generation, retrieval, service (timed out), ok, no expectation."""
    return REPORT


@pytest.fixture
def compared() -> Report:
    """The report beside a base run in which one case more was right, and its evidence was found."""
    return compared_report()


@pytest.fixture(params=sorted(HOSTILE))
def hostile_text(request: pytest.FixtureRequest) -> str:
    """One text that some reader would obey."""
    return HOSTILE[request.param]


@pytest.fixture
def hostile(hostile_text: str) -> Report:
    """A report with that text in every free field."""
    return worded_report(lambda: hostile_text)


@pytest.fixture
def grown() -> Report:
    """A run of 160 cases with long rankings."""
    return grown_report(160)
