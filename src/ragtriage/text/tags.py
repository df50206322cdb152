"""From one tag a token (BIO, IOB2) to typed spans of tokens, in the two ways in which seqeval reads them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ragtriage.core.label_views import LabelledSpan

__all__ = ["spans_of", "tag_faults"]


def tag_faults(tags: Sequence[str]) -> list[tuple[int, str]]:
    """Return (place, what is wrong) of each tag that IOB2 does not allow there.

    >>> tag_faults(["O", "I-PER", "X"])
    [(1, "'I-PER' continues no PER"), (2, "'X' is neither O nor B-TYPE nor I-TYPE")]
    """
    found = []
    before = "O"
    for place, tag in enumerate(tags):
        prefix, dash, name = tag.partition("-")
        if tag != "O" and (prefix not in {"B", "I"} or not dash or not name):
            found.append((place, f"{tag!r} is neither O nor B-TYPE nor I-TYPE"))
        elif prefix == "I" and before not in {f"B-{name}", f"I-{name}"}:
            found.append((place, f"{tag!r} continues no {name}"))
        before = tag
    return found


def spans_of(tags: Sequence[str], *, strict: bool) -> frozenset[LabelledSpan]:
    """Return the spans of tokens that tags stand for.

    `strict`: as IOB2 has it, a span begins with B- and goes on with I- of its type; an I- that continues nothing is no
    span (seqeval's strict mode). Else an I- that continues nothing opens a span (its default mode, as conlleval).
    Tags that are neither count as O; `tag_faults` names them.

    >>> sorted(spans_of(["B-PER", "I-PER", "O", "I-LOC"], strict=True))
    [LabelledSpan(start=0, end=2, label='PER')]
    >>> sorted(spans_of(["B-PER", "I-PER", "O", "I-LOC"], strict=False))
    [LabelledSpan(start=0, end=2, label='PER'), LabelledSpan(start=3, end=4, label='LOC')]
    """
    return frozenset(_spans(tags, strict=strict))


def _spans(tags: Sequence[str], *, strict: bool) -> Iterator[LabelledSpan]:
    start, label = 0, None
    for place, tag in enumerate([*tags, "O"]):
        prefix, _, name = tag.partition("-")
        continues = prefix == "I" and name == label
        if label is not None and not continues:
            yield LabelledSpan(start, place, label)
            label = None
        if label is None and name and (prefix == "B" or (prefix == "I" and not strict)):
            start, label = place, name
