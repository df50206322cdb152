"""Files of labels by people: what calibration reads, and what a run lists for people to label."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pydantic import Field

from ragtriage.core.errors import BadInput, Fault
from ragtriage.core.files import read_records
from ragtriage.core.records import Record
from ragtriage.judges.catalogue import RUBRICS
from ragtriage.judges.parsing import ReplyRejected, read_label
from ragtriage.judges.single import SingleItem, check_item

__all__ = ["LabelledItem", "Labels", "read_labels"]


class LabelledItem(Record):
    """One item and what people said of it: `label`, or `labels` of several people; none: corrects the judge's mean.

    An empty label is one that somebody is still to give. For claims `claim` and `context` stand in place of `item` and
    `sources`. `slice`: its language and whatever else figures are wanted by. `rubric`: the one that it is labelled by,
    where the file holds items of several. What follows it tells the person of a verdict and no judge is shown it: what
    the judge said, why somebody should look, the question, and what the judge quoted.
    """

    id: str | int
    label: str | None = None
    labels: tuple[str | None, ...] = ()
    claim: str | None = None
    context: str | None = None
    inputs: dict[str, str] = Field(default_factory=dict)
    sources: tuple[str, ...] = ()
    item: str | None = None
    language: str | None = None
    slice: dict[str, str] = Field(default_factory=dict)
    rubric: str | None = None
    options: tuple[str, ...] = ()
    case_id: str | None = None
    question: str | None = None
    judge: str | None = None
    judge_label: str | None = None
    judge_score: float | None = None
    why: tuple[str, ...] = ()
    quotes: tuple[str, ...] = ()

    def asked(self) -> SingleItem:
        """Return what the judge gets to see."""
        sources = self.sources if self.context is None else (self.context,)
        return SingleItem(self.inputs, sources, self.item if self.claim is None else self.claim)

    def said(self) -> tuple[str | None, ...]:
        """Return the labels of all people; an empty one is none."""
        given = self.labels or ((self.label,) if self.label is not None else ())
        return tuple(None if label is None or not label.strip() else label for label in given)

    def where(self) -> dict[str, str]:
        """Return the values that figures are split by."""
        return {**({"language": self.language} if self.language is not None else {}), **self.slice}

    @property
    def waits(self) -> bool:
        """Whether a person is still to label it: there are empty labels and no other."""
        given = self.labels or ((self.label,) if self.label is not None else ())
        return any(label is not None for label in given) and not any(self.said())


@dataclass(frozen=True, slots=True)
class Labels:
    """The items of one rubric; `waiting`: lines whose label is empty, `others`: lines of other rubrics."""

    items: tuple[LabelledItem, ...]
    waiting: int
    others: int


def read_labels(path: Path, rubric: str) -> Labels:
    """Read labels; raises BadInput with every fault: unknown labels, items that the rubric cannot be asked with."""
    known = RUBRICS[rubric]
    faults: list[Fault] = []
    found: list[LabelledItem] = []
    waiting = others = 0
    for line, item in enumerate(read_records(path, LabelledItem), 1):
        if item.rubric not in {None, rubric}:
            others += 1
            continue
        if item.waits:
            waiting += 1
            continue
        lacks = check_item(known, item.asked())
        if lacks is not None:
            faults.append(Fault(str(path), line, lacks))
        try:
            labels = tuple(None if s is None else read_label(s, known.file.labels) for s in item.said())
        except ReplyRejected as error:
            faults.append(Fault(str(path), line, str(error)))
            continue
        found.append(item.model_copy(update={"labels": labels, "label": None}))
    if faults:
        raise BadInput(f"{path} has {len(faults)} fault{'s' if len(faults) > 1 else ''}:", faults)
    return Labels(tuple(found), waiting, others)
