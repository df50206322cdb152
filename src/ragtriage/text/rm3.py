"""RM3: expand a question by the words of its first results, with no model (Abdul-Jaleel et al. 2004).

The relevance model gives each word of the first results the sum, over them, of its share of the result's words times
the result's share of the scores. RM3 mixes that with the question's own words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ragtriage.text.content import content_words

__all__ = ["expanded_question", "rm3"]

RESULTS = 10
TERMS = 10
ORIGINAL = 0.5


def rm3(
    question: Sequence[str],
    results: Sequence[Sequence[str]],
    scores: Sequence[float] | None = None,
    *,
    terms: int = TERMS,
    original: float = ORIGINAL,
) -> dict[str, float]:
    """Return the weight of each word of the expanded question, the heaviest first; the weights add up to 1.

    `question` and each of `results`: words. `scores`: of the results; None, or any that is not above 0: all weigh the
    same. `terms`: how many words of the relevance model are kept. `original`: the share of the question's own words;
    all of it where no result has a word, and none where the question has none. Ties go by the word.

    >>> rm3(["fee"], [["fee", "card"], ["card", "card"]], [1.0, 3.0])
    {'fee': 0.5625, 'card': 0.4375}
    """
    held = [
        (list(words), weight) for words, weight in zip(results, _shares(scores, len(results)), strict=True) if words
    ]
    whole = sum(weight for _, weight in held)
    model: dict[str, float] = {}
    for words, weight in held:
        for word, count in Counter(words).items():
            model[word] = model.get(word, 0.0) + weight / whole * count / len(words)
    kept = dict(sorted(model.items(), key=lambda item: (-item[1], item[0]))[:terms])
    total = sum(kept.values())
    own = Counter(question)
    share = (original if kept else 1.0) if own else 0.0
    mixed = {word: share * count / own.total() for word, count in own.items()}
    for word, weight in kept.items():
        mixed[word] = mixed.get(word, 0.0) + (1 - share) * weight / total
    return dict(sorted(mixed.items(), key=lambda item: (-item[1], item[0])))


def expanded_question(
    question: str,
    results: Sequence[str],
    scores: Sequence[float] | None = None,
    *,
    language: str | None = None,
    terms: int = TERMS,
) -> str:
    """Return the question followed by the words that RM3 adds from the texts of its first results.

    A text carries no weights: the question stands as it is, so that its words keep the larger part, and each added word
    stands once, the heaviest first. Stop words and bare numbers are never added.

    >>> expanded_question("card fee?", ["The fee of a card is 5 dollars", "A card is issued free"], terms=3)
    'card fee? dollars'
    """
    own = [word.text for word in content_words(question, language)]
    read = [[word.text for word in content_words(text, language)] for text in results[:RESULTS]]
    weights = rm3(own, read, None if scores is None else scores[:RESULTS], terms=terms)
    return " ".join([question, *(word for word in weights if word not in own)])


def _shares(scores: Sequence[float] | None, count: int) -> list[float]:
    if scores is None or any(score <= 0 for score in scores):
        return [1.0] * count
    return [score / sum(scores) for score in scores]
