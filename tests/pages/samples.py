"""Seeded runs of the logic lens made by hand, for figures, sentences and pages: no store, no model."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from core.metrics.scores import (
    ConfigurationScores,
    LogicCell,
    LogicScores,
    Measure,
    RankedConfiguration,
    Ranking,
)
from core.taxonomy.relations import BUNDLED

LABELS = {
    "dps": "DPS", "knn": "kNN", "svm": "SVM", "mmr": "MMR", "bm25": "BM25", "tfidf": "TF-IDF", "edi": "EDI",
    "a-two": "A-Two", "a-four": "A-Four", "a-seven": "A-Seven", "s-two": "S-Two", "s-four": "S-Four",
    "s-seven": "S-Seven", "evidence": "Gold evidence",
}  # fmt: skip
RELATIONS = tuple(relation.name for relation in BUNDLED)
NOTHING = Measure(None, None, None, 0, 0, 0, 0, "no question")


def measure(value: float | None, n: int, *, failed: int = 0, refused: int = 0, half: float | None = None) -> Measure:
    """A measure with a symmetric interval of half width ``half`` (default 1/sqrt(n))."""
    if value is None:
        return Measure(None, None, None, 0, failed, 0 if failed else n, 0, "" if failed else "no relation labels")
    if n < 2:
        return Measure(value, None, None, n, failed, 0, refused, "one question")
    width = 1 / math.sqrt(n) if half is None else half
    return Measure(value, max(value - width, 0.0), min(value + width, 1.0), n, failed, 0, refused)


def opi(beta: float, b: float, l: float) -> float:  # noqa: E741 - the paper's letter
    if math.isinf(beta):
        return l
    bottom = beta * beta * b + l
    return (1 + beta * beta) * b * l / bottom if bottom else 0.0


def logic_scores(
    *,
    beta: float = 1.0,
    configurations: tuple[str, ...] = tuple(LABELS),
    relations: tuple[str, ...] = RELATIONS,
    n: int = 6,
    half: float | None = None,
    labels: dict[str, str] | None = None,
    seed: int = 1,
) -> LogicScores:
    """Scores whose averages fall along the configurations' order; reference rows get the best."""
    generator = np.random.default_rng(seed)
    named = {**LABELS, **(labels or {})}
    found = []
    for place, identifier in enumerate(configurations):
        top = 0.85 if identifier == "evidence" else 0.76 - 0.012 * place
        cells = {}
        for name in relations:
            b = float(np.clip(top + generator.normal(0, 0.05), 0, 1))
            right = round(np.clip(top - 0.2 + generator.normal(0, 0.12), 0, 1) * n) / n
            cells[name] = LogicCell(
                measure(b, n, half=half), measure(right, n, half=half), measure(opi(beta, b, right), n, half=half)
            )
        total = n * max(len(relations), 1)
        b = float(np.mean([c.bertsim.value for c in cells.values()])) if cells else top
        right = float(np.mean([c.lrcr.value for c in cells.values()])) if cells else None
        index = measure(None if right is None else opi(beta, b, right), total, half=half)
        mean = float(np.mean([c.opi.value for c in cells.values()])) if cells else None
        words = {"edi": 58.0, "evidence": 61.0}.get(identifier, 210.0 + 9 * place)
        if identifier.startswith("s-"):
            words *= 1.9
        found.append(
            ConfigurationScores(
                id=identifier,
                label=named.get(identifier, identifier),
                bertsim=measure(b, total, half=half, refused=2 if identifier == "edi" else 0),
                lrcr=measure(right, total, half=half),
                opi=index,
                opi_mean_of_relations=measure(mean, total, half=half),
                bertsim_answered=measure(b, total, half=half),
                lrcr_answered=measure(right, total, half=half),
                words_per_question=words,
                sentences_per_question=words / 18,
                relations=cells,
            )
        )
    return LogicScores(beta, "formula", relations, tuple(found), rank(tuple(found), bool(relations), n, half))


def rank(found: tuple[ConfigurationScores, ...], by_opi: bool, n: int, half: float | None = None) -> Ranking:
    """Rank by eq. 3 (or BERTSim), as the engine does, with made-up probabilities."""
    ranked = [c for c in found if c.id != "evidence" and (c.opi if by_opi else c.bertsim).value is not None]
    ranked.sort(key=lambda c: -((c.opi if by_opi else c.bertsim).value or 0))
    means = sorted((c.opi_mean_of_relations.value or 0 for c in ranked), reverse=True)
    rows = []
    for c in ranked:
        m, mean = (c.opi if by_opi else c.bertsim), c.opi_mean_of_relations
        better = sum((o.opi if by_opi else o.bertsim).value > m.value for o in ranked)  # type: ignore[operator]
        rows.append(
            RankedConfiguration(
                c.id, better + 1, m.value or 0.0, m.low, m.high, mean.value, mean.low, mean.high,
                means.index(mean.value) + 1 if mean.value is not None else None, 1 / (better + 2),
            )
        )  # fmt: skip
    lead = rows[0].value - rows[1].value if len(rows) > 1 else None
    width = 0.02 if half is None else half / 2
    total = max((c.bertsim.n_scored for c in found), default=0)
    return Ranking(
        "opi" if by_opi else "bertsim", total, total, tuple(rows),
        {"evidence": "reference row"} if any(c.id == "evidence" for c in found) else {},
        lead, None if lead is None else lead - width, None if lead is None else lead + width,
    )  # fmt: skip


def run_summary(**changes: Any) -> SimpleNamespace:
    """A run as ``core.services.catalogue.RunSummary`` describes it."""
    return SimpleNamespace(
        **{
            "id": "trilens-bench-1a2b3c4d", "title": "", "dataset": "trilens-bench", "dataset_title": "Trilens bench",
            "state": "done", "message": "", "scope": "corpus", "n_questions": 78, "n_configurations": 14,
            "started": "2026-03-02T09:14:05+00:00", "finished": "2026-03-02T09:15:31+00:00", "seconds": 86.0,
            "stage": "", "done": 0, "total": 0, "rate": None, "seconds_left": None, "failures": {},
            "options": "", "has_relations": True, "has_lrcr": True, "is_collection": False, "searched": "corpus",
            "version": 1, "stamp": "1", **changes,
        }
    )  # fmt: skip


def comparability(scores: LogicScores, *, possible: bool = False) -> SimpleNamespace:
    """As ``core.metrics.comparability.Comparability``."""
    sizes = [c.relations[name].bertsim.n_scored for c in scores.configurations for name in c.relations]
    return SimpleNamespace(
        n_per_relation_min=min(sizes, default=0), n_per_relation_max=max(sizes, default=0), needed=13,
        family=max(len(scores.configurations) - 2, 0) * len(scores.relations), any_cell_possible=possible,
    )  # fmt: skip


def classifier(labels: tuple[str, ...] = RELATIONS, *, question_only: float = 0.58, n: int = 6) -> dict[str, Any]:
    """Diagnostics of a relation classifier that gets about two thirds right."""
    size = len(labels)
    matrix = [[0] * size for _ in range(size)]
    for i in range(size):
        matrix[i][i] = n - n // 3
        matrix[i][(i + 3) % size] += n // 3
    return {
        "accuracy": 0.654, "macro_f1": 0.641, "majority": 1 / size, "question_only": question_only,
        "question_only_agreement": 0.71, "n": n * size, "movable": 0.115,
        "confusion": {"labels": list(labels), "matrix": matrix},
    }  # fmt: skip


def lens(scores: LogicScores | None = None, **changes: Any) -> SimpleNamespace:
    """A logic lens as ``core.services.lenses.LogicLens`` describes it."""
    shown = logic_scores() if scores is None else scores
    return SimpleNamespace(
        **{
            "run": run_summary(), "scores": shown, "classifier": classifier() if shown.relations else None,
            "missing": "" if shown.relations else "This dataset has no relation labels, so LRCR and OPI are missing.",
            "warnings": (), "comparability": comparability(shown),
            "command": ".venv/bin/python -m core evaluate trilens-bench --scope corpus",
            "chunks_per_document": 7.4, "k": 4,
            "provenance": {"versions": {"trilens": "0.1.0"}, "spec": {"resolved": {"seed": 0}}}, **changes,
        }
    )  # fmt: skip


def with_cell(scores: LogicScores, configuration: str, relation: str, cell: LogicCell) -> LogicScores:
    """The same scores with one cell replaced."""
    changed = tuple(
        replace(c, relations={**c.relations, relation: cell}) if c.id == configuration else c
        for c in scores.configurations
    )
    return replace(scores, configurations=changed)
