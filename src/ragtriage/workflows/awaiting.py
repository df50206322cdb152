"""Wait for a coroutine from code that is none, in a script and in a notebook alike."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

__all__ = ["finished"]

T = TypeVar("T")


def finished(make: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run what `make` returns to its end and return its result.

    Where a loop runs already, as in a notebook, it runs in a thread with a loop of its own. An interruption cancels it
    either way and waits until it has cleaned up.

    >>> async def one(): return 1
    >>> finished(one)
    1
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(make())
    begun: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[Any]]] = []

    async def watched() -> T:
        task = asyncio.current_task()
        if task is not None:
            begun.append((asyncio.get_running_loop(), task))
        return await make()

    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(asyncio.run, watched())
        try:
            return running.result()
        finally:
            if not running.done() and begun:
                loop, task = begun[0]
                loop.call_soon_threadsafe(task.cancel)
