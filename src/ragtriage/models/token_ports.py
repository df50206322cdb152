"""The port to a late-interaction model: a vector for every token of a text."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

from ragtriage.core.errors import BadInput

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

__all__ = ["CallableTokens", "Kind", "TokenEmbedder"]

Kind: TypeAlias = Literal["query", "passage"]


class TokenEmbedder(Protocol):
    """Texts as tables of vectors, one row a token; `identity` names the model that made them."""

    @property
    def identity(self) -> str:
        """What answers, without any secret."""
        ...

    async def embed_tokens(self, texts: Sequence[str], *, kind: Kind) -> list[NDArray[np.float32]]:
        """Return float32 [tokens, dimensions] for each text, in order; raises CallFailed, JudgeUnavailable."""
        ...


class CallableTokens:
    """Any function as a late-interaction model: `call(texts, kind)` returns a table of vectors for each text.

    It runs in a thread; what it raises passes through.
    """

    def __init__(self, call: Callable[[Sequence[str], Kind], Sequence[ArrayLike]], *, identity: str) -> None:
        self._call = call
        self.identity = identity

    async def embed_tokens(self, texts: Sequence[str], *, kind: Kind) -> list[NDArray[np.float32]]:
        """Call the function; raises BadInput where it returns no table for each text."""
        import numpy as np  # noqa: PLC0415 - loaded where vectors are

        tables = [np.asarray(table, dtype=np.float32) for table in await asyncio.to_thread(self._call, texts, kind)]
        strange = next((table.shape for table in tables if table.ndim != 2), None)  # noqa: PLR2004 - a table
        if len(tables) != len(texts) or strange is not None:
            came = f"{len(tables)} for {len(texts)} texts" if strange is None else f"an array of shape {strange}"
            raise BadInput(f"{self.identity} must give one table [tokens, dimensions] for each text. Got {came}")
        return tables
