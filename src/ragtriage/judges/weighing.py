"""The few trained weights that turn what was measured on a text into one score: a file of data, read once."""

from __future__ import annotations

import functools
import importlib.util
import math
from dataclasses import asdict, dataclass
from pathlib import Path

from ragtriage.core.errors import BadInput
from ragtriage.core.files import read_toml, validate_record
from ragtriage.core.records import Record
from ragtriage.core.verdicts import Label
from ragtriage.judges.nearness import Nearness

__all__ = ["Measured", "Weights", "WeightsFile", "read_weights", "score_of"]


class WeightsFile(Record):
    """Weights of a logistic regression. `source`: what they were trained on and by which script."""

    version: int
    source: str
    bias: float
    weights: Weights


class Weights(Record):
    """One weight for each figure of `Measured`."""

    missing: float
    copied: float
    dense: float
    linked: float
    personal: float
    supported: float
    contradicted: float


@dataclass(frozen=True, slots=True)
class Measured:
    """What is weighed of one text: `missing` counts where nobody speaks of themselves, `linked` where somebody does."""

    missing: float
    copied: float
    dense: float
    linked: float
    personal: float
    supported: float
    contradicted: float

    @classmethod
    def of(cls, near: Nearness, worst: Label) -> Measured:
        """Mix the figures by how personal a text is, and add the worst label of its claims.

        >>> Measured.of(Nearness(0.5, 0.0, 0.0, 1.0, 0.0), "supported").linked
        0.0
        """
        return cls(
            missing=near.missing * (1 - near.personal),
            copied=near.copied,
            dense=near.dense,
            linked=near.linked * near.personal,
            personal=near.personal,
            supported=float(worst == "supported"),
            contradicted=float(worst == "contradicted"),
        )


@functools.cache
def read_weights() -> WeightsFile:
    """Return the weights of the code-only judge; raises BadInput with every fault of the file."""
    found = importlib.util.find_spec("ragtriage.judges")
    places = list(found.submodule_search_locations or ()) if found is not None else []
    path = Path(places[0] if places else "") / "weights" / "lexical.toml"
    content, problems = validate_record(WeightsFile, read_toml(path))
    if content is None:
        raise BadInput(f"{path}: {'; '.join(problems)}")
    return content


def score_of(measured: Measured) -> float:
    """Return a score in (0, 1) that rises with support.

    >>> score_of(Measured(0, 2, 0, 0, 0, 1, 0)) > score_of(Measured(1, 0, 0, 0, 0, 0, 0))
    True
    """
    file = read_weights()
    weights = file.weights.model_dump()
    total = file.bias + sum(weights[name] * value for name, value in asdict(measured).items())
    return 1 / (1 + math.exp(-total))
