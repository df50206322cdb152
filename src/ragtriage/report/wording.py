"""How numbers, limits, slices and names are worded, the same in every format."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ragtriage.core.results import Leaf, RuleResult, Verdict

__all__ = [
    "DECISIONS",
    "LEAVES",
    "PROXY",
    "again",
    "base_name",
    "command",
    "count",
    "interval",
    "limit",
    "number",
    "percent",
    "probability",
    "scope",
    "shell_word",
    "signed",
    "signed_interval",
    "singular",
    "slice_name",
    "unit_sign",
    "units",
]

PROXY: Final = "uncalibrated proxy"

DECISIONS: Final[dict[Verdict, str]] = {
    "pass": "Pass: may ship",
    "fail": "Fail: do not ship",
    "undecidable": "Undecidable",
}

# In the order in which a case is examined; what it means that a case broke there.
LEAVES: Final[dict[Leaf, str]] = {
    "golden": "the case itself is at fault",
    "ingest": "not in the index as text",
    "access": "a forbidden or stale document passed",
    "query": "the rewritten question misses it",
    "ontology": "linked to the wrong entity",
    "filter": "evidence removed by a predicate",
    "retrieval": "evidence missed or ranked too low",
    "fusion": "evidence lost by fusion",
    "rerank": "evidence lost by reranking",
    "assembly": "found, but not put into the context",
    "generation": "evidence was there, answer is wrong",
    "citation": "wrong or missing citation",
    "format": "required form missed",
    "service": "time-out, error or empty answer",
    "judge": "all is right, the verdict says no",
}

_BIG, _MIDDLE, _SMALL = 1000, 10, 0.001
_SIGNS = {"milliseconds": "ms", "US dollars": "USD"}
_COUNTS = ("violations", "forbidden claims", "rank", "milliseconds")


def number(value: float | None, *, unit: str = "") -> str:
    """Word a value: three decimals for shares, whole where its unit counts, an en dash where there is none.

    >>> number(0.5), number(-1234.5, unit="milliseconds"), number(3.0, unit="rank"), number(None), number(0.00042)
    ('0.500', '−1,234', '3', '–', '0.00042')
    """
    if value is None:
        return "\u2013"
    return ("\u2212" if value < 0 else "") + _size(abs(value), unit)


def _size(size: float, unit: str) -> str:
    if size >= _BIG:
        return f"{size:,.0f}"
    if size == int(size) and (size >= _MIDDLE or _counts(unit)):
        return f"{size:.0f}"
    if size >= _MIDDLE:
        return f"{size:.1f}"
    return f"{size:.2g}" if 0 < size < _SMALL else f"{size:.3f}"


def _counts(unit: str) -> bool:
    return unit.startswith(_COUNTS) and not unit.startswith("rank ")


def unit_sign(unit: str) -> str:
    """Word a unit that must stand beside its number; empty for shares and counts, which need none.

    >>> unit_sign("milliseconds"), unit_sign("US dollars a question"), unit_sign("fraction of questions")
    ('ms', 'USD', '')
    """
    return next((sign for name, sign in _SIGNS.items() if unit.startswith(name)), "")


def signed(value: float, *, unit: str = "") -> str:
    """Word a difference with its sign.

    >>> signed(0.02), signed(-0.02), signed(0.0)
    ('+0.020', '−0.020', '±0.000')
    """
    sign = "\u00b1" if value == 0 else "+" if value > 0 else "\u2212"
    return sign + number(abs(value), unit=unit)


def interval(ends: tuple[float, float] | None, *, unit: str = "") -> str:
    """Word an interval, or nothing where there is none; beside a minus sign a dash would be read as another.

    >>> interval((0.71, 0.845)), interval((-0.03, 0.05))
    ('0.710–0.845', '−0.030…0.050')
    """
    if ends is None:
        return ""
    between = "\u2026" if min(ends) < 0 else "\u2013"
    return f"{number(ends[0], unit=unit)}{between}{number(ends[1], unit=unit)}"


def signed_interval(ends: tuple[float, float] | None, *, unit: str = "") -> str:
    """Word the interval of a difference, or nothing where there is none.

    >>> signed_interval((-0.03, 0.05))
    '[−0.030, +0.050]'
    """
    return "" if ends is None else f"[{signed(ends[0], unit=unit)}, {signed(ends[1], unit=unit)}]"


def probability(p: float | None) -> str:
    """Word a p value with three decimals, never 0 for what is more; an en dash where there is none.

    >>> probability(0.0421), probability(0.00004), probability(None)
    ('0.042', '<0.001', '–')
    """
    if p is None:
        return "\u2013"
    return "<0.001" if p < 0.001 else f"{p:.3f}"  # noqa: PLR2004 - three decimals


def percent(share: float) -> str:
    """Word a share as whole percent, never 0 % or 100 % for what is neither.

    >>> percent(0.184), percent(0.999), percent(0.001)
    ('18 %', '>99 %', '<1 %')
    """
    if 0 < share < 0.01:  # noqa: PLR2004 - one percent
        return "<1 %"
    if 0.99 < share < 1:  # noqa: PLR2004 - 99 percent
        return ">99 %"
    return f"{share:.0%}".replace("%", " %")


def count(items: int, one: str, many: str | None = None) -> str:
    """Word a number of things.

    >>> count(1, "case"), count(2, "case"), count(1234, "case")
    ('1 case', '2 cases', '1,234 cases')
    """
    return f"{items:,} {one if items == 1 else many or one + 's'}"


def singular(population: str) -> str:
    """Name one member of a population.

    >>> singular("documents"), singular("queries")
    ('document', 'query')
    """
    return f"{population[:-3]}y" if population.endswith("ies") else population.removesuffix("s")


def units(items: int, population: str) -> str:
    """Word a number of units of a population.

    >>> units(1, "documents"), units(2, "documents")
    ('1 document', '2 documents')
    """
    return count(items, singular(population), population)


def slice_name(fields: Mapping[str, str]) -> str:
    """Word a slice; `all cases` for the empty one.

    >>> slice_name({"language": "kk", "kind": "lookup"}), slice_name({})
    ('language=kk, kind=lookup', 'all cases')
    """
    return ", ".join(f"{name}={value}" for name, value in fields.items()) or "all cases"


def scope(level: str | None, fields: Mapping[str, str]) -> str:
    """Word what a row is about beside its metric: level of relevance and slice.

    >>> scope("evidence", {}), scope(None, {"language": "ru"}), scope(None, {})
    ('evidence', 'language=ru', '')
    """
    return ", ".join([*([level] if level else []), *([slice_name(fields)] if fields else [])])


def limit(rule: RuleResult) -> str:
    """Word what a gate rule demands."""
    match rule.kind:
        case "min":
            return f"\u2265 {number(rule.limit)}"
        case "max":
            return f"\u2264 {number(rule.limit) if rule.limit % 1 else f'{rule.limit:.0f}'}"
        case "max_drop":
            return f"drop \u2264 {number(rule.limit)}"
        case "policy":
            return f"\u2264 {percent(rule.limit)}"


def base_name(metric: str) -> str:
    """Return a metric's name without its parameters.

    >>> base_name("retrieval.ndcg@10(gain=linear)")
    'retrieval.ndcg'
    """
    return metric.partition("@")[0].partition("(")[0]


def command(folder: str, case_id: str) -> str:
    r"""Word the shell command that shows a case again.

    >>> command("runs/latest", "ru-1"), command("runs/latest", "it's")
    ('ragtriage diagnose runs/latest --case ru-1', 'ragtriage diagnose runs/latest --case \'it\'"\'"\'s\'')
    """
    return f"ragtriage diagnose {shell_word(folder)} --case {shell_word(case_id)}"


def again(config: str, case_id: str) -> str:
    r"""Word the shell command that asks a case again, in a folder of its own.

    >>> again("ragtriage.toml", "it's")
    'ragtriage eval -c ragtriage.toml --where "case_id = \'it\'\'s\'" --no-gate -o runs/again'
    """
    condition = "case_id = '" + case_id.replace("'", "''") + "'"
    return f"ragtriage eval -c {shell_word(config)} --where {_quoted(condition)} --no-gate -o runs/again"


def _quoted(text: str) -> str:
    """Quote what holds apostrophes so that it can still be read; what a shell would obey in it, as strictly as ever."""
    return shell_word(text) if any(char in text for char in '"\\$`!') else f'"{text}"'


def shell_word(word: str) -> str:
    """Quote a word for a shell where it needs that.

    >>> shell_word("runs/latest"), shell_word("a b"), shell_word("-x")
    ('runs/latest', "'a b'", "'-x'")
    """
    plain = all(char.isalnum() or char in "._-/@:+" for char in word) and not word.startswith("-")
    return word if plain else "'" + word.replace("'", "'\"'\"'") + "'"
