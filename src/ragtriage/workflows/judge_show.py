"""What rubrics there are, what one says, and what was measured of judges."""

from __future__ import annotations

import json
from pathlib import Path

from ragtriage.judges.catalogue import RUBRICS
from ragtriage.judges.rubric import Rubric
from ragtriage.workflows.judge_trust import Agreement, TrustRecord, read_records_at

__all__ = ["as_json", "records_text", "rubric_text", "rubrics_text", "trust_text"]


def as_json(name: str | None, calibration: Path | None) -> str:
    """Write the same as JSON: trust records, one rubric, or all of them."""
    found: object
    if calibration is not None:
        found = [record.model_dump(mode="json") for record in read_records_at(calibration)]
    else:
        rubrics = list(RUBRICS) if name is None else [RUBRICS[name]]
        listed = [{"name": r.name, "sha256": r.identity, **r.file.model_dump(mode="json")} for r in rubrics]
        found = listed if name is None else listed[0]
    return json.dumps(found, ensure_ascii=False, indent=1) + "\n"


def rubrics_text() -> str:
    """List the rubrics, one a line, with their labels."""
    width = max(map(len, RUBRICS.names()))
    lines = []
    for rubric in RUBRICS:
        labels = " | ".join(rubric.file.labels) or "finds things"
        lines.append(f"{rubric.name:<{width}}  v{rubric.file.version}  {labels}")
    return "\n".join(lines) + "\n"


def rubric_text(name: str) -> str:
    """Describe one rubric; raises UnknownName."""
    rubric = RUBRICS[name]
    file = rubric.file
    facts = {
        "version": str(file.version),
        "sha256": rubric.identity,
        "reads": ", ".join(file.inputs),
        "labels": " | ".join(file.labels) or "none: it finds things",
        "used by": ", ".join(file.used_by) or "what its package says",
        "source": file.source,
        "labels by people": _labels(rubric),
    }
    lines = [f"{name}: {file.title}", "", *(f"{key:<17} {value}" for key, value in facts.items()), ""]
    lines += ["known failures", *(f"  - {mode}" for mode in file.failure_modes), "", file.instruction.strip()]
    return "\n".join(lines) + "\n"


def _labels(rubric: Rubric) -> str:
    """Say how a judge is held against people by a rubric."""
    if not rubric.file.labels:
        return "none: it gives no label"
    labels = "" if rubric.labels_file is not None else " --labels FILE (none ship with it)"
    return f"ragtriage judge calibrate --rubric {rubric.name}{labels}"


def records_text(path: Path) -> str:
    """Describe the trust records of a file or folder."""
    return "\n".join(trust_text(record) for record in read_records_at(path)) or "no trust record lies there\n"


def trust_text(record: TrustRecord) -> str:
    """Describe one trust record."""
    verdict = "trusted" if record.trusted else f"not trusted: {'; '.join(record.reasons)}"
    lines = [f"{record.judge} by {record.rubric_name}: {verdict}", _line("all", record.overall)]
    for part in record.slices:
        name = ", ".join(f"{field}={value}" for field, value in part.slice.items())
        lines.append(_line(name, part))
    lines.extend(
        f"  {label.label:<16} precision {_share(label.precision, label.precision_interval)}, "
        f"recall {_share(label.recall, label.recall_interval)}, people {label.people}, judge {label.judge}"
        for label in record.overall.labels
    )
    if record.people_alpha is not None:
        lines.append(f"  people among themselves: alpha {record.people_alpha:.2f}")
    if record.stability is not None:
        ece = "" if record.ece is None else f", calibration error {record.ece:.2f}"
        lines.append(f"  same label in all {record.repeats} repeats: {record.stability:.0%}{ece}")
    if record.share_raw is not None:
        lines.append(_corrected(record, record.share_raw))
    if record.labels_from is not None:
        left = f"; {record.waiting} lines wait for a label" if record.waiting else ""
        other = f"; {record.others} lines are of other rubrics" if record.others else ""
        lines.append(f"  labels: {record.labels_from}{left}{other}")
    return "\n".join(lines) + "\n"


def _corrected(record: TrustRecord, raw: float) -> str:
    """Show the judge's share of a label beside what people on some items make of it."""
    parts = [f"judge {raw:.2f}"]
    if record.share_corrected is not None:
        parts.append(f"corrected by PPI {_share(record.share_corrected, record.share_interval)}")
    if record.share_adjusted is not None:
        parts.append(f"by Rogan-Gladen {_share(record.share_adjusted, record.share_adjusted_interval)}")
    parts += [f"not corrected ({why})" for why in record.share_refused]
    return f"  share of {record.share_label or 'the first label'}: {', '.join(parts)}"


def _line(name: str, found: Agreement) -> str:
    weighted = "" if found.weighted_kappa is None else f", weighted {found.weighted_kappa:.2f}"
    return (
        f"  {name:<16} n {found.items}, failed {found.failed}"
        f", agree {_share(found.agreement, found.agreement_interval)}"
        f", kappa {_share(found.kappa, found.kappa_interval)}{weighted}"
        f", AC1 {_share(found.ac1, found.ac1_interval)}, alpha {_share(found.alpha, None)}"
    )


def _share(value: float | None, ends: tuple[float, float] | None) -> str:
    if value is None:
        return "undefined"
    return f"{value:.2f}" if ends is None else f"{value:.2f} [{ends[0]:.2f}, {ends[1]:.2f}]"
