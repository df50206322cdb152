"""The templates of the page: data escaped so that the parsed text equals it, our style and script by their hashes."""

from __future__ import annotations

import base64
import functools
import hashlib
import urllib.parse
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ragtriage.core.results import CASES, MetricRow
from ragtriage.report import wording
from ragtriage.report.sections.case_list import STATES

if TYPE_CHECKING:
    import jinja2
    from markupsafe import Markup

__all__ = ["drawn", "text_node"]

_SCRIPTS = ("draw.js", "case.js", "list.js")


def drawn(template: str, content: Mapping[str, Any]) -> str:
    """Fill a template."""
    return _environment().get_template(template).render(content)


def text_node(text: str) -> Markup:
    """Write text as the content of an element, where `<`, `>` and `&` alone mean something."""
    from markupsafe import Markup  # noqa: PLC0415 - loaded where a page is drawn

    whole = text.encode("utf-8", "replace").decode()
    return Markup(whole.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))  # noqa: S704 - escaped here


@functools.cache
def _environment() -> jinja2.Environment:
    import jinja2  # noqa: PLC0415 - loaded where a page is drawn

    loader = jinja2.PackageLoader("ragtriage.report.formats", "templates")
    environment = jinja2.Environment(
        loader=loader,
        autoescape=True,
        finalize=_written,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"breakable": _breakable}
    style = _asset(_lean(loader.get_source(environment, "report.css")[0]))
    parts = [_lean(loader.get_source(environment, name)[0]) for name in _SCRIPTS]
    script = _asset("\n".join(["(() => {", '"use strict";', *parts, "})();"]))
    environment.globals |= {
        "style": style,
        "script": script,
        "policy": f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; "
        "base-uri 'none'; form-action 'none'",
        "wording": wording,
        "states": STATES,
        "to": _to,
        "shared": _shared,
        "bounded": _bounded,
    }
    return environment


def _lean(source: str) -> str:
    """Leave out indents and the lines that hold nothing but a comment; no text of ours runs over several lines."""
    lines = (line.strip() for line in source.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith(("//", "/*")))


def _asset(text: str) -> str:
    """Mark a file that lies beside the templates as ours, so that it is not escaped."""
    from markupsafe import Markup  # noqa: PLC0415

    return Markup(text.replace("\r\n", "\n"))  # noqa: S704 - a file of this package


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _written(value: Any) -> Any:
    """Escape a value so that the parsed text equals it; NUL and lone surrogates, which no page may hold, are drawn."""
    from markupsafe import Markup, escape  # noqa: PLC0415

    if value is None or isinstance(value, Markup):
        return "" if value is None else value
    text = str(value).replace("\0", "\u2400").encode("utf-8", "replace").decode()
    return Markup(str(escape(text)).replace("\r", "&#13;"))  # noqa: S704 - escaped in this line


def _breakable(name: str) -> Markup:
    """Let a long name break behind its underscores and before its parameters."""
    from markupsafe import Markup  # noqa: PLC0415 - loaded where a page is drawn

    parts = (Markup("_<wbr>").join(_written(part) for part in one.split("_")) for one in name.split("("))
    return Markup("<wbr>(").join(parts)


def _to(row: MetricRow | None = None, /, **choice: Any) -> str:
    """Write the link to the cases of a choice: fields of a case, and a metric with what its score has to be.

    A metric of documents, chunks ... leads to the table of the worst of them.
    """
    if row is not None and row.population != CASES:
        return "#units"
    chosen = {name: str(value) for name, value in choice.items() if value is not None}
    if row is not None:
        chosen |= {"metric": row.name if row.level is None else f"{row.name}/{row.level}"}
    return "#" + urllib.parse.urlencode(chosen, quote_via=urllib.parse.quote, safe="@/", errors="replace")


def _shared(row: Any) -> bool:
    """Say whether a compared row can be drawn on a scale from 0 to 1."""
    return _bounded(row.base) and _bounded(row.candidate) and not wording.unit_sign(row.unit)


def _bounded(value: float | None) -> bool:
    """Say whether a number can be drawn on a scale from 0 to 1."""
    return value is not None and 0 <= value <= 1
