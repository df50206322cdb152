"""Whether an output that has to have a form parses and validates."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.ontology_views import OutputView
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.text.json_schema import fits_schema


@metric(
    title="Schema validity",
    unit="fraction of outputs",
    bounds=(0, 1),
    better="higher",
    source="Metrics for every stage of RAG, part 7; JSON Schema 2020-12",
)
def schema_validity(view: OutputView) -> Score:
    """1 if the whole output is one JSON value that fits the declared schema, else 0.

    Undefined when no schema is declared, no answer was recorded, or the schema is broken or refers to what it does not
    hold (nothing is fetched).

    >>> schema_validity(OutputView('{"fee": "1 %"}', {"required": ["fee"], "properties": {"fee": {"type": "number"}}}))
    Value(value=0.0, support=1)
    """
    if view.schema is None:
        return Undefined("no JSON schema is declared")
    if view.text is None:
        return Undefined("no answer was recorded")
    fits = fits_schema(view.text, view.schema)
    return Undefined(fits) if isinstance(fits, str) else Value(float(fits), 1)
