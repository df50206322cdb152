"""Near-duplicates against exact Jaccard over all pairs, and against datasketch."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import pytest
from datasketch import MinHash, MinHashLSH
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtriage.text.minhash import find_near_duplicates
from ragtriage.text.similarity import jaccard, shingles

WORDS = [
    "a",
    "bb",
    "Кошка",
    "ёлка",
    "café",
    "退",
    "款",
    "x" * 8,
    "x" * 9,
    "x" * 17,
    "об'єкт",
    "İ",
    "5",
    "٥",
    "O'Neil",
    "_",
]
TEXTS = st.lists(
    st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join) | st.sampled_from(["", "a bb", "A, bb!", "\ud800 a"]),
    max_size=8,
)


def exactly(texts: list[str], *, threshold: float, size: int) -> dict[tuple[int, int], float]:
    sets = [shingles(text, size=size) for text in texts]
    pairs = ((i, j) for i, j in combinations(range(len(texts)), 2) if sets[i] and sets[j])
    found = {(i, j): jaccard(sets[i], sets[j]) for i, j in pairs}
    return {pair: value for pair, value in found.items() if value >= threshold}


def pairs(texts: list[str], *, threshold: float = 0.8, size: int = 3) -> dict[tuple[int, int], float]:
    found = find_near_duplicates(texts, threshold=threshold, size=size)
    return {(pair.first, pair.second): pair.similarity for pair in found.pairs()}


def planted(count: int, *, seed: int, changed: float) -> list[str]:
    """Texts of 100 words, every other one a copy of an earlier one with some words changed."""
    chosen = random.Random(seed)
    vocabulary = [f"w{i}" for i in range(5000)]
    texts: list[str] = []
    for i in range(count):
        text = chosen.choices(vocabulary, k=100)
        if i % 2:
            text = chosen.choice(texts).split()
            for _ in range(round(changed * 100)):
                text[chosen.randrange(100)] = chosen.choice(vocabulary)
        texts.append(" ".join(text))
    return texts


@settings(max_examples=300, deadline=None)
@given(TEXTS, st.sampled_from([0.3, 0.7, 0.8, 0.85, 1.0]), st.integers(1, 4))
def test_the_pairs_are_those_of_exact_jaccard(texts: list[str], threshold: float, size: int) -> None:
    assert pairs(texts, threshold=threshold, size=size) == exactly(texts, threshold=threshold, size=size)


@pytest.mark.parametrize(("threshold", "changed"), [(0.7, 0.05), (0.8, 0.03), (0.85, 0.02)])
def test_no_pair_is_missed_and_none_is_under_the_threshold(threshold: float, changed: float) -> None:
    """Most pairs lie near the threshold, where bands overlook the most."""
    texts = planted(600, seed=3, changed=changed)
    expected = exactly(texts, threshold=threshold, size=3)
    near = [value for value in expected.values() if value < threshold + 0.05]
    assert len(near) > 50
    assert pairs(texts, threshold=threshold) == expected


def test_what_datasketch_finds_is_found_and_more() -> None:
    texts = planted(400, seed=4, changed=0.04)
    index = MinHashLSH(threshold=0.7, num_perm=128)
    theirs: set[tuple[int, int]] = set()
    for place, text in enumerate(texts):
        sketch = MinHash(num_perm=128)
        sketch.update_batch([" ".join(shingle).encode() for shingle in shingles(text, size=3)])
        theirs |= {(earlier, place) for earlier in index.query(sketch)}
        index.insert(place, sketch)
    exact = exactly(texts, threshold=0.7, size=3)
    assert theirs & exact.keys() <= pairs(texts, threshold=0.7).keys() == exact.keys()


@settings(max_examples=100, deadline=None)
@given(TEXTS, st.randoms(use_true_random=False))
def test_the_order_of_the_texts_does_not_matter(texts: list[str], chosen: random.Random) -> None:
    places = list(range(len(texts)))
    chosen.shuffle(places)
    moved = find_near_duplicates([texts[place] for place in places])
    back = {tuple(sorted((places[pair.first], places[pair.second]))): pair.similarity for pair in moved.pairs()}
    assert back == pairs(texts)
    groups = {frozenset(places[text] for text in group) for group in moved.groups()}
    assert groups == {frozenset(group) for group in find_near_duplicates(texts).groups()}


def test_every_process_finds_the_same() -> None:
    program = (
        "import json, sys; from ragtriage.text.minhash import find_near_duplicates as find;"
        "print([(p.first, p.second, p.similarity) for p in find(json.load(sys.stdin), threshold=0.5).pairs()])"
    )
    texts = planted(100, seed=5, changed=0.1)
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program], input=json.dumps(texts), capture_output=True, text=True, check=True,
            env={"PYTHONHASHSEED": seed}, timeout=120,
        ).stdout
        for seed in ("0", "1")
    }  # fmt: skip
    assert len(outputs) == 1
    assert len(outputs.pop()) > 1000


def test_the_same_page_again_and_again_is_always_the_same_duplicate(shared: Callable[[str], Path]) -> None:
    """No state is left between texts or runs: the eighth copy of a page is as much a duplicate as the second."""
    case = json.loads(shared("cases/inputs/B65.json").read_text())
    copies = [case["html"]] * case["repeat"]
    for _ in range(3):
        found = find_near_duplicates(copies)
        assert found.groups() == [tuple(range(8))]
        assert len(list(found.pairs())) == 28
        assert len(found.links()) == 7


def test_many_equal_texts_are_one_group_and_not_millions_of_pairs() -> None:
    texts = ["the same page of an error"] * 20_000 + ["the same page of an error once"]
    found = find_near_duplicates(texts, threshold=0.7)
    assert len(found.links()) == 20_000
    assert [len(group) for group in found.groups()] == [20_001]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("退款在十四天内到账请耐心等待谢谢", "退款在十四天内到账请耐心等待谢"),
        ("Возврат денег занимает четырнадцать дней, не более", "ВОЗВРАТ денег занимает четырнадцать дней: не более!"),
        ("कार्ड का शुल्क एक प्रतिशत है और यह हर महीने लिया जाता है", "कार्ड का शुल्क एक प्रतिशत है और यह हर महीने लिया जाता"),
        ("ค่าธรรมเนียมบัตรคือหนึ่งเปอร์เซ็นต์ต่อเดือน", "ค่าธรรมเนียมบัตรคือหนึ่งเปอร์เซ็นต์ต่อเดือนนะ"),
    ],
)  # fmt: skip
def test_any_script_is_compared(first: str, second: str) -> None:
    assert pairs([first, second, "something else altogether here"]).keys() == {(0, 1)}


def test_a_word_of_an_ascii_text_is_the_same_word_in_another_text() -> None:
    ascii_text = "Transfer fees for business accounts abroad"
    assert pairs([ascii_text, "«TRANSFER» fees — for business accounts: abroad"]) == {(0, 1): 1.0}


def test_a_word_of_any_length_is_read_to_its_end() -> None:
    for length in (7, 8, 9, 16, 17, 100_000):
        texts = ["x" * length, "x" * length, "x" * (length - 1) + "y", "x" * (length - 1)]
        assert pairs(texts).keys() == {(0, 1)}


def test_numbers_out_of_range_are_refused() -> None:
    for threshold in (0.0, 0.19, 1.01):
        with pytest.raises(ValueError, match="must lie between"):
            find_near_duplicates(["a"], threshold=threshold)
    with pytest.raises(ValueError, match="size=0"):
        find_near_duplicates(["a"], size=0)


def test_no_texts_have_no_duplicates() -> None:
    for texts in ([], [""], ["", "", "!"], ["a"]):
        assert find_near_duplicates(texts).links() == []
