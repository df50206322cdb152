"""Read `ragtriage.toml`: every fault at once, each with its key and, where it can be found, its line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time
from errno import ELOOP
from functools import partial
from pathlib import Path
from stat import S_ISFIFO
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from ragtriage.core.configuration import Configuration, HttpSystem
from ragtriage.core.errors import BadInput, Fault, did_you_mean
from ragtriage.core.files import read_text, read_toml, validate_record
from ragtriage.core.records import Trace
from ragtriage.core.results import CASES
from ragtriage.runs.secrets import Secrets, names_in
from ragtriage.runs.selection import judge_runs, parse_name, records_of, select
from ragtriage.runs.systems.template import body_of, template_faults
from ragtriage.stats.slices import check_fields

__all__ = ["Settings", "configuration_faults", "fault_at", "http_faults", "lines_of", "read_settings", "secrets_of"]

_HEADER = re.compile(r"^\s*\[(?P<many>\[)?\s*(?P<path>[^\[\]]+?)\s*\]\]?\s*(#.*)?$")
_KEY = re.compile(r"""^\s*(?P<key>(?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=""")
_PART = re.compile(r"""[\w-]+|"[^"]*"|'[^']*'""")
_NAMED_PLACE = re.compile(r"^'([^']+)'")
_SECRET_WORDS = ("authorization", "token", "secret", "password", "api-key", "apikey", "api_key", "cookie", "signature")


@dataclass(frozen=True, slots=True)
class Settings:
    """A configuration and the folder that its paths start from; `file` is None where it came from Python."""

    configuration: Configuration
    base: Path
    file: Path | None = None
    lines: Mapping[str, int] = field(default_factory=dict)


def read_settings(path: Path, *, names: bool = True) -> Settings:
    """Read a configuration file; raises BadInput with every fault in it.

    `names` False leaves it to the caller to look up the names of metrics and slices.

    >>> read_settings(Path("no-such.toml"))
    Traceback (most recent call last):
    ...
    ragtriage.core.errors.BadInput: no-such.toml: No such file or directory
    """
    value, lines = _plain(read_toml(path)), lines_of(read_text(path))
    configuration, problems = validate_record(Configuration, value)
    faults = [fault_at(path, problem, lines) for problem in problems]
    if configuration is not None:
        faults += [
            Fault(str(path), _line(lines, key), f"{key!r} {text}")
            for key, text in configuration_faults(configuration, base=path.parent, names=names)
        ]
    if configuration is None or faults:
        raise BadInput(f"{path} has {len(faults)} fault{'s' if len(faults) > 1 else ''}:", sorted(faults))
    return Settings(configuration, path.parent, path, lines)


def configuration_faults(
    configuration: Configuration, *, base: Path, importable: bool = True, names: bool = True
) -> Iterator[tuple[str, str]]:
    """Yield (key, what is wrong) of what no single field shows: missing folders, templates, literal secrets."""
    places = [("golden.path", configuration.golden.path)]
    if configuration.corpus is not None:
        places.append(("corpus.path", configuration.corpus.path))
    if configuration.ontology is not None:
        places.append(("ontology.path", configuration.ontology.path))
    places += [(f"ingest.{name}", place) for name, place in configuration.ingest.files()]
    if configuration.system.chunks is not None:
        places.append(("system.chunks", configuration.system.chunks))
    for key, place in places:
        if (told := _unusable(base, place)) is not None:
            yield key, f"names {place!r:.200}, which {told}"
    python = configuration.system.python
    if importable and python is not None and not re.fullmatch(r"[\w.]+:[\w.]+", python):
        yield "system.python", f"must be 'module:attribute'. Got {python!r} instead"
    if configuration.system.http is not None:
        yield from http_faults(configuration.system.http)
        for target in configuration.system.http.fields:
            first = re.split(r"[.\[]", target)[0]
            if first not in Trace.model_fields:
                near = did_you_mean(first, Trace.model_fields)
                yield f"system.http.fields.{target}", f"fills {first!r}, which is no field of a trace.{near}"
    if names:
        yield from _name_faults(configuration)


def _unusable(base: Path, place: str) -> str | None:
    """Say why a file or folder cannot be read as often as it takes; None where it can."""
    try:
        mode = (base / place).stat().st_mode
    except (FileNotFoundError, NotADirectoryError, ValueError):  # ValueError: it holds a zero byte
        return f"does not exist in {base.resolve()}"
    except OSError as error:
        return f"does not exist in {base.resolve()}" if error.errno == ELOOP else f"is out of reach: {error.strerror}"
    return "is a pipe and can be read only once" if S_ISFIFO(mode) else None


def _name_faults(configuration: Configuration) -> Iterator[tuple[str, str]]:
    """Yield every name of a metric or of a field that nothing answers to, lacks a parameter or cannot be measured."""
    for name in configuration.metrics.include:
        yield from _refused("metrics.include", partial(_select, configuration, include=(name,)))
    for name in configuration.metrics.exclude:
        yield from _refused("metrics.exclude", partial(_select, configuration, exclude=(name,)))
    if not configuration.metrics.include and not configuration.gate:
        yield "metrics.include", "chooses no metric; leave it out, and all run that have something to measure"
    for entry in configuration.slices.by:
        yield from _refused("slices.by", partial(check_fields, [part.strip() for part in entry.split("+")]))
    for number, rule in enumerate(configuration.gate):
        faults = list(_refused(f"gate.{number}.metric", partial(_select, configuration, include=(rule.metric,))))
        yield from faults
        if not faults and parse_name(rule.metric).metric.population == CASES:
            yield from _refused(f"gate.{number}.slice", partial(check_fields, rule.slice))


def _select(configuration: Configuration, *, include: tuple[str, ...] = (), exclude: tuple[str, ...] = ()) -> None:
    select(
        include,
        exclude=exclude,
        context_size=configuration.system.context_size,
        judged=judge_runs(configuration),
        writes=records_of(configuration),
        ingest=configuration.ingest,
    )


def _refused(key: str, look: Callable[[], None]) -> Iterator[tuple[str, str]]:
    try:
        look()
    except BadInput as error:
        yield key, str(error)


def secrets_of(configuration: Configuration, environment: Mapping[str, str]) -> Secrets:
    """Look up every `env:NAME` of the configuration; raises BadInput naming what the endpoint needs and is not set.

    Factors are handed to the system as they stand: it looks its own secrets up, we only keep them out of our files.
    """
    system = configuration.system
    needed = sorted(set(names_in(system.http.model_dump(mode="json")))) if system.http is not None else []
    missing = [name for name in needed if not environment.get(name)]
    if missing:
        raise BadInput(f"the configuration names environment variables that are not set: {', '.join(missing)}")
    known = {*needed, *names_in(system.factors), *names_in(configuration.judge.api_key)}
    return Secrets({name: environment[name] for name in sorted(known) if environment.get(name)})


def http_faults(http: HttpSystem, *, place: str = "system.http") -> Iterator[tuple[str, str]]:
    """Yield the key and the words of what is wrong with a request that stands in the table `place`."""
    address = urlsplit(http.url)
    if address.scheme not in {"http", "https"} or not address.hostname:
        yield f"{place}.url", f"must be an http or https address. Got {http.url!r} instead"
    if "{{" in address.netloc or "{{" in address.scheme:
        yield f"{place}.url", "must not take its host from a question"
    if address.password is not None:
        yield f"{place}.url", "holds a password; put it into a header as 'env:NAME'"
    for name, value in parse_qsl(address.query):
        if _sounds_secret(name) and not list(names_in(value)):
            yield f"{place}.url", f"holds {name!r} as a literal; write 'env:NAME'"
    for name, value in http.headers.items():
        if _sounds_secret(name) and not list(names_in(value)):
            yield f"{place}.headers.{name}", "must be given as 'env:NAME', never as a literal"
    for problem in template_faults([http.url, http.body]):
        yield f"{place}.body", problem
    try:
        body_of(http.body)
    except ValueError as error:
        yield f"{place}.body", str(error)
    yield from _path_faults(http.fields, place)


def _path_faults(fields: Mapping[str, str], place: str) -> Iterator[tuple[str, str]]:
    try:
        import jsonpath  # noqa: PLC0415 - an extra; without it the system itself says what to install
    except ImportError:
        return
    for name, path in fields.items():
        try:
            jsonpath.compile(path)
        except jsonpath.JSONPathError as error:
            yield f"{place}.fields.{name}", f"is no JSONPath: {str(error).splitlines()[0]}"


def _sounds_secret(name: str) -> bool:
    lower = name.lower()
    return any(word in lower for word in _SECRET_WORDS) or lower in {"key", "x-key", "sig"}


def _plain(value: Any) -> Any:
    """Write TOML's dates as JSON has them."""
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    return value.isoformat() if isinstance(value, date | datetime | time) else value


def fault_at(path: Path, problem: str, lines: Mapping[str, int]) -> Fault:
    """Return a fault at the line of the key that its words begin with."""
    place = _NAMED_PLACE.match(problem)
    return Fault(str(path), _line(lines, place[1]) if place else 0, problem)


def _line(lines: Mapping[str, int], key: str) -> int:
    """Find the line of a key, else of the nearest table around it."""
    while key:
        if key in lines:
            return lines[key]
        key = key.rpartition(".")[0]
    return 0


def lines_of(text: str) -> dict[str, int]:
    """Return the line of each key that stands at the start of one; `gate.0.min` in arrays of tables."""
    found: dict[str, int] = {}
    counts: dict[str, int] = {}
    table = ""
    for number, line in enumerate(text.splitlines(), start=1):
        if header := _HEADER.match(line):
            table = _joined(header["path"])
            if header["many"]:
                counts[table] = counts.get(table, -1) + 1
                table = f"{table}.{counts[table]}"
            found.setdefault(table, number)
        elif key := _KEY.match(line):
            path = _joined(key["key"])
            found.setdefault(f"{table}.{path}" if table else path, number)
    return found


def _joined(path: str) -> str:
    return ".".join(part.strip("\"'") for part in _PART.findall(path))
