"""Small runs whose scores differ by category as planted, over a real store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from core.schema import Card, Dataset, Document, Question
from core.store.run_items import RunItem
from core.taxonomy.bundled import BUNDLED_TREES
from tests.core.services.drilldown_samples import item, make_run

QC = BUNDLED_TREES["QC"]
LEAVES = QC.leaves()
NESTED = {
    "simple": {
        "single_fact": ["extractive_span", "entity_extraction"],
        "multi_fact_local": ["multi_span_aggregation", "paraphrasing_required"],
    },
    "complex": {
        "cross_section_synthesis": ["single_hop_inference", "multi_hop_reasoning"],
        "comparative_analysis": ["comparative_synthesis", "comparative_synthesis_concepts"],
    },
}
_N_DOCUMENTS = 16


def grove(
    labels: Sequence[str | None], *, name: str = "grove", trees: Mapping[str, Any] | None = None, first: int = 0
) -> Dataset:
    """A question for each label of QC, styles and documents in turn; ids count from ``first``."""
    documents = tuple(Document(f"d{n}", f"Text number {n} about the grove.", f"Grove {n}") for n in range(_N_DOCUMENTS))
    questions = tuple(
        Question(
            f"{name}-{first + n}", f"What is number {n}?", f"It is number {n}.", (f"d{n * 5 % _N_DOCUMENTS}",),
            relation=("causal", "temporal")[n % 2],
            categories={**({"QC": label} if label else {}), "style": ("plain", "odd", "curt")[n % 3]},
        )
        for n, label in enumerate(labels)
    )  # fmt: skip
    return Dataset(Card(name, name.title(), trees={"QC": NESTED} if trees is None else trees), documents, questions)


def planted(made: Dataset, means: Mapping[str, float], *, sd: float = 0.05, seed: int = 1) -> list[RunItem]:
    """Scores of kNN around .5 plus what its category and those above it add; BM25's do not depend on any."""
    drawn = np.random.default_rng(seed)
    rows = []
    for question in made.questions:
        label = question.categories.get("QC")
        above = (label, *QC.ancestors(label)) if label in QC.parents else (label,)
        mean = 0.5 + sum(means.get(name or "", 0.0) for name in above)
        rows.append(item("knn", question.id, similarity=float(mean + drawn.normal(0, sd)), correct=1))
        rows.append(item("bm25", question.id, similarity=float(0.4 + drawn.normal(0, sd))))
    return rows


def coarse_run(per_leaf: int = 10) -> str:
    """A run in which simple questions score .2 above complex ones, whatever lies below."""
    made = grove([leaf for leaf in LEAVES for _ in range(per_leaf)])
    return make_run(made=made, rows=planted(made, {"simple": 0.1, "complex": -0.1}))


def parents_run(per_category: int = 8) -> str:
    """A run over the same documents whose questions are labelled coarse and medium only."""
    inner = [*QC.levels[0], *QC.levels[1]]
    made = grove([name for name in inner for _ in range(per_category)], name="parents")
    return make_run(made=made, rows=planted(made, {"simple": 0.1, "complex": -0.1}, seed=2))
