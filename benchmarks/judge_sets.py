"""The public sets that judges are held against, as texts with their source and what people say of them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

__all__ = ["CONSISTENCY", "LABELS", "NAMES", "Row", "consistency", "read", "scifact"]

LABELS = ["supported", "contradicted", "not_in_context"]
SCIFACT = {"SUPPORT": "supported", "CONTRADICT": "contradicted"}
CONSISTENCY = {"qags_cnndm": "consistency", "qags_xsum": "consistency", "topical_chat": "groundedness"}
NAMES = {"qags_cnndm": "QAGS-CNN/DM", "qags_xsum": "QAGS-XSum", "topical_chat": "Topical-Chat", "scifact": "SciFact"}


@dataclass(frozen=True)
class Row:
    """A text, its source, and what people say."""

    text: str
    source: str
    label: str


def read(path: Path) -> list[dict]:
    """Read JSON Lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


def scifact(folder: Path) -> list[Row]:
    """Return the claims with the abstract they were written about and the label that experts gave."""
    corpus = {row["_id"]: " ".join(row["sentences"]) for row in read(folder / "scifact/corpus.jsonl")}
    found = []
    for row in read(folder / "scifact/claims.jsonl"):
        document = next(iter(row["evidence"] or row["cited_doc_ids"]))
        label = SCIFACT[row["evidence"][document][0]["label"]] if row["evidence"] else "not_in_context"
        if document in corpus:
            found.append(Row(row["claim"], corpus[document], label))
    return found


def consistency(folder: Path, name: str) -> list[Row]:
    """Return texts with their source and whether people call them consistent with it."""
    rows = read(folder / f"consistency_human/{name}.jsonl")
    key = CONSISTENCY[name]
    return [
        Row(r["system_output"], r.get("context") or r["source"], "yes" if r["scores"][key] > 0.5 else "no")  # noqa: PLR2004
        for r in rows
    ]
