"""Python callables of every kind as the system under test."""

from __future__ import annotations

import asyncio
import functools
import gc
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragtriage.core.clock import SystemClock
from ragtriage.core.errors import BadInput, SystemUnavailable
from ragtriage.core.records import Answer, Principal, Trace
from ragtriage.core.system import Override, Question
from ragtriage.runs.asking import AskFailed, read_reply
from ragtriage.runs.systems.python import PythonSystem, load_python, wrap_callable

QUESTION = Question("how many moons?", "c1", Principal(tenant="t", roles=("staff",)))
NOW = datetime(2026, 1, 1, tzinfo=UTC)


def ask(answer: Callable[..., Any], *, timeout_s: float = 5.0, override: Override | None = None) -> Trace:
    async def once() -> Trace:
        system = PythonSystem(answer, SystemClock(), timeout_s)
        try:
            reply = await system.ask(QUESTION, override=override)
        finally:
            await system.close()
        return read_reply(reply, QUESTION, repeat=0, asked_at=NOW)

    return asyncio.run(once())


def text_of(trace: Trace) -> str | None:
    return trace.answer.text if trace.answer else None


def test_a_text_is_the_answer_and_what_we_know_ourselves_is_filled_in() -> None:
    trace = ask(lambda question: f"two, {question.text}")
    assert text_of(trace) == "two, how many moons?"
    assert (trace.case_id, trace.question, trace.asked_at) == ("c1", "how many moons?", NOW)
    assert trace.principal == QUESTION.principal
    assert trace.rankings is None
    assert [timing.stage for timing in trace.timings or ()] == ["total"]


def test_a_dictionary_has_the_field_names_of_a_trace() -> None:
    trace = ask(lambda _: {"answer": "two", "context": [{"id": "d#1", "text": "Mars has two moons."}]})
    assert text_of(trace) == "two"
    assert trace.context is not None
    assert trace.context[0].id == "d#1"


def test_a_trace_is_taken_as_it_is_and_keeps_its_own_timings() -> None:
    def answer(question: Question) -> Trace:
        return Trace(
            trace_id="mine",
            question=question.text,
            answer=Answer(text="two"),
            timings=({"stage": "total", "start_ms": 0.0, "duration_ms": 7.0},),  # type: ignore[arg-type]
        )

    trace = ask(answer)
    assert trace.trace_id == "mine"
    assert [(t.stage, t.duration_ms) for t in trace.timings or ()] == [("total", 7.0)]


async def coroutine(question: Question) -> str:
    await asyncio.sleep(0)
    return question.case_id


async def pieces_async(question: Question) -> AsyncIterator[str]:
    yield question.case_id
    await asyncio.sleep(0)
    yield "!"


def pieces(question: Question) -> Iterator[str]:
    yield ""
    time.sleep(0.02)
    yield question.case_id
    yield "!"


class Answerer:
    async def __call__(self, question: Question) -> str:
        return question.case_id


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (coroutine, "c1"),
        (functools.partial(coroutine), "c1"),
        (lambda question: asyncio.sleep(0, question.case_id), "c1"),
        (Answerer(), "c1"),
        (pieces, "c1!"),
        (pieces_async, "c1!"),
    ],
)
def test_coroutines_and_generators_answer_too(answer: Callable[..., Any], expected: str) -> None:
    assert text_of(ask(answer)) == expected


def test_the_first_token_is_the_first_piece_that_is_not_empty() -> None:
    trace = ask(pieces)
    assert trace.first_token_ms is not None
    assert trace.first_token_ms >= 20
    assert ask(coroutine).first_token_ms is None


def test_a_generator_may_bring_the_rest_of_the_trace_beside_its_text() -> None:
    def answer(_: Question) -> Iterator[object]:
        yield "two"
        yield " moons"
        yield {"models": {"generator": "g1"}}

    trace = ask(answer)
    assert text_of(trace) == "two moons"
    assert trace.models == {"generator": "g1"}


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (None, "must be a str, a dict with the fields of a trace, or a Trace. Got NoneType"),
        (7, "Got int"),
        ({"answr": "two"}, "'answr' is no known field. Did you mean 'answer'?"),
        ({"answer": {"text": 3}}, "'answer.text' should be a valid string. Got 3 instead"),
        ({"case_id": "c2", "answer": "two"}, "belongs to another question: its 'case_id' is 'c2'"),
        ({"question": "other", "answer": "two"}, "belongs to another question"),
        ({"answer": {"text": "two", "confidence": float("nan")}}, "confidence"),
        ({"answer": {"text": "two"}, "metadata": {"x": object()}}, "not JSON serializable"),
        ({"timings": "soon"}, "'timings'"),
        ("broken \ud800", ""),
        (Trace(trace_id="t", question="q").model_copy(update={"question": QUESTION.text, "rewrites": 7}), "rewrites"),
    ],
)
def test_a_reply_that_is_no_valid_trace_fails_in_the_words_of_the_validation(reply: object, words: str) -> None:
    with pytest.raises(AskFailed) as failed:
        ask(lambda _: reply)
    assert failed.value.kind == "InvalidReply"
    assert words in failed.value.message


def test_what_the_system_raises_comes_out_as_it_is() -> None:
    def answer(_: Question) -> str:
        raise KeyError("index")

    with pytest.raises(KeyError, match="index"):
        ask(answer)


@pytest.mark.parametrize("error", [SystemExit(3), StopIteration(), KeyboardInterrupt()])
def test_an_exit_in_the_system_is_a_failure_of_its_case_and_ends_nothing(error: BaseException) -> None:
    def answer(_: Question) -> str:
        raise error

    with pytest.raises(AskFailed, match=type(error).__name__):
        ask(answer)


def test_a_system_that_cancels_itself_fails_its_case() -> None:
    async def answer(_: Question) -> str:
        raise asyncio.CancelledError

    with pytest.raises(AskFailed, match="CancelledError"):
        ask(answer)


async def stubborn(_: Question) -> str:
    for _ in range(50):
        try:
            await asyncio.sleep(0.05)
        except asyncio.CancelledError:
            continue
    return "late"


async def blocking(_: Question) -> str:
    time.sleep(1.5)  # noqa: ASYNC251 - a coroutine that blocks is what is tested
    return "late"


def slow(_: Question) -> str:
    time.sleep(1.5)
    return "late"


@pytest.mark.parametrize("answer", [slow, blocking, stubborn])
def test_a_call_that_does_not_come_back_is_a_time_out(answer: Callable[..., Any]) -> None:
    started = time.monotonic()
    with pytest.raises(AskFailed, match=r"no answer within 0\.2 s") as failed:
        ask(answer, timeout_s=0.2)
    assert failed.value.timed_out
    assert failed.value.duration_ms is not None
    assert failed.value.duration_ms >= 200
    assert time.monotonic() - started < 1.2  # each call blocks for 1.5 s and more


def test_what_a_call_raises_after_its_asker_was_stopped_is_nobodys_news(caplog: pytest.LogCaptureFixture) -> None:
    def answer(_: Question) -> str:
        time.sleep(0.1)
        raise ValueError("late")

    async def stopped() -> None:
        system = PythonSystem(answer, SystemClock(), 5.0)
        asking = asyncio.create_task(system.ask(QUESTION))
        await asyncio.sleep(0.02)
        asking.cancel()
        await asyncio.sleep(0.3)
        await system.close()

    asyncio.run(stopped())
    gc.collect()
    assert caplog.records == []


def test_an_override_is_passed_only_to_a_system_that_takes_it() -> None:
    def takes(_: Question, *, override: Override | None = None) -> str:
        return "default" if override is None else f"query {override.query}"

    assert text_of(ask(takes)) == "default"
    assert text_of(ask(takes, override=Override(query="moons"))) == "query moons"
    system = wrap_callable(takes).system(clock=SystemClock(), timeout_s=1)
    assert system.takes_override
    assert not wrap_callable(pieces).system(clock=SystemClock(), timeout_s=1).takes_override


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Path]:
    """A folder with a system of its own, as it lies beside a configuration."""
    (tmp_path / "own_rag_pipeline.py").write_text(
        "import own_rag_parts\n"
        "def answer(question):\n    return own_rag_parts.SAID\n"
        "def chunks():\n    return [{'chunk_id': 'd#0', 'doc_id': 'd', 'start': 0, 'end': 2, 'text': 'hi'}]\n"
        "def build(corpus, size=1, model_dir='m'):\n"
        "    def answer(question):\n        return f'{corpus}|{size}|{model_dir}'\n"
        "    answer.bundle = {'retriever': 'bm25'}\n"
        "    answer.chunks = lambda: [{'chunk_id': 'x', 'doc_id': 'd', 'start': 0, 'end': 'two', 'text': ''}]\n"
        "    return answer\n"
        "def fails(**factors):\n    raise ValueError('no index')\n"
        "def plain(**factors):\n    return lambda question: sorted(factors)[0]\n"
    )
    (tmp_path / "own_rag_parts.py").write_text("SAID = 'from the folder'\n")
    before = list(sys.path)
    yield tmp_path
    sys.path[:] = before
    for name in ("own_rag_pipeline", "own_rag_parts"):
        sys.modules.pop(name, None)


def test_a_system_is_imported_from_the_folder_of_its_configuration(project: Path) -> None:
    loaded = load_python("own_rag_pipeline:answer", base=project, factors=None)
    assert text_of(ask(loaded.answer)) == "from the folder"
    assert loaded.chunks is not None
    assert [chunk.chunk_id for chunk in loaded.chunks] == ["d#0"]


def test_two_projects_whose_modules_share_a_name_do_not_get_each_others(project: Path, tmp_path: Path) -> None:
    load_python("own_rag_pipeline:answer", base=project, factors=None)
    other = tmp_path / "other"
    other.mkdir()
    (other / "own_rag_pipeline.py").write_text("def answer(question):\n    return 'the other one'\n")
    loaded = load_python("own_rag_pipeline:answer", base=other, factors=None)
    assert text_of(ask(loaded.answer)) == "the other one"


def test_factors_build_the_system_and_their_paths_start_at_the_configuration(project: Path) -> None:
    with pytest.raises(BadInput, match=r"item 0: 'end' should be a valid integer"):
        load_python("own_rag_pipeline:build", base=project, factors={"corpus": "corpus"})
    loaded = load_python("own_rag_pipeline:plain", base=project, factors={})
    assert loaded.bundle == {}


def test_paths_in_factors_are_made_whole(project: Path) -> None:
    (project / "own_rag_pipeline.py").write_text(
        "def build(**f):\n    return lambda q: '|'.join(map(str, f.values()))\n"
    )
    loaded = load_python(
        "own_rag_pipeline:build", base=project, factors={"corpus": "c", "model_dir": "m", "name": "c", "size": 3}
    )
    assert text_of(ask(loaded.answer)) == f"{project / 'c'}|{project / 'm'}|c|3"


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("no_such_module_here:answer", "ModuleNotFoundError"),
        ("own_rag_pipeline:anser", "Did you mean 'answer'?"),
        ("own_rag_pipeline:fails", r"ValueError: no index \(own_rag_pipeline.py:13\)"),
    ],
)
def test_a_system_that_cannot_be_loaded_says_why(project: Path, target: str, words: str) -> None:
    with pytest.raises(SystemUnavailable, match=words) as failed:
        load_python(target, base=project, factors={} if "fails" in target else None)
    assert failed.value.exit_code == 5


def test_what_is_no_callable_is_no_system(project: Path) -> None:
    (project / "own_rag_parts.py").write_text("SAID = 'x'\n")
    with pytest.raises(SystemUnavailable, match="is no callable"):
        load_python("own_rag_parts:SAID", base=project, factors=None)


class Embedding:
    """A system with an embedder of its own."""

    def __init__(self, embed: Callable[[list[str]], Any]) -> None:
        self.embed = embed

    def __call__(self, question: Question) -> str:
        return question.case_id


def embedded(embed: Callable[[list[str]], Any], *texts: str, timeout_s: float = 5.0) -> Any:
    async def once() -> Any:
        system = wrap_callable(Embedding(embed)).system(clock=SystemClock(), timeout_s=timeout_s)
        try:
            return await system.embed(texts)
        finally:
            await system.close()

    return asyncio.run(once())


async def lengths(texts: list[str]) -> list[list[float]]:
    await asyncio.sleep(0)
    return [[len(text), 1.0] for text in texts]


@pytest.mark.parametrize(
    "embed",
    [
        lengths,
        lambda texts: [(len(text), 1) for text in texts],
        lambda texts: np.array([[len(text), 1] for text in texts]),
        lambda texts: ([len(text), 1.0] for text in texts),
        functools.partial(lengths),
    ],
)
def test_vectors_come_as_a_table_whatever_the_system_returns(embed: Callable[[list[str]], Any]) -> None:
    rows = embedded(embed, "a", "bcd")
    assert rows.dtype == np.float32
    assert rows.tolist() == [[1.0, 1.0], [3.0, 1.0]]


@pytest.mark.parametrize(
    ("embed", "kind", "told"),
    [
        (lambda _: [[1.0]], "InvalidReply", r"a vector for each of 2 texts.*Got shape \(1, 1\)"),
        (lambda _: [1.0, 2.0], "InvalidReply", r"Got shape \(2,\)"),
        (lambda _: [[1.0], [1.0, 2.0]], "InvalidReply", "inhomogeneous"),
        (lambda _: [["x"], ["y"]], "InvalidReply", "could not convert"),
        (lambda _: [[float("nan")], [1.0]], "InvalidVector", "of finite numbers. Got others"),
        (lambda _: [[1e300], [1.0]], "InvalidVector", "of finite numbers. Got others"),
        (lambda _: [[], []], "InvalidReply", r"Got shape \(2, 0\)"),
        (lambda _: None, "InvalidReply", "Got: "),
        (lambda _: 1 / 0, "ZeroDivisionError", r"embed\(\): division by zero \(test_python.py:"),
        (lambda _: sys.exit(3), "SystemExit", r"the system called exit\(3\)"),
        (lambda _: next(iter(())), "StopIteration", "test_python.py"),
        (lambda _: time.sleep(30), "TimeoutError", r"no vectors within 0.2 s"),
    ],
)
def test_an_embedder_that_breaks_says_how(embed: Callable[[list[str]], Any], kind: str, told: str) -> None:
    with pytest.raises(AskFailed, match=told) as failed:
        embedded(embed, "a", "b", timeout_s=0.2)
    assert failed.value.kind == kind


def test_an_embedder_is_found_beside_the_chunks_and_shares_the_loop_of_the_answers(tmp_path: Path) -> None:
    (tmp_path / "own_rag_pipeline_2.py").write_text(
        "import asyncio\nlock = asyncio.Lock()\n"
        "async def answer(question):\n    async with lock:\n        await asyncio.sleep(0.01)\n    return 'x'\n"
        "async def embed(texts):\n    async with lock:\n        await asyncio.sleep(0.01)\n"
        "    return [[id(asyncio.get_running_loop()) % 97, 1.0]] * len(texts)\n"
    )
    loaded = load_python("own_rag_pipeline_2:answer", base=tmp_path, factors=None)
    assert loaded.embed is not None
    assert wrap_callable(lambda _: "x").embed is None

    async def both() -> Any:
        system = loaded.system(clock=SystemClock(), timeout_s=5)
        await asyncio.gather(*(system.ask(QUESTION) for _ in range(3)), *(system.embed(["a"]) for _ in range(3)))
        await system.close()
        with pytest.raises(AskFailed, match=r"offers no embed"):
            await wrap_callable(lambda _: "x").system(clock=SystemClock(), timeout_s=5).embed(["a"])

    asyncio.run(both())
