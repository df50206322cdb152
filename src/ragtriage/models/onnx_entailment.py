"""Entailment by an ONNX model in a folder, as model hubs publish them: `model.onnx`, `tokenizer.json`, `config.json`.

No package ships such weights, so the folder is the user's own.
"""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import threading
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from ragtriage.core.errors import BadInput, MissingExtra
from ragtriage.core.files import read_bytes, read_json
from ragtriage.core.identity import hash_bytes
from ragtriage.models.ports import CallFailed, EntailmentScores

__all__ = ["OnnxEntailment"]

_LABELS = {"entail": "entailed", "neutral": "neutral", "contradict": "contradicted"}
_MOST_TOKENS = 512
_OVERLAP_TOKENS = 64
_MOST_BYTES = 4 * 1024 * 1024 * 1024
_MOST_TOKENISER_BYTES = 256 * 1024 * 1024


class OnnxEntailment:
    """A three-way entailment model (labels entailment, neutral, contradiction in any order), on the CPU.

    A premise that is longer than the model reads is read in overlapping windows; the window that is least neutral
    speaks for all. Raises MissingExtra, and BadInput for a folder that holds no such model.
    """

    def __init__(self, folder: Path, *, max_tokens: int = _MOST_TOKENS, threads: int = 1) -> None:
        for package in ("onnxruntime", "tokenizers"):
            if importlib.util.find_spec(package) is None:
                raise MissingExtra(package, extra="entailment", needed_for="an ONNX entailment model")
        self._order = _read_labels(folder / "config.json")
        path = folder / "model.onnx"
        self._identity = f"onnx/{folder.name}/{hash_bytes(read_bytes(path, max_bytes=_MOST_BYTES))}"
        overlap = min(_OVERLAP_TOKENS, max_tokens // 8)
        self._tokenizer = _open_tokenizer(folder / "tokenizer.json", max_tokens, overlap)
        # Each window needs room for the hypothesis, for twice the overlap, and for what stands between the two texts.
        self._most_of_hypothesis = max_tokens - self._tokenizer.num_special_tokens_to_add(is_pair=True) - 2 * overlap
        self._session = _open_session(path, threads)
        self._inputs = [one.name for one in self._session.get_inputs()]
        unknown = set(self._inputs) - {"input_ids", "attention_mask", "token_type_ids"}
        if unknown:
            raise BadInput(f"{path}: wants the inputs {', '.join(sorted(unknown))}, which no entailment model has")
        self._lock = threading.Lock()

    @property
    def identity(self) -> str:
        """Folder name and hash of the weights."""
        return self._identity

    async def entail(self, pairs: Sequence[tuple[str, str]]) -> list[EntailmentScores]:
        """Return the scores of each (premise, hypothesis), in order; raises CallFailed for what it cannot read."""
        return await asyncio.to_thread(lambda: [self._score(premise, hypothesis) for premise, hypothesis in pairs])

    def _score(self, premise: str, hypothesis: str) -> EntailmentScores:
        with self._lock:
            length = len(self._tokenizer.encode(hypothesis, add_special_tokens=False).ids)
            if length > self._most_of_hypothesis:
                raise CallFailed("bad_reply", f"the hypothesis has {length} tokens, too many for the model to read")
            encoded = self._tokenizer.encode(premise, hypothesis)
            windows = [self._run(window) for window in (encoded, *encoded.overflowing)]
        return min(windows, key=lambda scores: scores.neutral)

    def _run(self, window: Any) -> EntailmentScores:
        import numpy as np  # noqa: PLC0415 - comes with onnxruntime

        offered = {
            "input_ids": window.ids,
            "attention_mask": window.attention_mask,
            "token_type_ids": window.type_ids,
        }
        feeds = {name: np.array([offered[name]], dtype=np.int64) for name in self._inputs}
        logits = np.asarray(self._session.run(None, feeds)[0], dtype=np.float64).reshape(-1)
        if logits.size != len(self._order) or not np.isfinite(logits).all():
            raise CallFailed("bad_reply", f"the model gave {logits.tolist()} in place of {len(self._order)} numbers")
        shares = np.exp(logits - logits.max())
        shares /= shares.sum()
        return EntailmentScores(**{name: float(share) for name, share in zip(self._order, shares, strict=True)})


def _read_labels(path: Path) -> list[str]:
    config = read_json(path)
    labels = config.get("id2label") if isinstance(config, dict) else None
    if isinstance(labels, dict) and all(key.isdecimal() for key in labels):
        names = [str(labels[key]).lower() for key in sorted(labels, key=int)]
        found = [_meaning(name, _LABELS.items()) for name in names]
        if sorted(name for name in found if name) == sorted(_LABELS.values()) and None not in found:
            return [name for name in found if name]
    raise BadInput(f"{path}: 'id2label' must name entailment, neutral and contradiction. Got {labels!r} instead")


def _meaning(name: str, known: Iterable[tuple[str, str]]) -> str | None:
    return next((meaning for start, meaning in known if name.startswith(start)), None)


def _open_tokenizer(path: Path, max_tokens: int, overlap: int) -> Any:
    tokenizers: Any = importlib.import_module("tokenizers")
    content = read_bytes(path, max_bytes=_MOST_TOKENISER_BYTES)
    try:
        found = tokenizers.Tokenizer.from_buffer(content)
    except ValueError as error:
        raise BadInput(f"{path}: is no tokeniser: {error}") from error
    found.no_padding()
    found.enable_truncation(max_tokens, stride=overlap, strategy="only_first")
    return found


def _open_session(path: Path, threads: int) -> Any:
    runtime: Any = importlib.import_module("onnxruntime")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    states = vars(importlib.import_module("onnxruntime.capi.onnxruntime_pybind11_state")).values()
    failures = tuple(one for one in states if isinstance(one, type) and issubclass(one, Exception))
    try:
        return runtime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except failures as error:
        raise BadInput(f"{path}: cannot be loaded: {error}") from error
