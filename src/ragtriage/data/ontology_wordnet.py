"""The nouns of WordNet from its own files, named as NLTK names them (`dog.n.01`)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ragtriage.core.errors import BadInput
from ragtriage.core.files import read_lines
from ragtriage.core.ontology import Concept

__all__ = ["read_wordnet"]

_ABOVE = {"@", "@i"}  # hypernym, instance hypernym


def read_wordnet(folder: Path) -> Iterator[Concept]:
    """Yield the noun synsets of a folder with `data.noun` and `index.noun`, in the files' order; raises BadInput.

    A synset is named by its first word and the place of that sense among the word's noun senses.
    """
    senses = _senses(folder / "index.noun")
    synsets: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {}
    path = folder / "data.noun"
    for line, text in read_lines(path):
        if text.startswith("  "):  # the licence stands in front
            continue
        try:
            offset, words, above = _synset(text)
        except (ValueError, IndexError) as error:
            raise BadInput(f"{path}:{line}: is no synset of WordNet") from error
        synsets[offset] = words, above
    names = {}
    for offset, (words, _) in synsets.items():
        known = senses.get(words[0].lower(), ())
        if offset not in known:
            raise BadInput(f"{path}: {words[0]!r} at {offset} does not stand in index.noun")
        names[offset] = f"{words[0].lower()}.n.{known.index(offset) + 1:02d}"
    for offset, (words, above) in synsets.items():
        parents = tuple(dict.fromkeys(names[one] for one in above if one in names))
        yield Concept(names[offset], parents, tuple(word.replace("_", " ") for word in words))


def _senses(path: Path) -> dict[str, tuple[str, ...]]:
    """Return for each word the offsets of its synsets in the order of its senses."""
    found = {}
    for line, text in read_lines(path):
        if text.startswith("  "):
            continue
        fields = text.split()
        try:
            found[fields[0]] = tuple(fields[-int(fields[2]) :])
        except (ValueError, IndexError) as error:
            raise BadInput(f"{path}:{line}: is no entry of WordNet's index") from error
    return found


def _synset(text: str) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    fields = text.partition(" | ")[0].split()
    count = int(fields[3], 16)
    words = tuple(fields[4 + 2 * n] for n in range(count))
    at = 4 + 2 * count
    pointers = [fields[at + 1 + 4 * n : at + 5 + 4 * n] for n in range(int(fields[at]))]
    return fields[0], words, tuple(offset for kind, offset, part, _ in pointers if kind in _ABOVE and part == "n")
