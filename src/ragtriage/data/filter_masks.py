"""What a filter lets pass, as one bool a row, so that the filter stage is evaluated without a database."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import date
from typing import TYPE_CHECKING

from ragtriage.core.records import Predicate, Principal
from ragtriage.data.corpus import Corpus
from ragtriage.data.eligibility import permitted, satisfies, valid_on

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["filter_mask"]


def filter_mask(
    corpus: Corpus,
    doc_ids: Sequence[str],
    *,
    predicates: Collection[Predicate] = (),
    principal: Principal | None = None,
    as_of: date | None = None,
) -> NDArray[np.bool_]:
    """Return for each row whether its document passes all predicates, may be read and is in force.

    `doc_ids`: the document of each row of a table of vectors. `principal` None: access is not checked; `as_of` None:
    validity is not. Each document is decided once, however many rows it has. Raises KeyError for a document that the
    corpus does not hold, ValueError for a predicate that cannot be evaluated.
    """
    import numpy as np  # noqa: PLC0415 - loaded where vectors are

    passes = {}
    for name in dict.fromkeys(doc_ids):
        document = corpus.documents[name]
        passes[name] = (
            (principal is None or permitted(document, principal))
            and valid_on(corpus, name, as_of)
            and all(satisfies(corpus, document, predicate) for predicate in predicates)
        )
    return np.fromiter((passes[name] for name in doc_ids), dtype=bool, count=len(doc_ids))
