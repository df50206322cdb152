"""An embedding model behind llama.cpp's server (`--embedding --pooling none`): a vector for every token."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ragtriage.core.errors import SystemUnavailable
from reference_rag.dense import unit
from reference_rag.endpoint import Endpoint, EndpointFailed
from reference_rag.late import TokenVectors
from reference_rag.progress import progress_over
from reference_rag.settings import TokenModel, secret

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["TokenModelEmbedder", "token_places"]

_SHARED = 8  # windows of a long text share this part of their length, so that no token stands at a window's beginning
_LOOK_AHEAD = 32


class TokenModelEmbedder:
    """The embedder over `POST /tokenize` and `POST /embedding`; vectors of texts are means over their tokens.

    A text longer than the window is read in windows that overlap. Passages raise SystemUnavailable and questions
    EndpointFailed where the endpoint fails or gives no vectors of tokens.
    """

    def __init__(self, settings: TokenModel) -> None:
        self.model = settings.model
        self._settings = settings
        key = secret(settings.api_key)
        self._tokenize = Endpoint(settings.base_url, "/tokenize", key=key, timeout_s=settings.timeout_s)
        self._embed = Endpoint(settings.base_url, "/embedding", key=key, timeout_s=settings.timeout_s)
        self._around: tuple[list[int], list[int]] | None = None

    def tokens(self, texts: Sequence[str]) -> list[TokenVectors]:
        """Return the tokens of each text, each seen in the context of its window."""
        prefix = self._settings.passage_prefix
        try:
            each = (self._read(prefix, text) for text in texts)
            return list(progress_over(each, sizes=[1] * len(texts), what="embedding documents by tokens"))
        except EndpointFailed as error:
            raise SystemUnavailable(f"embedder {self.model!r}: {error}") from error

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed what is searched."""
        import numpy as np  # noqa: PLC0415 - loaded with the first vector

        rows = [_mean(found) for found in self.tokens(texts)]
        return unit(np.stack(rows)) if rows else np.zeros((0, 0), dtype=np.float32)

    def more(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed other texts as passages, and shows nothing; raises EndpointFailed."""
        import numpy as np  # noqa: PLC0415

        rows = [_mean(self._read(self._settings.passage_prefix, text)) for text in texts]
        return unit(np.stack(rows)) if rows else np.zeros((0, 0), dtype=np.float32)

    def query(self, text: str) -> NDArray[np.float32]:
        """Embed what is searched for."""
        vector: NDArray[np.float32] = unit(_mean(self._read(self._settings.query_prefix, text))[None, :])[0]
        return vector

    def _read(self, prefix: str, text: str) -> TokenVectors:
        import numpy as np  # noqa: PLC0415

        tokens = self._tokens(prefix + text)
        places = np.array(token_places(prefix + text, [piece for _, piece in tokens]), dtype=np.int64).reshape(-1, 2)
        vectors = list(self._vectors([token for token, _ in tokens]))
        rows = np.concatenate(vectors) if vectors else np.zeros((0, 1), dtype=np.float32)
        kept = places[:, 1] > len(prefix)
        return TokenVectors(rows[kept], np.maximum(places[kept] - len(prefix), 0))

    def _vectors(self, ids: list[int]) -> Iterator[NDArray[np.float32]]:
        """Yield the vectors of all tokens, window by window; what two windows share comes from the first."""
        import numpy as np  # noqa: PLC0415

        if self._around is None:
            special = [token for token, _ in self._tokens("", add_special=True)]
            self._around = special[:1], special[1:]
        before, behind = self._around
        length = max(2, self._settings.window - len(before) - len(behind))
        shared = length // _SHARED
        known = 0
        while known < len(ids):
            start = max(0, known - shared)
            window = ids[start : start + length]
            url = self._embed.url
            rows = _rows(self._embed.ask_json({"content": [*before, *window, *behind]}), url)
            if len(rows) != len(before) + len(window) + len(behind):
                raise EndpointFailed(f"{url}: gave {len(rows)} vectors for {len(window)} tokens; start it unpooled")
            yield np.asarray(rows[len(before) + known - start : len(before) + len(window)], dtype=np.float32)
            known = start + len(window)

    def _tokens(self, text: str, *, add_special: bool = False) -> list[tuple[int, bytes]]:
        asked = {"content": text, "with_pieces": True, "add_special": add_special}
        reply = self._tokenize.ask_json(asked)
        try:
            return [(int(token["id"]), _bytes(token["piece"])) for token in reply["tokens"]]
        except (KeyError, TypeError, ValueError) as error:
            raise EndpointFailed(f"{self._tokenize.url}: gave no list of tokens with their pieces") from error


def _bytes(piece: str | list[int]) -> bytes:
    return piece.encode() if isinstance(piece, str) else bytes(piece)


def _rows(reply: Any, url: str) -> list[list[float]]:
    try:
        rows = reply[0]["embedding"]
        if not isinstance(rows[0], list):
            raise TypeError("one vector for the whole text")
    except (KeyError, TypeError, IndexError) as error:
        raise EndpointFailed(f"{url}: gave no vectors of tokens; start llama.cpp with --pooling none") from error
    found: list[list[float]] = rows
    return found


def _mean(tokens: TokenVectors) -> NDArray[np.float64]:
    import numpy as np  # noqa: PLC0415

    if not len(tokens.vectors):
        return np.zeros(tokens.vectors.shape[1], dtype=np.float64)
    mean: NDArray[np.float64] = tokens.vectors.mean(axis=0, dtype=np.float64)
    return mean


def token_places(text: str, pieces: Sequence[bytes]) -> list[tuple[int, int]]:
    """Return where each token stands; white space before a word, marks of word pieces and case do not count.

    A part of a character stands at the whole character; a piece that the text does not show stands nowhere, with the
    same start and end.

    >>> token_places("The fees", [b"the", b" fee", b"##s", b"[SEP]"])
    [(0, 3), (4, 7), (7, 8), (8, 8)]
    """
    places: list[tuple[int, int]] = []
    at, half = 0, b""
    for piece in pieces:
        half += piece
        try:
            said = half.decode().replace("▁", " ").strip()
        except UnicodeDecodeError:
            start = at + len(text[at:]) - len(text[at:].lstrip())
            places.append((start, min(start + 1, len(text))))
            continue
        half = b""
        found = _next(text, said, at) if said else None
        if found is None and said.startswith("##"):  # a part of a word, as BERT's vocabulary marks it
            said = said.removeprefix("##")
            found = _next(text, said, at) if said else None
        if found is None:
            places.append((at, at))
            continue
        places.append((found, found + len(said)))
        at = found + len(said)
    return places


def _next(text: str, said: str, at: int) -> int | None:
    """Return where the piece stands next, at most a little behind `at`."""
    while at < len(text) and text[at].isspace():
        at += 1
    for start in range(at, min(at + _LOOK_AHEAD, len(text) - len(said) + 1)):
        if text[start : start + len(said)].casefold() == said.casefold():
            return start
    return None
