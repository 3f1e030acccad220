"""Coverage observations to test with: seeded, consistent (said ≥ cited ≥ grounded, parts sum up), all scored."""

from __future__ import annotations

import numpy as np

from core.metrics.coverage_observations import AT_CUTOFF, CURVES, CUTOFFS, PARTS, CoverageObservations
from core.metrics.curves import DEPTH
from core.metrics.scores import SCORED


def coverage_world(
    configurations: tuple[str, ...] = ("knn", "bm25", "a-two", "s-two", "evidence"),
    questions: int = 30,
    documents: int = 10,
    seed: int = 0,
    labels: dict[str, str] | None = None,
) -> CoverageObservations:
    """Configurations get worse along their order; those called s-… and evidence have no ranking."""
    generator = np.random.default_rng(seed)
    shape = (len(configurations), questions)
    numbers: dict[str, np.ndarray] = {}
    for importance, most in (("vital", 4), ("okay", 3)):
        n = np.tile(generator.integers(1 if importance == "vital" else 0, most, size=questions), (shape[0], 1))
        numbers[f"n_{importance}"] = n
        best = np.linspace(0.75, 0.45, shape[0])[:, None]
        left, counts = n.copy(), {}
        for part, share in zip(PARTS[:-1], (best, 0.2, 0.4, 0.8), strict=True):
            counts[part] = generator.binomial(left, np.broadcast_to(share, shape))
            left = left - counts[part]
        counts["nowhere"] = left
        numbers |= {f"{part}_{importance}": found for part, found in counts.items()}
        said = counts["grounded"] + counts["said_not_grounded"]
        numbers[f"said_{importance}"] = said
        numbers[f"cited_{importance}"] = counts["grounded"] + counts["said_not_grounded"] // 2
        numbers[f"retrieved_{importance}"] = np.minimum(said + counts["retrieved_not_said"], n)
    without = np.array([name.startswith("s-") or name == "evidence" for name in configurations])[:, None]
    level = np.linspace(0.4, 0.2, shape[0])[:, None]
    for name in AT_CUTOFF:
        noise = generator.normal(0, 0.1, size=shape)
        for k in range(1, DEPTH + 1) if name in CURVES else CUTOFFS:
            numbers[f"{name}@{k}"] = np.where(without, np.nan, np.clip(level + 0.02 * k + noise, 0, 1))
    for name in ("map", "mrr"):
        numbers[name] = np.where(without, np.nan, np.clip(level + generator.normal(0, 0.1, size=shape), 0, 1))
    numbers["answer_words"] = generator.integers(20, 90, size=shape)
    numbers["said_share"] = numbers["said_vital"] / numbers["n_vital"]
    numbers["partial"] = np.zeros(shape)
    return CoverageObservations(
        configurations=configurations,
        labels=labels or {},
        question_ids=tuple(f"q{i}" for i in range(questions)),
        clusters=np.arange(questions) % documents,
        numbers={name: found.astype(np.float32) for name, found in numbers.items()},
        state=np.full(shape, SCORED, np.int8),
        refused=np.zeros(shape, np.bool_),
        reference=frozenset({"evidence"} & set(configurations)),
    )
