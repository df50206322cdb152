"""What a call of `evaluate` means before anything is opened: the folder, the stored plan, the settings, the bundle."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ragtriage.core.errors import BadInput
from ragtriage.runs.bundle import make_bundle, system_bundle
from ragtriage.runs.plan import Plan
from ragtriage.runs.store import RunStore
from ragtriage.runs.systems.opening import Opened
from ragtriage.workflows.inputs import Inputs, read_inputs, settings_from
from ragtriage.workflows.judging import judge_bundle
from ragtriage.workflows.sentence_vectors import embedding_bundle
from ragtriage.workflows.settings import Settings

__all__ = ["DEFAULT_OUTPUT", "Asked", "bundle_of", "folder_of", "inputs_for"]

DEFAULT_OUTPUT = "runs/latest"
_MOST_USD = 10**9


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is asked for beside or in place of a configuration file; None: as it says, or as the resumed run did."""

    config: str | Path | None = None
    resume: str | Path | None = None
    system: Callable[..., Any] | None = None
    golden: str | Path | None = None
    corpus: str | Path | None = None
    metrics: Sequence[str] | None = None
    limit: int | None = None
    where: str | None = None
    repeat: int | None = None
    max_cost_usd: float | None = None


def folder_of(output: str | Path | None, resume: str | Path | None) -> Path:
    """Return the run folder; raises BadInput where two are named."""
    if resume is not None and output is not None and Path(resume).resolve() != Path(output).resolve():
        raise BadInput(f"a run is continued in its own folder: --resume {resume} and -o {output} are two")
    return Path(resume or output or DEFAULT_OUTPUT)


def inputs_for(asked: Asked, folder: Path) -> tuple[Inputs, Asked]:
    """Read what a run is made of; what is not given is that of the run that is resumed.

    Raises BadInput, also for a folder that holds what the run is made of: its files would lie among them.
    """
    known = _stored_plan(folder) if asked.resume is not None else None
    if known is not None:
        asked = _as_before(asked, known)
    settings = settings_from(
        asked.config,
        system=asked.system,
        golden=asked.golden,
        corpus=asked.corpus,
        metrics=asked.metrics,
        repeat=asked.repeat,
    )
    _check_place(folder, settings)
    return read_inputs(_paying(settings, asked.max_cost_usd), limit=asked.limit, where=asked.where), asked


def _check_place(folder: Path, settings: Settings) -> None:
    named = settings.configuration
    taken = {settings.base.resolve(): "the configuration", Path(folder.resolve().anchor): "everything"}
    taken[(settings.base / named.golden.path).resolve()] = "the golden set"
    if named.corpus is not None:
        taken[(settings.base / named.corpus.path).resolve()] = "the corpus"
    held = taken.get(folder.resolve())
    if held is not None:
        raise BadInput(f"{folder} holds {held}; a run needs a folder of its own, such as {DEFAULT_OUTPUT}")


def bundle_of(inputs: Inputs, opened: Opened | None) -> dict[str, str]:
    """Return the identity of all that makes the numbers; without the system as far as it is known without it."""
    base = inputs.settings.base
    system = system_bundle(inputs.configuration, base=base, told={}) if opened is None else opened.bundle
    return make_bundle(
        inputs.configuration,
        base=base,
        corpus=inputs.corpus_identity,
        golden=inputs.whole.identity,
        cases=inputs.golden.cases,
        metrics=[selected.name for selected in inputs.selection.metrics],
        system=system,
        chunks=None if opened is None else opened.system.chunks(),
        judge=judge_bundle(inputs.configuration),
        given={**inputs.given.identities, **embedding_bundle(inputs, opened)},
        ontology=None if inputs.ontology is None else inputs.ontology.identity,
    )


def _as_before(asked: Asked, known: Plan) -> Asked:
    config = asked.config
    if config is None and asked.golden is None and not Path("ragtriage.toml").exists():
        config = known.file
    return replace(
        asked,
        config=config,
        limit=known.limit if asked.limit is None else asked.limit,
        where=known.where if asked.where is None else asked.where,
        repeat=known.configuration["run"]["repeat"] if asked.repeat is None else asked.repeat,
    )


def _paying(settings: Settings, max_cost_usd: float | None) -> Settings:
    """Put a budget in the place of the configuration's; raises BadInput where nothing is paid for or it is none."""
    if max_cost_usd is None:
        return settings
    configuration = settings.configuration
    if configuration.judge.model is None and configuration.judge.embedding is None:
        raise BadInput("a budget needs a judge that is paid: set [judge] model, or leave --max-cost out")
    if not 0 <= max_cost_usd < _MOST_USD:
        raise BadInput(f"a budget must be an amount of dollars of 0 or more. Got {max_cost_usd!r}")
    judge = configuration.judge.model_copy(update={"max_cost_usd": max_cost_usd})
    return replace(settings, configuration=configuration.model_copy(update={"judge": judge}))


def _stored_plan(folder: Path) -> Plan | None:
    """Return the plan of the run to be continued; None where nothing was stored yet, so that it starts anew."""
    if not RunStore.exists(folder):
        return None
    with RunStore.open(folder) as store:
        return store.plan
