"""How near extracted tables come to their references, and which tables of a document belong together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

from ragtriage.core.score import Score, Undefined, Value
from ragtriage.core.table_views import TablesView
from ragtriage.text.tables import Cell, Table, read_table, without_sections
from ragtriage.text.tree_distance import Tree, TreesTooLarge, tree_distance

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Profile", "table_similarity"]

Profile: TypeAlias = Literal["pubtabnet", "text", "content"]

Label: TypeAlias = str | Cell
Pairing: TypeAlias = tuple[Table | None, Table | None]

_PRIVATE_USE = range(0xF0000, 0x110000)


def table_similarity(view: TablesView, *, profile: Profile, structure: bool = False) -> Score:
    """Return the mean of 1 - edit distance / nodes of the larger table, over the tables of a document.

    `structure`: whatever the cells hold. Undefined where no tables were extracted, where no table has a cell on either
    side, and where two tables are too large to compare.
    """
    if view.extracted is None:
        return Undefined("no tables were extracted")
    pairs = _paired([read_table(html) for html in view.reference], [read_table(html) for html in view.extracted])
    found: list[float] = []
    for reference, extracted in pairs:
        if not (_cells(reference) or _cells(extracted)):
            continue
        if reference is None or extracted is None or (profile == "content" and not _cells(extracted)):
            found.append(0.0)
            continue
        try:
            found.append(_similarity(*(_seen(t, profile, structure=structure) for t in (reference, extracted))))
        except TreesTooLarge as error:
            return Undefined(str(error))
    return Value(sum(found) / len(found), support=len(found)) if found else Undefined("both sides have no table cell")


def _similarity(first: Table, second: Table) -> float:
    return 1 - tree_distance(first, second, _rename) / max(first.size, second.size)


def _cells(table: Table | None) -> list[Cell]:
    return [label for label in table.labels if isinstance(label, Cell)] if table is not None else []


def _seen(table: Table, profile: Profile, *, structure: bool) -> Table:
    """Return what a profile sees of a table."""
    if profile == "pubtabnet" and not structure:
        return table
    if profile == "content":
        table = without_sections(table)
    labels = (
        _seen_cell(label, profile, structure=structure) if isinstance(label, Cell) else label for label in table.labels
    )
    return Tree(tuple(labels), table.starts)


def _seen_cell(cell: Cell, profile: Profile, *, structure: bool) -> Cell:
    if structure:
        cell = cell._replace(content=("",))
    if profile == "text":
        cell = cell._replace(content=(cell.text,))
    return cell._replace(tag="td") if profile == "content" and cell.tag == "th" else cell


def _paired(reference: Sequence[Table | None], extracted: Sequence[Table | None]) -> list[Pairing]:
    """Pair the tables of a document: those first that share the most cell texts, of equal ones the nearest in order.

    What is left over on one side is paired with None.
    """
    ours, theirs = ([Counter(cell.text for cell in _cells(table)) for table in side] for side in (reference, extracted))
    ranked = sorted(
        (-_shared(ours[i], theirs[j]), abs(i - j), i, j) for i in range(len(ours)) for j in range(len(theirs))
    )
    match: dict[int, int] = {}
    taken: set[int] = set()
    for _, _, i, j in ranked:
        if i not in match and j not in taken:
            match[i] = j
            taken.add(j)
    pairs = [(table, extracted[match[i]] if i in match else None) for i, table in enumerate(reference)]
    return pairs + [(None, table) for j, table in enumerate(extracted) if j not in taken]


def _shared(first: Counter[str], second: Counter[str]) -> float:
    """Return twice the shared / all cells of both."""
    total = first.total() + second.total()
    return 2 * (first & second).total() / total if total else 0.0


def _rename(first: Sequence[Label], second: Sequence[Label]) -> NDArray[np.float64]:
    """Return 1 where tags or spans differ, else the edit distance of the contents / the longer: [n], [m] -> [n, m]."""
    import numpy as np  # noqa: PLC0415 - numpy and rapidfuzz only where tables are compared
    from rapidfuzz.distance import Levenshtein  # noqa: PLC0415
    from rapidfuzz.process import cdist  # noqa: PLC0415

    written = _Written((*first, *second))
    texts = ([written.of(label) for label in side] for side in (first, second))
    costs: NDArray[np.float64] = cdist(*texts, scorer=Levenshtein.normalized_distance, dtype=np.float64)
    known: dict[tuple[str, int, int], int] = {}
    ours, theirs = (
        np.array([known.setdefault(_kind(label), len(known)) for label in side]) for side in (first, second)
    )
    costs[ours[:, None] != theirs] = 1.0
    return costs


def _kind(label: Label) -> tuple[str, int, int]:
    return (label.tag, label.colspan, label.rowspan) if isinstance(label, Cell) else (label, 0, 0)


class _Written:
    """The contents of cells as strings in which each inline tag is one character that no cell holds."""

    def __init__(self, labels: Sequence[Label]) -> None:
        contents = [label.content for label in labels if isinstance(label, Cell) and len(label.content) > 1]
        self._characters: dict[str, str] = {}
        if tags := sorted({tag for content in contents for tag in content[1::2]}):
            held = {c for label in labels if isinstance(label, Cell) for text in label.content[::2] for c in text}
            free = (chr(code) for code in _PRIVATE_USE if chr(code) not in held)
            self._characters = dict(zip(tags, free, strict=False))

    def of(self, label: Label) -> str:
        """Write the content of a cell; what is no cell has none."""
        if not isinstance(label, Cell):
            return ""
        if len(label.content) == 1:
            return label.content[0]
        return "".join(self._characters[p] if at % 2 else p for at, p in enumerate(label.content))
