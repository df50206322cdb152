"""What stands twice in a corpus and in a golden set, and how well duplicates are detected against labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ragtriage.core.duplicate_views import DuplicatesView, Pair, pairs_of
from ragtriage.core.errors import BadInput, Fault, did_you_mean
from ragtriage.core.files import read_lines, read_records
from ragtriage.core.records import Case, Document, Identifier, Record
from ragtriage.text.groups import linked
from ragtriage.text.minhash import find_near_duplicates
from ragtriage.text.tokens import words

__all__ = [
    "DuplicateGroup",
    "LabelledPair",
    "Repeat",
    "duplicate_groups",
    "read_judged",
    "read_pairs",
    "repeated_documents",
    "repeated_questions",
    "view_of_duplicates",
]


_MOST_PAIRS = 2_000_000  # each is an object in memory; 2,000 copies of one document are as many


class LabelledPair(Record):
    """Two documents, and whether a person took them for duplicates; of a detector, whether it did."""

    first: Identifier
    second: Identifier
    duplicate: bool = True


@dataclass(frozen=True, slots=True, order=True)
class Repeat:
    """Two cases or documents that nearly say the same, in the order of their file, and the Jaccard of their shingles.

    `expected`: why it is no fault that they do; empty where nothing tells. `leak`: they are cases of different splits.
    """

    first: str
    second: str
    similarity: float
    expected: str = ""
    leak: bool = False


@dataclass(frozen=True, slots=True)
class DuplicateGroup:
    """Documents, in order of their ids, that pairs found or labelled as duplicates hold together, and their pairs."""

    documents: tuple[str, ...]
    view: DuplicatesView


def repeated_questions(cases: Sequence[Case], *, threshold: float) -> list[Repeat]:
    """Return cases that nearly ask the same: `threshold` is the least Jaccard of the words of their questions.

    Cases of different splits leak, whoever asks. Within a split, the same question of another principal or at another
    date is meant, and questions with other numbers ask for something else.

    >>> asked = {"a": "What does the gold card cost?", "b": "What does the gold card cost now?"}
    >>> cases = [Case(case_id=name, question=text, split=name) for name, text in asked.items()]
    >>> repeated_questions(cases, threshold=0.8)
    [Repeat(first='a', second='b', similarity=0.8571428571428571, expected='', leak=True)]
    """
    found: list[Repeat] = []
    for pair in sorted(find_near_duplicates([case.question for case in cases], threshold=threshold, size=1).pairs()):
        first, second = cases[pair.first], cases[pair.second]
        if _numbers(first.question) != _numbers(second.question):
            continue
        leak = None not in {first.split, second.split} and first.split != second.split
        told = "" if leak else _told_apart(first, second)
        found.append(Repeat(first.case_id, second.case_id, pair.similarity, told, leak))
    return found


def repeated_documents(documents: Mapping[str, Document], *, threshold: float) -> list[Repeat]:
    """Return documents that nearly say the same; of equal ones, the first with each other.

    `threshold`: the least Jaccard of their runs of three words. Versions of one document are meant to be alike.

    >>> texts = {"a": "Fee: one percent.", "b": "fee one percent", "c": "Open on Sundays"}
    >>> repeated_documents({name: Document(doc_id=name, text=text) for name, text in texts.items()}, threshold=0.8)
    [Repeat(first='a', second='b', similarity=1.0, expected='', leak=False)]
    """
    names = list(documents)
    links = find_near_duplicates([document.text for document in documents.values()], threshold=threshold).links()
    return [
        Repeat(
            names[link.first],
            names[link.second],
            link.similarity,
            "versions of one document" if _versions(documents, names[link.first], names[link.second]) else "",
        )
        for link in links
    ]


def read_pairs(path: Path, documents: Mapping[str, Document]) -> list[LabelledPair]:
    """Read pairs of documents as JSON Lines of `first`, `second` and `duplicate`.

    Raises BadInput with every fault: broken records, ids that are no documents, a document paired with itself, and
    pairs that stand twice.
    """
    records = read_records(path, LabelledPair)
    faults: list[Fault] = []
    seen: dict[frozenset[str], int] = {}
    for (line, _), record in zip(read_lines(path), records, strict=True):
        for name in (record.first, record.second):
            if name not in documents:
                hint = did_you_mean(name, documents)
                faults.append(Fault(str(path), line, f"{name!r} is no document of the corpus.{hint}"))
        pair = frozenset((record.first, record.second))
        if record.first == record.second:
            faults.append(Fault(str(path), line, f"{record.first!r} is paired with itself"))
        elif seen.setdefault(pair, line) != line:
            faults.append(Fault(str(path), line, f"the pair stands in line {seen[pair]} already"))
    if faults:
        raise BadInput(f"{path} has {len(faults)} fault{'s' if len(faults) > 1 else ''}:", faults)
    return records


def view_of_duplicates(
    documents: Mapping[str, Document],
    labels: Sequence[LabelledPair],
    *,
    detected: Sequence[LabelledPair] | None = None,
    threshold: float,
    most: int = _MOST_PAIRS,
) -> DuplicatesView:
    """Return what a detector found against labels; `detected` None: what `repeated_documents` finds.

    Where no pair is labelled as different, every pair without a label is. Raises BadInput where more than `most` pairs
    are found: thousands of copies of one document are a matter of the corpus and not of the detector.
    """
    found = pairs_of(_near(documents, threshold, most)) if detected is None else _of(detected, duplicate=True)
    different = _of(labels, duplicate=False)
    return DuplicatesView(found, _of(labels, duplicate=True), different or None)


def read_judged(
    labels: Path, detected: Path | None, documents: Mapping[str, Document]
) -> tuple[list[LabelledPair], list[LabelledPair] | None]:
    """Read pairs that a person judged, and those that a detector found where there is a file of them.

    Raises BadInput with every fault of both files, labels without a single pair among them: they say nothing.
    """
    faults: list[Fault] = []
    read: list[list[LabelledPair]] = []
    for path in (labels, *(() if detected is None else (detected,))):
        try:
            read.append(read_pairs(path, documents))
        except BadInput as error:
            faults += error.faults or [Fault(str(path), 0, str(error).removeprefix(f"{path}: "))]
        else:
            if path == labels and not read[-1]:
                faults.append(Fault(str(path), 0, "holds no pair"))
    if faults:
        raise BadInput("pairs of documents cannot be read:", faults)
    return read[0], read[1] if detected is not None else None


def duplicate_groups(view: DuplicatesView) -> list[DuplicateGroup]:
    """Divide the pairs of a corpus into groups: the numerators and denominators of all metrics add up over them.

    Pairs that were found or are labelled as duplicates hold a group together. A pair labelled as different that reaches
    from one group to another was neither found nor merged, so it counts nowhere.

    >>> groups = duplicate_groups(DuplicatesView(frozenset({("a", "c")}), frozenset({("b", "d")})))
    >>> [group.documents for group in groups]
    [('a', 'c'), ('b', 'd')]
    """
    sides: tuple[frozenset[Pair], ...] = (view.found, view.duplicates, view.different or frozenset())
    members = sorted(sorted(group) for group in linked((*view.found, *view.duplicates)))
    group_of = {name: number for number, group in enumerate(members) for name in group}
    pairs: list[tuple[set[Pair], ...]] = [tuple(set() for _ in sides) for _ in members]
    for place, side in enumerate(sides):
        for first, second in side:
            number = group_of.get(first)
            if number is not None and number == group_of.get(second):
                pairs[number][place].add((first, second))
    return [
        DuplicateGroup(
            tuple(group),
            DuplicatesView(frozenset(found), frozenset(same), None if view.different is None else frozenset(different)),
        )
        for group, (found, same, different) in zip(members, pairs, strict=True)
    ]


def _near(documents: Mapping[str, Document], threshold: float, most: int) -> Iterator[tuple[str, str]]:
    names = list(documents)
    found = find_near_duplicates([document.text for document in documents.values()], threshold=threshold)
    for number, pair in enumerate(found.pairs()):
        if number == most:
            largest = max(found.groups(), key=len)
            raise BadInput(
                f"more than {most:,} pairs of documents are near-duplicates, too many to be held against labels:"
                f" {len(largest):,} documents are like {names[largest[0]]!r}; take copies out of the corpus first"
            )
        yield names[pair.first], names[pair.second]


def _of(labels: Sequence[LabelledPair], *, duplicate: bool) -> frozenset[Pair]:
    return pairs_of((label.first, label.second) for label in labels if label.duplicate is duplicate)


def _numbers(question: str) -> list[str]:
    return sorted(word for word in words(question) if any(c.isdigit() for c in word))


def _told_apart(first: Case, second: Case) -> str:
    if first.principal != second.principal:
        return "another principal asks"
    return "asked at another date" if first.as_of != second.as_of else ""


def _versions(documents: Mapping[str, Document], first: str, second: str) -> bool:
    """Say whether one of both came of the other, or both of a third: they have the same oldest version."""
    return _oldest(documents, first) == _oldest(documents, second)


def _oldest(documents: Mapping[str, Document], name: str) -> str:
    seen = {name}
    before = documents[name].supersedes
    while before is not None and before in documents and before not in seen:
        seen.add(before)
        name, before = before, documents[before].supersedes
    return name
