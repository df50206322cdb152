"""Why the judge of a run may not be believed, whatever its numbers are."""

from __future__ import annotations

from collections.abc import Iterable

from ragtriage.core.configuration import Configuration
from ragtriage.core.results import Results
from ragtriage.core.verdicts import Verdicts
from ragtriage.decisions.gate import canonical_name

__all__ = ["doubts", "served_models"]


def served_models(verdicts: Iterable[Verdicts]) -> tuple[str, ...]:
    """Return the models that the endpoint says judged, sorted; a second judge on purpose is a model of its own."""
    return tuple(sorted({name for verdict in verdicts for name in verdict.served}))


def doubts(verdicts: Iterable[Verdicts], results: Results, settings: Configuration) -> tuple[str, ...]:
    """Return what leaves the gate undecidable: the model changed midway, or a calibration is required and missing."""
    given = list(verdicts)
    found = []
    served = served_models(given)
    expected = 1 if settings.judge.second_model is None else 2
    if len(served) > expected:
        found.append(f"the judge changed midway: {', '.join(served)} answered, so its verdicts are not of one judge")
    gated = {canonical_name(rule.metric) for rule in settings.gate}
    proxies = sorted({row.name for row in results.metrics if row.proxy and row.name in gated})
    if settings.judge.require_calibration and proxies:
        names = ", ".join(proxies)
        found.append(f"{names} rest on a judge without a current calibration, and [judge] require_calibration is set")
    return tuple(found)
