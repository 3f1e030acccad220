"""Texts to vectors: every distinct text once, from the cache where it is there, else through the encoder."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.models.cache import CachedVector, VectorCache
from core.models.encoders import DEFAULT_ENCODER, EncoderSpec, encoder_spec

__all__ = ["DEFAULT_ENCODER", "Encoded", "Encoder", "EncoderSpec", "applicable", "encoder_spec"]

#: above this share of unknown tokens a vector says nothing about its text (a decision, see ``applicable``)
MAX_UNKNOWN = 0.05


@dataclass(frozen=True, eq=False)
class Encoded:
    """Vectors and counts of n texts, in the order asked for.

    ``raw`` (n, d) float32 are pooled embeddings as they leave the encoder, rounded to 1e-6; ``unit`` the same with
    length 1 (0 where the encoder gave 0). ``tokens`` and ``unknown`` (n,) count the whole text's tokens without
    special ones; ``truncated`` (n,) marks texts of which the vector covers the beginning only.
    """

    raw: NDArray[np.float32]
    unit: NDArray[np.float32]
    tokens: NDArray[np.int64]
    unknown: NDArray[np.int64]
    truncated: NDArray[np.bool_]


class Encoder:
    """One encoder with its cache. Torch and the weights are loaded when the first text is missing."""

    def __init__(
        self, spec: EncoderSpec, cache: VectorCache, *, on_progress: Callable[[int, int], None] | None = None
    ) -> None:
        """Prepare; nothing is read yet.

        ``on_progress(done, total)`` counts the distinct texts of one ``encode`` call. It is called first with those
        found in the cache, then after every stored batch; what it raises ends the call, and nothing is lost.
        """
        self.spec = spec
        self._cache = cache
        self._on_progress = on_progress

    def encode(self, texts: Sequence[str]) -> Encoded:
        """Return vectors of ``texts``; what was missing is stored batch by batch, before it is reported.

        Raises:
            ModelError: the weights are missing, damaged or cannot be loaded.
            StoreError: the cache cannot be read or written.
        """
        distinct = list(dict.fromkeys(texts))
        found = {
            text: cached
            for text, cached in self._cache.get(self.spec.cache_key, distinct).items()
            if cached.vector.shape == (self.spec.dimension,)
        }
        self._report(len(found), len(distinct))
        missing = [text for text in distinct if text not in found]
        for batch in self._computed(missing):
            self._cache.put(self.spec.cache_key, batch)
            found |= batch
            self._report(len(found), len(distinct))
        return _encoded([found[text] for text in texts], self.spec.dimension)

    def _computed(self, texts: list[str]) -> Iterator[dict[str, CachedVector]]:
        if not texts:
            return
        from core.models.forward import pooled_encoder

        model = pooled_encoder(self.spec)
        tokenised = model.tokenise(texts)
        for places, vectors in model.pool(tokenised):
            yield {
                texts[place]: CachedVector(vector, seen.tokens, seen.unknown, seen.truncated)
                for place, vector in zip(places, vectors, strict=True)
                for seen in (tokenised[place],)
            }

    def _report(self, done: int, total: int) -> None:
        if self._on_progress and total:
            self._on_progress(done, total)


def applicable(spec: EncoderSpec, tokens: int, unknown: int, language: str) -> str:
    """Return "" where a vector of this text means something, else the reason in words why it does not.

    Not applicable: more than 5 % unknown tokens, no tokens at all, or a language (BCP 47) that the encoder's card
    does not list. An empty or undetermined language passes, and so does every language where the card lists none
    or says "multilingual".
    """
    primary = language.replace("_", "-").partition("-")[0].casefold()
    listed = {code.replace("_", "-").partition("-")[0].casefold() for code in spec.languages}
    if primary not in ("", "und") and listed and "multilingual" not in listed and primary not in listed:
        known = ", ".join(spec.languages)
        return f"the encoder {spec.name} does not cover language '{language}' (its card lists {known})"
    if tokens == 0:
        return f"the encoder {spec.name} sees no token in this text"
    if unknown > MAX_UNKNOWN * tokens:
        return f"the encoder {spec.name} does not know {unknown} of this text's {tokens} tokens"
    return ""


def _encoded(vectors: list[CachedVector], dimension: int) -> Encoded:
    raw = np.empty((len(vectors), dimension), dtype=np.float32)
    for row, cached in enumerate(vectors):
        raw[row] = cached.vector
    length = np.linalg.norm(raw.astype(np.float64), axis=1, keepdims=True)
    return Encoded(
        raw=raw,
        unit=(raw / np.where(length == 0, 1.0, length)).astype(np.float32),
        tokens=np.array([cached.tokens for cached in vectors], dtype=np.int64),
        unknown=np.array([cached.unknown for cached in vectors], dtype=np.int64),
        truncated=np.array([cached.truncated for cached in vectors], dtype=np.bool_),
    )
