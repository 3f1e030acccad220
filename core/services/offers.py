"""The datasets one may evaluate: stored ones, and bundled ones, which are imported when they are used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from core.datasets.bundled import bundled_names, bundled_path
from core.datasets.importers import read_dataset
from core.datasets.validation import labels
from core.engine.systems import SystemSpec
from core.schema import Dataset
from core.services.workspace import workspace
from core.store.database import Store
from core.store.datasets import dataset_fingerprint, dataset_rows, load_dataset
from core.store.predictions import prediction_rows
from core.store.systems import system_rows


@dataclass(frozen=True, slots=True)
class Offer:
    """A dataset with what decides how it can be evaluated; ``splits`` maps train and test to numbers of questions.

    ``fingerprint`` changes with the content; ``stored`` is False for a bundled one that has not been
    imported. ``systems`` are those whose answers to it were imported, ``predictions`` the names of relations that
    were; ``n_nuggets`` counts the questions that have nuggets.
    """

    name: str
    title: str
    n_documents: int
    n_questions: int
    relations: Mapping[str, int]
    splits: Mapping[str, int]
    fingerprint: str
    stored: bool
    systems: tuple[SystemSpec, ...] = ()
    predictions: tuple[str, ...] = ()
    n_nuggets: int = 0

    @property
    def is_collection(self) -> bool:
        """Whether there are topics and judgments alone: what its systems retrieved and said is all there is."""
        return self.n_documents == 0


def offers() -> tuple[Offer, ...]:
    """Return the stored datasets, newest first, then the bundled ones whose name is not taken."""
    _, store = workspace()
    systems: dict[str, list[SystemSpec]] = {}
    for row in system_rows(store):
        systems.setdefault(row["dataset"], []).append(SystemSpec(row["name"], row["fingerprint"]))
    predictions: dict[str, list[str]] = {}
    for row in prediction_rows(store):
        predictions.setdefault(row["dataset"], []).append(row["name"])
    stored = [
        Offer(
            row["name"],
            row["title"],
            row["n_documents"],
            row["n_questions"],
            row["labels"].get("relations") or {},
            row["labels"].get("splits") or {},
            row["fingerprint"],
            stored=True,
            systems=tuple(systems.get(row["name"], ())),
            predictions=tuple(predictions.get(row["name"], ())),
            n_nuggets=row["labels"].get("with_nuggets") or 0,
        )
        for row in dataset_rows(store)
    ]
    names = {offer.name for offer in stored}
    return (*stored, *(_bundled_offer(bundled_path(name)) for name in bundled_names() if name not in names))


def content(name: str) -> tuple[Dataset, str]:
    """Return an offered dataset with its fingerprint, a bundled one as it would be stored.

    Raises:
        OptionError: there is none of that name.
    """
    _, store = workspace()
    for row in dataset_rows(store):
        if row["name"] == name:
            return _loaded(store, name, row["fingerprint"]), row["fingerprint"]
    return _bundled(bundled_path(name))


@lru_cache(maxsize=3)
def _loaded(store: Store, name: str, fingerprint: str) -> Dataset:
    del fingerprint
    return load_dataset(store, name)


@lru_cache(maxsize=3)
def _bundled(path: Path) -> tuple[Dataset, str]:
    dataset = read_dataset(path).dataset
    return dataset, dataset_fingerprint(dataset)


@lru_cache(maxsize=3)
def _bundled_offer(path: Path) -> Offer:
    dataset, fingerprint = _bundled(path)
    found = labels(dataset)
    return Offer(
        path.name,
        dataset.card.title or path.name,
        found["documents"],
        found["questions"],
        found["relations"],
        found["splits"],
        fingerprint,
        stored=False,
        n_nuggets=found["with_nuggets"],
    )
