"""What judging costs beside the model, the whole way: stored answer, rubric, call, parser, ledger, stored verdict.

A server of fixed latency runs in a process of its own and judges by words. Every case is one of faithfulness: two
calls, the second with the claims that the first found, against four passages. All replies and verdicts are durable in a
run file on the disk. Prints wall time against the ideal (calls x latency / calls at once) and CPU time a call; with
`--faults 0.1` a tenth of the requests is answered 429, 500, never, or with half of its text, and what is scored is held
against an undisturbed run.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import os
import random
import re
import statistics
import tempfile
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from ragtriage.core.clock import SystemClock
from ragtriage.core.configuration import Configuration
from ragtriage.core.records import Case, Trace
from ragtriage.core.verdicts import Verdicts
from ragtriage.runs.execute import Item, Silent, Stop, execute
from ragtriage.runs.plan import Plan
from ragtriage.runs.secrets import Secrets
from ragtriage.runs.selection import select
from ragtriage.runs.store import RunStore
from ragtriage.runs.systems.traces import RecordedSystem
from ragtriage.workflows.judging import judge_of

CALLS_A_CASE = 2
FILLER = "The tariff applies from the first day of the month to all cards of the branch. " * 12
FAULTS = ("429", "500", "hang", "half")


def said(body: bytes) -> tuple[bytes, bool]:
    """Judge by words; returns the answer and whether it is one about claims against sources."""
    shown = json.loads(json.loads(body)["messages"][1]["content"].split("\n")[1])
    if "ITEMS" not in shown:
        pieces = re.split(r"(?<=[.!?])\s+", shown["TEXT"])
        value: dict[str, Any] = {"items": [{"quote": piece, "claim": piece} for piece in pieces]}
    else:
        value = {"verdicts": [_verdict(item, shown["SOURCES"]) for item in shown["ITEMS"]]}
    return json.dumps(value).encode(), "ITEMS" in shown


def _verdict(item: dict[str, str], sources: list[dict[str, str]]) -> dict[str, Any]:
    words = item["text"].rstrip(".")
    found = [{"source": s["id"], "quote": words, "stance": "supports"} for s in sources if words in s["text"]][:2]
    label = "supported" if found else "not_in_context"
    return {"id": item["id"], "evidence": found, "difference": "", "label": label}


class _Server(asyncio.Protocol):
    """HTTP for one client: answers each whole request a fixed time after its last byte, or spoils it."""

    def __init__(self, latency_s: float, faults: float, chance: random.Random) -> None:
        self._latency_s = latency_s
        self._faults = faults
        self._chance = chance
        self._read = b""

    def connection_made(self, transport: Any) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        at = asyncio.get_running_loop().time() + self._latency_s
        self._read += data
        while True:
            head, found, body = self._read.partition(b"\r\n\r\n")
            if not found:
                return
            length = next(
                int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")
            )
            if len(body) < length:
                return
            self._read = body[length:]
            answer = self._answer(body[:length])
            if answer is not None:
                asyncio.get_running_loop().call_at(at, self._transport.write, answer)

    def _answer(self, body: bytes) -> bytes | None:
        fault = self._chance.choice(FAULTS) if self._chance.random() < self._faults else ""
        if fault == "hang":
            return None
        if fault in {"429", "500"}:
            return f"HTTP/1.1 {fault} No\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{{}}".encode()
        text = said(body)[0].decode()
        message = {"role": "assistant", "content": text[: len(text) // 2] if fault == "half" else text}
        document = {
            "model": "bench",
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": len(body) // 4, "completion_tokens": len(text) // 4, "total_tokens": 0},
        }
        content = json.dumps(document).encode()
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
        return head.encode() + content


def serve(latency_s: float, faults: float, pipe: Connection) -> None:
    """Serve until the process is ended; sends the port first."""

    async def run() -> None:
        chance = random.Random(1)  # noqa: S311 - the same faults every time
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: _Server(latency_s, faults, chance), "127.0.0.1", 0, backlog=512)
        pipe.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(run())


def cases_of(count: int) -> list[Item]:
    """Return answers of three claims over four passages."""
    items = []
    for number in range(count):
        case = Case(case_id=f"c{number}", question=f"What is fee {number}?")
        texts = [f"Rule {number}-{place}. The fee is {number + place} euro. {FILLER}" for place in range(4)]
        context = [{"id": f"d{number}-{place}", "text": text} for place, text in enumerate(texts)]
        answer = f"The fee is {number} euro. It is paid at once. The tariff applies from the first day."
        trace = {"trace_id": f"t{number}", "case_id": case.case_id, "question": case.question, "context": context,
                 "answer": {"text": answer, "abstained": False}}  # fmt: skip
        items.append(Item(case, 0, Trace.model_validate_json(json.dumps(trace))))
    return items


def judged(
    port: int, count: int, at_once: int, *, cache: bool, timeout_s: float
) -> tuple[float, float, dict[str, Any]]:
    """Judge all cases; returns wall seconds, CPU seconds of the whole process and the verdicts by case."""
    items = cases_of(count)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        judge = {"model": "openai/bench", "base_url": f"http://127.0.0.1:{port}/v1", "concurrency": at_once,
                 "cache": "cache.sqlite" if cache else "", "timeout_s": timeout_s}  # fmt: skip
        value = {"golden": {"path": "golden"}, "system": {"traces": "traces"}, "judge": judge}
        settings = Configuration.model_validate(value)
        chosen = select(["generation.faithfulness"], context_size=4, judged=True)
        cases = [item.case for item in items]
        model = judge_of(settings, selection=chosen, cases=cases, base=folder, secrets={})
        plan = Plan(bundle={}, configuration=settings.to_json(), base=name, run_id="bench")
        with RunStore.create(folder / "run", plan, cases, None) as store:
            store.begin(at=SystemClock().now())
            work = execute(
                iter(items),
                system=RecordedSystem("traces"),
                store=store,
                judge=model,
                concurrency=max(64, 2 * at_once),
                clock=SystemClock(),
                secrets=Secrets({}),
                progress=Silent(),
                stop=Stop(),
            )
            wall, cpu = time.perf_counter(), time.process_time()
            asyncio.run(work)
            wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
            return wall, cpu, dict(store.verdicts())


def started(latency_s: float, faults: float) -> tuple[Any, int]:
    """Start a server; returns its process and port."""
    ours, theirs = multiprocessing.Pipe()
    context = multiprocessing.get_context("spawn")
    process = context.Process(target=serve, args=(latency_s, faults, theirs), daemon=True)
    process.start()
    return process, ours.recv()


def disturbed(port: int, asked: argparse.Namespace) -> None:
    """Hold a run with faults against one without."""
    process, spoiled = started(asked.latency_ms / 1000, asked.faults)
    at_once = asked.at_once[0]
    calm: dict[str, Verdicts] = judged(port, asked.cases, at_once, cache=False, timeout_s=12.0)[2]
    wall, cpu, found = judged(spoiled, asked.cases, at_once, cache=False, timeout_s=12.0)
    process.terminate()
    lost = {name for name, one in found.items() if one.failed}
    other = [name for name, one in found.items() if name not in lost and one.claims != calm[name].claims]
    kinds = sorted(failure.kind for one in found.values() for failure in one.failed)
    print(
        f"faults {asked.faults:.0%} of requests ({', '.join(FAULTS)}): {len(found) - len(lost)} of {asked.cases} cases "
        f"scored, {len(lost)} counted as failed {kinds}, {len(other)} scored otherwise than undisturbed; "
        f"wall {wall:.1f} s, CPU {cpu / asked.cases / CALLS_A_CASE * 1000:.2f} ms a call"
    )


def main() -> None:
    """Print one line a number of calls at once, without and with the cache of replies."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--cases", type=int, default=500)
    options.add_argument("--latency-ms", type=float, default=50.0)
    options.add_argument("--at-once", type=int, nargs="+", default=[16, 64])
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--faults", type=float, default=0.0)
    asked = options.parse_args()
    process, port = started(asked.latency_ms / 1000, 0.0)
    judged(port, 50, 16, cache=True, timeout_s=60.0)  # what is loaded once is loaded
    if asked.faults:
        disturbed(port, asked)
        process.terminate()
        return
    print("judged run       at once  wall s  ideal s  ratio (median, range)  CPU ms a call (median, least)  load")
    for at_once in asked.at_once:
        ideal = asked.cases * CALLS_A_CASE * asked.latency_ms / 1000 / at_once
        for cache in (False, True):
            rounds = [judged(port, asked.cases, at_once, cache=cache, timeout_s=60.0) for _ in range(asked.rounds)]
            walls = sorted(wall for wall, _, _ in rounds)
            cpus = sorted(cpu / asked.cases / CALLS_A_CASE * 1000 for _, cpu, _ in rounds)
            span = f"{statistics.median(walls) / ideal:.3f} ({walls[0] / ideal:.3f}-{walls[-1] / ideal:.3f})"
            name = "with the cache" if cache else "without a cache"
            print(
                f"{name:15}  {at_once:7}  {statistics.median(walls):6.2f}  {ideal:7.3f}  {span:21}  "
                f"{statistics.median(cpus):.2f}, {cpus[0]:.2f}  {os.getloadavg()[0]:.1f}"
            )
    process.terminate()


if __name__ == "__main__":
    main()
