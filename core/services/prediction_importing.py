"""Use case *import predictions*: relations that another classifier gave a dataset's answers, for its later runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from core.datasets.importers import Skip, stem
from core.datasets.importers.predictions import read_predictions
from core.datasets.importers.source import text_name
from core.errors import InputError, OptionError
from core.relations.predictions import GOLD
from core.services.system_importing import name_fault
from core.services.workspace import workspace
from core.store.datasets import load_dataset
from core.store.predictions import delete_predictions, prediction_rows, save_predictions


@dataclass(frozen=True, slots=True)
class ReadPredictions:
    """What an import gave.

    Of ``n_rows`` rows ``n_predictions`` hold a relation for a question of the dataset; the others are ``skipped``.
    ``configurations`` maps the names that the file uses to numbers of predictions, ``n_gold`` of which are about
    reference answers. ``notes`` are sentences on what was not taken as it stood; ``known`` says that just this was
    stored before.
    """

    dataset: str
    name: str
    n_rows: int
    n_predictions: int
    n_gold: int
    configurations: Mapping[str, int]
    skipped: tuple[Skip, ...] = ()
    notes: tuple[str, ...] = ()
    known: bool = False


@dataclass(frozen=True, slots=True)
class PredictionsSummary:
    """Stored predictions: how many, the file they came from and when."""

    dataset: str
    name: str
    n_predictions: int
    source: str
    created: str


def import_predictions(
    source: Path, dataset: str, *, name: str | None = None, mapping: Mapping[str, str] | None = None
) -> ReadPredictions:
    """Store the relations that ``source`` predicts for answers of a stored dataset's runs.

    They are called ``name``, else after the file; runs take them with ``--relations imported:<name>``. ``mapping`` is
    field → column.

    Raises:
        InputError: the file cannot be read, holds a problem, or is about other questions.
        OptionError: no such dataset, one without relations, an unknown field, or a name that cannot be used or is
            taken by other predictions.
    """
    _, store = workspace()
    stored = load_dataset(store, dataset)
    if not any(question.relation for question in stored.questions):
        raise OptionError(
            f"no question of '{dataset}' has a relation, so there is nothing to hold predictions against: import the "
            "dataset with its relations first."
        )
    file_name = text_name(source)
    called = stem(Path(file_name)) if name is None else name
    if fault := name_fault(called):
        error = InputError if name is None else OptionError
        raise error(f"the predictions' name {called!r} {fault}: give another with --name.")
    reading = read_predictions(source, stored, mapping)
    fresh = save_predictions(store, dataset, called, reading.predictions, source=file_name)
    counts: dict[str, int] = {}
    for prediction in reading.predictions:
        counts[prediction.configuration] = counts.get(prediction.configuration, 0) + 1
    n_gold = sum(n for configuration, n in counts.items() if configuration.casefold() == GOLD)
    return ReadPredictions(
        dataset=dataset,
        name=called,
        n_rows=reading.n_rows,
        n_predictions=len(reading.predictions),
        n_gold=n_gold,
        configurations=counts,
        skipped=reading.skipped,
        notes=(*reading.notes, *_without_gold(n_gold)),
        known=not fresh,
    )


def predictions(dataset: str | None = None) -> list[PredictionsSummary]:
    """Return the stored predictions of one dataset, or of all, by name."""
    _, store = workspace()
    names = PredictionsSummary.__dataclass_fields__
    return [PredictionsSummary(**{name: row[name] for name in names}) for row in prediction_rows(store, dataset)]


def remove_predictions(dataset: str, name: str) -> None:
    """Delete predictions. Scores of runs that had them stay; they cannot be resumed without them.

    Raises:
        OptionError: the dataset has no such predictions (any more).
    """
    _, store = workspace()
    if not delete_predictions(store, dataset, name):
        raise OptionError(f"dataset '{dataset}' has no predictions '{name}'.")


def _without_gold(n_gold: int) -> list[str]:
    if n_gold:
        return []
    return [
        f"nothing is predicted for the reference answers (configuration '{GOLD}'), so that the ceiling of LRCR will be "
        "unknown."
    ]
