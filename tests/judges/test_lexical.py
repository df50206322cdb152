"""The judge that is code alone: claims, labels, spans."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtriage.core.records import Answer, Case, Citation, ContextItem, Expected, Nugget, Trace
from ragtriage.judges.lexical import judge, rubric, verify


def judged(answer, context, *, question="?", language=None, citations=None, behaviour=None, expected=None):
    """Judge one answer on context items c0, c1, ..."""
    case = Case(case_id="c", question=question, language=language, expected=expected or Expected())
    items = None if context is None else tuple(ContextItem(id=f"c{i}", text=t) for i, t in enumerate(context))
    recorded = None if answer is None else Answer(text=answer, citations=citations, behaviour=behaviour)
    return judge(case, Trace(trace_id="t", question=question, context=items, answer=recorded))


def labels(verdicts):
    return [(c.text, c.context) for c in verdicts.claims if c.of == "answer"]


def test_the_lessons_auto_loan_answer_has_two_of_four_claims_supported():
    verdicts = judged(
        "Комиссия 1% от остатка, минимум 5 000 ₸, заявление подаётся в приложении или в отделении, "
        "рассмотрение занимает 1 день",
        ["Досрочное погашение — 1% от остатка, не менее 5 000 ₸. Подать заявление можно в приложении"],
        question="Сколько стоит досрочное погашение автокредита?",
        language="ru",
    )
    assert labels(verdicts) == [
        ("Комиссия 1% от остатка", "supported"),
        ("минимум 5 000 ₸", "supported"),
        ("заявление подаётся в приложении или в отделении", "not_in_context"),
        ("рассмотрение занимает 1 день", "not_in_context"),
    ]


def test_the_articles_mars_answer_has_three_of_four_claims_supported():
    verdicts = judged(
        "Mars has two moons. Phobos and Deimos orbit Mars. Mars has a thick atmosphere. Curiosity landed in 2012.",
        ["Mars has two moons, Phobos and Deimos. NASA's Curiosity rover landed on Mars in 2012."],
    )
    assert [label for _, label in labels(verdicts)] == ["supported", "supported", "not_in_context", "supported"]


def test_an_answer_without_any_context_is_not_in_context_however_the_emptiness_is_written(shared):
    case = json.loads(shared("cases/inputs/B17.json").read_text(encoding="utf-8"))
    for context in (case["contexts"], *(value for _, value in case["also"])):
        verdicts = judged(case["answer"], context, question=case["question"])
        assert labels(verdicts) == [(case["answer"], "not_in_context")]


@pytest.mark.parametrize(
    ("claim", "context", "label"),
    [
        ("Комиссия 2 %.", "Комиссия за перевод 1 %.", "contradicted"),
        ("Комиссия 1 %.", "Комиссия за перевод 1 %.", "supported"),
        ("Комиссия за перевод не взимается.", "Комиссия за перевод взимается сразу.", "contradicted"),
        ("Кешбэк за покупки начисляется.", "Кешбэк за покупки не начисляется.", "contradicted"),
        ("Кешбэк сатып алуға беріледі.", "Кешбэк сатып алуға берілмейді.", "contradicted"),
        ("Переказ коштує 5 000 ₴.", "Переказ безкоштовний.", "contradicted"),
        ("The fee is at most 5,000 ₸.", "The fee is at least 5,000 ₸.", "contradicted"),
        ("The rate was increased this year.", "The rate was decreased this year.", "contradicted"),
        ("The loan is refundable at once.", "The loan is nonrefundable at once.", "contradicted"),
        ("Mars has three moons.", "Mars has two moons.", "contradicted"),
        ("The museum burned on 1 March 2026.", "The branch opened on 02.03.2026.", "not_in_context"),
        ("The branch opened on 1 March 2026.", "The branch opened on 02.03.2026.", "contradicted"),
        ("Выпуск карты бесплатный.", "Перевод стоит 1 %.", "not_in_context"),
        ("Нужны паспорт и справка.", "Нужен паспорт.", "not_in_context"),
        ("The fee is ٥٠٠٠ ₸.", "The fee is 5 000 ₸.", "supported"),
        ("Карту выпускают за 5 рабочих дней.", "Карта выпускается в течение пяти рабочих дней.", "supported"),
        ("", "anything", "not_in_context"),
    ],
)
def test_numbers_negation_bounds_and_opposites_decide(claim, context, label):
    assert verify(claim, context).label == label


@pytest.mark.parametrize(
    ("claim", "context", "label"),
    [
        ("Aspirin increases the risk of stroke.", "In this trial aspirin lowered the risk of stroke.", "contradicted"),
        ("Aspirin is unrelated to stroke.", "Aspirin was associated with stroke.", "contradicted"),
        ("Aspirin reduces strokes.", "Aspirin did not reduce strokes.", "contradicted"),
        ("Aspirin reduces strokes.", "Aspirin doesn't reduce strokes.", "contradicted"),
        ("Aspirin does not increase the risk of stroke.", "Aspirin reduces the risk of stroke.", "supported"),
        ("Lack of sleep lowers the score.", "Lack of sleep lowers the score, not the mood.", "supported"),
        ("It is not known who stole the money.", "It is not known who stole the money.", "supported"),
        ("A transfer takes no more than 5 days.", "A transfer takes up to 5 days.", "supported"),
        ("A transfer has no fee.", "A transfer is free of charge, without any fee.", "supported"),
    ],
)
def test_an_english_claim_is_contradicted_by_the_opposite_sign_between_the_same_words(claim, context, label):
    assert verify(claim, context).label == label


def test_support_may_come_from_two_items_together_but_then_from_neither_alone():
    verdicts = judged(
        "The fee is 1% and the review takes 2 days.",
        ["The fee is 1%.", "The review takes 2 days."],
    )
    (claim,) = verdicts.claims
    assert claim.context == "supported"
    assert claim.items == {"c0": "not_in_context", "c1": "not_in_context"}
    assert {span.id for span in claim.spans} == {"c0", "c1"}


def test_what_one_item_supports_stays_supported_beside_an_item_that_denies_it():
    verdicts = judged(
        "Комиссия за перевод на карту взимается сразу.",
        ["Комиссия за перевод на карту взимается сразу.", "Комиссия за перевод на карту сразу не взимается."],
    )
    claim = verdicts.claims[0]
    assert claim.items == {"c0": "supported", "c1": "contradicted"}
    assert claim.context == "supported"


def test_a_span_points_at_the_sentence_of_the_original_text():
    context = "# Тарифы\n\nİ. Первое предложение. Комиссия за перевод 1 %. Третье."
    claim = judged("Комиссия за перевод 1 %.", [context]).claims[0]
    (span,) = claim.spans
    assert context[span.start : span.end] == "Комиссия за перевод 1 %."


def test_words_of_a_heading_and_of_a_tables_header_count_for_what_stands_under_them():
    context = "# Автокредит\n\n| Автомобиль | Ставка, годовых |\n|---|---|\n| Новый | 18,9 % |\n| Старый | 21,7 % |"
    assert verify("Ставка по автокредиту на новый автомобиль 18,9 % годовых.", context).label == "supported"
    assert verify("Ставка по автокредиту на новый автомобиль 19,5 % годовых.", context).label == "contradicted"


def test_a_claim_in_another_language_rests_on_its_numbers():
    context = "A dormancy fee of 450 ₸ a month is taken until the balance reaches zero."
    assert verify("За неактивный счёт удерживают 450 ₸ в месяц.", context).label == "supported"
    assert verify("За неактивный счёт удерживают 700 ₸ в месяц.", context).label == "not_in_context"
    assert verify("За неактивный счёт банк ничего не удерживает.", context).label == "not_in_context"


def test_citations_belong_to_the_claims_before_their_mark():
    answer = "The fee is 1% [c0]. The review takes 2 days [c1][c0]. Cash is free, cards cost 5 ₸. [c2]"
    starts = [answer.index("[c0]"), answer.index("[c1]"), answer.index("[c1]") + 4, answer.index("[c2]")]
    ids = ["c0", "c1", "c0", "c2"]
    citations = tuple(Citation(start=s, end=s + 4, ids=(i,)) for s, i in zip(starts, ids, strict=True))
    verdicts = judged(answer, ["The fee is 1%.", "The review takes two days.", "x"], citations=citations)
    assert [c.cited for c in verdicts.claims] == [("c0",), ("c1", "c0"), ("c2",), ("c2",)]
    assert [c.cited_together for c in verdicts.claims] == ["supported", "supported", *["not_in_context"] * 2]
    assert verdicts.claims[1].items == {"c0": "not_in_context", "c1": "supported", "c2": "not_in_context"}


def test_a_citation_over_words_belongs_to_the_claims_it_covers():
    answer = "Комиссия 1 %. Перевод занимает 2 дня."
    citations = (Citation(start=0, end=13, ids=("c0",)),)
    assert [c.cited for c in judged(answer, ["x"], citations=citations, language="ru").claims] == [("c0",), ()]


def test_a_cited_document_stands_for_all_its_items():
    case = Case(case_id="c", question="?")
    items = (ContextItem(id="d#1", doc_id="d", text="Other."), ContextItem(id="d#2", doc_id="d", text="The fee is 1%."))
    answer = Answer(text="The fee is 1% [d].", citations=(Citation(start=14, end=17, ids=("d",)),))
    claim = judge(case, Trace(trace_id="t", question="?", context=items, answer=answer)).claims[0]
    assert claim.cited == ("d",)
    assert claim.cited_together == "supported"
    assert claim.items["d"] == "supported"


def test_a_citation_to_an_id_that_is_not_there_supports_nothing():
    citations = (Citation(start=14, end=20, ids=("gone",)),)
    claim = judged("The fee is 1% [gone].", ["The fee is 1%."], citations=citations).claims[0]
    assert claim.context == "supported"
    assert claim.cited_together == "not_in_context"
    assert "gone" not in claim.items


def test_headings_questions_courtesies_and_refusals_are_no_claims():
    answer = "# Тарифы\nЗдравствуйте! Что именно вас интересует? Комиссия 1 %.\nВам нужно:\n- паспорт. Обращайтесь!"
    verdicts = judged(answer, ["x"], language="ru", behaviour="answer")
    assert [c.text for c in verdicts.claims] == ["Комиссия 1 %.", "паспорт."]
    assert judged("I don't know.", ["x"]).claims == ()
    assert judged("", ["x"]).claims == ()
    assert judged(None, ["x"]).claims == ()


def test_claims_of_reference_and_answer_are_held_against_each_other():
    expected = Expected(answer="Комиссия 1 %. Минимум 5 000 ₸.", alternatives=("1 %",))
    verdicts = judged("Комиссия 1%. Срок 3 дня.", ["Комиссия 1 %."], question="Какая комиссия?", language="ru",
                      expected=expected)  # fmt: skip
    answer = {c.text: c.reference for c in verdicts.claims if c.of == "answer"}
    reference = {c.text: (c.context, c.answer) for c in verdicts.claims if c.of == "reference"}
    assert answer == {"Комиссия 1%.": "supported", "Срок 3 дня.": "not_in_context"}
    assert reference == {"Комиссия 1 %.": ("supported", "supported"), "Минимум 5 000 ₸.": ("not_in_context",) * 2}


def test_a_short_reference_is_read_as_the_answer_to_the_question():
    verdicts = judged("The capital of France is Paris.", [], question="What is the capital of France?",
                      expected=Expected(answer="Paris"))  # fmt: skip
    assert [c.reference or c.answer for c in verdicts.claims] == ["supported", "supported"]
    wrong = judged("The capital of France is Lyon.", [], question="What is the capital of France?",
                   expected=Expected(answer="Paris"))  # fmt: skip
    assert [c.reference or c.answer for c in wrong.claims] == ["not_in_context", "not_in_context"]


def test_a_number_of_the_question_is_none_of_the_reference():
    verdicts = judged(
        "Комиссия 2 %.", [], question="Комиссия 2 %?", language="ru", expected=Expected(answer="Нет, 1 %.")
    )
    assert verdicts.claims[0].reference == "contradicted"


def test_numbers_of_a_tables_header_and_of_headings_count_for_what_stands_under_them():
    context = (
        "# Сейфы с 1 марта 2026 года\n\n| Размер | 1 месяц | 6 месяцев |\n|---|---|---|\n| Малый | 7 500 ₸ | 37 500 ₸ |"
    )
    assert verify("Малый размер: 6 месяцев 37 500 ₸.", context).label == "supported"
    assert verify("С 1 марта 2026 года малый сейф стоит 7 500 ₸.", context).label == "supported"
    assert verify("С 1 апреля 2026 года малый сейф стоит 7 500 ₸.", context).label == "not_in_context"


def test_nuggets_are_supported_partly_or_not():
    nuggets = (
        Nugget(text="Комиссия 1 %"),
        Nugget(text="Комиссия 2 %"),
        Nugget(text="заявление в приложении и справка из банка", importance="okay"),
    )
    verdicts = judged("Комиссия 1%, заявление в приложении и справка.", ["x"], language="ru",
                      expected=Expected(nuggets=nuggets))  # fmt: skip
    assert [n.label for n in verdicts.nuggets] == ["support", "not_support", "support"]


@pytest.mark.parametrize(
    ("answer", "behaviour"),
    [
        ("I don't know.", "abstain"),
        ("В документах нет информации об этом. Обратитесь в отделение.", "abstain"),
        ("У документах цього немає.", "abstain"),
        ("Құжаттарда бұл туралы мәлімет жоқ.", "abstain"),
        ("Не могу раскрывать внутренние документы.", "abstain"),
        ("我不知道。", "abstain"),
        ("Уточните, пожалуйста, о какой карте речь?", "clarify"),
        ("Which card do you mean: Start or Plus?", "clarify"),
        ("Передаю ваш вопрос специалисту.", "escalate"),
        ("Your request has been forwarded to an operator.", "escalate"),
        ("Комиссия 1 %.", "answer"),
        ("Комиссии нет.", "answer"),
        ("The fee is not charged.", "answer"),
        ("The fee is 1%. The transfer takes two days. A card is free. I could not find the limit.", "answer"),
    ],
)
def test_what_an_unrecorded_answer_does_is_read_from_its_phrases(answer, behaviour):
    assert judged(answer, ["x"]).behaviour.behaviour == behaviour


def test_a_recorded_behaviour_is_not_judged_again():
    assert judged("I don't know.", ["x"], behaviour="answer").behaviour is None
    assert judged(None, ["x"]).behaviour is None


def test_model_refusals_in_the_wild_are_read_as_abstentions(shared):
    lines = shared("data/miracl/nomiracl_model_outputs.jsonl").read_text(encoding="utf-8").split("\n")
    rows = [json.loads(line) for line in lines if line]
    outputs = {text for row in rows for text in row["results"].values()}
    refusals = [t for t in outputs if t.lower().startswith("i don't know")]
    answers = [t for t in outputs if t.lower().startswith("yes, answer is present") and "don't know" not in t]
    assert len(refusals) > 100
    assert len(answers) > 20
    assert all(judged(t, []).behaviour.behaviour == "abstain" for t in refusals)
    assert all(judged(t, []).behaviour.behaviour == "answer" for t in answers)


def test_a_verdict_says_by_which_rules_and_that_they_are_uncalibrated():
    verdicts = judged("The fee is 1%.", ["x"])
    assert (verdicts.judge, verdicts.calibrated) == ("lexical", False)
    assert verdicts.rubric == rubric()
    assert len(verdicts.rubric) == 64


TEXTS = st.one_of(
    st.text(max_size=60),
    st.lists(st.sampled_from(["Комиссия 1 %.", "not", "[c0]", "| a | 5 ₸ |", "- x:", "İ٣", "# h", "and 2 days, но"]),
             max_size=6).map(" ".join),
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(TEXTS, st.lists(TEXTS, max_size=3), TEXTS)
def test_claims_and_spans_stand_where_they_say_for_any_text(answer, context, reference):
    expected = Expected(answer=reference, nuggets=(Nugget(text=reference),))
    verdicts = judged(answer, context, question=reference, expected=expected)
    for claim in verdicts.claims:
        source = answer if claim.of == "answer" else reference
        assert source[claim.start : claim.end] == claim.text
        assert claim.context in {"supported", "contradicted", "not_in_context"}
        assert 0 <= claim.score <= 1
        for span in claim.spans:
            assert 0 <= span.start < span.end <= len(context[int(span.id[1:])])
    assert judged(answer, context, question=reference, expected=expected) == verdicts


def test_a_refusal_states_nothing_of_the_reference_whatever_its_words() -> None:
    case = Case(
        case_id="c",
        question="Есть ли кешбэк по карте «Старт»?",
        language="ru",
        expected=Expected(
            answer="По карте «Старт» кешбэка нет.", nuggets=(Nugget(text="По карте «Старт» кешбэка нет"),)
        ),
    )
    answer = Answer(text="В документах нет ответа на этот вопрос.", abstained=True)
    verdicts = judge(case, Trace(trace_id="t", question=case.question, answer=answer))
    assert [claim.answer for claim in verdicts.claims or ()] == ["not_in_context"]
    assert [nugget.label for nugget in verdicts.nuggets or ()] == ["not_support"]
