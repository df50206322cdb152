"""The script language of the fake endpoint: which request is answered how.

A script is words in the order of requests: `ok*3 429(retry-after=2) 500 drip ok`. After its end every answer is ok.
A word may carry headers or settings in brackets, separated by `;`, and a count after `*`.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

OK = "ok"
# What is wrong with the connection or the status, before any reply can be read.
TRANSPORT = frozenset({"drip", "stall", "stall_body", "cut", "rst", "never_close", "redirect", "huge", "gzip", "html"})
# What is wrong with the protocol's own fields.
PROTOCOL = frozenset(
    {
        "length", "refusal", "content_filter", "empty", "null", "no_choice", "two_choices", "no_usage", "bad_usage",
        "badjson", "error200", "tool_calls", "model", "latin1",
    }
)  # fmt: skip
# What is wrong with the text of a reply that the protocol calls fine.
TEXT = frozenset(
    {"wrong_ids", "two_objects", "think", "think_only", "fenced", "prose", "nan", "bool", "half", "obeys", "twice"}
)
_WORD = re.compile(r"(?P<name>[a-z_0-9]+)(\((?P<settings>[^)]*)\))?(\*(?P<count>\d+))?")


@dataclass(frozen=True)
class Step:
    """How one request is answered; `name` is `ok`, a status such as `429`, or a fault."""

    name: str = OK
    settings: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self):
        if self.name != OK and not self.name.isdecimal() and self.name not in TRANSPORT | PROTOCOL | TEXT:
            raise ValueError(f"the fake endpoint knows no step {self.name!r}")


def parse(script: str) -> list[Step]:
    """Read a script; raises ValueError for a word that says nothing."""
    steps: list[Step] = []
    for word in re.findall(r"\S+\([^)]*\)\S*|\S+", script):
        found = _WORD.fullmatch(word)
        if found is None:
            raise ValueError(f"{word!r} is no word of a script")
        pairs = [pair.partition("=") for pair in (found["settings"] or "").split(";") if pair]
        step = Step(found["name"], {key.strip(): value.strip() for key, _, value in pairs})
        steps.extend([step] * int(found["count"] or 1))
    return steps


def faulty(share: float, kinds: Iterable[str], *, seed: int, count: int) -> list[Step]:
    """Return steps of which a share is faulty, drawn from a seed."""
    rng = random.Random(seed)
    choices = list(kinds)
    return [Step(rng.choice(choices)) if rng.random() < share else Step() for _ in range(count)]
