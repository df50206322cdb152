"""An ontology as metrics need it: concepts, what each is a kind of, and how deep it lies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from ragtriage.core.identity import hash_json

__all__ = ["Concept", "Ontology"]


@dataclass(frozen=True, slots=True)
class Concept:
    """One entry: what it is called, and what it is a kind of (several where the ontology is no tree)."""

    concept_id: str
    parents: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Ontology:
    """A directed acyclic graph of concepts. Depths count from 1; with several roots an unnamed root lies above them.

    Raises ValueError where a parent is missing, a concept stands under itself, or a key is not its concept's id.

    >>> tree = Ontology({c.concept_id: c for c in (Concept("product"), Concept("card", ("product",)),
    ...     Concept("debit", ("card",)), Concept("credit", ("card",)))})
    >>> sorted(tree.ancestors("debit")), tree.depth("debit"), tree.common("debit", "credit")
    (['card', 'debit', 'product'], 3, 'card')
    """

    concepts: Mapping[str, Concept]
    _ancestors: dict[str, frozenset[str]] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        if wrong := [key for key, concept in self.concepts.items() if key != concept.concept_id]:
            raise ValueError(f"a concept must stand under its own id. These do not: {', '.join(wrong[:5])}")
        if missing := self.missing_parents():
            child, parent = missing[0]
            raise ValueError(f"{child!r} is a kind of {parent!r}, which the ontology does not hold")
        if (looped := self.loop()) is not None:
            raise ValueError(f"{' > '.join(looped)}: a concept cannot stand under itself")

    def __contains__(self, concept_id: object) -> bool:
        """Say whether this is the id of a concept."""
        return concept_id in self.concepts

    def missing_parents(self) -> list[tuple[str, str]]:
        """Return (concept, parent) for each parent that is no concept."""
        known = self.concepts
        return [(c.concept_id, parent) for c in known.values() for parent in c.parents if parent not in known]

    def loop(self) -> list[str] | None:
        """Return the ids along a loop, None where there is none."""
        done: set[str] = set()
        for start in self.concepts:
            path: dict[str, None] = {}
            stack = [(start, iter(self._parents(start)))] if start not in done else []
            if stack:
                path[start] = None
            while stack:
                name, parents = stack[-1]
                parent = next(parents, None)
                if parent is None:
                    stack.pop()
                    path.pop(name)
                    done.add(name)
                elif parent in path:
                    names = list(path)
                    return [*names[names.index(parent) :], parent]
                elif parent not in done:
                    path[parent] = None
                    stack.append((parent, iter(self._parents(parent))))
        return None

    @cached_property
    def identity(self) -> str:
        """The hash of all concepts with their parents and labels, whatever their order."""
        return hash_json(sorted([c.concept_id, sorted(c.parents), sorted(c.labels)] for c in self.concepts.values()))

    @cached_property
    def roots(self) -> frozenset[str]:
        """The concepts that are a kind of nothing."""
        return frozenset(name for name, concept in self.concepts.items() if not concept.parents)

    def ancestors(self, concept_id: str) -> frozenset[str]:
        """Return a concept and all that it is a kind of; raises KeyError for an unknown id."""
        if concept_id not in self._ancestors:
            seen, level = {concept_id}, [concept_id]
            while level:
                level = [p for name in level for p in self._parents(name) if p not in seen]
                seen.update(level)
            self._ancestors[concept_id] = frozenset(seen)
        return self._ancestors[concept_id]

    def below_root(self, concept_id: str) -> frozenset[str]:
        """Return the ancestors without the root that everything has in common, where there is one such."""
        found = self.ancestors(concept_id)
        return found - self.roots if len(self.roots) == 1 else found

    def depth(self, concept_id: str) -> int:
        """Return the length of the longest way up, roots counting 1 (2 where an unnamed root lies above several)."""
        return self._longest[concept_id] + self._above

    def common(self, first: str, second: str) -> str | None:
        """Return the deepest concept that both are a kind of; None: nothing but the unnamed root.

        Deepest by the shortest way up, as NLTK has it; of equally deep ones either of the two itself, else the first by
        id.
        """
        both = self.ancestors(first) & self.ancestors(second)
        if not both:
            return None
        deepest = max(self._shortest[name] for name in both)
        tied = sorted(name for name in both if self._shortest[name] == deepest)
        return next((name for name in (first, second) if name in tied), tied[0])

    def steps_up(self, concept_id: str) -> dict[str, int]:
        """Return the fewest steps from a concept up to itself (0) and to each of its ancestors."""
        found, level, steps = {concept_id: 0}, [concept_id], 0
        while level:
            steps += 1
            level = list(dict.fromkeys(p for name in level for p in self._parents(name) if p not in found))
            found.update(dict.fromkeys(level, steps))
        return found

    def distance(self, first: str, second: str) -> int | None:
        """Return the fewest steps up from one concept and down to the other; None: only over the unnamed root."""
        one, other = self.steps_up(first), self.steps_up(second)
        return min((one[name] + other[name] for name in one.keys() & other.keys()), default=None)

    @property
    def _above(self) -> int:
        return 0 if len(self.roots) == 1 else 1

    @cached_property
    def _longest(self) -> dict[str, int]:
        return self._ways_up(longest=True)

    @cached_property
    def _shortest(self) -> dict[str, int]:
        return self._ways_up(longest=False)

    def _ways_up(self, *, longest: bool) -> dict[str, int]:
        pick = max if longest else min
        found: dict[str, int] = {}
        for name in self._upwards:
            found[name] = 1 + pick((found[parent] for parent in self._parents(name)), default=0)
        return found

    @cached_property
    def _upwards(self) -> list[str]:
        """Every concept after all that it is a kind of."""
        order: dict[str, None] = {}
        for start in self.concepts:
            stack = [start]
            while stack:
                waiting = [parent for parent in self._parents(stack[-1]) if parent not in order]
                if waiting:
                    stack.append(waiting[0])
                else:
                    order[stack.pop()] = None
        return list(order)

    def _parents(self, concept_id: str) -> tuple[str, ...]:
        return self.concepts[concept_id].parents
