"""Who judges: the judge that the configuration asks for, and its identity in the bundle."""

from __future__ import annotations

from ragtriage.core.configuration import Configuration
from ragtriage.runs.execute import Judge

__all__ = ["judge_bundle", "judge_of"]


def judge_of(configuration: Configuration) -> Judge | None:
    """Return the judge, None where there is to be none."""
    if configuration.judge.code == "none":
        return None
    from ragtriage.judges.lexical import judge  # noqa: PLC0415 - loads its rules only where it judges

    return judge


def judge_bundle(configuration: Configuration) -> dict[str, str]:
    """Return the judge's name and the hash of its rules."""
    if configuration.judge.code == "none":
        return {"code": "none"}
    from ragtriage.judges.lexical import rubric  # noqa: PLC0415

    return {"code": configuration.judge.code, "rubric": rubric()}
