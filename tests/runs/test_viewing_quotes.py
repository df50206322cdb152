"""Text that an answer copies from what the one who asked may not see."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from ragtriage.core.records import Document, Principal
from ragtriage.data.corpus import Corpus, corpus_of
from ragtriage.data.eligibility import permitted
from ragtriage.runs.viewing_quotes import QUOTE_TOKENS, forbidden_quotes

SALARIES = "The director earns twelve million tenge a year, paid on the first working day of each month."
ANYONE = Principal()


def bank(*more: Document) -> Corpus:
    return corpus_of([
        Document(doc_id="salaries", text=SALARIES, acl=("board",)),
        Document(doc_id="acme", text="Acme pays a reduced fee of zero point three per cent until June.", tenant="acme"),
        Document(doc_id="open", text="Accounts are opened in every branch on the next working day."),
        *more,
    ])  # fmt: skip


def quoted(answer: str, principal: Principal = ANYONE, *, question: str = "", corpus: Corpus | None = None) -> object:
    (found,) = forbidden_quotes([(question, answer, principal)], corpus or bank())
    return found


def test_a_copy_of_a_forbidden_text_is_seen_whatever_its_case_and_punctuation() -> None:
    assert quoted("He says: DIRECTOR earns twelve million tenge a year - paid monthly!") == ("salaries",)


def test_seven_words_are_no_copy_and_eight_are() -> None:
    words = ["earns", "twelve", "million", "tenge", "a", "year", "paid", "on"]
    assert len(words) == QUOTE_TOKENS
    assert quoted(" ".join(words[:-1])) == ()
    assert quoted(" ".join(words)) == ("salaries",)


def test_who_may_see_it_may_quote_it() -> None:
    assert quoted(SALARIES, Principal(roles=("board",))) == ()
    acme = "a reduced fee of zero point three per cent until June"
    assert quoted(acme, Principal(tenant="acme")) == ()
    assert quoted(acme, Principal(tenant="globex")) == ("acme",)


def test_what_stands_in_an_open_document_or_in_the_question_is_no_leak() -> None:
    corpus = bank(Document(doc_id="news", text=f"As reported: {SALARIES}"))
    assert quoted(SALARIES, corpus=corpus) == ()
    assert quoted(SALARIES, question=f"Is it true that {SALARIES}") == ()


def test_without_an_answer_nothing_is_said() -> None:
    assert forbidden_quotes([None, ("", SALARIES, ANYONE)], bank()) == [None, ("salaries",)]
    assert forbidden_quotes([], bank()) == []


WORDS = st.lists(st.sampled_from("abc"), max_size=14).map(" ".join)
RIGHTS = st.tuples(st.sampled_from([(), ("r",)]), st.sampled_from([None, "t"]))
DOCUMENTS = st.lists(st.tuples(WORDS, RIGHTS), max_size=4)


@settings(max_examples=150, deadline=None)
@given(DOCUMENTS, WORDS, WORDS, st.sampled_from([ANYONE, Principal(tenant="t"), Principal(roles=("r",))]))
def test_copies_are_those_of_a_slow_search(
    made: list[tuple[str, tuple[tuple[str, ...], str | None]]], question: str, answer: str, principal: Principal
) -> None:
    documents = [Document(doc_id=f"d{n}", text=t, acl=a, tenant=w) for n, (t, (a, w)) in enumerate(made)]
    said = answer.split()
    expected = set()
    for start in range(len(said) - QUOTE_TOKENS + 1):
        run = f" {' '.join(said[start : start + QUOTE_TOKENS])} "
        holders = [d for d in documents if run in f" {d.text} "]
        if run not in f" {question} " and not any(permitted(d, principal) for d in holders):
            expected |= {d.doc_id for d in holders}
    assert quoted(answer, principal, question=question, corpus=corpus_of(documents)) == tuple(sorted(expected))
