"""Hold claims against contexts, pair by pair: what any judge says of each, in the order of the file."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ragtriage.core.errors import BadInput
from ragtriage.core.files import read_records
from ragtriage.core.records import Record
from ragtriage.core.verdicts import JudgeCall
from ragtriage.judges.evidence import Finding
from ragtriage.workflows.judge_opening import JudgeNamed, named_judge

__all__ = ["Pair", "Verified", "as_line", "read_pairs", "verify_pairs"]


class Pair(Record):
    """A claim, or a text of several sentences, and the context that it is held against."""

    id: str | int
    claim: str
    context: str


@dataclass(frozen=True, slots=True)
class Verified:
    """One pair's finding; `failed` where the judge gave no verdict, and there is none."""

    id: str | int
    finding: Finding | None
    failed: str | None = None


def read_pairs(path: Path) -> list[Pair]:
    """Read the pairs; raises BadInput with every fault of the file."""
    return read_records(path, Pair)


def verify_pairs(pairs: list[Pair], *, judge: str = "lexical", config: Path | None = None) -> Iterator[Verified]:
    """Yield what a judge says of each pair, in order.

    `judge`: `lexical`, or the name of a model; its endpoint is that of `config`. Raises BadInput, JudgeUnavailable.
    """
    named = named_judge(judge, config=config)
    if named is None:
        from ragtriage.judges.lexical import verify  # noqa: PLC0415 - loads its rules only where it judges

        for pair in pairs:
            yield Verified(pair.id, verify(pair.claim, pair.context))
    else:
        yield from asyncio.run(_by_model(pairs, named))


async def _by_model(pairs: list[Pair], named: JudgeNamed) -> list[Verified]:
    from ragtriage.judges.calling import Asker, AskFailed  # noqa: PLC0415
    from ragtriage.judges.verifying import verify_by_model  # noqa: PLC0415

    async def forget(call: JudgeCall) -> None:
        del call

    opened = named.open()
    asker = Asker(opened.model, named.seed, forget)
    places = asyncio.Semaphore(named.concurrency)

    async def one(pair: Pair) -> Verified:
        async with places:
            try:
                return Verified(pair.id, await verify_by_model(asker, pair.claim, pair.context))
            except AskFailed as error:
                return Verified(pair.id, None, str(error))

    try:
        return list(await asyncio.gather(*(one(pair) for pair in pairs)))
    finally:
        await opened.close()


def as_line(verified: Verified) -> str:
    """Write one finding as a JSON line; one that failed has no label and no score but says why."""
    if verified.finding is None:
        return json.dumps({"id": verified.id, "failed": verified.failed}, ensure_ascii=False)
    finding = verified.finding
    if not 0 <= finding.score <= 1:
        raise BadInput(f"the score of {verified.id!r} lies outside [0, 1]")
    line = {
        "id": verified.id,
        "label": finding.label,
        "score": round(finding.score, 6),
        "evidence": [{"start": span.start, "end": span.end} for span in finding.spans],
    }
    return json.dumps(line, ensure_ascii=False)
