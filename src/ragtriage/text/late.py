"""Long patterns of many languages, compiled when first used: most commands need few of them, and all are dear."""

from __future__ import annotations

from typing import Any, cast

import regex

__all__ = ["late"]


class _Late:
    """A pattern to be; what is looked up on it is looked up once, and then is its own."""

    def __init__(self, pattern: str, flags: int) -> None:
        self._pattern = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        """Look up on the compiled pattern, which `regex` keeps."""
        if name.startswith("_"):
            raise AttributeError(name)
        found = getattr(self._compiled(), name)
        setattr(self, name, found)
        return found

    def _compiled(self) -> regex.Pattern[str]:
        if "compiled" not in self.__dict__:
            self.compiled = regex.compile(self._pattern, self._flags)
        return self.compiled


def late(pattern: str, flags: int = 0) -> regex.Pattern[str]:
    r"""Return what finds as `regex.compile(pattern, flags)` does; raises regex.error when first used, not before.

    >>> late(r"\p{L}+").findall("fee 5 комиссия")
    ['fee', 'комиссия']
    """
    return cast("regex.Pattern[str]", _Late(pattern, flags))
