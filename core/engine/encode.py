"""Encodings shared by all stages of a run: every distinct text once, looked up by text afterwards."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields

import numpy as np
from numpy.typing import NDArray

from core.engine.progress import Progress
from core.models.cache import VectorCache
from core.models.embeddings import Encoded, Encoder, EncoderSpec


@dataclass
class Encodings:
    """The vectors of one encoder. ``unit`` and ``raw`` return (n, d) float32 in the order asked for."""

    spec: EncoderSpec
    cache: VectorCache
    progress: Progress
    place: dict[str, int] = field(default_factory=dict)
    _parts: list[Encoded] = field(default_factory=list)
    _stage: str = ""
    _begun: bool = False

    def __post_init__(self) -> None:
        self._encoder = Encoder(self.spec, self.cache, on_progress=self._tick)

    def add(self, stage: str, texts: Iterable[str]) -> None:
        """Encode those of ``texts`` that this run has not seen yet, reported as ``stage``."""
        new = list(dict.fromkeys(text for text in texts if text not in self.place))
        if not new:
            return
        self._stage, self._begun = f"encode {stage}", False
        encoded = self._encoder.encode(new)
        # what follows until the next stage is no encoding
        self.progress.finish()
        first = len(self.place)
        self.place.update({text: first + i for i, text in enumerate(new)})
        self._parts.append(encoded)

    def rows(self, texts: Sequence[str]) -> NDArray[np.int64]:
        """Return the places of ``texts`` in ``matrix()``."""
        return np.fromiter((self.place[text] for text in texts), dtype=np.int64, count=len(texts))

    def raw(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return un-normalised pooled embeddings."""
        return self._joined().raw[self.rows(texts)]

    def unit(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return embeddings of length 1."""
        return self.matrix()[self.rows(texts)]

    def matrix(self) -> NDArray[np.float32]:
        """Return all unit vectors, a row a text."""
        return self._joined().unit

    def counts(self, text: str) -> tuple[int, int]:
        """Return (tokens, unknown tokens) of a text."""
        place, joined = self.place[text], self._joined()
        return int(joined.tokens[place]), int(joined.unknown[place])

    def truncated(self, texts: Iterable[str]) -> int:
        """Return how many distinct ``texts`` are longer than the encoder's window, so that their end is not seen."""
        places = sorted({self.place[text] for text in texts})
        return int(self._joined().truncated[places].sum())

    def _joined(self) -> Encoded:
        if not self._parts:
            none, vectors = np.zeros(0, np.int64), np.zeros((0, self.spec.dimension), np.float32)
            return Encoded(vectors, vectors, none, none, none.astype(np.bool_))
        if len(self._parts) > 1:
            names = [one.name for one in fields(Encoded)]
            self._parts[:] = [Encoded(*(np.concatenate([getattr(p, name) for p in self._parts]) for name in names))]
        return self._parts[0]

    def _tick(self, done: int, total: int) -> None:
        # the first call counts what the cache had: that is no work, and no part of the rate
        if not self._begun:
            self._begun = True
            self.progress.begin(self._stage, total, stored=done)
        else:
            self.progress.advance(done)
