"""What people said of documents is measured in a run: duplicates by group, boilerplate of pages, borders of chunks."""

from __future__ import annotations

import json
from pathlib import Path

import networkx as nx
import pytest
from click.testing import CliRunner, Result
from sklearn.metrics import precision_score, recall_score
from tests.workflows.projects import write_project

import ragtriage as rt
from ragtriage.cli.main import ragtriage_command
from ragtriage.core.errors import BadInput, NotComparable, SystemUnavailable
from ragtriage.core.results import MetricRow, UnitResult
from ragtriage.core.score import Value
from ragtriage.core.tables import read_parquet
from ragtriage.data.corpus import read_corpus
from ragtriage.workflows.deduplicate import find_duplicates
from ragtriage.workflows.ingest import ingest
from ragtriage.workflows.rescore import rescore

TEXTS = {
    "a": "The yearly fee of the gold card is one percent and is due in January of each year.",
    "b": "The yearly fee of the gold card is one percent and is due in January of each year. New.",
    "c": "The yearly fee of the gold card is two percent and is due in January of each year.",
    "d": "A lost card is blocked by a call at any hour, also from abroad.",
    "e": "A lost card is blocked by calling us at any hour.",
    "f": "Open on Sundays.",
    "g": "Closed on Sundays.",
}
FIELDS = {
    "a": ("en", "tariff"), "b": ("en", "tariff"), "c": ("kk", "tariff"), "d": ("en", "notice"), "e": ("en", "notice"),
    "f": ("kk", "notice"), "g": ("kk", "tariff"),
}  # fmt: skip
SAME, OTHER = [("a", "b"), ("d", "e")], [("a", "c"), ("b", "c"), ("f", "g")]
FOUND = [("b", "a"), ("b", "c"), ("g", "f")]
DUPLICATES = '[ingest.duplicates]\npairs = "pairs.jsonl"\nfound = "found.jsonl"\n'
PAIR_METRICS = (
    "ingest.duplicate_precision", "ingest.duplicate_recall", "ingest.false_merge_rate", "ingest.missed_merge_rate",
)  # fmt: skip


def lines(path: Path, *records: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records), encoding="utf-8")
    return path


def project(folder: Path, settings: str = DUPLICATES, *, found=FOUND, same=SAME, other=OTHER) -> Path:
    labels = [{"first": x, "second": y} for x, y in same] + [
        {"first": x, "second": y, "duplicate": False} for x, y in other
    ]
    lines(folder / "pairs.jsonl", *labels)
    lines(folder / "found.jsonl", *({"first": x, "second": y} for x, y in found))
    return write_project(
        folder,
        documents=[
            {"doc_id": name, "text": text, "language": FIELDS[name][0], "source_type": FIELDS[name][1]}
            for name, text in TEXTS.items()
        ],
        cases=[{"case_id": "q", "question": "What is the fee?", "evidence": [{"doc_id": "a"}]}],
        traces=[
            {
                "trace_id": "q",
                "case_id": "q",
                "question": "What is the fee?",
                "rankings": [{"stage": "dense", "hits": [{"id": "a", "doc_id": "a"}]}],
            }
        ],
        settings=settings,
    )


def run_of(config: Path, name: str = "run", **more) -> rt.Run:
    return rt.evaluate(config, output=config.parent / name, **more)


def row_of(run: rt.Run, name: str, **where: str) -> MetricRow:
    row = run.results.row(name, where=where)
    assert row is not None
    return row


def units_of(run: rt.Run, population: str) -> dict[str, UnitResult]:
    return {unit.unit_id: unit for unit in run.results.units if unit.population == population}


def call(*arguments: object) -> Result:
    return CliRunner().invoke(ragtriage_command, [*map(str, arguments)], catch_exceptions=True)


# Duplicates


def test_groups_add_up_to_the_numbers_of_sklearn_over_the_labelled_pairs(tmp_path: Path) -> None:
    run = run_of(project(tmp_path))
    judged = [*SAME, *OTHER]
    truth = [pair in SAME for pair in judged]
    guess = [set(pair) in [set(one) for one in FOUND] for pair in judged]
    precision, recall = (row_of(run, f"ingest.duplicate_{name}") for name in ("precision", "recall"))
    assert precision.value == pytest.approx(precision_score(truth, guess))
    assert recall.value == pytest.approx(recall_score(truth, guess))
    # a, b and c are merged: 1 of the 3 pairs is right; f and g are merged wrongly; d and e are not merged
    assert row_of(run, "ingest.false_merge_rate").value == pytest.approx(3 / 4)
    assert row_of(run, "ingest.missed_merge_rate").value == pytest.approx(1 / 2)
    for name, counted in zip(PAIR_METRICS, ((2, 1), (2, 1), (2, 1), (2, 1)), strict=True):
        row = row_of(run, name)
        assert (row.population, row.aggregate, row.scored, row.undefined, row.failed) == (
            "groups",
            "micro",
            *counted,
            0,
        )
        assert row.interval is not None
        assert row.interval[0] <= row.value <= row.interval[1]


def test_a_group_is_what_pairs_hold_together_and_has_the_fields_that_all_of_it_share(tmp_path: Path) -> None:
    run = run_of(project(tmp_path))
    components = list(nx.connected_components(nx.Graph([*FOUND, *SAME])))
    units = units_of(run, "groups")
    assert set(units) == {min(component) for component in components}
    assert {name: set(unit.members) for name, unit in units.items()} == {min(one): one for one in components}
    assert [unit.size for unit in units.values()] == [len(unit.members) for unit in units.values()]
    assert {name: (unit.document, unit.fields) for name, unit in units.items()} == {
        "a": ("a", {"source_type": "tariff"}),
        "d": ("d", {"language": "en", "source_type": "notice"}),
        "f": ("f", {"language": "kk"}),
    }
    merged = units["a"].scores["ingest.false_merge_rate"]
    assert (merged.value, merged.support) == (pytest.approx(2 / 3), 3)
    assert row_of(run, "ingest.false_merge_rate", source_type="tariff").value == pytest.approx(2 / 3)
    assert row_of(run, "ingest.missed_merge_rate", language="en").value == 1.0
    assert run.results.row("ingest.missed_merge_rate", where={"class": "scan"}) is None
    saved = [row for row in read_parquet(run.folder / "scores.parquet") if row["metric"] == "ingest.false_merge_rate"]
    assert {row["unit_id"]: row["value"] for row in saved} == {
        name: unit.scores["ingest.false_merge_rate"].value for name, unit in units.items()
    }


def test_near_duplicates_as_we_find_them_have_the_numbers_of_golden_dedupe(tmp_path: Path, root: Path) -> None:
    """Labels are pairs of the bank's documents as they come; the threshold is so low that some are found."""
    names = list(read_corpus(root / "examples/bank/corpus").documents)
    same = [{"first": x, "second": y} for x, y in zip(names[::7], names[1::7], strict=False)]
    other = [{"first": x, "second": y, "duplicate": False} for x, y in zip(names[::5], names[3::5], strict=False)]
    taken = {frozenset((pair["first"], pair["second"])) for pair in same}
    other = [pair for pair in other if frozenset((pair["first"], pair["second"])) not in taken]
    for labels in ([*same, *other], same):
        file = lines(tmp_path / "pairs.jsonl", *labels)
        bank = root / "examples/bank"
        asked = find_duplicates(
            bank / "golden", corpus_path=bank / "corpus", threshold=0.2, question_threshold=0.8, labels=file
        )
        config = project(tmp_path, '[ingest.duplicates]\npairs = "pairs.jsonl"\nthreshold = 0.2\n')
        lines(file, *labels)
        text = config.read_text().replace('path = "corpus"', f'path = "{bank / "corpus"}"')
        config.write_text(text.replace('path = "golden"', f'path = "{bank / "golden"}"'))
        run = run_of(config, f"run{len(labels)}", metrics=[*PAIR_METRICS], limit=1)
        for name, score in asked.scores.items():
            assert isinstance(score, Value), name
            units = [unit.scores[name] for unit in run.report().units]
            assert row_of(run, name).value == pytest.approx(score.value, abs=1e-12)
            assert sum(one.support or 0 for one in units) == score.support
        assert len(units) > 5


@pytest.mark.parametrize(
    ("rule", "verdict"),
    [
        ('metric = "ingest.duplicate_recall"\nmin = 0.5', "pass"),
        ('metric = "ingest.false_merge_rate"\nmax = 0.7', "fail"),
        ('metric = "ingest.false_merge_rate"\nmax = 0.7\nslice = {source_type = "tariff"}', "pass"),
        ('metric = "ingest.duplicate_precision"\nmin = 0.0\nslice = {language = "ru"}', "undecidable"),
        ('metric = "ingest.duplicate_precision"\nmax_drop = 0.1', "undecidable"),  # without a baseline
    ],
)
def test_a_gate_holds_duplicates(tmp_path: Path, rule: str, verdict: str) -> None:
    run = run_of(project(tmp_path, f"{DUPLICATES}[[gate]]\n{rule}\n"))
    assert run.results.gate.rules[0].verdict == verdict, run.results.gate.rules[0].reason


def test_a_gate_counts_groups_and_names_those_beyond_a_critical_limit(tmp_path: Path) -> None:
    rule = '[[gate]]\nmetric = "ingest.false_merge_rate"\nmax = 0.8\n'
    few = run_of(project(tmp_path, f"{DUPLICATES}[gate_policy]\nmin_scored = 3\n{rule}"))
    assert few.results.gate.rules[0].reason == "2 groups are scored, at least 3 are needed"
    critical = run_of(project(tmp_path, f"{DUPLICATES}{rule}critical = true\n"))
    assert critical.results.gate.rules[0].reason == "critical: 1 group: f beyond the limit"


def test_groups_are_paired_with_those_of_another_detector(tmp_path: Path) -> None:
    """The candidate no longer takes c for b: of a, b and c it merges a and b alone, which is right."""
    base = run_of(project(tmp_path / "one"), gate=False)
    rule = '[[gate]]\nmetric = "ingest.false_merge_rate"\nmax_drop = 0.0\n'
    better = run_of(project(tmp_path / "two", DUPLICATES + rule, found=[("a", "b"), ("f", "g")]), baseline=base.folder)
    row = next(r for r in better.report().compared.runs.rows if r.metric == "ingest.false_merge_rate" and not r.slice)
    assert (row.pairs, row.improved, row.regressed, row.population) == (2, ("a",), (), "groups")
    assert (row.base, row.candidate) == (pytest.approx(3 / 4), pytest.approx(1 / 2))
    assert better.results.gate.rules[0].verdict == "pass"


def test_a_detector_that_merges_what_the_other_left_alone_passes_no_rule_by_its_pairs(tmp_path: Path) -> None:
    """Both are alike in the groups that both found; what is wrong is a group that the candidate makes anew."""
    same = [("a", "b"), ("d", "e")]
    base = run_of(project(tmp_path / "one", found=same), gate=False)
    rule = '[[gate]]\nmetric = "ingest.duplicate_precision"\nmax_drop = 0.1\n'
    after = run_of(project(tmp_path / "two", DUPLICATES + rule, found=[*same, ("f", "g")]), baseline=base.folder)
    assert (row_of(base, "ingest.duplicate_precision").value, row_of(after, "ingest.duplicate_precision").value) == (
        1.0,
        pytest.approx(2 / 3),
    )
    judged = after.results.gate.rules[0]
    assert judged.verdict == "undecidable"
    assert "1 of 3 groups have a value now and had none in the baseline" in judged.reason
    told = call("compare", base.folder, after.folder).stdout
    assert "1 group without a value in the base run: no pairs" in told


def test_pairs_without_a_label_and_labels_of_one_kind_are_told(tmp_path: Path) -> None:
    run = run_of(project(tmp_path / "one", found=[*FOUND, ("a", "g"), ("c", "g")]))
    assert "2 of 5 found pairs of documents have no label and count nowhere" in run.results.notes
    alone = run_of(project(tmp_path / "two", other=[]))
    assert any("no pair of documents is labelled as different" in note for note in alone.results.notes)
    assert row_of(alone, "ingest.duplicate_precision").value == pytest.approx(1 / 3)


def test_a_detector_that_finds_nothing_has_a_recall_and_no_precision(tmp_path: Path) -> None:
    settings = f'{DUPLICATES}[metrics]\ninclude = ["ingest.duplicate_precision", "ingest.duplicate_recall"]\n'
    run = run_of(project(tmp_path, settings, found=[]))
    assert row_of(run, "ingest.duplicate_recall").value == 0.0
    precision = row_of(run, "ingest.duplicate_precision")
    assert (precision.value, precision.undefined, precision.reason) == (None, 2, "no pair was detected")


def test_where_nothing_was_found_and_nothing_is_alike_there_are_no_groups(tmp_path: Path) -> None:
    settings = f'{DUPLICATES}[[gate]]\nmetric = "ingest.duplicate_precision"\nmin = 0.5\n'
    run = run_of(project(tmp_path, settings, found=[], same=[]))
    assert row_of(run, "ingest.duplicate_precision").reason == "there are no groups"
    assert run.results.gate.rules[0].verdict == "undecidable"
    assert run.results.left_out["ingest.duplicate_recall"] == "there are no groups"
    assert any("none is labelled as duplicates" in note for note in run.results.notes)


# Pages before cleaning

PAGES = '[ingest]\nreference = "reference"\nextracted = "extracted"\npages = "pages"\nclasses = "classes.csv"\n'
WEB = {
    # page, body, what the cleaner left of it; boilerplate by hand: 4 words, 2 words, none
    "a": ("Home Login Mars has two moons Help Terms", "Mars has two moons", "two moons Terms has"),
    "b": ("Menu Cards are blocked here Print", "Cards are blocked here", "Cards are blocked here"),
    "c": ("Only a body", "Only a body", "Only a body"),
}


def web_project(folder: Path, settings: str = PAGES) -> Path:
    for place, kind in enumerate(("pages", "reference", "extracted")):
        (folder / kind).mkdir(parents=True, exist_ok=True)
        for name, texts in WEB.items():
            (folder / kind / f"{name}.txt").write_text(texts[place], encoding="utf-8")
    (folder / "classes.csv").write_text("document,class\na,portal\nb,portal\nc,plain\n")
    return project(folder, settings)


def test_boilerplate_is_counted_in_words_over_all_pages(tmp_path: Path) -> None:
    """Of a: removed are Home, Login, Help and Mars, so 3 of 4 rightly, and 3 of the 4 words of boilerplate."""
    config = web_project(tmp_path)
    run = run_of(config)
    units = units_of(run, "documents")
    assert units["a"].fields == {"language": "en", "source_type": "tariff", "class": "portal"}
    for name, right, of in (("precision", 3 + 2, 4 + 2), ("recall", 3 + 2, 4 + 2)):
        row = row_of(run, f"ingest.boilerplate_{name}")
        assert (row.value, row.scored, row.undefined) == (pytest.approx(right / of), 2, 1)
        assert row.interval is not None
        assert row_of(run, f"ingest.boilerplate_{name}", **{"class": "portal"}).value == pytest.approx(right / of)
        assert (units["a"].scores[row.name].value, units["a"].scores[row.name].support) == (0.75, 4)
    assert units["c"].scores["ingest.boilerplate_recall"].reason == "the page has no boilerplate"
    command = ingest(tmp_path / "reference", [tmp_path / "extracted"], pages=tmp_path / "pages")
    for name, found in command.extractors[0].metrics.items():
        if name.startswith("ingest.boilerplate"):
            assert row_of(run, name).value == found.micro


def test_a_missing_page_is_undefined_and_a_broken_one_failed(tmp_path: Path) -> None:
    config = web_project(tmp_path)
    (tmp_path / "pages" / "b.txt").unlink()
    (tmp_path / "pages" / "c.txt").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "extracted" / "a.txt").unlink()
    run = run_of(config, gate=False)
    scores = {name: unit.scores["ingest.boilerplate_recall"] for name, unit in units_of(run, "documents").items()}
    assert (scores["b"].status, scores["b"].reason) == ("undefined", "there is no page of this stem")
    assert scores["a"].status == scores["c"].status == "failed"
    assert "there is no extracted file" in scores["a"].reason
    assert "c.txt" in scores["c"].reason
    assert any(
        "1 documents have no page before cleaning" in note and note.endswith(": b") for note in run.results.notes
    )
    row = row_of(run, "ingest.boilerplate_recall")
    assert (row.value, row.scored, row.undefined, row.failed) == (None, 0, 1, 2)


@pytest.mark.parametrize(
    ("rule", "verdict"),
    [
        ('metric = "ingest.boilerplate_recall"\nmin = 0.8', "pass"),
        ('metric = "ingest.boilerplate_precision"\nmin = 0.9', "fail"),
        ('metric = "ingest.boilerplate_recall"\nmin = 0.9\ncritical = true', "fail"),
        ('metric = "ingest.boilerplate_recall"\nmin = 0.1\nslice = {class = "plain"}', "undecidable"),
    ],
)
def test_a_gate_holds_boilerplate_by_class(tmp_path: Path, rule: str, verdict: str) -> None:
    run = run_of(web_project(tmp_path, f"{PAGES}[[gate]]\n{rule}\n"))
    assert run.results.gate.rules[0].verdict == verdict, run.results.gate.rules[0].reason


def test_pages_of_two_cleaners_are_paired_by_document(tmp_path: Path) -> None:
    base = run_of(web_project(tmp_path / "one"), gate=False)
    config = web_project(tmp_path / "two")
    (tmp_path / "two/extracted/a.txt").write_text("Mars has two moons")
    after = run_of(config, baseline=base.folder)
    rows = after.report().compared.runs.rows
    row = next(r for r in rows if r.metric == "ingest.boilerplate_recall" and not r.slice)
    assert (row.pairs, row.improved, row.candidate) == (2, ("a",), 1.0)


# Borders between chunks

BORDERS = '[ingest]\nborders = "borders.jsonl"\n'


def chunks_of(cut: int = 20) -> list[dict[str, object]]:
    found = []
    for name, text in TEXTS.items():
        for place, (start, end) in enumerate(((0, cut), (cut, len(text)))):
            piece = text[start:end]
            if piece:
                found.append({"chunk_id": f"{name}#{place}", "doc_id": name, "start": start, "end": end, "text": piece})
    return found


def cut_project(folder: Path, settings: str = "", *, cut: int = 20) -> Path:
    lines(folder / "chunks.jsonl", *chunks_of(cut))
    return project(folder, f'chunks = "chunks.jsonl"\n{settings}')


def test_borders_are_drawn_labelled_and_measured(tmp_path: Path) -> None:
    config = cut_project(tmp_path)
    file = tmp_path / "borders.jsonl"
    drawn = call("index", "borders", "-c", config, "--count", 4, "--seed", 3, "-o", file)
    assert drawn.exit_code == 0, drawn.output
    assert "4 of 5 borders" in drawn.stderr  # f and g are shorter than the cut
    labels = [json.loads(line) for line in file.read_text().splitlines()]
    assert all(set(label) == {"doc_id", "end", "start", "before", "after", "reasonable"} for label in labels)
    assert all(TEXTS[label["doc_id"]].startswith(label["before"]) and label["reasonable"] is None for label in labels)
    again = call("index", "borders", "-c", config, "--count", 4, "--seed", 3)
    assert again.stdout == file.read_text()
    said = {"a": True, "b": False, "c": True, "d": True, "e": False}
    lines(file, *({**label, "reasonable": said[label["doc_id"]]} for label in labels))
    run = run_of(cut_project(tmp_path, BORDERS))
    drawn_from = [label["doc_id"] for label in labels]
    row = row_of(run, "ingest.boundary_quality")
    assert (row.population, row.scored) == ("documents", 4)
    assert row.value == pytest.approx(sum(said[name] for name in drawn_from) / 4)
    assert row.interval is not None
    units = units_of(run, "documents")
    assert units[drawn_from[0]].scores[row.name].support == 1
    tariffs = [said[name] for name in drawn_from if FIELDS[name][1] == "tariff"]
    sliced = row_of(run, "ingest.boundary_quality", source_type="tariff")
    assert sliced.value == pytest.approx(sum(tariffs) / len(tariffs))


def labelled(folder: Path, *said: tuple[str, bool | None], cut: int = 20) -> Path:
    return lines(
        folder / "borders.jsonl",
        *({"doc_id": name, "end": cut, "start": cut, "reasonable": label} for name, label in said),
    )


def test_labels_of_other_chunks_and_waiting_ones_are_told(tmp_path: Path) -> None:
    labelled(tmp_path, ("a", True), ("b", False), ("c", None), ("f", True), ("no such", True))
    run = run_of(cut_project(tmp_path, BORDERS))
    assert row_of(run, "ingest.boundary_quality").value == 0.5
    assert "1 of 5 borders in borders.jsonl are not labelled yet: fill 'reasonable'" in run.results.notes
    assert any(note.startswith("2 labels of borders count nowhere") for note in run.results.notes)
    assert "count nowhere" in (run.folder / "report.html").read_text(encoding="utf-8")


def test_without_a_border_of_todays_chunks_there_is_no_number_and_no_silence(tmp_path: Path) -> None:
    labelled(tmp_path, ("a", True), ("b", False))
    rule = '[[gate]]\nmetric = "ingest.boundary_quality"\nmin = 0.1\n'
    run = run_of(cut_project(tmp_path, BORDERS + rule, cut=30))
    row = row_of(run, "ingest.boundary_quality")
    assert (row.value, row.reason) == (None, "no border of today's chunks is labelled")
    assert run.results.gate.rules[0].verdict == "undecidable"
    assert any(note.startswith("2 labels of borders count nowhere") for note in run.results.notes)
    unlisted = run_of(project(tmp_path, BORDERS + rule), "unlisted")
    assert row_of(unlisted, "ingest.boundary_quality").reason == "the system does not list its chunks"


@pytest.mark.parametrize(("least", "verdict"), [(0.6, "pass"), (0.7, "fail")])
def test_a_gate_holds_borders_and_a_baseline_pairs_them(tmp_path: Path, least: float, verdict: str) -> None:
    labelled(tmp_path, ("a", True), ("b", False), ("c", True))
    rule = f'[[gate]]\nmetric = "ingest.boundary_quality"\nmin = {least}\n'
    base = run_of(cut_project(tmp_path, BORDERS + rule))
    assert base.results.gate.rules[0].verdict == verdict
    labelled(tmp_path, ("a", True), ("b", True), ("c", True))
    after = run_of(cut_project(tmp_path, BORDERS), "after", baseline=base.folder)
    rows = after.report().compared.runs.rows
    row = next(r for r in rows if r.metric == "ingest.boundary_quality" and not r.slice)
    assert (row.pairs, row.improved, row.candidate) == (3, ("b",), 1.0)


def test_borders_are_drawn_from_the_chunks_that_a_run_would_measure(tmp_path: Path) -> None:
    """Those of a file, else those that Python lists, else the corpus's own; the system is never asked."""
    config = cut_project(tmp_path / "file")
    listed = call("index", "borders", "-c", config).stdout
    assert len(listed.splitlines()) == 5
    config = project(tmp_path / "own", "")
    lines(config.parent / "corpus/chunks.jsonl", *chunks_of())
    assert call("index", "borders", "-c", config).stdout == listed
    config = project(tmp_path / "python", "")
    (config.parent / "borders_rag.py").write_text(
        f"import json\nprint('loading')\nCHUNKS = json.loads({json.dumps(json.dumps(chunks_of()))})\n"
        "def chunks():\n    return CHUNKS\ndef answer(question):\n    raise SystemExit('asked')\n"
    )
    config.write_text(config.read_text().replace('traces = "traces.jsonl"', 'python = "borders_rag:answer"'))
    assert call("index", "borders", "-c", config).stdout == listed


def test_borders_that_people_labelled_are_not_written_over(tmp_path: Path) -> None:
    config = cut_project(tmp_path)
    file = tmp_path / "borders.jsonl"
    for _ in range(2):  # a sample that nobody has labelled may be drawn again
        assert call("index", "borders", "-c", config, "-o", file).exit_code == 0
    for content in (file.read_text().replace("null", "true", 1), file.read_text().replace("null", "True", 1), "notes"):
        file.write_text(content)
        refused = call("index", "borders", "-c", config, "-o", file)
        assert isinstance(refused.exception, BadInput)
        assert "name another file" in str(refused.exception)
        assert file.read_text() == content


@pytest.mark.parametrize(
    ("change", "told", "kind"),
    [
        (('chunks = "chunks.jsonl"\n', ""), "does not list its chunks", BadInput),
        (('[corpus]\npath = "corpus"\n', ""), "there is no corpus", BadInput),
        (('traces = "traces.jsonl"\ncontext_size = 4\nchunks = "chunks.jsonl"', 'python = "nowhere:answer"'),
         "cannot be loaded", SystemUnavailable),
        (('chunks = "chunks.jsonl"', 'chunks = "golden/cases.jsonl"'), "cases.jsonl", BadInput),
    ],
)  # fmt: skip
def test_why_no_border_can_be_drawn_is_told(tmp_path: Path, change, told: str, kind) -> None:
    config = cut_project(tmp_path)
    text = config.read_text()
    assert change[0] in text
    config.write_text(text.replace(*change))
    refused = call("index", "borders", "-c", config, "-o", tmp_path / "borders.jsonl")
    assert isinstance(refused.exception, kind)
    assert told in str(refused.exception)
    assert not (tmp_path / "borders.jsonl").exists()


def test_documents_in_one_chunk_have_no_border_to_look_at(tmp_path: Path) -> None:
    config = cut_project(tmp_path, cut=1000)
    refused = call("index", "borders", "-c", config)
    assert "no document of the corpus has two chunks" in str(refused.exception)
    assert call("index", "borders", "-c", config, "--count", 0).exit_code == 2


# All of them


def test_every_fault_of_every_file_is_told_at_once_and_nothing_is_written(tmp_path: Path) -> None:
    config = web_project(tmp_path, f'{PAGES}borders = "borders.jsonl"\n{DUPLICATES}')
    label = {"doc_id": "a", "end": 1, "start": 1}
    lines(tmp_path / "borders.jsonl", label, label)
    lines(tmp_path / "pairs.jsonl", {"first": "a", "second": "x"}, {"first": "a", "second": "a"})
    (tmp_path / "found.jsonl").write_text('{"first": "a", "second": "b"}\n{"first": "b"}\n')
    for file in (tmp_path / "pages").iterdir():
        file.rename(file.with_stem(f"page-{file.stem}"))
    with pytest.raises(BadInput) as told:
        run_of(config)
    said = str(told.value)
    for place in ("borders.jsonl:2", "pairs.jsonl:1", "pairs.jsonl:2", "found.jsonl:2"):
        assert place in said
    assert "pages: no file has the stem of a document in reference" in said
    assert told.value.exit_code == 2
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ('[ingest.duplicates]\npairs = "pairs.jsonl"\nthreshold = 0.1\n', "greater than or equal to 0.2"),
        (f"{DUPLICATES}threshold = 0.5\n", "leave it out beside 'found'"),
        ('[ingest.duplicates]\npairs = "nowhere.jsonl"\n', "nowhere.jsonl"),
        ('[ingest]\npages = "corpus"\n', "needs 'reference' and 'extracted'"),
    ],
)
def test_settings_that_cannot_hold_are_refused_with_their_line(tmp_path: Path, settings: str, told: str) -> None:
    with pytest.raises(BadInput) as refused:
        run_of(project(tmp_path, settings))
    assert told in str(refused.value)
    assert "ragtriage.toml:" in str(refused.value)


def test_duplicates_without_a_corpus_and_labels_without_a_pair_are_refused(tmp_path: Path) -> None:
    config = project(tmp_path)
    config.write_text(config.read_text().replace('[corpus]\npath = "corpus"\n', ""))
    with pytest.raises(BadInput, match=r"there is no corpus: name it with \[corpus\] path"):
        run_of(config)
    with pytest.raises(BadInput, match=r"pairs\.jsonl: holds no pair"):
        run_of(project(tmp_path, same=[], other=[]))


def test_without_its_key_a_metric_is_left_out_with_the_key(tmp_path: Path) -> None:
    run = run_of(project(tmp_path, ""))
    for name, key in (
        *((name, "[ingest.duplicates]") for name in PAIR_METRICS),
        ("ingest.boilerplate_precision", "[ingest] pages"),
        ("ingest.boilerplate_recall", "[ingest] pages"),
        ("ingest.boundary_quality", "[ingest] borders"),
    ):
        assert run.results.row(name) is None
        assert key in run.results.left_out[name]
    with pytest.raises(BadInput, match=r"boundary_quality cannot run: .*\[ingest\] borders"):
        run_of(project(tmp_path, '[[gate]]\nmetric = "ingest.boundary_quality"\nmin = 0.1\n'))


@pytest.mark.parametrize("changed", ["found.jsonl", "pairs.jsonl", "borders.jsonl", "pages/a.txt"])
def test_a_run_is_scored_again_from_the_same_files_alone(tmp_path: Path, changed: str) -> None:
    labelled(tmp_path, ("a", True))
    lines(tmp_path / "chunks.jsonl", *chunks_of())
    settings = f'chunks = "chunks.jsonl"\n{PAGES}borders = "borders.jsonl"\n{DUPLICATES}'
    run = run_of(web_project(tmp_path, settings))
    before = (run.folder / "results.json").read_bytes()
    assert (
        json.loads((rescore(run.folder).folder / "results.json").read_bytes())["units"] == json.loads(before)["units"]
    )
    with (tmp_path / changed).open("a") as file:
        file.write("\n")
    key = {"found": "duplicates", "pairs": "duplicates", "borders": "borders"}.get(changed.partition(".")[0], "pages")
    with pytest.raises(NotComparable, match=key):
        rescore(run.folder)


def test_doctor_names_what_was_given(tmp_path: Path) -> None:
    labelled(tmp_path, ("a", True), ("b", None))
    lines(tmp_path / "chunks.jsonl", *chunks_of())
    config = web_project(tmp_path, f'chunks = "chunks.jsonl"\n{PAGES}borders = "borders.jsonl"\n{DUPLICATES}')
    told = " ".join(call("doctor", "-c", config).output.split())
    assert "3 documents with a reference, duplicates: 3 groups, pages: 3 documents, 1 labelled border" in told
    assert "1 of 2 borders in borders.jsonl are not labelled yet" in told


def test_reports_show_groups_and_what_lies_behind_them(tmp_path: Path) -> None:
    run = run_of(project(tmp_path, f'{DUPLICATES}[[gate]]\nmetric = "ingest.false_merge_rate"\nmax = 0.1\n'))
    page = (run.folder / "report.html").read_text(encoding="utf-8")
    text = (run.folder / "report.md").read_text(encoding="utf-8")
    assert "all groups" in page
    assert "### Worst groups" in text
    assert "| <code>f</code> | with g, kk | 1.000 |" in text
    assert "with b and c, tariff" in page
    assert "with b and c, tariff" in str(run.units("ingest.false_merge_rate"))
    shown = call("report", run.folder).stdout
    assert "ingest.false_merge_rate" in shown
    assert "0.750" in shown
