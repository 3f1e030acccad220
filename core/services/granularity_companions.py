"""Which other run asked questions of their own at levels that a run's labels leave empty: independent parents."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import NoReturn

from core.datasets.bundled import bundled_names, bundled_path
from core.engine.request import Request
from core.errors import OptionError
from core.services import offers, trees
from core.services.catalogue import RunSummary
from core.services.catalogue import run as run_summary
from core.services.workspace import workspace
from core.store.datasets import dataset_rows
from core.taxonomy.bundled import level_names
from core.taxonomy.labels import PlacedLabels, place_labels

#: choices of which questions and configurations, and limits: two runs that differ in these measure alike
_OF_NO_CONCERN = (
    "dataset", "scope", "retrievers", "combinations", "relations", "systems", "sample", "split", "limit", "max_calls",
    "max_tokens", "matcher",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Companion:
    """A run over the same documents and with the same choices, whose questions stand at ``levels`` of the tree."""

    run: RunSummary
    levels: str


def companions(run: RunSummary, chosen: trees.Dimension) -> tuple[Companion, ...]:
    """Return the runs whose questions are labelled at levels of a tree at which none of ``run``'s is, newest first."""
    _, store = workspace()
    own = levels_of(trees.placed(run.id, chosen.name))
    if not own or len(chosen.tree.levels) < 2:
        return ()
    rows = store.rows(
        """
        SELECT r.id, r.request FROM runs AS r JOIN datasets AS d ON d.name = r.dataset
        WHERE r.version > 0 AND r.scope = ? AND r.dataset <> ? AND d.n_documents > 0 AND d.corpus_fingerprint = (
            SELECT corpus_fingerprint FROM datasets WHERE name = ?
        )
        ORDER BY r.started DESC, r.id
        """,
        (run.scope, run.dataset, run.dataset),
    )
    mine = _choices(_request(run.id))
    found = []
    for row in rows:
        if _choices(Request(**json.loads(row["request"]))) != mine:
            continue
        levels = levels_of(trees.placed(run.id, chosen.name, row["id"]))
        if levels and not levels & own:
            found.append(Companion(run_summary(row["id"]), _named(chosen, levels)))
    return tuple(found)


def no_companion(run_id: str) -> NoReturn:
    """Raise the OptionError that says that a run gives no category questions of its own."""
    raise OptionError(
        f"run '{run_id[:80]}' has no questions for levels of this tree that the chosen run leaves empty: choose one "
        "that is listed."
    )


def set_to_evaluate(run: RunSummary, chosen: trees.Dimension) -> str:
    """Return the command that makes a companion of a dataset which is there but was not evaluated so, "" for none."""
    own = levels_of(trees.placed(run.id, chosen.name))
    if not own:
        return ""
    for name, corpus, labels in _candidates():
        if name == run.dataset or corpus != _corpus(run.dataset):
            continue
        levels = levels_of(place_labels(chosen.tree, labels.get(chosen.labels, ()), chosen.mapping))
        if levels and not levels & own:
            request = replace(_request(run.id), dataset=name, scope=run.scope, sample="", split="", limit=None)
            return request.command()
    return ""


def levels_of(placed: PlacedLabels) -> frozenset[int]:
    """Return the levels of a tree at which any question is labelled."""
    return frozenset(int(level) for level in placed.levels_of_own if level >= 0)


def _named(chosen: trees.Dimension, levels: frozenset[int]) -> str:
    names = level_names(chosen.tree)
    return " and ".join(names[level] for level in sorted(levels))


def _request(run_id: str) -> Request:
    _, store = workspace()
    (row,) = store.rows("SELECT request FROM runs WHERE id = ?", (run_id,))
    return Request(**json.loads(row["request"]))


def _choices(request: Request) -> tuple[object, ...]:
    return tuple(getattr(request, field.name) for field in fields(Request) if field.name not in _OF_NO_CONCERN)


def _corpus(dataset: str) -> str:
    _, store = workspace()
    (row,) = store.rows("SELECT corpus_fingerprint FROM datasets WHERE name = ?", (dataset,))
    return str(row["corpus_fingerprint"])


def _candidates() -> list[tuple[str, str, dict[str, tuple[str, ...]]]]:
    """Return (name, hash of the corpus, labels by dimension) of the stored datasets and the bundled ones."""
    _, store = workspace()
    stored = [
        (row["name"], row["corpus_fingerprint"], {d: tuple(n) for d, n in row["labels"].get("categories", {}).items()})
        for row in dataset_rows(store)
    ]
    names = {name for name, _, _ in stored}
    return [*stored, *(_bundled(name, _written(name)) for name in bundled_names() if name not in names)]


def _written(name: str) -> int:
    return (bundled_path(name) / "questions.jsonl").stat().st_mtime_ns


@lru_cache(maxsize=8)
def _bundled(name: str, written: int) -> tuple[str, str, dict[str, tuple[str, ...]]]:
    del written
    dataset, _ = offers.content(name)
    labels: dict[str, dict[str, None]] = {}
    for question in dataset.questions:
        for dimension, node in question.categories.items():
            labels.setdefault(dimension, {})[node] = None
    return name, dataset.corpus_fingerprint, {dimension: tuple(nodes) for dimension, nodes in labels.items()}
