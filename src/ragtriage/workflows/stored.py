"""The configuration that a run was made with, read from its folder; neither corpus nor system is needed."""

from __future__ import annotations

from ragtriage.core.configuration import Configuration
from ragtriage.core.errors import BadInput
from ragtriage.core.files import validate_record
from ragtriage.runs.store import RunStore
from ragtriage.workflows.run import Run

__all__ = ["configuration_of"]


def configuration_of(run: Run) -> Configuration | None:
    """Return the settings of a run; None for one that was made elsewhere and has no folder.

    Raises BadInput where they are those of another version.
    """
    if run.folder is None or not RunStore.exists(run.folder):
        return None
    with RunStore.open(run.folder) as store:
        found, problems = validate_record(Configuration, dict(store.plan.configuration))
    if found is None:
        raise BadInput(f"{run.folder}: its settings are those of another version: {'; '.join(problems)}")
    return found
