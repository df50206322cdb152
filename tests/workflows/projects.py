"""Small projects on disk: a corpus, a golden set, recorded traces and a configuration."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

# The four-query example of "Evaluating RAG", part 5: (document, tenant, locale) and (query, gold, field, value).
ARTICLE_DOCUMENTS = [
    ("d1", "acme", "en-US"),
    ("d2", "acme", "en-GB"),
    ("d3", "globex", "en-US"),
    ("d4", "acme", "en-US"),
    ("d5", "acme", "de-DE"),
]
ARTICLE_QUERIES = [
    ("q1", "d2", "locale", "en-US"),
    ("q2", "d4", "tenant", "acme"),
    ("q3", "d3", "tenant", "acme"),
    ("q4", "d5", "locale", "de-DE"),
]


def write_project(
    folder: Path,
    *,
    documents: Iterable[Mapping[str, Any]],
    cases: Iterable[Mapping[str, Any]],
    traces: Iterable[Mapping[str, Any]],
    settings: str = "",
    context_size: int = 4,
) -> Path:
    """Write a project whose system was recorded, and return its configuration file."""
    for name, records in (("corpus/documents", documents), ("golden/cases", cases), ("traces", traces)):
        file = folder / f"{name}.jsonl"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(json.dumps(r, ensure_ascii=False) + "\n" for r in records), encoding="utf-8")
    (folder / "corpus" / "corpus.toml").write_text('name = "small"\n')
    (folder / "golden" / "golden.toml").write_text('name = "small"\n')
    config = folder / "ragtriage.toml"
    config.write_text(
        '[corpus]\npath = "corpus"\n[golden]\npath = "golden"\n'
        f'[system]\ntraces = "traces.jsonl"\ncontext_size = {context_size}\n{settings}',
        encoding="utf-8",
    )
    return config


def write_article(folder: Path, *, tenant_is_access: bool) -> Path:
    """Write the article's example; the tenant is a plain field of the documents, or says who may see them.

    The pipeline filters first, ranks what is left, and answers from it word for word.
    """
    documents, cases, traces = [], [], []
    text = {name: f"The fee named {name} is {place} euro." for place, (name, _, _) in enumerate(ARTICLE_DOCUMENTS, 1)}
    for name, tenant, locale in ARTICLE_DOCUMENTS:
        access = {"tenant": tenant} if tenant_is_access else {}
        fields = {"locale": locale} if tenant_is_access else {"tenant": tenant, "locale": locale}
        documents.append({"doc_id": name, "text": text[name], **access, "metadata": fields})
    for query, gold, field, value in ARTICLE_QUERIES:
        asker = {"principal": {"tenant": "acme"}} if tenant_is_access else {}
        cases.append({"case_id": query, "question": f"Which fee is {gold}?", "evidence": [{"doc_id": gold}], **asker})
        position = 1 if field == "tenant" else 2
        left = [document[0] for document in ARTICLE_DOCUMENTS if document[position] == value]
        if tenant_is_access:
            left = [name for name in left if name != "d3"]
        shown = left[:2] if gold not in left[:2] and gold not in left else [gold]
        traces.append(
            {
                "trace_id": query,
                "case_id": query,
                "question": f"Which fee is {gold}?",
                "predicates": [{"field": field, "op": "==", "value": value, "mode": "hard", "origin": "question"}],
                "rankings": [{"stage": "dense", "hits": [{"id": name, "doc_id": name} for name in left]}],
                "context": [{"id": n, "doc_id": n, "start": 0, "end": len(text[n]), "text": text[n]} for n in shown],
                "answer": {"text": text[shown[0]], "abstained": False},
            }
        )
    return write_project(folder, documents=documents, cases=cases, traces=traces)
