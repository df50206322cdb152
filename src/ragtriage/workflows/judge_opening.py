"""A judge by its name on the command line: `lexical`, `model` for that of the configuration, or a model's own name."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ragtriage.core.clock import Clock, SystemClock
from ragtriage.core.configuration import JudgeSettings
from ragtriage.core.errors import BadInput
from ragtriage.workflows.judging import open_judge_model
from ragtriage.workflows.settings import read_settings

if TYPE_CHECKING:
    from ragtriage.models.budget import Budget
    from ragtriage.models.opening import OpenChat

__all__ = ["JudgeNamed", "named_judge"]

_CONFIGURED = "model"
_FILE = "ragtriage.toml"


@dataclass(frozen=True)
class JudgeNamed:
    """A model as a judge, not yet open."""

    settings: JudgeSettings
    base: Path
    environment: Mapping[str, str] = field(repr=False)
    clock: Clock = field(default_factory=SystemClock)

    @property
    def seed(self) -> int:
        """The seed of nonces, ids and sampling."""
        return self.settings.seed

    @property
    def concurrency(self) -> int:
        """Questions under way at once."""
        return self.settings.concurrency

    def open(self, *, budget: Budget | None = None) -> OpenChat:
        """Open the model, on a budget shared with others where one is given.

        Raises BadInput, MissingExtra or StorageFailed.
        """
        return open_judge_model(
            self.settings, base=self.base, secrets=self.environment, clock=self.clock, budget=budget
        )


def named_judge(
    name: str, *, config: Path | None = None, base_url: str | None = None, environment: Mapping[str, str] | None = None
) -> JudgeNamed | None:
    """Return a model judge by name, None for `lexical`; raises BadInput for a name that is neither.

    Endpoint, key and limits are those of `config` (else of `ragtriage.toml` where there is one); `base_url` stands in
    place of the endpoint's address.
    """
    if name == "lexical":
        return None
    path = config or (Path(_FILE) if Path(_FILE).exists() else None)
    settings, base = JudgeSettings(), Path()
    if path is not None:
        read = read_settings(path)
        settings, base = read.configuration.judge, read.base
    if name == _CONFIGURED:
        if settings.model is None:
            raise BadInput("the configuration names no model: set [judge] model = 'openai/NAME'")
    elif "/" in name:
        settings = settings.model_copy(update={"model": name})
    else:
        raise BadInput(f"there is no judge {name!r}: name 'lexical', 'model' or a model as 'openai/NAME'")
    if base_url is not None:
        settings = settings.model_copy(update={"base_url": base_url})
    return JudgeNamed(settings, base, os.environ if environment is None else environment)
