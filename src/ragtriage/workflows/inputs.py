"""What a run is made of before anything is asked: settings, corpus, golden cases, chosen metrics."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ragtriage.core.configuration import Configuration
from ragtriage.core.errors import BadInput, NotComparable
from ragtriage.core.files import validate_record
from ragtriage.core.ontology import Ontology
from ragtriage.core.records import Case, Document
from ragtriage.core.tables import matching
from ragtriage.data.corpus import Corpus, read_corpus
from ragtriage.data.golden import Golden, golden_of, read_golden
from ragtriage.data.ontologies import read_ontology
from ragtriage.runs.given import Given
from ragtriage.runs.selection import Selection, selection_of
from ragtriage.runs.store import RunStore
from ragtriage.workflows.given import read_given
from ragtriage.workflows.given_parts import Chosen
from ragtriage.workflows.settings import Settings, configuration_faults, read_settings

__all__ = ["Inputs", "chosen_cases", "read_inputs", "settings_from", "stored_inputs"]

DEFAULT_FILE = "ragtriage.toml"


@dataclass(frozen=True)
class Inputs:
    """Everything that is read before the first question. `golden` holds the chosen cases, `whole` all of them."""

    settings: Settings
    corpus: Corpus | None
    whole: Golden
    golden: Golden
    selection: Selection
    given: Given = field(default_factory=Given)
    ontology: Ontology | None = None

    @property
    def corpus_identity(self) -> str:
        """The hash of the corpus, `none` where there is none."""
        return _identity(self.corpus)

    @property
    def documents(self) -> Mapping[str, Document] | None:
        """The documents of the corpus, None where there is none."""
        return None if self.corpus is None else self.corpus.documents

    @property
    def configuration(self) -> Configuration:
        """The settings alone."""
        return self.settings.configuration

    def notes(self) -> tuple[str, ...]:
        """Say what a reader of the results must know of the inputs."""
        found = []
        sealed = self.whole.corpus_identity
        if sealed and self.corpus is not None and sealed != self.corpus.identity:
            found.append("the golden set was checked against another state of the corpus: spans may have moved")
        return (*found, *self.given.notes)


def settings_from(
    config: str | Path | None,
    *,
    system: Callable[..., Any] | None,
    golden: str | Path | None,
    corpus: str | Path | None,
    metrics: Sequence[str] | None,
    repeat: int | None,
) -> Settings:
    """Read the configuration and put in its place what was given beside it; raises BadInput."""
    read = None
    if config is None and golden is None and not Path(DEFAULT_FILE).exists():
        raise BadInput(f"there is no {DEFAULT_FILE} in {Path.cwd()}: name a configuration with -c")
    if config is not None or golden is None:
        read = read_settings(Path(config) if config is not None else Path(DEFAULT_FILE))
    base = read.base if read is not None else Path()
    value: dict[str, Any] = {} if read is None else read.configuration.model_dump(mode="json", exclude_unset=True)
    for name, place in (("golden", golden), ("corpus", corpus)):
        if place is not None:
            value[name] = {"path": str(Path(place).resolve())}
    if system is not None:
        kept = {k: v for k, v in value.get("system", {}).items() if k not in {"python", "factors", "http", "traces"}}
        value["system"] = {**kept, "python": _name_of(system)}
    if metrics is not None:
        value["metrics"] = {"include": list(metrics)}
    if repeat is not None:
        value["run"] = {**value.get("run", {}), "repeat": repeat}
    configuration, problems = validate_record(Configuration, value)
    if configuration is None:
        raise BadInput("the settings do not hold together: " + "; ".join(problems))
    if read is None:
        faults = list(configuration_faults(configuration, base=base, importable=False))
        if faults:
            raise BadInput("; ".join(f"{key!r} {text}" for key, text in faults))
        return Settings(configuration, base)
    return replace(read, configuration=configuration)


def read_inputs(settings: Settings, *, limit: int | None, where: str | None) -> Inputs:
    """Read corpus and golden set and choose cases and metrics; raises BadInput with every fault of a file."""
    configuration, golden = settings.configuration, settings.configuration.golden
    whole = read_golden(
        settings.base / golden.path, source=golden.source, split=golden.split, grade_map=golden.grade_map
    )
    cases = chosen_cases(whole.cases, limit=limit, where=where)
    chosen, selection = replace(whole, cases=cases), selection_of(configuration)
    corpus = _corpus(settings)
    given = read_given(settings, corpus, Chosen(cases, selection))
    return Inputs(settings, corpus, whole, chosen, selection, given, _ontology(settings))


def chosen_cases(cases: Sequence[Case], *, limit: int | None, where: str | None) -> tuple[Case, ...]:
    """Keep the cases for which the condition holds, then the first `limit`; raises BadInput where none is left."""
    kept = list(cases)
    if where is not None:
        kept = [cases[index] for index in matching(where, [case.model_dump(mode="json") for case in cases])]
        if not kept:
            raise BadInput(f"no case of the golden set meets the condition {where!r}")
    if limit is not None:
        if limit < 1:
            raise BadInput(f"the limit must be 1 or more. Got {limit}")
        kept = kept[:limit]
    return tuple(kept)


def stored_inputs(store: RunStore) -> Inputs:
    """Return what a stored run was made of: its own settings and cases, the corpus from where it was found.

    Raises NotComparable where the corpus or an extracted document is another one by now, BadInput where it cannot be
    read.
    """
    plan = store.plan
    configuration, problems = validate_record(Configuration, dict(plan.configuration))
    if configuration is None:
        raise BadInput(f"{store.path.parent}: its settings are those of another version: {'; '.join(problems)}")
    settings = Settings(configuration, Path(plan.base))
    corpus = _corpus(settings)
    if _identity(corpus) != plan.bundle["corpus"]:
        was, now = plan.bundle["corpus"], _identity(corpus)
        raise NotComparable(
            f"{store.path.parent}: the corpus has changed since this run: {was[:12]}... -> {now[:12]}..."
        )
    golden, selection = golden_of(store.cases()), selection_of(configuration)
    given = read_given(settings, corpus, Chosen(golden.cases, selection))
    changed = [key for key, identity in given.identities.items() if identity != plan.bundle.get(key)]
    if changed:
        names = ", ".join(key.partition(".")[2] or "extracted documents" for key in changed)
        raise NotComparable(f"{store.path.parent}: what [ingest] names has changed since this run: {names}")
    ontology = _ontology(settings)
    if ontology is not None and ontology.identity != plan.bundle.get("ontology"):
        raise NotComparable(f"{store.path.parent}: the ontology has changed since")
    return Inputs(settings, corpus, golden, golden, selection, given, ontology)


def _corpus(settings: Settings) -> Corpus | None:
    place = settings.configuration.corpus
    return None if place is None else read_corpus(settings.base / place.path, source=place.source)


def _ontology(settings: Settings) -> Ontology | None:
    place = settings.configuration.ontology
    return None if place is None else read_ontology(settings.base / place.path, base=place.base)


def _identity(corpus: Corpus | None) -> str:
    return "none" if corpus is None else corpus.identity


def _name_of(system: Callable[..., Any]) -> str:
    """Name a callable by where it was defined."""
    module = getattr(system, "__module__", None) or "__main__"
    name = getattr(system, "__qualname__", None) or type(system).__qualname__
    return f"{module}:{name}"
