"""The trust record of a judge: what `ragtriage judge calibrate` measured, and of which judge and rubric it speaks."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from pydantic import Field

from ragtriage.core.configuration import JudgeSettings
from ragtriage.core.errors import BadInput
from ragtriage.core.files import read_json, validate_record, write_atomic
from ragtriage.core.records import Record, Whole

__all__ = [
    "Agreement",
    "LabelFigures",
    "TrustRecord",
    "read_records_at",
    "read_trust",
    "trusted_rubrics",
    "write_trust",
]

Interval = tuple[float, float]


class LabelFigures(Record):
    """Precision and recall of one label with intervals; None where nothing had it."""

    label: str
    people: Whole
    judge: Whole
    precision: float | None
    precision_interval: Interval | None
    recall: float | None
    recall_interval: Interval | None


class Agreement(Record):
    """How far a judge agrees with people on one slice (`{}`: on all labels).

    `failed`: items on which the judge gave no verdict. A figure is None where it is undefined, e.g. with one label.
    """

    slice: dict[str, str] = Field(default_factory=dict)
    items: Whole
    failed: Whole
    agreement: float | None
    agreement_interval: Interval | None
    kappa: float | None
    kappa_interval: Interval | None
    weighted_kappa: float | None
    ac1: float | None
    ac1_interval: Interval | None
    alpha: float | None
    labels: tuple[LabelFigures, ...] = ()
    confusion: tuple[tuple[int, ...], ...] = ()


class TrustRecord(Record):
    """What was measured of one judge with one rubric, and whether that is enough to trust it.

    `rubric`: the hash of what was measured. `people_alpha`: how far people agree among themselves, the ceiling of any
    judge. `stability`: share of items with the same label in all repeats. `share_raw`: the judge's share of
    `share_label` on all items; `share_corrected`: the same by prediction-powered inference, `share_adjusted`: by
    Rogan-Gladen, both where the file also holds items without labels; `share_refused`: why not. `labels_from`: where
    the labels lay; `waiting`: lines there that nobody has labelled yet, `others`: lines of other rubrics.
    """

    format: str = "ragtriage.trust/1"
    judge: str
    rubric_name: str
    rubric: str
    labels_identity: str
    annotators: Whole
    trusted: bool
    reasons: tuple[str, ...] = ()
    overall: Agreement
    slices: tuple[Agreement, ...] = ()
    stability: float | None = None
    repeats: Annotated[int, Field(ge=1)] = 1
    ece: float | None = None
    people_alpha: float | None = None
    share_raw: float | None = None
    share_corrected: float | None = None
    share_interval: Interval | None = None
    share_label: str | None = None
    share_adjusted: float | None = None
    share_adjusted_interval: Interval | None = None
    share_refused: tuple[str, ...] = ()
    labels_from: str | None = None
    waiting: Whole = 0
    others: Whole = 0


def read_trust(path: Path) -> TrustRecord:
    """Read a trust record; raises BadInput."""
    found, problems = validate_record(TrustRecord, read_json(path))
    if found is None:
        raise BadInput(f"{path}: {'; '.join(problems)}")
    return found


def write_trust(path: Path, record: TrustRecord) -> None:
    """Write a trust record; raises StorageFailed."""
    write_atomic(path, record.model_dump_json(indent=1) + "\n")


def trusted_rubrics(
    settings: JudgeSettings, *, base: Path, judge: str, identities: Mapping[str, str]
) -> frozenset[str]:
    """Return the rubrics for which a current trust record says that this judge may be believed.

    `identities`: rubrics by name with their hashes as they are now; a record of other bytes is not current. Raises
    BadInput for a record that cannot be read.
    """
    if settings.calibration is None:
        return frozenset()
    records = read_records_at(base / settings.calibration)
    return frozenset(
        record.rubric_name
        for record in records
        if record.trusted and record.judge == judge and identities.get(record.rubric_name) == record.rubric
    )


def read_records_at(path: Path) -> list[TrustRecord]:
    """Read one trust record, or all `*.trust.json` of a folder."""
    if path.is_dir():
        return [read_trust(file) for file in sorted(path.glob("*.trust.json"))]
    return [read_trust(path)]
