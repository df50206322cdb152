"""Detectors on short texts in many languages, and what they say where a package is missing."""

from __future__ import annotations

import importlib.util

import pytest

from ragtriage.core.errors import BadInput, MissingExtra
from ragtriage.core.label_views import LanguageView
from ragtriage.metrics.ingest.language_f1 import language_f1
from ragtriage.models.detectors import CodeLanguages, CodePersonalData, Presidio, Py3Langid

TEXTS = {
    "en": ["What is the fee for closing the account?", "The branch opens at nine on weekdays."],
    "ru": ["Сколько стоит обслуживание карты в год?", "Отделение открыто с девяти часов."],
    "uk": ["Скільки коштує обслуговування картки на рік?", "Відділення відчинене з дев'ятої години."],
    "kk": ["Картаға қызмет көрсету жылына қанша тұрады?", "Бөлімше сағат тоғыздан бастап ашық."],
}
OTHERS = {
    "de": "Wie hoch ist die Gebühr für die Schließung des Kontos?",
    "fr": "Quels sont les frais de clôture du compte ?",
    "es": "¿Cuánto cuesta cerrar la cuenta corriente?",
}


@pytest.mark.parametrize("identifier", [CodeLanguages(), Py3Langid()], ids=["code", "py3langid"])
def test_the_four_languages_are_told_apart(identifier):
    views = [LanguageView(name, identifier.identify(text)) for name, texts in TEXTS.items() for text in texts]
    assert language_f1(views).value >= 0.85


def test_py3langid_knows_more_languages_and_takes_a_choice_of_them():
    assert {name: Py3Langid().identify(text) for name, text in OTHERS.items()} == {name: name for name in OTHERS}
    few = Py3Langid(languages=("ru", "en"))
    assert few.identify(TEXTS["ru"][0]) == "ru"
    with pytest.raises(BadInput, match="does not know the languages xx"):
        Py3Langid(languages=("xx", "en"))


@pytest.mark.parametrize("text", ["", "   ", "12345", "!!! ???"])
def test_a_text_without_letters_is_in_no_language(text):
    assert Py3Langid().identify(text) is None
    assert CodeLanguages().identify(text) is None


def test_the_detector_of_code_alone_finds_what_code_can_be_sure_of():
    assert [span.label for span in CodePersonalData().find("4242 4242 4242 4242, a@b.kz")] == ["card", "email"]


def test_a_missing_package_or_model_is_told_with_the_command_and_nothing_is_fetched():
    if importlib.util.find_spec("presidio_analyzer") is None:
        with pytest.raises(MissingExtra, match=r"pip install 'ragtriage\[pii\]'"):
            Presidio(model="en_core_web_sm")
    else:
        with pytest.raises(BadInput, match="is not installed, and nothing is fetched"):
            Presidio(model="no_such_model")
