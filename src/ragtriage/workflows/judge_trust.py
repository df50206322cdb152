"""The trust record of a judge: what `ragtriage judge calibrate` measured, and of which judge and rubric it speaks."""

from __future__ import annotations

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
    "is_calibrated",
    "lexical_calibrated",
    "read_trust",
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

    `rubric`: the hash of what was measured; `covers`: hashes of rubrics that the judge's verdicts carry.
    """

    schema_name: str = "ragtriage.trust/1"
    judge: str
    rubric_name: str
    rubric: str
    covers: tuple[str, ...] = ()
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


def read_trust(path: Path) -> TrustRecord:
    """Read a trust record; raises BadInput."""
    found, problems = validate_record(TrustRecord, read_json(path))
    if found is None:
        raise BadInput(f"{path}: {'; '.join(problems)}")
    return found


def write_trust(path: Path, record: TrustRecord) -> None:
    """Write a trust record; raises StorageFailed."""
    write_atomic(path, record.model_dump_json(indent=1) + "\n")


def is_calibrated(settings: JudgeSettings, *, base: Path, judge: str, rubric: str) -> bool:
    """Say whether the configured trust record is of this judge and rubric, and says that it may be trusted."""
    if settings.calibration is None:
        return False
    record = read_trust(base / settings.calibration)
    return record.trusted and record.judge == judge and rubric in record.covers


def lexical_calibrated(settings: JudgeSettings, *, base: Path, rubric: str) -> bool:
    """Say the same of the judge that is code alone."""
    return is_calibrated(settings, base=base, judge="lexical", rubric=rubric)
