"""Rows 6, 17 and 22 for judges: no damaged reply is a verdict, no planted text is one, no key is written down."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tests.fakes.judge import FakeJudge
from tests.fakes.judge_server import serving
from tests.judges.injections import TRUE
from tests.judges.test_asking import ASK, honest, labels, mutated, read
from tests.judges.test_injections import ALL, FALSE, asked
from tests.workflows.test_judging import project

from ragtriage.cli.main import ragtriage_command
from ragtriage.judges.asking import prepare, read_reply
from ragtriage.judges.lexical import verify
from ragtriage.judges.parsing import ReplyRejected
from ragtriage.models.ports import ChatReply

Figure = Callable[[int, str], None]
KEY = "sk-assurance-canary-7f3a91c2"


def test_no_mutation_of_a_reply_becomes_a_verdict_that_nobody_gave(
    times: Callable[[int, int], int], figure: Figure
) -> None:
    chance = random.Random(7)
    prepared = prepare(ASK, seed=1)
    reply = honest(prepared)
    forms = [json.dumps(reply, ensure_ascii=False), f"```json\n{json.dumps(reply, indent=1)}\n```"]
    right, count, unharmed = labels(read(prepared, forms[0])), times(5_000, 100_000), 0
    for _ in range(count):
        text = chance.choice(forms)
        for _ in range(chance.randrange(1, 4)):
            text = mutated(text or " ", chance)
        try:
            found = labels(read(prepared, text))
        except ReplyRejected:
            continue
        unharmed += 1
        assert found == right, text
    figure(6, f"{count:,} mutations of a reply: {unharmed:,} left the verdict as it was, 0 became another")


def test_planted_text_is_never_read_as_a_reply_however_it_is_damaged(
    times: Callable[[int, int], int], figure: Figure
) -> None:
    chance, count = random.Random(8), times(3_000, 100_000)
    prepared = [prepare(asked(one.text, one.language), seed=1) for one in ALL]
    for number in range(count):
        one = number % len(ALL)
        text = ALL[one].text.removeprefix(f"{TRUE[ALL[one].language]} ")
        text = mutated(text, chance) if number >= len(ALL) else text
        try:
            read_reply(prepared[one], ChatReply(text or " ", "stop"))
        except ReplyRejected:
            continue
        raise AssertionError(ALL[one].name, text)
    moved = sum(verify(f"{FALSE}.", one.text).label == "supported" for one in ALL)
    assert moved == 0
    figure(17, f"{count:,} replies made of {len(ALL)} planted texts: parser 0; the lexical judge moved by {moved}")


class Leaking(FakeJudge):
    """Repeats the key that it was asked with in its reply."""

    def _claim_extraction(self, data: Any) -> dict[str, Any]:
        reply = super()._claim_extraction(data)
        reply["items"][0]["claim"] = f"the key is {KEY}"
        return reply


@pytest.mark.parametrize("refusing", [False, True], ids=["answered", "refused"])
def test_the_key_of_a_judge_reaches_no_file_and_no_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, figure: Figure, *, refusing: bool
) -> None:
    monkeypatch.setenv("JUDGE_KEY", KEY)
    error = {"error": {"message": f"Incorrect API key provided: {KEY}"}}
    with serving(Leaking(), instead=(lambda _: (401, error)) if refusing else None) as (address, bodies):
        settings = 'api_key = "env:JUDGE_KEY"\nrecord = "talk.jsonl"\ncache = "cache.sqlite"'
        config = project(tmp_path / "p", address, judge=settings)
        commands = [
            ["eval", "-c", config, "-o", tmp_path / "run", "--limit", "3"],
            ["rescore", tmp_path / "run"],
            ["report", tmp_path / "run", "-o", tmp_path / "report.html"],
            ["judge", "bias", "--judge", "model", "-c", config, "--probe", "position", "--language", "en"],
            ["doctor", "-c", config],
        ]
        said = ""
        for arguments in commands:
            done = CliRunner().invoke(ragtriage_command, [str(a) for a in arguments])
            said += done.output + str(done.exception or "")
            assert refusing or done.exit_code in {0, 1, 3}, done.output
        assert bodies
    assert KEY not in said
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files
    assert [path.name for path in files if KEY.encode() in path.read_bytes()] == []
    how = "refuses" if refusing else "answers"
    figure(22, f"key of a judge whose endpoint {how} and repeats it: 0 of {len(files)} files")
