"""How varied a set of questions is: measures that fall when questions repeat each other's words.

All of them depend on how much text there is, so they are taken on samples of one fixed size and averaged.
"""

from __future__ import annotations

import random
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from core.text.tokens import lexical_tokens

#: questions of a sample; a smaller set is its own sample, and says so by its size
SAMPLE = 100
_SAMPLES = 20


@dataclass(frozen=True, slots=True)
class Diversity:
    """Means over samples of ``sample`` of the ``n`` questions.

    ``distinct`` is the share of distinct n-grams (n = 1 to 4) among all n-grams, in (0, 1], None where no question is
    so long. ``repeated`` is the share of questions with a 4-gram that another one has too, in [0, 1].
    ``compression`` is raw bytes by compressed bytes (zlib), above 1 the more is repeated.
    """

    n: int
    sample: int
    distinct: tuple[float | None, float | None, float | None, float | None]
    repeated: float
    compression: float


def diversity(questions: Sequence[str], seed: int = 0) -> Diversity | None:
    """Return how varied questions are, None for none. Deterministic for a seed; all where there are at most 100.

    Source: distinct-n after Li et al., *A Diversity-Promoting Objective Function* (2016); compression ratio after
    Shaib et al., *Standardizing the Measurement of Text Diversity* (2024).
    """
    if not questions:
        return None
    size = min(SAMPLE, len(questions))
    dice = random.Random(seed)
    samples = (
        [dice.sample(list(questions), size) for _ in range(_SAMPLES)] if size < len(questions) else [list(questions)]
    )
    measured = [_measured(sample) for sample in samples]
    shares = [[one[0][n] for one in measured] for n in range(4)]
    means = [_mean([share for share in some if share is not None]) for some in shares]
    repeated, compression = _mean([one[1] for one in measured]), _mean([one[2] for one in measured])
    assert repeated is not None
    assert compression is not None
    return Diversity(len(questions), size, (means[0], means[1], means[2], means[3]), repeated, compression)


def _measured(questions: Sequence[str]) -> tuple[list[float | None], float, float]:
    tokens = [lexical_tokens(question) for question in questions]
    grams = [[_grams(words, n) for words in tokens] for n in range(1, 5)]
    distinct: list[float | None] = []
    for by_question in grams:
        every = [gram for some in by_question for gram in some]
        distinct.append(len(set(every)) / len(every) if every else None)
    held = Counter(gram for some in grams[3] for gram in set(some))
    repeated = sum(any(held[gram] > 1 for gram in some) for some in grams[3]) / len(questions)
    raw = "\n".join(questions).encode("utf-8", "surrogatepass")
    return distinct, repeated, len(raw) / len(zlib.compress(raw, 9))


def _grams(words: Sequence[str], n: int) -> list[tuple[str, ...]]:
    return [tuple(words[at : at + n]) for at in range(len(words) - n + 1)]


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
