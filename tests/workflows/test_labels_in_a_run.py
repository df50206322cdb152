"""Entities, relations, personal data and languages in a run: rows, slices, gate, comparison, faults, scoring again."""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
import seqeval.metrics as theirs
from click.testing import CliRunner
from seqeval.scheme import IOB2
from sklearn.metrics import f1_score
from tests.workflows.projects import write_project

import ragtriage as rt
from ragtriage.cli.main import ragtriage_command
from ragtriage.core.errors import BadInput, MissingExtra, NotComparable
from ragtriage.core.tables import read_parquet
from ragtriage.stats.bootstrap import resample_blocks
from ragtriage.workflows.rescore import rescore

SENTENCES = [  # tokens, labels of people, what was found
    ("Anna lives in Almaty", "B-PER O O B-LOC", "B-PER O O O"),
    ("Halyk Bank hired Boris", "B-ORG I-ORG O B-PER", "B-ORG O O I-PER"),
    ("nothing at all", "O O O", "O O O"),
    ("in Astana with Dana", "O B-LOC O B-PER", "O B-LOC O B-PER"),
    ("Aida knows Oslo", "B-PER O B-LOC", "I-PER O B-ORG"),
]
LETTER = "Call +7 701 123 45 67, card 4242 4242 4242 4242, Ivan Petrov"
MAIL = "IBAN KZ86125KZT5004100100 and a@b.kz"
LANGUAGES = [  # id, language, what was identified, channel
    ("1", "ru", "ru", "chat"), ("2", "kk", "kk", "chat"), ("3", "kk", "ru", "chat"), ("4", "uk", "ru", "mail"),
    ("5", "uk", "uk", "mail"), ("6", "kk", "kk", "mail"), ("fees", "en", None, None),
]  # fmt: skip
ENTITIES = '[ingest.entities]\ngold = "gold.iob2"\nfound = "found.iob2"\n'
RELATIONS = '[ingest.relations]\ngold = "gold.triples.jsonl"\nfound = "found.triples.jsonl"\n'
PERSONAL_DATA = '[ingest.personal_data]\ngold = "gold.spans.jsonl"\n'
DETECTED, FOUND = f'{PERSONAL_DATA}detector = "code"\n', f'{PERSONAL_DATA}found = "found.spans.jsonl"\n'
LANGUAGE = '[ingest.languages]\ngold = "gold.languages.jsonl"\nfound = "found.languages.jsonl"\n'


def lines(path: Path, *records: dict) -> None:
    path.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in records), encoding="utf-8")


def tags(path: Path, side: int) -> None:
    sentences = ("\n".join(map(" ".join, zip(one[0].split(), one[side].split(), strict=True))) for one in SENTENCES)
    path.write_text("\n\n".join(sentences) + "\n", encoding="utf-8")


def span(text: str, words: str, label: str) -> dict:
    return {"start": text.index(words), "end": text.index(words) + len(words), "label": label}


LETTER_SPANS = [
    span(LETTER, "+7 701 123 45 67", "phone"),
    span(LETTER, "4242 4242 4242 4242", "card"),
    span(LETTER, "Ivan Petrov", "full name"),
]
MAIL_SPANS = [span(MAIL, "KZ86125KZT5004100100", "iban"), span(MAIL, "a@b.kz", "email")]


def project(folder: Path, settings: str) -> Path:
    config = write_project(
        folder,
        documents=[{"doc_id": "fees", "text": "The fee is 1 %.", "language": "en", "source_type": "tariff"}],
        cases=[{"case_id": "c1", "question": "What is the fee?", "evidence": [{"doc_id": "fees"}]}],
        traces=[{"trace_id": "c1", "case_id": "c1", "question": "What is the fee?"}],
        settings=settings,
    )
    tags(folder / "gold.iob2", 1)
    tags(folder / "found.iob2", 2)
    issues, owns = ["bank", "issues", "card"], ["bank", "owns", "atm"]
    lines(
        folder / "gold.triples.jsonl",
        {"id": "fees", "triples": [issues, owns], "slice": {"class": "tariff"}},
        {"id": "t2", "triples": [["a", "issues", "b"]], "language": "ru"},
        {"id": "t3", "language": "ru"},
    )
    lines(
        folder / "found.triples.jsonl",
        {"id": "fees", "triples": [issues, ["card", "issues", "bank"]]},
        {"id": "t2", "triples": [["a", "issues", "b"]]},
        {"id": "t3"},
    )
    lines(
        folder / "gold.spans.jsonl",
        {"id": "p1", "text": LETTER, "spans": LETTER_SPANS, "language": "en", "slice": {"class": "letter"}},
        {"id": "p2", "text": MAIL, "spans": MAIL_SPANS, "language": "en", "slice": {"class": "mail"}},
        {"id": "p3", "text": "nobody", "slice": {"class": "mail"}},
    )
    lines(folder / "found.spans.jsonl", {"id": "p1", "spans": [{**LETTER_SPANS[0], "start": 7}, LETTER_SPANS[1]]})
    lines(
        folder / "gold.languages.jsonl",
        *({"id": i, "language": said, "slice": {"channel": where} if where else {}} for i, said, _, where in LANGUAGES),
        {"id": "8"},
    )
    lines(folder / "found.languages.jsonl", *({"id": i, "language": told} for i, _, told, _ in LANGUAGES))
    return config


def chosen(*metrics: str) -> str:
    return f"[metrics]\ninclude = {json.dumps(metrics)}\n"


def run_of(config: Path, name: str = "run", **more) -> rt.Run:
    return rt.evaluate(config, output=config.parent / name, **more)


def expected(score, *, strict: bool, which=None, **more) -> float:
    gold, found = (
        [SENTENCES[i][side].split() for i in (range(len(SENTENCES)) if which is None else which)] for side in (1, 2)
    )
    mode = {"mode": "strict", "scheme": IOB2} if strict else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # seqeval warns where a type is never found
        return score(gold, found, zero_division=0, **mode, **more)


@pytest.mark.parametrize("mode", ["strict", "lenient"])
def test_entities_have_the_numbers_that_seqeval_gives_in_both_modes(tmp_path, mode):
    names = ("ingest.ner_f1", "ingest.ner_f1(average=macro)", "ingest.ner_f1(average=weighted)",
             "ingest.ner_f1(part=precision)", "ingest.ner_f1(part=recall)")  # fmt: skip
    results = run_of(project(tmp_path, f'{chosen(*names)}{ENTITIES}mode = "{mode}"\n')).results
    values = {row.name: row.value for row in results.metrics}
    strict = mode == "strict"
    for average, name in zip(("micro", "macro", "weighted"), names[:3], strict=True):
        wanted = expected(theirs.f1_score, strict=strict, average=average)
        assert values[name] == pytest.approx(wanted), name
    assert values[names[3]] == pytest.approx(expected(theirs.precision_score, strict=strict))
    assert values[names[4]] == pytest.approx(expected(theirs.recall_score, strict=strict))
    row = results.row("ingest.ner_f1")
    assert (row.population, row.scored, row.undefined, row.failed) == ("texts", 4, 1, 0)  # one sentence holds nothing
    assert f"[ingest.entities] tags became spans in mode {mode}" in results.notes


def test_a_wildcard_gives_the_mean_over_types_and_spans_that_overlap_too(tmp_path):
    results = run_of(project(tmp_path, chosen("ingest.*") + ENTITIES + RELATIONS + FOUND)).results
    assert {row.name for row in results.metrics if row.population == "texts"} == {
        "ingest.ner_f1", "ingest.ner_f1(average=macro)", "ingest.relation_f1", "ingest.relation_f1(average=macro)",
        "ingest.pii_precision", "ingest.pii_precision(match=overlap)",
        "ingest.pii_recall", "ingest.pii_recall(match=overlap)",
    }  # fmt: skip
    # issues: 2 of 2 labelled and of 3 found, owns: none of 1 labelled
    assert results.row("ingest.relation_f1(average=macro)").value == pytest.approx((2 * 2 / 5 + 0) / 2)


def test_entities_of_one_type_are_a_row_of_their_own_and_count_the_texts_that_hold_them(tmp_path):
    results = run_of(
        project(tmp_path, chosen("ingest.ner_f1(entity=PER)", "ingest.ner_f1(entity=ORG)") + ENTITIES)
    ).results
    person, organisation = (results.row(f"ingest.ner_f1(entity={name})") for name in ("PER", "ORG"))
    assert (person.value, person.scored, person.undefined) == (pytest.approx(2 * 2 / (4 + 2)), 4, 1)
    # two texts hold an organisation, one as people see it and one as it was found: 1 labelled, 2 found, none right
    assert (organisation.value, organisation.scored, organisation.undefined) == (0.0, 2, 3)


def test_the_interval_of_entity_f1_is_that_of_seqeval_over_the_same_resamples(tmp_path):
    settings = f"{chosen('ingest.ner_f1')}[run]\nseed = 7\ncluster = 'none'\n{ENTITIES}"
    row = run_of(project(tmp_path, settings)).results.row("ingest.ner_f1")
    (block,) = resample_blocks(len(SENTENCES), resamples=200, seed=7)
    drawn = [expected(theirs.f1_score, strict=True, which=which) for which in block]
    assert row.interval == pytest.approx(tuple(np.quantile(drawn, (0.025, 0.975))))


def test_relations_are_right_in_their_direction_and_sliced_by_what_corpus_and_lines_say(tmp_path):
    config = project(tmp_path, chosen("ingest.relation_f1", "ingest.relation_f1(relation=owns)") + RELATIONS)
    results = run_of(config).results
    # labelled: 3, found: 3, right: bank issues card, a issues b
    row = results.row("ingest.relation_f1")
    assert (row.value, row.scored, row.undefined) == (pytest.approx(2 * 2 / 6), 2, 1)
    assert results.row("ingest.relation_f1", where={"class": "tariff"}).value == pytest.approx(2 * 1 / 4)
    assert results.row("ingest.relation_f1", where={"source_type": "tariff"}).value == pytest.approx(1 / 2)
    assert results.row("ingest.relation_f1", where={"language": "en"}).scored == 1
    assert results.row("ingest.relation_f1", where={"language": "ru"}).value == 1.0
    owns = results.row("ingest.relation_f1(relation=owns)")
    assert (owns.value, owns.scored, owns.interval) == (0.0, 1, None)  # one text alone has no interval


PII = (
    "ingest.pii_recall", "ingest.pii_precision", "ingest.pii_recall(entity=iban)", "ingest.pii_recall(match=overlap)",
    "ingest.pii_precision(match=overlap)", "ingest.pii_recall(entity=full name)",
)  # fmt: skip


def test_personal_data_is_found_by_a_detector_that_ships(tmp_path):
    results = run_of(project(tmp_path, chosen(*PII) + DETECTED)).results
    values = {row.name: (row.value, row.scored, row.undefined) for row in results.metrics if not row.slice}
    assert values == {
        "ingest.pii_recall": (4 / 5, 2, 1),  # code knows no names of people
        "ingest.pii_recall(match=overlap)": (4 / 5, 2, 1),
        "ingest.pii_recall(entity=iban)": (1.0, 1, 2),
        "ingest.pii_recall(entity=full name)": (0.0, 1, 2),
        "ingest.pii_precision": (1.0, 2, 1),
        "ingest.pii_precision(match=overlap)": (1.0, 2, 1),
    }
    assert "[ingest.personal_data] found by the detector code" in results.notes
    assert results.bundle["ingest.personal_data"].startswith("code ")


def test_personal_data_of_a_file_is_sliced_and_followed_to_its_texts(tmp_path):
    run = run_of(project(tmp_path, chosen(*PII) + FOUND))
    results = run.results
    assert results.row("ingest.pii_recall").value == pytest.approx(1 / 5)  # a phone from its second digit on is another
    assert results.row("ingest.pii_recall(match=overlap)").value == pytest.approx(2 / 5)
    assert results.row("ingest.pii_precision(match=overlap)").value == 1.0
    assert results.row("ingest.pii_recall", where={"class": "letter"}).value == pytest.approx(1 / 3)
    assert results.row("ingest.pii_recall", where={"class": "mail"}).value == 0.0
    assert results.row("ingest.pii_recall", where={"language": "en"}).scored == 2
    assert "[ingest.personal_data] 2 of 3 texts are not in the file of what was found: p2, p3" in results.notes
    rows = [row for row in read_parquet(run.folder / "scores.parquet") if row["metric"] == "ingest.pii_recall"]
    assert {row["unit_id"]: row["value"] for row in rows} == {"p1": pytest.approx(1 / 3), "p2": 0.0, "p3": None}
    stored = json.loads((run.folder / "results.json").read_text(encoding="utf-8"))
    assert {one["unit_id"] for one in stored["units"]} == {"p1", "p2", "p3"}
    assert [line[0] for line in run.units("ingest.pii_recall").rows][:2] == ["p2", "p1"]
    for name in ("report.html", "report.md"):
        assert "p2" in (run.folder / name).read_text(encoding="utf-8")
        assert "4242 4242" not in (run.folder / name).read_text(encoding="utf-8")


def test_personal_data_may_be_tags(tmp_path):
    settings = '[ingest.personal_data]\ngold = "gold.iob2"\nfound = "found.iob2"\nmode = "lenient"\n'
    run = run_of(project(tmp_path, chosen("ingest.pii_recall", "ingest.pii_recall(entity=PER)") + settings))
    # 8 entities: PER 4 of 4, as an I- opens a span; LOC 1 of 3; ORG none of 1, which is a token short
    assert run.results.row("ingest.pii_recall(entity=PER)").value == 1.0
    assert run.results.row("ingest.pii_recall").value == pytest.approx(5 / 8)
    assert [unit.unit_id for unit in run.results.units] == ["line 1", "line 6", "line 11", "line 15", "line 20"]


def test_languages_have_the_numbers_that_sklearn_gives(tmp_path):
    names = ("ingest.language_f1", "ingest.language_f1(language=kk)", "ingest.language_f1(language=en)")
    results = run_of(project(tmp_path, chosen(*names) + LANGUAGE)).results
    said, told = [one[1] for one in LANGUAGES], [one[2] or "und" for one in LANGUAGES]
    codes = sorted(set(said))
    row = results.row("ingest.language_f1")
    assert row.value == pytest.approx(f1_score(said, told, labels=codes, average="macro", zero_division=0))
    assert (row.scored, row.undefined, row.failed) == (7, 1, 0)  # one text has no label
    assert row.interval[0] <= row.value <= row.interval[1]
    singly = dict(zip(codes, f1_score(said, told, labels=codes, average=None, zero_division=0), strict=True))
    kazakh, english = (results.row(name) for name in names[1:])
    assert (kazakh.value, kazakh.scored) == (pytest.approx(singly["kk"]), 3)
    assert (english.value, english.scored, english.interval) == (singly["en"], 1, None)
    chat = [(a, b) for (_, a, b, where) in LANGUAGES if where == "chat"]
    labels = sorted({a for a, _ in chat})
    wanted = f1_score(*zip(*chat, strict=True), labels=labels, average="macro")
    assert results.row("ingest.language_f1", where={"channel": "chat"}).value == pytest.approx(wanted)
    # the corpus says that fees is English, which is what is measured and no field to slice by
    assert {tuple(row.slice) for row in results.metrics} == {(), ("channel",), ("source_type",)}


def test_each_text_has_the_number_that_it_would_have_alone(tmp_path):
    run = run_of(project(tmp_path, chosen("ingest.language_f1", "ingest.ner_f1") + LANGUAGE + ENTITIES))
    units = {unit.unit_id: unit.scores for unit in run.results.units}
    languages = {name: s["ingest.language_f1"].value for name, s in units.items() if "ingest.language_f1" in s}
    assert languages == {i: float(said == told) for i, said, told, _ in LANGUAGES} | {"8": None}
    entities = [s["ingest.ner_f1"].value for s in units.values() if "ingest.ner_f1" in s]
    alone = [expected(theirs.f1_score, strict=True, which=[place]) for place in range(len(SENTENCES))]
    assert entities == [pytest.approx(one) if "B-" in SENTENCES[i][1] else None for i, one in enumerate(alone)]
    assert [row[0] for row in run.units("ingest.language_f1").rows][:3] == ["3", "4", "fees"]


@pytest.mark.parametrize("detector", ["code", "py3langid"])
def test_languages_are_identified_by_a_detector_that_ships(tmp_path, detector):
    settings = f'[ingest.languages]\ngold = "texts.languages.jsonl"\ndetector = "{detector}"\n'
    config = project(tmp_path, chosen("ingest.language_f1"))
    lines(
        tmp_path / "texts.languages.jsonl",
        {"id": "1", "language": "ru", "text": "Сколько стоит обслуживание карты?"},
        {"id": "2", "language": "kk", "text": "Картаға қызмет көрсету қанша тұрады?"},
    )
    config.write_text(config.read_text(encoding="utf-8") + settings, encoding="utf-8")
    results = run_of(config).results
    assert results.row("ingest.language_f1").value == 1.0
    told = results.bundle["ingest.languages"]
    if detector == "py3langid":
        from importlib.metadata import version  # noqa: PLC0415 - for the package that is asked

        assert told.startswith(f"py3langid {version('py3langid')} ")
    else:
        assert told.startswith("code ")


def test_a_detector_that_is_not_installed_says_what_to_install(tmp_path, monkeypatch):
    config = project(tmp_path, f'{chosen("ingest.language_f1")}[ingest.languages]\ngold = "gold.languages.jsonl"\n')
    config.write_text(config.read_text(encoding="utf-8") + 'detector = "py3langid"\n', encoding="utf-8")
    monkeypatch.setitem(sys.modules, "py3langid", None)
    with pytest.raises(MissingExtra, match=r"pip install 'ragtriage\[language\]'"):
        run_of(config)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("rule", "verdict"),
    [
        ('metric = "ingest.ner_f1"\nmin = 0.4', "pass"),  # 6 of 13, strictly
        ('metric = "ingest.ner_f1"\nmin = 0.9', "fail"),
        ('metric = "ingest.ner_f1( entity = PER )"\nmin = 0.6', "pass"),
        ('metric = "ingest.ner_f1(entity=DATE)"\nmin = 0.5', "undecidable"),  # no text holds one
        ('metric = "ingest.ner_f1"\nmax_drop = 0.1', "undecidable"),
        ('metric = "ingest.relation_f1"\nmin = 1\nslice = {language = "ru"}', "pass"),
        ('metric = "ingest.relation_f1"\nmin = 0.6\nslice = {class = "tariff"}', "fail"),
        ('metric = "ingest.relation_f1"\nmin = 0.6\nslice = {class = "letter"}', "undecidable"),
        ('metric = "ingest.pii_recall(entity = full name)"\nmin = 0.5', "fail"),
        ('metric = "ingest.pii_recall(match=overlap)"\nmin = 0.3', "pass"),
        ('metric = "ingest.pii_recall"\nmin = 0.1\ncritical = true', "fail"),  # a mail whose data all leaked
        ('metric = "ingest.pii_precision"\nmin = 0.5\nslice = {class = "mail"}', "undecidable"),  # nothing was found
        ('metric = "ingest.language_f1(language=kk)"\nmin = 0.8', "pass"),
        ('metric = "ingest.language_f1"\nmin = 0.9\nslice = {channel = "mail"}', "fail"),  # (2/3 + 1) / 2
        ('metric = "ingest.language_f1(language=de)"\nmin = 0.5', "undecidable"),
    ],
)
def test_a_gate_holds_labels_whole_by_type_and_by_slice(tmp_path, rule, verdict):
    settings = f"{chosen('ingest.*')}{ENTITIES}{RELATIONS}{FOUND}{LANGUAGE}[[gate]]\n{rule}\n"
    run = run_of(project(tmp_path, settings))
    assert run.results.gate.rules[0].verdict == verdict, run.results.gate.rules[0].reason


def test_a_gate_decides_nothing_on_fewer_texts_than_it_asks_for(tmp_path):
    rule = '[[gate]]\nmetric = "ingest.ner_f1"\nmin = 0.1\n[gate_policy]\nmin_scored = 5\n'
    (found,) = (r for r in run_of(project(tmp_path, ENTITIES + rule)).results.gate.rules if r.metric == "ingest.ner_f1")
    assert (found.verdict, found.reason) == ("undecidable", "4 texts are scored, at least 5 are needed")


def test_texts_are_paired_with_those_of_a_base_run_and_numbers_over_all_of_them_say_that_they_have_no_pairs(tmp_path):
    settings = chosen("ingest.*") + ENTITIES + DETECTED
    base = run_of(project(tmp_path / "one", settings))
    rules = "".join(f'[[gate]]\nmetric = "ingest.{name}"\nmax_drop = 0.01\n' for name in ("pii_recall", "ner_f1"))
    config = project(tmp_path / "two", chosen("ingest.*") + ENTITIES + FOUND + rules)
    after = run_of(config, baseline=base.folder)
    compared = {row.metric: row for row in rt.compare(base, after).rows if not row.slice}
    recall, entities = compared["ingest.pii_recall"], compared["ingest.ner_f1"]
    assert (recall.base, recall.candidate, recall.pairs) == (pytest.approx(4 / 5), pytest.approx(1 / 5), 2)
    assert recall.regressed == ("p1", "p2")
    assert (entities.base, entities.candidate, entities.pairs) == (pytest.approx(6 / 13), pytest.approx(6 / 13), 0)
    first, second = after.results.gate.rules[:2]
    assert (first.verdict, first.scored) == ("fail", 2)
    assert (second.verdict, second.reason) == (
        "undecidable",
        "a metric over the whole set has no pairs of cases; hold it with min or max",
    )


def test_every_fault_of_every_file_is_told_with_its_line_and_nothing_is_written(tmp_path):
    config = project(tmp_path, f"{ENTITIES}{RELATIONS}{DETECTED}{LANGUAGE}")
    (tmp_path / "gold.iob2").write_text("Anna I-PER\nlives\n")
    lines(tmp_path / "found.triples.jsonl", {"id": "fees"}, {"id": "stray"})
    lines(tmp_path / "gold.spans.jsonl", {"id": "a", "text": "a"}, {"id": "b"}, {"id": "c", "text": "c"})
    (tmp_path / "gold.languages.jsonl").write_text('{"id": "1", "language": ""}\n{"id": "1"}\n')
    result = CliRunner().invoke(ragtriage_command, ["eval", "-c", str(config), "-o", str(tmp_path / "run")])
    assert isinstance(result.exception, BadInput)
    assert result.exception.exit_code == 2
    told = str(result.exception)
    for words in (
        "gold.iob2:1: 'I-PER' continues no PER",
        "gold.iob2:2: a token and its tag must stand in a line",
        "found.triples.jsonl:2: 'stray' is no text of",
        "gold.spans.jsonl:2: 'b' has no text, which a detector needs",
        "gold.languages.jsonl:1: 'language' must not be empty",
        "gold.languages.jsonl:2: 'id' '1' stands in lines 1, 2",
    ):
        assert words in told
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ('[ingest.entities]\ngold = "gold.languages.jsonl"\nfound = "found.languages.jsonl"\n',
         "holds languages by its name; [ingest.entities] takes .iob2, .bio, .conll or .tsv or .spans.jsonl"),
        ('[ingest.relations]\ngold = "gold.spans.jsonl"\nfound = "found.spans.jsonl"\n',
         "[ingest.relations] takes .triples.jsonl"),
        ('[ingest.languages]\ngold = "gold.iob2"\nfound = "found.iob2"\n', "[ingest.languages] takes .languages.jsonl"),
        ('[ingest.personal_data]\ngold = "gold.triples.jsonl"\ndetector = "code"\n', "[ingest.personal_data] takes"),
        ('[ingest.personal_data]\ngold = "gold.iob2"\ndetector = "code"\n', "detectors find spans and languages"),
        ('[ingest.entities]\ngold = "gold.iob2"\nfound = "found.spans.jsonl"\n', "holds spans by its name"),
        ('[ingest.personal_data]\ngold = "corpus/corpus.toml"\ndetector = "code"\n', "its name must say what it holds"),
    ],
)  # fmt: skip
def test_a_file_that_does_not_fit_its_key_is_told(tmp_path, table, told):
    with pytest.raises(BadInput) as caught:
        run_of(project(tmp_path, table))
    assert told in str(caught.value)


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ('[ingest.languages]\ngold = "gold.languages.jsonl"\n', "give either 'found', a file, or 'detector'"),
        (f'{LANGUAGE}detector = "code"\n', "give either 'found', a file, or 'detector'"),
        ('[ingest.languages]\ngold = "gold.languages.jsonl"\ndetector = "presidio:x"\n', "'code' or 'py3langid'"),
        (f'{PERSONAL_DATA}detector = "py3langid"\n', "must be 'code' or 'presidio:MODEL'. Got 'py3langid' instead"),
        (f'{RELATIONS}mode = "strict"\n', "'ingest.relations.mode' is no known field"),
        (
            f'{LANGUAGE}[ingest.entities]\ngold = "gold.iob2"\nfound = "none.iob2"\n',
            "'none.iob2', which does not exist",
        ),
    ],
)
def test_settings_that_do_not_hold_together_are_told_with_their_line(tmp_path, table, told):
    with pytest.raises(BadInput, match=r"ragtriage\.toml:\d+: ") as caught:
        run_of(project(tmp_path, table))
    assert told in str(caught.value)


def test_without_the_key_a_metric_is_left_out_and_one_that_is_named_is_refused(tmp_path):
    results = run_of(project(tmp_path, chosen("ingest.*"))).results
    for key, names in {
        "entities": ("ner_f1",),
        "relations": ("relation_f1",),
        "personal_data": ("pii_precision", "pii_recall"),
        "languages": ("language_f1",),
    }.items():
        for name in names:
            assert f"[ingest.{key}]" in results.left_out[f"ingest.{name}"]
            with pytest.raises(BadInput, match=rf"ingest\.{name} cannot run: .*\[ingest\.{key}\]"):
                run_of(project(tmp_path, chosen(f"ingest.{name}")))


def test_a_run_is_scored_again_from_the_same_labels_alone(tmp_path):
    run = run_of(project(tmp_path, chosen("ingest.*") + ENTITIES + DETECTED))
    again = rescore(run.folder)
    assert again.results.metrics == run.results.metrics
    tags(tmp_path / "found.iob2", 1)
    with pytest.raises(NotComparable, match=r"changed since this run: entities$"):
        rescore(run.folder)
    tags(tmp_path / "found.iob2", 2)
    lines(tmp_path / "gold.spans.jsonl", {"id": "p1", "text": LETTER, "spans": LETTER_SPANS[:1]})
    with pytest.raises(NotComparable, match=r"changed since this run: personal_data$"):
        rescore(run.folder)


def test_two_modes_are_two_inputs(tmp_path):
    strict = run_of(project(tmp_path / "one", chosen("ingest.ner_f1") + ENTITIES)).results.bundle
    lenient = run_of(project(tmp_path / "two", f'{chosen("ingest.ner_f1")}{ENTITIES}mode = "lenient"\n')).results.bundle
    assert strict["ingest.entities"] != lenient["ingest.entities"]


def test_doctor_names_what_was_given(tmp_path):
    config = project(tmp_path, f"{ENTITIES}{RELATIONS}{DETECTED}{LANGUAGE}")
    result = CliRunner().invoke(ragtriage_command, ["doctor", "-c", str(config)])
    for words in ("entities: 5 texts", "relations: 3 texts", "personal_data: 3 texts", "languages: 8 texts"):
        assert words in " ".join(result.output.split())


def test_texts_of_two_files_that_have_one_id_stay_apart(tmp_path):
    config = project(tmp_path, f'{FOUND}{LANGUAGE}[metrics]\ninclude = ["ingest.*"]\n')
    lines(  # the languages hold texts "1" and "2" of the channel chat
        tmp_path / "gold.spans.jsonl",
        {"id": "1", "spans": LETTER_SPANS, "slice": {"channel": "mail"}},
        {"id": "2", "spans": MAIL_SPANS, "slice": {"channel": "mail"}},
    )
    lines(tmp_path / "found.spans.jsonl", {"id": "1", "spans": LETTER_SPANS}, {"id": "2", "spans": MAIL_SPANS})
    base = rt.evaluate(config=config, output=tmp_path / "base")
    lines(tmp_path / "found.spans.jsonl", {"id": "1", "spans": LETTER_SPANS[:1]}, {"id": "2", "spans": MAIL_SPANS})
    with config.open("a") as file:
        file.write('[[gate]]\nmetric = "ingest.pii_recall"\nslice = {channel = "mail"}\nmax_drop = 0.0\n')
        file.write("[gate_policy]\nmin_scored = 2\n")
    run = rt.evaluate(config=config, output=tmp_path / "run", baseline=base.folder)
    assert {row[0]: row[1] for row in run.units("ingest.pii_recall").rows} == {"1": "mail", "2": "mail"}
    (rule,) = run.results.gate.rules
    assert (rule.scored, rule.value) == (2, pytest.approx(2 / 5))  # 2 of 5 spans are found no more
    compared = rt.compare(base.folder, run.folder)
    (row,) = [r for r in compared.rows if r.metric == "ingest.pii_recall" and r.slice == {"channel": "mail"}]
    assert row.pairs == 2


def test_more_texts_than_the_results_list_keep_their_slices_when_a_run_is_read_again(tmp_path):
    config = project(tmp_path, f'{FOUND}[metrics]\ninclude = ["ingest.pii_recall"]\n')
    span = {"start": 0, "end": 4, "label": "card"}
    texts = [{"id": f"t{i}", "spans": [span], "slice": {"channel": ("chat", "mail")[i % 2]}} for i in range(1200)]
    lines(tmp_path / "gold.spans.jsonl", *texts)
    lines(tmp_path / "found.spans.jsonl", *({"id": one["id"], "spans": [span]} for one in texts))
    folder = rt.evaluate(config=config, output=tmp_path / "run").folder
    pairs = {
        tuple(row.slice.items()): row.pairs for row in rt.compare(folder, folder).rows if row.population == "texts"
    }
    assert pairs == {(): 1200, (("channel", "chat"),): 600, (("channel", "mail"),): 600}
