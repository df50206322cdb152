"""What a run is going to do, frozen before the first question: its identity decides whether a folder may continue."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ragtriage.core.errors import PlanChanged
from ragtriage.core.identity import hash_json

__all__ = ["Plan"]

_SHOWN = 100


@dataclass(frozen=True, slots=True)
class Plan:
    """The plan of a run.

    `bundle`: the identity of everything that makes a number, one line a field; two plans are the same when their
    bundles are. `configuration`: the settings as plain data. `base`: the folder that its paths start from, and
    `file` the configuration's own path where there is one. `limit` and `where`: which cases
    are asked. `run_id`: the run's name, which no other run has. `notes`: what a reader of
    the results must know.
    """

    bundle: Mapping[str, str]
    configuration: Mapping[str, Any]
    base: str
    file: str | None = None
    run_id: str = ""
    limit: int | None = None
    where: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def identity(self) -> str:
        """The hash of the bundle."""
        return hash_json(dict(self.bundle))

    def differences(self, other: Plan) -> tuple[str, ...]:
        """Name each field of the bundle that differs, as `field: mine -> other`.

        >>> Plan({"seed": "1"}, {}, ".").differences(Plan({"seed": "2"}, {}, "."))
        ('seed: 1 -> 2',)
        """
        names = sorted({*self.bundle, *other.bundle})
        return tuple(
            f"{name}: {_shown(self.bundle.get(name))} -> {_shown(other.bundle.get(name))}"
            for name in names
            if self.bundle.get(name) != other.bundle.get(name)
        )

    def check_same(self, now: Plan, *, folder: str) -> None:
        """Refuse to continue this plan's run with another plan; raises PlanChanged with each field that differs."""
        if changed := self.differences(now):
            lines = "\n".join(f"  {line}" for line in changed)
            raise PlanChanged(
                f"{folder} holds a run of another plan; it cannot be continued with this one. Changed:\n{lines}\n"
                "Give another folder with -o, or delete this one."
            )

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Plan:
        """Read what `to_json` wrote."""
        return cls(**{**value, "notes": tuple(value["notes"])})

    def to_json(self) -> dict[str, Any]:
        """Return the plan as plain data."""
        return {
            "bundle": dict(self.bundle),
            "configuration": dict(self.configuration),
            "base": self.base,
            "file": self.file,
            "run_id": self.run_id,
            "limit": self.limit,
            "where": self.where,
            "notes": list(self.notes),
        }


def _shown(value: str | None) -> str:
    if value is None:
        return "(none)"
    return value if len(value) <= _SHOWN else f"{value[: _SHOWN - 3]}..."
