"""The part that needs torch: load an encoder's weights, tokenise, and pool batches on all cores.

Imported only when a text is missing from the cache.
"""

from __future__ import annotations

import os
import warnings
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.errors import ModelError
from core.models.encoders import EncoderSpec, sha256_of, weights_of

#: texts of similar length that go through the network together
BATCH = 16
#: texts tokenised at a time, so that a large corpus never sits in memory as token objects
_TOKENISE = 1_000


@dataclass(frozen=True, slots=True)
class Tokenised:
    """The token ids the network sees (special ones included, cut to the window) and counts of the whole text."""

    ids: NDArray[np.int32]
    tokens: int
    unknown: int
    truncated: bool


class PooledEncoder:
    """The first two modules of a sentence-transformers model: tokens and their pooled, un-normalised embedding.

    The third module of MiniLM normalises whatever ``normalize_embeddings`` says, so ``SentenceTransformer.encode``
    cannot be asked for these vectors.

    A batch runs on one thread, and as many batches run at once as torch would use threads. Measured on two cores
    against ``SentenceTransformer.encode(batch_size=16)``: 1.3 to 1.4 times its speed while nothing else ran; 2 to 5
    times, and once 0.7 times, while other processes held the cores (threads of one product wait for each other).
    """

    def __init__(self, spec: EncoderSpec) -> None:
        """Check and load the weights.

        Raises:
            ModelError: they are missing, not the ones the spec names, or cannot be loaded.
        """
        weights = weights_of(Path(spec.path))
        found = sha256_of(weights)
        if found != spec.sha256:
            raise ModelError(
                f"{weights} has sha256 {found}, expected {spec.sha256}: the file is damaged or another model's, "
                f"so reinstall encoder '{spec.name}'."
            )
        with _quietly():
            from safetensors import SafetensorError
            from sentence_transformers import SentenceTransformer

            try:
                model = SentenceTransformer(spec.path, device="cpu", local_files_only=True)
            except (OSError, ValueError, KeyError, RuntimeError, ImportError, SafetensorError) as error:
                first_line = str(error).partition("\n")[0]
                raise ModelError(f"Encoder '{spec.name}' in {spec.path} cannot be loaded: {first_line}") from error
        if model.default_prompt_name:
            raise ModelError(
                f"Encoder '{spec.name}' puts the prompt '{model.default_prompt_name}' before every text, which "
                "Trilens does not do: use an encoder without a default prompt."
            )
        model.eval()
        self._spec = spec
        self._transformer, self._pooling = model[0], model[1]
        self._tokenizer: Any = self._transformer.tokenizer

    def tokenise(self, texts: Sequence[str]) -> list[Tokenised]:
        """Return token ids and counts, in the order of ``texts``."""
        tokenised: list[Tokenised] = []
        for start in range(0, len(texts), _TOKENISE):
            # a lone surrogate is no character and cannot leave Python
            some = [text.encode("utf-8", "replace").decode() for text in texts[start : start + _TOKENISE]]
            whole = self._ids(some, add_special_tokens=False, truncation=False)
            cut = self._ids(some, add_special_tokens=True, truncation=True, max_length=self._spec.max_tokens)
            special = self._tokenizer.num_special_tokens_to_add()
            unknown = self._tokenizer.unk_token_id
            for ids, seen in zip(whole, cut, strict=True):
                tokens = len(ids)
                truncated = tokens + special > self._spec.max_tokens
                tokenised.append(Tokenised(np.array(seen, np.int32), tokens, ids.count(unknown), truncated))
        return tokenised

    def pool(self, texts: Sequence[Tokenised]) -> Iterator[tuple[list[int], NDArray[np.float32]]]:
        """Yield (places in ``texts``, vectors (b, d) rounded to 1e-6) batch by batch, longest texts first.

        Longest first, because the largest batch then shows at once whether memory suffices, and the time left is
        over- rather than underestimated.
        """
        import torch

        order = sorted(range(len(texts)), key=lambda place: -len(texts[place].ids))
        batches = deque(order[start : start + BATCH] for start in range(0, len(order), BATCH))
        threads = torch.get_num_threads()
        running: deque[tuple[list[int], Future[NDArray[np.float32]]]] = deque()
        with ThreadPoolExecutor(threads, initializer=torch.set_num_threads, initargs=(1,)) as pool:
            try:
                while batches or running:
                    while batches and len(running) < 2 * threads:
                        places = batches.popleft()
                        running.append((places, pool.submit(self._pooled, [texts[place].ids for place in places])))
                    places, future = running.popleft()
                    yield places, future.result()
            finally:
                pool.shutdown(cancel_futures=True)

    def _ids(self, texts: list[str], **options: Any) -> list[list[int]]:
        # verbose=False: texts longer than the window are counted on purpose
        encoded = self._tokenizer(
            texts, padding=False, return_attention_mask=False, return_token_type_ids=False, verbose=False, **options
        )
        ids: list[list[int]] = encoded["input_ids"]
        return ids

    def _pooled(self, batch: list[NDArray[np.int32]]) -> NDArray[np.float32]:
        import torch

        width = max(map(len, batch))
        ids = np.full((len(batch), width), self._tokenizer.pad_token_id or 0, dtype=np.int64)
        mask = np.zeros((len(batch), width), dtype=np.int64)
        left = self._tokenizer.padding_side == "left"
        for row, tokens in enumerate(batch):
            piece = slice(width - len(tokens), width) if left else slice(0, len(tokens))
            ids[row, piece], mask[row, piece] = tokens, 1
        features = {"input_ids": torch.from_numpy(ids), "attention_mask": torch.from_numpy(mask)}
        with torch.inference_mode():
            pooled: NDArray[np.float32] = self._pooling(self._transformer(features))["sentence_embedding"].numpy()
        if pooled.shape[1] != self._spec.dimension:
            raise ModelError(
                f"Encoder '{self._spec.name}' gives vectors of length {pooled.shape[1]}, its files promise "
                f"{self._spec.dimension}."
            )
        return np.asarray(np.round(pooled.astype(np.float64), 6), dtype=np.float32)


@lru_cache(maxsize=2)
def pooled_encoder(spec: EncoderSpec) -> PooledEncoder:
    """Return the loaded encoder; a process loads and checks the weights of one encoder once.

    Raises:
        ModelError: as ``PooledEncoder``.
    """
    return PooledEncoder(spec)


@contextmanager
def _quietly() -> Iterator[None]:
    """Load without network, progress bars and warnings, and leave the process's settings as they were found."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from transformers.utils import logging

        level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
        logging.set_verbosity_error()
        logging.disable_progress_bar()
        try:
            yield
        finally:
            logging.set_verbosity(level)
            if bars:
                logging.enable_progress_bar()
