"""A coroutine is waited for from a script and from inside a running loop."""

from __future__ import annotations

import asyncio

import pytest

from ragtriage.workflows.awaiting import finished


async def answer() -> int:
    await asyncio.sleep(0)
    return 42


async def fails() -> int:
    raise KeyError("x")


def test_a_script_and_a_notebook_get_the_result() -> None:
    async def notebook() -> int:
        return finished(answer)

    assert finished(answer) == asyncio.run(notebook()) == 42


def test_what_it_raises_comes_out_of_both() -> None:
    async def notebook() -> int:
        return finished(fails)

    with pytest.raises(KeyError):
        finished(fails)
    with pytest.raises(KeyError):
        asyncio.run(notebook())
