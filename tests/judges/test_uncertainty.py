"""Whether an answer says that its sources disagree or leave a part open, by code and by a model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.fakes.judge import FakeJudge
from tests.judges.test_model import judged, trace
from tests.workflows.projects import write_project

from ragtriage.core.records import Case, Uncertainty
from ragtriage.judges.uncertainty import read_uncertainty
from ragtriage.workflows.evaluate import evaluate

SAID = [
    ("conflict", "The sources disagree: the tariff of May gives 1 %, that of June 2 %."),
    ("conflict", "One document states 5 days, another states 10 days."),
    ("conflict", "According to the card rules the fee is 3 €, but the other page says 4 €."),
    ("conflict", "There is a discrepancy between the two price lists."),
    ("conflict", "Документы расходятся: в одном 1 %, в другом 2 %."),
    ("conflict", "В одном тарифе указано 500 ₸, в другом — 700 ₸."),
    ("conflict", "По этому вопросу сведения противоречивы."),
    ("conflict", "В документах указаны разные сроки: 5 и 10 дней."),
    ("conflict", "Джерела суперечать одне одному: 1 % і 2 %."),
    ("conflict", "В одному документі 500 грн, в іншому 700 грн."),
    ("conflict", "Тарифи різняться: 1 % або 2 %."),
    ("conflict", "Құжаттар бір-біріне қайшы: бірінде 1 %, екіншісінде 2 %."),
    ("conflict", "Дереккөздерде әртүрлі мерзімдер көрсетілген: 5 және 10 күн."),
    ("partial", "The fee is 1 %. The documents do not say how long the transfer takes."),
    ("partial", "The fee is 1 %; the term is not specified."),
    ("partial", "The fee is 1 %. There is no information on the term."),
    ("partial", "Комиссия 1 %. Срок перевода в документах не указан."),
    ("partial", "Комиссия 1 %, а о сроке сведений в документах нет."),
    ("partial", "Комісія 1 %. Строк переказу в документах не зазначено."),
    ("partial", "Комісія 1 %, інформації про строк немає."),
    ("partial", "Комиссия 1 %. Аударым мерзімі құжаттарда көрсетілмеген."),
    ("partial", "Комиссия 1 %. Мерзімі туралы мәлімет жоқ."),
]
UNSAID = [
    ("conflict", "The fee is 1 %."),
    ("conflict", "The sources do not disagree: it is 1 %."),
    ("conflict", "All documents agree that the fee is 1 %, without contradiction between them."),
    ("conflict", "The fee is not specified."),
    ("conflict", "Комиссия 1 %, источники не противоречат друг другу."),
    ("conflict", "Комиссия 1 % в отделении и 2 % в приложении."),
    ("conflict", "Комісія 1 %, розбіжностей між джерелами немає."),
    ("conflict", "Комиссия 1 %, құжаттарда қайшылық жоқ."),
    ("partial", "The fee is 1 % and the transfer takes two days."),
    ("partial", "Sources disagree on the fee."),
    ("partial", "Комиссия 1 %, перевод занимает два дня."),
    ("partial", "Комісія 1 %, переказ триває два дні."),
    ("partial", "Комиссия 1 %, аударым екі күн алады."),
]


@pytest.mark.parametrize(("kind", "answer"), SAID)
def test_an_answer_that_says_so_is_read_in_each_language(kind: Any, answer: str) -> None:
    assert read_uncertainty(Uncertainty(kind=kind), answer).label == "stated"


@pytest.mark.parametrize(("kind", "answer"), UNSAID)
def test_an_answer_that_says_nothing_of_it_or_denies_it_is_not_taken_for_one(kind: Any, answer: str) -> None:
    assert read_uncertainty(Uncertainty(kind=kind), answer).label == "not_stated"


def test_what_is_left_open_must_be_what_the_case_is_about() -> None:
    term = Uncertainty(kind="partial", about="срок перевода")
    assert read_uncertainty(term, "Комиссия 1 %. Срок не указан.", language="ru").label == "stated"
    assert read_uncertainty(term, "Комиссия не указана. Карта бесплатна.", language="ru").label == "not_stated"


def test_an_accepted_wording_says_it_where_no_phrase_does() -> None:
    one = Uncertainty(kind="conflict", any_of=("1 % or 2 %, depending on the page",))
    assert read_uncertainty(one, "It is 1% or 2%, depending on the page.").label == "stated"
    assert (
        read_uncertainty(Uncertainty(kind="conflict"), "It is 1% or 2%, depending on the page.").label == "not_stated"
    )


class Reading(FakeJudge):
    def _uncertainty(self, data: Any) -> dict[str, Any]:
        said = "disagree" in data["TEXT"]
        assert data["UNCERTAIN"].startswith("the sources disagree")
        return {"quote": data["TEXT"] if said else "", "label": "stated" if said else "not_stated"}


def declaring(**fields: Any) -> Case:
    return Case.model_validate({"case_id": "c", "question": "What is the fee?", "expected": fields})


def test_a_model_is_asked_only_where_the_case_declares_it() -> None:
    asks = frozenset({"uncertainty"})
    model = Reading()
    found, _ = judged(model, declaring(), trace("They disagree."), asks=asks)
    assert (found.uncertainty, model.requests) == (None, [])
    declared = declaring(uncertainty=Uncertainty(kind="conflict", about="the fee"))
    found, _ = judged(model, declared, trace("The documents disagree."), asks=asks)
    assert found.uncertainty is not None
    assert found.uncertainty.label == "stated"
    found, _ = judged(model, declared, trace("It is 1 %."), asks=asks)
    assert found.uncertainty is not None
    assert found.uncertainty.label == "not_stated"


def test_a_label_against_its_own_quote_is_a_counted_failure() -> None:
    def change(name: str, reply: dict[str, Any]) -> None:
        assert name == "uncertainty"
        reply["quote"] = ""

    declared = declaring(uncertainty=Uncertainty(kind="conflict"))
    asks = frozenset({"uncertainty"})
    found, _ = judged(Reading(change=change), declared, trace("They disagree."), asks=asks)
    assert [failure.kind for failure in found.failed] == ["inconsistent"]


def test_a_run_measures_it_over_the_cases_that_declare_it(tmp_path: Path) -> None:
    answers = {"c1": "The sources disagree: 1 % or 2 %.", "c2": "It is 1 %.", "c3": "It is 1 %."}
    cases = [{"case_id": name, "question": f"Fee {name}?"} for name in answers]
    for case in cases[:2]:
        case["expected"] = {"uncertainty": {"kind": "conflict"}}
    traces = [{"trace_id": name, "case_id": name, "question": f"Fee {name}?", "answer": {"text": text}}
              for name, text in answers.items()]  # fmt: skip
    settings = '[metrics]\ninclude = ["generation.uncertainty"]\n'
    config = write_project(
        tmp_path, documents=[{"doc_id": "d", "text": "A page."}], cases=cases, traces=traces, settings=settings
    )
    row = evaluate(config, output=tmp_path / "run").results.row("generation.uncertainty")
    assert row is not None
    assert (row.value, row.scored, row.undefined, row.proxy) == (0.5, 2, 1, True)
