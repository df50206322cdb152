"""Files of labels: public data, and files with faults."""

from __future__ import annotations

import json

import pytest
from seqeval.metrics import f1_score
from seqeval.scheme import IOB2

from ragtriage.core.errors import BadInput
from ragtriage.core.label_views import LabelledSpan, LanguageView, SpansView
from ragtriage.data.labels import compare_languages, compare_spans, compare_tags, compare_triples, read_tags
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
    views = compare_tags(path, tmp_path / "found.conll", strict=strict)
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


def test_other_tokens_are_told_by_place(tmp_path):
    (tmp_path / "gold").write_text("a O\nb O\n\nc O\n")
    (tmp_path / "found").write_text("a O\nx O\n")
    with pytest.raises(BadInput) as caught:
        compare_tags(tmp_path / "gold", tmp_path / "found", strict=True)
    assert "token 2 is 'x' and not 'b'" in str(caught.value)
    assert "holds 1 sentences and" in str(caught.value)


def write(path, *lines):
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_spans_are_paired_by_text(tmp_path):
    phone = {"start": 5, "end": 8, "label": "phone"}
    gold = write(tmp_path / "g.jsonl", {"id": "1", "text": "call 123", "spans": [phone]},
                 {"id": "2"})  # fmt: skip
    found = write(tmp_path / "f.jsonl", {"id": "2", "spans": [{"start": 0, "end": 1, "label": "email"}]})
    assert compare_spans(gold, found) == {
        "1": SpansView(frozenset({LabelledSpan(5, 8, "phone")}), frozenset()),
        "2": SpansView(frozenset(), frozenset({LabelledSpan(0, 1, "email")})),
    }


def test_faults_of_both_files_are_told_together(tmp_path):
    gold = write(tmp_path / "g.jsonl", {"id": "1", "text": "abc", "spans": [{"start": 2, "end": 9, "label": "x"}]})
    found = write(tmp_path / "f.jsonl", {"id": "1", "spans": [{"start": 2, "end": 2, "label": "x"}]}, {"id": "7"})
    with pytest.raises(BadInput) as caught:
        compare_spans(gold, found)
    for told in ("ends at 9, and the text has 3 characters", "must begin before it ends", "'7' is no text of"):
        assert told in str(caught.value)


def test_triples_and_languages_are_paired_by_text(tmp_path):
    gold = write(tmp_path / "g.jsonl", {"id": "1", "triples": [["bank", "issues", "card"]]})
    found = write(tmp_path / "f.jsonl", {"id": "1", "triples": [["bank", "issues", "card"], ["a", "b", "c"]]})
    assert len(compare_triples(gold, found)["1"].found) == 2
    gold = write(tmp_path / "gl.jsonl", {"id": "1", "language": "pt-BR"}, {"id": "2", "language": "kk"}, {"id": "3"})
    found = write(tmp_path / "fl.jsonl", {"id": "1", "language": "pt"}, {"id": "2"})
    assert compare_languages(gold, found) == {"1": LanguageView("pt", "pt"), "2": LanguageView("kk", None)}
