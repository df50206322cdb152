"""Whether the names, codes and addresses of the answer stand in the context."""

from __future__ import annotations

import regex

from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.core.views import AnswerView
from ragtriage.metrics.generation._wording import NO_ANSWER
from ragtriage.text.content import WordSet
from ragtriage.text.entities import Entity, find_entities
from ragtriage.text.markers import blank_markers
from ragtriage.text.normalise import fold_text
from ragtriage.text.tokens import words


@metric(
    title="Entity grounding",
    unit="fraction of entities",
    bounds=(0, 1),
    better="higher",
    source="Evaluating RAG, part 6: entity grounding",
)
def entity_grounding(view: AnswerView) -> Score:
    """Share of the names, codes, links and e-mail addresses of the answer that stand in one context item.

    Codes and addresses are compared letter by letter after folding, names word by word in any inflected form. Not
    counted: what the question brought. Undefined when no answer or no context was recorded and when no entity is left
    to count.

    >>> from ragtriage.core.records import Expected
    >>> view = AnswerView("?", "Write to help@bank.kz or call Anna Berg.", "answer", answerable=True,
    ...     expected=Expected(), context=("Questions: HELP@bank.kz",))
    >>> entity_grounding(view)
    Value(value=0.5, support=2)
    """
    if view.text is None:
        return Undefined(NO_ANSWER)
    if view.context is None:
        return Undefined("the trace records no context")
    text = blank_markers(view.text, [c.id for c in view.citations or ()])
    sources = [_Source(item) for item in view.context]
    asked = _Source(view.question)
    counted = []
    for entity in find_entities(text, language=view.language):
        grounded = any(source.holds(entity) for source in sources)
        if grounded or not asked.holds(entity):
            counted.append(grounded)
    if not counted:
        return Undefined("the answer holds no entity to check")
    return Value(sum(counted) / len(counted), support=len(counted))


class _Source:
    """A text that is asked for entities."""

    def __init__(self, text: str) -> None:
        self._folded = fold_text(text)
        self._words = WordSet(words(text))

    def holds(self, entity: Entity) -> bool:
        if entity.kind == "name":
            return all(word in self._words for word in words(entity.text))
        whole = rf"(?<![\p{{L}}\p{{N}}]){regex.escape(fold_text(entity.text))}(?![\p{{L}}\p{{N}}])"
        return regex.search(whole, self._folded) is not None
