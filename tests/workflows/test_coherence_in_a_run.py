"""Whether chunks hold together, measured in a run: by vectors of the system, of a model, or not at all, and why."""

from __future__ import annotations

import itertools
import json
import math
import sqlite3
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.fakes.judge import FakeJudge
from tests.fakes.judge_server import Bill, serving
from tests.workflows.projects import write_project

import ragtriage as rt
from ragtriage.cli.main import main
from ragtriage.core.errors import BadInput, BudgetReached, Interrupted, PlanChanged, StorageFailed
from ragtriage.core.tables import read_parquet
from ragtriage.models.estimate import guess_tokens
from ragtriage.runs.execute import Silent
from ragtriage.runs.store import RunStore
from ragtriage.workflows.doctor import Terminal, examine
from ragtriage.workflows.installation import installation
from ragtriage.workflows.preview import preview
from ragtriage.workflows.rescore import rescore

NAME, ADJACENT = "ingest.chunk_coherence", "ingest.chunk_coherence(pairs=adjacent)"
PIPE = Terminal(attended=False, columns=80, colour=False, encoding="utf-8")
# Each sentence and where its vector points, in degrees; `|` stands between chunks.
TEXTS = {
    "cards": ("en", "The card is lost. @0 | Call us at once. @40 The call is free. @60"),
    "fees": (
        "en",
        "The fee is due. @0 It is one euro. @10 Cash is welcome. @20 | Rates differ. @90 Ask for yours. @100",
    ),
    "loans": ("de", "Der Kredit ist teuer. @0 Er dauert lange. @30 | Rates differ. @90"),
    "short": ("de", "Nur ein Stück. @0 Und mehr nicht. @5"),
}
SYSTEM = """
import json, math
from pathlib import Path

HERE = Path(__file__).parent
ANGLES = json.loads((HERE / "angles.json").read_text())

def answer(question):
    return "one euro"

def embed(texts):
    with (HERE / "asked.jsonl").open("a") as asked:
        asked.write(json.dumps(texts) + chr(10))
    poison = json.loads((HERE / "poison.json").read_text())
    if any(text in poison for text in texts):
        raise ValueError("too long for the model")
    return [[math.cos(math.radians(ANGLES[text])), math.sin(math.radians(ANGLES[text]))] for text in texts]
"""


@pytest.fixture(autouse=True)
def _modules() -> Iterator[None]:
    before = list(sys.path)
    yield
    sys.path[:] = before
    sys.modules.pop("coherent_rag", None)


def cosine(degrees: float) -> float:
    return math.cos(math.radians(degrees))


def mean(*degrees: float) -> float:
    return sum(map(cosine, degrees)) / len(degrees)


# Pairs by hand: within the chunks, then across the border.
EVERY = {
    "cards": mean(20) - mean(40, 60),
    "fees": mean(10, 20, 10, 10) - mean(90, 100, 80, 90, 70, 80),
    "loans": mean(30) - mean(90, 60),
}
NEXT = {"cards": mean(20) - mean(40), "fees": mean(10, 10, 10) - mean(70), "loans": mean(30) - mean(60)}


def sentences_of(told: str) -> list[list[tuple[str, int]]]:
    """Read `sentence @degrees` by chunk."""
    chunks = []
    for part in told.split(" | "):
        words = part.split()
        found, sentence = [], []
        for word in words:
            if word.startswith("@"):
                found.append((" ".join(sentence), int(word[1:])))
                sentence = []
            else:
                sentence.append(word)
        chunks.append(found)
    return chunks


def project(
    folder: Path,
    settings: str = "",
    *,
    system: str | None = SYSTEM,
    ingest: str = "[ingest]\ncoherence = true\n",
    texts: dict[str, tuple[str, str]] = TEXTS,
    metrics: str = '[metrics]\ninclude = ["ingest.*", "retrieval.recall@1"]\n',
) -> Path:
    """Write a project whose chunks lie in a file without offsets; `system` None: its answers were recorded."""
    documents, chunks, angles = [], [], {}
    for name, (language, told) in texts.items():
        cut = sentences_of(told)
        pieces = [" ".join(sentence for sentence, _ in chunk) for chunk in cut]
        documents.append({"doc_id": name, "language": language, "text": "\n\n".join(pieces)})
        chunks += [{"doc_id": name, "text": piece} for piece in pieces]
        angles.update({sentence: degrees for chunk in cut for sentence, degrees in chunk})
    case = {"case_id": "c1", "question": "What is the fee?", "evidence": [{"doc_id": next(iter(texts))}]}
    trace = {"trace_id": "t", "case_id": "c1", "question": "What is the fee?", "answer": {"text": "one euro"}}
    config = write_project(
        folder,
        documents=documents,
        cases=[case],
        traces=[trace],
        settings=f'chunks = "chunks.jsonl"\n{metrics}{ingest}{settings}',
    )
    (folder / "chunks.jsonl").write_text("".join(json.dumps(chunk, ensure_ascii=False) + "\n" for chunk in chunks))
    (folder / "angles.json").write_text(json.dumps(angles))
    (folder / "poison.json").write_text("[]")
    if system is not None:
        (folder / "coherent_rag.py").write_text(system)
        config.write_text(config.read_text().replace('traces = "traces.jsonl"', 'python = "coherent_rag:answer"'))
    return config


def run_of(config: Path, name: str = "run", **more: Any) -> rt.Run:
    return rt.evaluate(config, output=config.parent / name, environment={}, **more)


def asked(config: Path) -> list[list[str]]:
    path = config.parent / "asked.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def outcomes(run: rt.Run, name: str = NAME) -> dict[str, Any]:
    return {unit.unit_id: unit.scores[name] for unit in run.results.units if name in unit.scores}


def values(run: rt.Run, name: str = NAME) -> dict[str, float | None]:
    return {unit_id: score.value for unit_id, score in outcomes(run, name).items()}


BOTH = f'[metrics]\ninclude = ["{NAME}", "{ADJACENT}"]\n'


def test_each_document_has_the_value_that_its_angles_give(tmp_path: Path) -> None:
    run = run_of(project(tmp_path, metrics=BOTH))
    for name, expected in ((NAME, EVERY), (ADJACENT, NEXT)):
        row = run.results.row(name)
        assert row is not None
        assert (row.population, row.scored, row.undefined, row.failed) == ("documents", 3, 1, 0)
        assert row.value == pytest.approx(sum(expected.values()) / 3, abs=1e-7)
        assert row.interval is not None
        assert row.interval[0] <= row.value <= row.interval[1]
        assert values(run, name) == {**{k: pytest.approx(v, abs=1e-7) for k, v in expected.items()}, "short": None}
    assert "no pair of sentences" in (outcomes(run)["short"].reason or "")
    assert outcomes(run)["fees"].support == 10


def test_values_equal_numpy_on_random_vectors(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    texts = {
        f"d{n}": (
            "en",
            " | ".join(
                " ".join(f"Fee {n} {c} {s}. @{rng.integers(360)}" for s in range(rng.integers(1, 5))) for c in range(3)
            ),
        )
        for n in range(20)
    }
    run = run_of(project(tmp_path, texts=texts))
    for name, value in values(run).items():
        chunks = [np.radians([d for _, d in chunk]) for chunk in sentences_of(texts[name][1])]
        within = [np.cos(c[i] - c[j]) for c in chunks for i in range(len(c)) for j in range(i)]
        across = [np.cos(a - b) for one, two in itertools.pairwise(chunks) for a in one for b in two]
        if within:
            assert value == pytest.approx(np.mean(within) - np.mean(across), abs=1e-6)
        else:
            assert value is None


def test_rows_are_sliced_by_what_the_corpus_says_of_documents(tmp_path: Path) -> None:
    run = run_of(project(tmp_path))
    for language, names in (("en", ("cards", "fees")), ("de", ("loans",))):
        row = run.results.row(NAME, where={"language": language})
        assert row is not None
        assert row.value == pytest.approx(sum(EVERY[name] for name in names) / len(names), abs=1e-7)


@pytest.mark.parametrize(
    ("rule", "verdict"),
    [
        (f'metric = "{NAME}"\nmin = 0.1', "pass"),
        (f'metric = "{NAME}"\nmin = 0.7', "fail"),
        (f'metric = "{NAME}"\nmin = 0.6\nslice = {{language = "de"}}', "pass"),
        (f'metric = "{NAME}"\nmin = 0.55\nslice = {{language = "en"}}', "pass"),
        (f'metric = "{ADJACENT}"\nmin = 0.6', "fail"),
        (f'metric = "{NAME}"\nmin = 0.4\ncritical = true', "fail"),  # cards alone lie below it
        (f'metric = "{NAME}"\nmin = 0.1\nslice = {{language = "uk"}}', "undecidable"),
        (f'metric = "{NAME}"\nmax_drop = 0.1', "undecidable"),
    ],
)
def test_a_gate_holds_it(tmp_path: Path, rule: str, verdict: str) -> None:
    run = run_of(project(tmp_path, f"[[gate]]\n{rule}\n"))
    assert run.results.gate is not None
    assert run.results.gate.rules[0].verdict == verdict, run.results.gate.rules[0].reason


def test_documents_are_paired_with_those_of_a_run_that_was_cut_elsewhere(tmp_path: Path) -> None:
    base = run_of(project(tmp_path / "one"), gate=False)
    worse = {**TEXTS, "fees": ("en", TEXTS["fees"][1].replace(" | ", " ").replace("Cash", "| Cash"))}
    rule = f'[[gate]]\nmetric = "{NAME}"\nmax_drop = 0.01\n[run]\ncluster = "none"\n'
    after = run_of(project(tmp_path / "two", rule, texts=worse), baseline=base.folder)
    assert after.report().compared is not None
    row = next(row for row in after.report().compared.runs.rows if row.metric == NAME and not row.slice)
    assert (row.pairs, row.regressed) == (3, ("fees",))
    assert after.results.gate is not None
    assert after.results.gate.rules[0].scored == 3


def test_every_file_and_page_shows_it(tmp_path: Path) -> None:
    run = run_of(project(tmp_path))
    rows = [row for row in read_parquet(run.folder / "scores.parquet") if row["metric"] == NAME]
    assert {row["unit_id"]: row["value"] for row in rows} == values(run)
    loaded = rt.Run.load(run.folder)
    assert loaded.report().units == run.report().units
    assert [line[0] for line in loaded.units(NAME).rows][:1] == ["cards"]
    for name in ("report.md", "report.html"):
        text = (run.folder / name).read_text(encoding="utf-8")
        assert "cards" in text
        assert "Chunk coherence" in text or "chunk_coherence" in text


def test_every_sentence_is_embedded_once_and_no_vector_stays(tmp_path: Path) -> None:
    config = project(tmp_path)
    run = run_of(config)
    told = Counter(text for texts in asked(config) for text in texts)
    assert set(told.values()) == {1}
    assert told["Rates differ."] == 1  # it stands in two documents
    assert "Nur ein Stück." not in told  # of a document in one chunk nothing can be said
    with RunStore.open(run.folder) as store:
        assert store.vectors(model="system") == {}
        assert set(store.sentences()) == set(TEXTS)
        assert store.plan.bundle["ingest.coherence"] == "system"


def test_a_run_is_scored_again_without_asking_anybody(tmp_path: Path) -> None:
    config = project(tmp_path)
    run = run_of(config)
    before = json.loads((run.folder / "results.json").read_text())
    for name in ("coherent_rag.py", "chunks.jsonl", "asked.jsonl"):
        (tmp_path / name).unlink()
    again = json.loads((rescore(run.folder).folder / "results.json").read_text())
    assert again["units"] == before["units"]
    assert again["metrics"] == before["metrics"]


def test_without_the_key_it_is_left_out_and_nothing_is_embedded(tmp_path: Path) -> None:
    config = project(tmp_path, ingest="")
    run = run_of(config)
    assert run.results.row(NAME) is None
    assert "[ingest] coherence" in run.results.left_out[NAME]
    assert asked(config) == []
    off = project(tmp_path / "off", metrics='[metrics]\ninclude = ["retrieval.recall@1"]\n')
    run_of(off)
    assert asked(off) == []


NO_EMBEDDER = SYSTEM.replace("def embed", "def not_offered")


@pytest.mark.parametrize("system", [NO_EMBEDDER, None], ids=["python", "traces"])
def test_where_nobody_embeds_the_reason_says_both_ways(tmp_path: Path, system: str | None) -> None:
    run = run_of(project(tmp_path, system=system))
    assert run.results.row(NAME) is None
    for way in ("embed(texts) beside chunks()", "[judge] embedding = 'openai/NAME'"):
        assert way in run.results.left_out[NAME]
        assert way in rescore(run.folder).results.left_out[NAME]


@pytest.mark.parametrize(
    "settings",
    [{"metrics": f'[metrics]\ninclude = ["{NAME}"]\n'}, {"settings": f'[[gate]]\nmetric = "{NAME}"\nmin = 0.1\n'}],
    ids=["by name", "by the gate"],
)
def test_asked_for_where_nobody_embeds_it_is_refused_before_a_question(
    tmp_path: Path, settings: dict[str, str]
) -> None:
    system = NO_EMBEDDER.replace('return "one euro"', "(HERE / 'asked').write_text('x')")
    config = project(tmp_path, system=system, **settings)
    with pytest.raises(
        BadInput, match=r"ingest.chunk_coherence cannot run: nothing turns sentences.*\[judge\] embedding"
    ):
        run_of(config)
    assert not (tmp_path / "asked").exists()
    assert not (tmp_path / "run" / "run.sqlite").exists()


def test_without_chunks_or_corpus_nothing_is_embedded(tmp_path: Path) -> None:
    config = project(tmp_path)
    config.write_text(config.read_text().replace('chunks = "chunks.jsonl"\n', ""))
    run = run_of(config)
    assert "does not list its chunks" in run.results.left_out[NAME]
    assert asked(config) == []


def test_a_system_may_embed_in_a_coroutine_and_list_its_chunks_itself(tmp_path: Path) -> None:
    system = SYSTEM.replace("def embed", "async def embed") + (
        '\ndef chunks():\n    return map(json.loads, (HERE / "chunks.jsonl").read_text().splitlines())\n'
    )
    config = project(tmp_path, system=system)
    config.write_text(config.read_text().replace('chunks = "chunks.jsonl"\n', ""))
    assert {k: v for k, v in values(run_of(config)).items() if v is not None} == pytest.approx(EVERY, abs=1e-7)


# --- what goes wrong


class StopsAfter(Silent):
    """Interrupts after so many sentences."""

    def __init__(self, count: int) -> None:
        self.count = count

    def advance(self, *, failed: bool) -> None:
        del failed
        self.count -= 1
        if not self.count:
            raise Interrupted("interrupted")


def many(count: int = 40) -> dict[str, tuple[str, str]]:
    """Documents of five sentences of their own, and one that all have."""
    return {
        f"d{n:02}": ("en", f"Fee {n} a. @{n} Fee {n} b. @{2 * n} All pay. @7 | Fee {n} c. @{3 * n} Fee {n} d. @90")
        for n in range(count)
    }


def test_a_run_that_was_stopped_embeds_no_sentence_again_and_has_equal_numbers(tmp_path: Path) -> None:
    whole = run_of(project(tmp_path / "whole", texts=many()), gate=False)
    config = project(tmp_path / "parts", texts=many())
    with pytest.raises(Interrupted, match="--resume"):
        run_of(config, embedding_progress=StopsAfter(64))
    first = [text for texts in asked(config) for text in texts]
    assert len(first) == 64
    with RunStore.open(tmp_path / "parts" / "run") as store:
        assert 0 < len(store.vectors(model="system")) < 6  # one document is cut short, and one sentence is everybody's
        assert len(store.sentences()) == 15
    halfway = rescore(tmp_path / "parts" / "run")
    row = halfway.results.row(NAME)
    assert row is not None
    assert (row.scored, row.failed) == (15, 25)
    assert "stopped before" in (outcomes(halfway)["d30"].reason or "")
    with pytest.raises(Interrupted):
        run_of(config, resume=tmp_path / "parts" / "run", embedding_progress=StopsAfter(65))
    run = run_of(config, resume=tmp_path / "parts" / "run")
    told = Counter(text for texts in asked(config) for text in texts)
    assert set(told.values()) == {1}
    assert len(told) == 161
    assert values(run) == values(whole)
    with RunStore.open(tmp_path / "parts" / "run") as store:
        assert store.vectors(model="system") == {}


def test_a_sentence_that_the_embedder_refuses_costs_its_documents_alone(tmp_path: Path) -> None:
    config = project(tmp_path, texts=many())
    (tmp_path / "poison.json").write_text('["Fee 3 c."]')
    run = run_of(config, gate=False)
    row = run.results.row(NAME)
    assert row is not None
    assert (row.scored, row.failed) == (39, 1)
    reason = outcomes(run)["d03"].reason or ""
    assert "ValueError" in reason
    assert "too long for the model (coherent_rag.py:" in reason
    before = Counter(text for texts in asked(config) for text in texts)
    (tmp_path / "poison.json").write_text("[]")
    again = run_of(config, resume=run.folder, gate=False)
    row = again.results.row(NAME)
    assert row is not None
    assert (row.scored, row.failed) == (40, 0)
    later = Counter(text for texts in asked(config) for text in texts) - before
    assert later["Fee 3 c."] == 1
    assert set(later) <= {"Fee 3 c.", "Fee 3 d."}, "only what the document still lacked"
    assert values(again) == values(run_of(project(tmp_path / "whole", texts=many()), gate=False))


def test_an_embedder_that_never_works_is_given_up_and_everything_counts_as_failed(tmp_path: Path) -> None:
    texts = {f"d{n}": ("en", f"Fee {n} a. @1 Fee {n} b. @2 | Fee {n} c. @3") for n in range(200)}
    config = project(tmp_path, texts=texts, system=SYSTEM.replace("poison = ", "poison = texts or "))
    run = run_of(config)
    row = run.results.row(NAME)
    assert row is not None
    assert (row.value, row.scored, row.failed) == (None, 0, 200)
    assert len(asked(config)) == 32
    assert any("was not asked any more" in (score.reason or "") for score in outcomes(run).values())
    assert run.results.row("retrieval.recall@1") is not None


@pytest.mark.parametrize(
    ("returns", "told"),
    [
        ("[[1.0, 0.0]]", "a vector for each of"),
        ("[[float('nan'), 1.0]] * len(texts)", "of finite numbers. Got others"),
        ("[[1.0] * (1 + len(texts) % 2)] * len(texts)", "all must be of one length"),
    ],
)
def test_vectors_that_are_none_are_failures_that_say_so(tmp_path: Path, returns: str, told: str) -> None:
    system = SYSTEM.replace("return [[math.cos", f"return {returns}\n    return [[math.cos")
    run = run_of(project(tmp_path, system=system, texts=many()))
    row = run.results.row(NAME)
    assert row is not None
    assert row.failed
    assert any(told in (score.reason or "") for score in outcomes(run).values())


def test_vectors_without_direction_are_in_no_pair(tmp_path: Path) -> None:
    system = SYSTEM.replace("return [[math.cos", "return [[0.0, 0.0]] * len(texts)\n    return [[math.cos")
    run = run_of(project(tmp_path, system=system))
    assert "no pair of sentences stands within a chunk" in run.results.left_out[NAME]


def test_chunks_that_stand_nowhere_are_told_all_at_once_and_nothing_is_written(tmp_path: Path) -> None:
    config = project(tmp_path)
    with (tmp_path / "chunks.jsonl").open("a") as chunks:
        chunks.write('{"doc_id": "fees", "text": "No such text."}\n{"doc_id": "cash", "text": "Cash."}\n')
    with pytest.raises(BadInput) as told:
        run_of(config)
    assert "chunk 3 of 'fees' stands nowhere" in str(told.value)
    assert "'cash', which does not exist" in str(told.value)
    assert not (tmp_path / "run" / "run.sqlite").exists()


def test_a_run_of_before_has_no_table_of_sentences_and_opens(tmp_path: Path) -> None:
    run = run_of(project(tmp_path, ingest="", metrics='[metrics]\ninclude = ["retrieval.recall@1", "ingest.*"]\n'))
    with sqlite3.connect(run.folder / "run.sqlite") as file:
        file.execute("DROP TABLE sentences")
    file.close()
    again = rescore(run.folder)
    assert again.results.metrics == run.results.metrics
    with RunStore.open(run.folder, writable=True) as store:
        assert store.sentences() == {}
        store.add_sentences({"d": "{}"}, model="m", needed={"t": "b"}, spent=["u"])
        assert store.sentences() == {"d": "{}"}
        assert store.vectors(model="m") == {"t": "b"}
        store.add_sentences({}, model="m", needed={}, spent=["t"])
        assert store.vectors(model="m") == {}


def test_a_changed_row_of_sentences_is_damage(tmp_path: Path) -> None:
    run = run_of(project(tmp_path))
    with sqlite3.connect(run.folder / "run.sqlite") as file:
        file.execute("UPDATE sentences SET body = replace(body, '1', '2')")
    file.close()
    with pytest.raises(StorageFailed, match="damaged"):
        rescore(run.folder)


# --- the judge's model

MODEL = 'embedding = "openai/vectors"\nembedding_usd_per_million = 0.5\n'


def vector(text: str) -> tuple[float, float]:
    """What the fake model makes of a text."""
    return float(len(text)), 1.0 + text.count("a")


def expected(texts: dict[str, tuple[str, str]], name: str) -> float:
    chunks = [[vector(text) for text, _ in chunk] for chunk in sentences_of(texts[name][1])]

    def cos(a: tuple[float, float], b: tuple[float, float]) -> float:
        return (a[0] * b[0] + a[1] * b[1]) / (math.hypot(*a) * math.hypot(*b))

    within = [cos(a, b) for chunk in chunks for n, a in enumerate(chunk) for b in chunk[:n]]
    across = [cos(a, b) for a in chunks[0] for b in chunks[1]]
    return sum(within) / len(within) - sum(across) / len(across)


def judged(folder: Path, address: str, more: str = "", **rest: Any) -> Path:
    return project(folder, f'[judge]\nbase_url = "{address}"\n{MODEL}{more}', **{"system": None, **rest})


@pytest.mark.parametrize("system", [None, NO_EMBEDDER], ids=["traces", "python"])
def test_the_embedding_model_of_the_judge_embeds_where_the_system_does_not(tmp_path: Path, system: str | None) -> None:
    bill = Bill()
    with serving(FakeJudge(), bill=bill) as (address, bodies):
        config = judged(tmp_path, address, system=system, texts=many())
        told = preview(config, output=tmp_path / "run").judging
        assert bodies == []
        run = run_of(config)
    sent = Counter(text for body in bodies for text in body["input"])
    assert set(sent.values()) == {1}
    assert len(sent) == 161
    assert {body["model"] for body in bodies} == {"vectors"}
    assert max(len(body["input"]) for body in bodies) == 64
    assert values(run) == {name: pytest.approx(expected(many(), name), abs=1e-6) for name in many()}
    with RunStore.open(run.folder) as store:
        paid = sum(call.cost_usd or 0 for call in store.judge_calls().values())
        assert store.plan.bundle["ingest.coherence"] == f"openai/vectors at {address}"
        assert store.vectors(model=store.plan.bundle["ingest.coherence"]) == {}
    assert paid == pytest.approx(bill.usd, abs=1e-12)
    assert told is not None
    estimate = told.models["openai/vectors"]
    assert estimate.calls == len(bodies) == 3
    tokens = sum(guess_tokens(text) for text in sent)
    assert estimate.cost_usd == pytest.approx(tokens * 0.5e-6, abs=0.5e-6)
    assert any("161 sentences of the corpus become vectors" in note for note in told.assumed)
    assert any("the system was not loaded" in note for note in told.assumed) == (system is not None)


def test_the_system_comes_before_the_model(tmp_path: Path) -> None:
    with serving(FakeJudge()) as (address, bodies):
        config = judged(tmp_path, address, system=SYSTEM)
        run = run_of(config)
        assert bodies == []
        later = preview(config, resume=run.folder)
    assert {k: v for k, v in values(run).items() if v is not None} == pytest.approx(EVERY, abs=1e-7)
    assert later.judging is None


def test_a_budget_stops_the_embedding_and_a_larger_one_goes_on_without_paying_twice(tmp_path: Path) -> None:
    bill = Bill()
    with serving(FakeJudge(), bill=bill) as (address, bodies):
        config = judged(tmp_path, address, "max_cost_usd = 0.0008\nconcurrency = 1\n", texts=many(100))
        with pytest.raises(BudgetReached):
            run_of(config)
        assert 0 < bill.usd <= 0.0008
        left = preview(config, resume=tmp_path / "run").judging
        assert left is not None
        assert left.calls == 7 - len(bodies)
        run = run_of(config, resume=tmp_path / "run", max_cost_usd=1.0)
    sent = Counter(text for body in bodies for text in body["input"])
    assert set(sent.values()) == {1}
    assert values(run) == {name: pytest.approx(expected(many(100), name), abs=1e-6) for name in many(100)}
    with RunStore.open(run.folder) as store:
        assert sum(call.cost_usd or 0 for call in store.judge_calls().values()) == pytest.approx(bill.usd, abs=1e-12)


def test_a_run_is_not_continued_in_the_space_of_another_model(tmp_path: Path) -> None:
    with serving(FakeJudge()) as (address, bodies):
        config = judged(tmp_path, address, texts=many())
        with pytest.raises(Interrupted):
            run_of(config, embedding_progress=StopsAfter(64))
        before = len(bodies)
        config.write_text(config.read_text().replace("openai/vectors", "openai/others"))
        with pytest.raises(PlanChanged, match=r"ingest.coherence: openai/vectors at .* -> openai/others at"):
            run_of(config, resume=tmp_path / "run")
        assert len(bodies) == before


def test_a_judge_that_judges_pays_from_the_same_budget(tmp_path: Path) -> None:
    judge = (
        'model = "openai/fake"\ninput_usd_per_million = 1.0\noutput_usd_per_million = 10.0\ncache = ""\n'
        "max_cost_usd = 1.0\n"
    )
    metrics = '[metrics]\ninclude = ["ingest.chunk_coherence", "generation.faithfulness"]\n'
    bill = Bill(embedding_usd=100.0)
    with serving(FakeJudge(), bill=bill) as (address, bodies):
        config = judged(tmp_path, address, judge, metrics=metrics, texts=many(200))
        config.write_text(config.read_text().replace("_per_million = 0.5", "_per_million = 100.0"))
        told = preview(config, output=tmp_path / "run").judging
        with pytest.raises(BudgetReached):
            run_of(config, max_cost_usd=0.045)  # room for the judge, and for nothing beside
        assert 0 < bill.usd <= 0.045
        run = run_of(config, resume=tmp_path / "run")
    assert told is not None
    assert set(told.models) == {"openai/fake", "openai/vectors"}
    assert told.models["openai/vectors"].calls == sum("input" in body for body in bodies)
    row = run.results.row(NAME)
    assert row is not None
    assert row.scored == 200


def test_the_dry_run_says_what_the_vectors_would_cost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    config = judged(tmp_path, "http://127.0.0.1:9/v1", texts=many())
    monkeypatch.setattr(sys, "argv", ["ragtriage", "eval", "-c", str(config), "-o", str(tmp_path / "run"), "--dry-run"])
    with pytest.raises(SystemExit):
        main()
    told = capsys.readouterr().out
    assert "judging by openai/vectors: 3 calls" in told
    assert "161 sentences of the corpus become vectors by openai/vectors, in 3 calls" in told
    assert not (tmp_path / "run").exists()


# --- what the doctor sees without building or asking

BUILT = """
class System:
    @property
    def embed(self):
        raise SystemExit("built by the doctor")
    def __call__(self, question):
        raise SystemExit("asked by the doctor")

answer = System()

def build(**factors):
    raise SystemExit("built by the doctor")
"""


@pytest.mark.parametrize(
    ("system", "settings", "status", "told"),
    [
        (SYSTEM, "", "ok", "the system's own embed()"),
        (BUILT, "", "ok", "the system's own embed()"),
        (NO_EMBEDDER, "", "note", "nothing turns sentences into vectors; offer embed(texts)"),
        (None, "", "note", "name a model with [judge] embedding"),
        (None, f"[judge]\n{MODEL}", "ok", "openai/vectors (not asked)"),
        (NO_EMBEDDER, f"[judge]\n{MODEL}", "ok", "openai/vectors (not asked)"),
        ("build", "", "note", "only the built system tells"),
        ("build", f"[judge]\n{MODEL}", "ok", "unless the system offers embed() once it is built"),
    ],
)
def test_the_doctor_says_who_would_embed(
    tmp_path: Path, system: str | None, settings: str, status: str, told: str
) -> None:
    config = project(tmp_path, settings, system=BUILT if system == "build" else system)
    if system == "build":
        config.write_text(config.read_text().replace('rag:answer"', 'rag:build"\nfactors = {size = 1}'))
    found = examine(config, terminal=PIPE, environment={}).checks
    (check,) = [one for one in found if one.name == "coherence"]
    assert (check.state, told in check.found) == (status, True), check.found
    (chunks,) = [one for one in found if one.name == "chunks"]
    assert "7 chunks in chunks.jsonl" in chunks.found


def test_the_doctor_tells_of_chunks_that_stand_nowhere_and_of_a_missing_client(tmp_path: Path) -> None:
    config = project(tmp_path, f"[judge]\n{MODEL}", system=None)
    (tmp_path / "chunks.jsonl").write_text('{"doc_id": "fees", "text": "No such text."}\n')
    whole = installation()
    packages = tuple(replace(p, installed=None) if p.name == "aiohttp" else p for p in whole.packages)
    found = examine(config, terminal=PIPE, environment={}, here=replace(whole, packages=packages)).checks
    faults = {one.name: " ".join((one.found, *one.details)) for one in found if one.state == "fault"}
    assert "chunk 1 of 'fees' stands nowhere" in faults["chunks"]
    assert "openai/vectors" in faults["coherence"]


def test_without_the_key_the_doctor_says_nothing_of_it(tmp_path: Path) -> None:
    found = examine(project(tmp_path, ingest=""), terminal=PIPE, environment={}).checks
    assert "coherence" not in {one.name for one in found}
