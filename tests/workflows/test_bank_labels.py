"""The labels that the bank brings for ingestion are sound, and a run measures what they say."""

from __future__ import annotations

import itertools
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ragtriage.core.duplicate_views import DuplicatesView
from ragtriage.core.extraction_views import BoilerplateView
from ragtriage.core.label_views import LanguageView, PersonalDataView
from ragtriage.core.score import Undefined, Value
from ragtriage.data.corpus import read_corpus
from ragtriage.metrics.ingest.boilerplate_recall import boilerplate_recall
from ragtriage.metrics.ingest.pii_precision import pii_precision
from ragtriage.metrics.ingest.pii_recall import pii_recall
from ragtriage.runs.given import Given
from ragtriage.runs.units import Population
from ragtriage.workflows.given import read_given
from ragtriage.workflows.settings import read_settings

BANK = Path(__file__).parents[2] / "examples" / "bank"
INGEST = BANK / "ingest"
DIGITS = {"card", "kz_iin", "ru_inn", "ru_snils", "ua_rnokpp"}


def lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (INGEST / name).read_text(encoding="utf-8").splitlines()]


def marked() -> Iterator[tuple[str, str]]:
    for line in lines("personal_data.spans.jsonl"):
        for span in line["spans"]:
            yield span["label"], line["text"][span["start"] : span["end"]]


@pytest.fixture(scope="module")
def given() -> Given:
    return read_given(read_settings(BANK / "ragtriage.toml"), read_corpus(BANK / "corpus"))


def micro(population: Population, score: Any) -> tuple[float, int]:
    """Return hits and labelled, summed over the texts."""
    values = [found for view in population.views if isinstance(found := score(view), Value)]
    return round(sum(v.value * v.support for v in values)), sum(v.support for v in values)


def test_marked_personal_data_begins_and_ends_with_itself_and_none_overlaps_another() -> None:
    for line in lines("personal_data.spans.jsonl"):
        spans = sorted((span["start"], span["end"]) for span in line["spans"])
        assert all(one[1] <= other[0] for one, other in itertools.pairwise(spans)), line["id"]
        for start, end in spans:
            assert line["text"][start:end].strip(" .,;:") == line["text"][start:end] != "", line["id"]


def test_numbers_of_cards_and_persons_hold_their_checksums() -> None:
    digits = [(label, [int(c) for c in text if c.isdigit()]) for label, text in marked() if label in DIGITS]
    assert {label for label, _ in digits} == DIGITS
    for label, number in digits:
        assert _holds(label, number), (label, number)
    accounts = [text.replace(" ", "") for label, text in marked() if label == "iban"]
    assert accounts
    for account in accounts:
        assert int("".join(str(int(c, 36)) for c in account[4:] + account[:4])) % 97 == 1, account


def _holds(label: str, number: list[int]) -> bool:
    *body, check = number
    if label == "card":
        doubled = [sum(divmod(2 * d, 10)) for d in body[::-2]]
        return (sum(doubled) + sum(body[-2::-2]) + check) % 10 == 0
    if label == "ru_snils":
        return sum(d * (9 - place) for place, d in enumerate(number[:9])) % 101 % 100 == 10 * number[9] + number[10]
    if label == "ua_rnokpp":
        return sum(w * d for w, d in zip((-1, 5, 7, 9, 4, 6, 10, 5, 7), body, strict=True)) % 11 % 10 == check
    if label == "kz_iin":
        first = sum(place * d for place, d in enumerate(body, start=1)) % 11
        second = sum(w * d for w, d in zip((3, 4, 5, 6, 7, 8, 9, 10, 11, 1, 2), body, strict=True)) % 11
        return (second if first == 10 else first) == check
    tenth = sum(w * d for w, d in zip((7, 2, 4, 10, 3, 5, 9, 4, 6, 8), number, strict=False)) % 11 % 10
    last = sum(w * d for w, d in zip((3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8), number, strict=False)) % 11 % 10
    return number[10:] == [tenth, last]


def test_numbers_of_persons_belong_to_nobody() -> None:
    for label, text in marked():
        match label:
            case "kz_iin":  # born in the nineties of this century
                assert text[:1] == "9"
                assert text[6] in "56"
            case "ua_rnokpp":  # born in January 1900
                assert 1 <= int(text[:5]) <= 31
            case "ru_inn":  # of a region that does not exist
                assert text[:2] == "00"
            case "email" if "@" in text:
                assert text.partition("@")[2] in {"example.com", "example.net", "example.org", "example.co.uk"}


def test_code_finds_numbers_but_no_names_and_takes_those_of_companies_for_personal(given: Given) -> None:
    found = given.populations[PersonalDataView]
    assert micro(found, pii_recall) == (29, 49)  # none of 9 names, 4 addresses, 2 birthdays, 1 passport; 4 more missed
    assert micro(found, lambda view: pii_recall(view, entity="card")) == (11, 12)  # one is broken by a line end
    assert micro(found, lambda view: pii_recall(view, entity="person")) == (0, 9)
    # A company's number and account, and the bank's own address.
    assert micro(found, pii_precision) == (29, 32)


def test_languages_of_short_and_mixed_texts_are_labelled_and_what_nobody_can_tell_is_not(given: Given) -> None:
    views = given.populations[LanguageView].views
    told = [view.labelled for view in views if isinstance(view, LanguageView)]
    assert {language: told.count(language) for language in told} == {"ru": 12, "uk": 12, "kk": 12, "en": 12}
    assert sum(isinstance(view, Undefined) for view in views) == 2


def test_every_pair_that_is_found_has_a_label_and_says_something_else(given: Given) -> None:
    found = given.populations[DuplicatesView]
    pairs = {pair for view in found.views if isinstance(view, DuplicatesView) for pair in view.found}
    assert len(pairs) == 8
    labels = {frozenset((line["first"], line["second"])): line["duplicate"] for line in lines("duplicates.jsonl")}
    assert {labels[frozenset(pair)] for pair in pairs} == {False}
    assert sum(labels.values()) == 7
    assert not any("no label" in note for note in given.notes)


def test_web_pages_were_cleaned_of_all_that_stood_around_them(given: Given) -> None:
    found = given.populations[BoilerplateView]
    scored = {
        unit.document: boilerplate_recall(view)
        for unit, view in zip(found.units, found.views, strict=True)
        if isinstance(view, BoilerplateView)
    }
    assert len(scored) == 4
    assert all(isinstance(score, Value) and score.value == 1.0 for score in scored.values())


def test_the_bank_writes_its_extracted_documents_again_byte_for_byte(tmp_path: Path) -> None:
    copy = tmp_path / "bank"
    shutil.copytree(BANK, copy)
    shutil.rmtree(copy / "ingest" / "pages")
    subprocess.run([sys.executable, copy / "ingest" / "make.py"], check=True)
    for path in sorted(INGEST.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            assert (copy / path.relative_to(BANK)).read_bytes() == path.read_bytes(), path
