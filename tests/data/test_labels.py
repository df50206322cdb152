"""Files of labels: public data, and files with faults."""

from __future__ import annotations

import json

import pytest
from seqeval.metrics import f1_score
from seqeval.scheme import IOB2

from ragtriage.core.errors import BadInput
from ragtriage.core.label_views import LabelledSpan, LanguageView, SpansView
from ragtriage.core.score import Undefined, Value
from ragtriage.data.labels import detected_texts, labelled_texts, read_tags
from ragtriage.metrics.ingest.ner_f1 import ner_f1


@pytest.mark.parametrize("name", ["wnut17.dev.conll", "kaznerd.kk.iob2"])
@pytest.mark.parametrize("strict", [True, False])
def test_public_files_are_scored_as_seqeval_scores_them(shared, tmp_path, name, strict):
    path = shared(f"data/ner/{name}")
    sentences = read_tags(path)
    worse = [  # every fifth tag lost, so that there is something to count
        [tag if (i + n) % 5 else "O" for i, tag in enumerate(sentence.tags)] for n, sentence in enumerate(sentences)
    ]
    lines = [
        "\n".join(f"{t}\t{tag}" for t, tag in zip(s.tokens, w, strict=True))
        for s, w in zip(sentences, worse, strict=True)
    ]
    (tmp_path / "found.conll").write_text("\n\n".join(lines) + "\n", encoding="utf-8")
    views = labelled_texts(path, tmp_path / "found.conll", strict=strict).views
    mode = {"mode": "strict", "scheme": IOB2} if strict else {}
    for average in ("micro", "macro"):
        expected = f1_score([list(s.tags) for s in sentences], worse, average=average, zero_division=0, **mode)
        assert ner_f1(views, average=average).value == pytest.approx(expected, abs=1e-12)


def test_labels_of_people_that_break_iob2_stop_the_load_with_every_line(tmp_path):
    (tmp_path / "gold.iob2").write_text("a I-PER\nb O\n\nc B-LOC\nd I-PER\ne\n")
    with pytest.raises(BadInput) as caught:
        read_tags(tmp_path / "gold.iob2")
    text = str(caught.value)
    assert "gold.iob2:1: 'I-PER' continues no PER" in text
    assert "gold.iob2:5: 'I-PER' continues no PER" in text
    assert "gold.iob2:6: a token and its tag must stand in a line" in text


def test_a_line_without_a_tag_moves_no_other_fault(tmp_path):
    (tmp_path / "gold.iob2").write_text("a O\nb\nc I-PER\n")
    with pytest.raises(BadInput) as caught:
        read_tags(tmp_path / "gold.iob2")
    assert "gold.iob2:3: 'I-PER' continues no PER" in str(caught.value)


def test_sentences_are_named_by_their_line(tmp_path):
    (tmp_path / "gold.iob2").write_text("-DOCSTART- O\n\na B-PER\n\n\nb O\n")
    (tmp_path / "found.txt").write_text("a B-PER\n\nb I-PER\n")
    texts = labelled_texts(tmp_path / "gold.iob2", tmp_path / "found.txt", strict=False).texts
    assert [(text.text_id, ner_f1([text.view])) for text in texts] == [
        ("line 3", Value(1.0, 2)),
        ("line 6", Value(0, 1)),
    ]


def test_other_tokens_are_told_by_place(tmp_path):
    (tmp_path / "gold.iob2").write_text("a O\nb O\n\nc O\n")
    (tmp_path / "found.iob2").write_text("a O\nx O\n")
    with pytest.raises(BadInput) as caught:
        labelled_texts(tmp_path / "gold.iob2", tmp_path / "found.iob2")
    assert "found.iob2:1: these are not the tokens of" in str(caught.value)
    assert "token 2 is 'x' and not 'b'" in str(caught.value)
    assert "holds 1 sentences and" in str(caught.value)


def test_faults_of_both_files_of_tags_are_told_together(tmp_path):
    (tmp_path / "gold.iob2").write_text("a I-PER\n")
    (tmp_path / "found.iob2").write_bytes(b"a O\nb \xff\n")
    with pytest.raises(BadInput) as caught:
        labelled_texts(tmp_path / "gold.iob2", tmp_path / "found.iob2")
    assert "gold.iob2:1: 'I-PER' continues no PER" in str(caught.value)
    assert "found.iob2:2: is not UTF-8" in str(caught.value)


def write(path, *lines):
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    return path


def views(labels):
    return {text.text_id: text.view for text in labels.texts}


def test_spans_are_paired_by_text(tmp_path):
    phone = {"start": 5, "end": 8, "label": "phone"}
    gold = write(
        tmp_path / "g.spans.jsonl",
        {"id": "1", "text": "call 123", "spans": [phone], "language": "en", "slice": {"class": "letter"}},
        {"id": "2"},
        {"id": "3"},
    )
    found = write(tmp_path / "f.jsonl", {"id": "2", "spans": [{"start": 0, "end": 1, "label": "email"}]}, {"id": "3"})
    labels = labelled_texts(gold, found)
    assert views(labels) == {
        "1": SpansView(frozenset({LabelledSpan(5, 8, "phone")}), frozenset()),
        "2": SpansView(frozenset(), frozenset({LabelledSpan(0, 1, "email")})),
        "3": SpansView(frozenset(), frozenset()),
    }
    assert labels.silent == ("1",)
    assert [dict(text.fields) for text in labels.texts] == [{"language": "en", "class": "letter"}, {}, {}]


def test_faults_of_both_files_are_told_together_with_their_lines(tmp_path):
    gold = write(
        tmp_path / "g.spans.jsonl",
        {"id": "0"},
        {"id": "1", "text": "abc", "spans": [{"start": 2, "end": 9, "label": "x"}]},
        {"id": "2", "slice": {"language": "kk", "a+b": "c"}},
    )
    found = write(tmp_path / "f.jsonl", {"id": "1", "spans": [{"start": 2, "end": 2, "label": "x"}]})
    with pytest.raises(BadInput) as caught:
        labelled_texts(gold, found)
    text = str(caught.value)
    assert "g.spans.jsonl:2: a span ends at 9, and the text has 3 characters" in text
    assert "g.spans.jsonl:3: 'slice' holds 'language', which is a field of the line itself" in text
    assert "f.jsonl:1: 'spans.0' a span must begin before it ends. Got [2, 2) instead" in text


def test_what_was_found_in_another_text_is_told_with_its_line(tmp_path):
    gold = write(tmp_path / "g.spans.jsonl", {"id": "1", "text": "abc"}, {"id": "2", "text": "abc"}, {"id": "3"})
    found = write(
        tmp_path / "f.jsonl",
        {"id": "3", "spans": [{"start": 0, "end": 99, "label": "x"}]},
        {"id": "2", "text": "abd"},
        {"id": "1", "spans": [{"start": 0, "end": 4, "label": "x"}]},
        {"id": "7"},
    )
    with pytest.raises(BadInput) as caught:
        labelled_texts(gold, found)
    assert [str(fault).partition("f.jsonl:")[2] for fault in caught.value.faults] == [
        "2: '2' has another text than in " + str(gold),
        "3: '1': a span ends at 4, and the text has 3 characters",
        "4: '7' is no text of " + str(gold),
    ]


@pytest.mark.parametrize("name", ["g.iob2", "g.spans.jsonl"])
def test_a_file_without_texts_is_refused(tmp_path, name):
    (tmp_path / name).write_text("\n")
    with pytest.raises(BadInput, match="holds no text"):
        labelled_texts(tmp_path / name, tmp_path / name)


def test_files_whose_names_say_other_things_are_refused(tmp_path):
    with pytest.raises(BadInput, match=r"holds triples by its name, and .* holds spans"):
        labelled_texts(tmp_path / "g.spans.jsonl", tmp_path / "f.triples.jsonl")


def test_files_that_are_missing_are_told_together(tmp_path):
    with pytest.raises(BadInput) as caught:
        labelled_texts(tmp_path / "g.spans.jsonl", tmp_path / "f.spans.jsonl")
    assert [fault.message for fault in caught.value.faults] == ["No such file or directory"] * 2


def test_triples_and_languages_are_paired_by_text(tmp_path):
    gold = write(tmp_path / "g.triples.jsonl", {"id": "1", "triples": [["bank", "issues", "card"]], "language": "en"})
    found = write(tmp_path / "f.jsonl", {"id": "1", "triples": [["bank", "issues", "card"], ["a", "b", "c"]]})
    assert len(views(labelled_texts(gold, found))["1"].found) == 2
    gold = write(
        tmp_path / "g.languages.jsonl",
        {"id": "1", "language": "pt-BR", "slice": {"class": "chat"}},
        {"id": "2", "language": "kk"},
        {"id": "3"},
    )
    found = write(tmp_path / "fl.jsonl", {"id": "1", "language": "pt"}, {"id": "2"})
    labels = labelled_texts(gold, found)
    assert views(labels) == {
        "1": LanguageView("pt", "pt"),
        "2": LanguageView("kk", None),
        "3": Undefined("the text is not labelled with its language"),
    }
    assert len(labels.views) == 2
    assert labels.texts[0].fields == {"class": "chat"}  # the language is what is measured


def test_a_detector_runs_on_texts_alone(tmp_path):
    gold = write(tmp_path / "g.spans.jsonl", {"id": "1", "text": "abc"}, {"id": "2"})
    with pytest.raises(BadInput) as caught:
        detected_texts(gold, lambda line: line)
    assert [str(fault) for fault in caught.value.faults] == [f"{gold}:2: '2' has no text, which a detector needs"]
    write(gold, {"id": "1", "text": "abc", "spans": [{"start": 0, "end": 3, "label": "x"}]})
    assert views(detected_texts(gold, lambda line: line)) == {
        "1": SpansView(frozenset({LabelledSpan(0, 3, "x")}), frozenset({LabelledSpan(0, 3, "x")}))
    }
