"""Which classifier tells the relation of a produced answer, as a request chooses it."""

from __future__ import annotations

from collections.abc import Sequence

from core.engine.models import model_of
from core.engine.request import Request
from core.errors import OptionError
from core.relations.classifier import LocalClassifier
from core.relations.labelled import relations_in
from core.relations.predictions import ImportedPredictions
from core.relations.prompted import Mode, Prompted
from core.schema import Dataset

Classifier = LocalClassifier | Prompted | ImportedPredictions
RELATION_MODES = ("local", "train-split", "llm", "llm-few", "none")
#: those that ask the run's language model
PROMPTED: tuple[Mode, ...] = ("llm", "llm-few")
#: "imported:NAME" means the predictions that were imported under that name
IMPORTED = "imported:"


def classifier_of(
    request: Request, dataset: Dataset, questions: Sequence[str], predictions: Sequence[ImportedPredictions]
) -> Classifier | None:
    """Return the classifier, None where relations are switched off; ``questions`` are the ids of those evaluated.

    Raises:
        OptionError: no such classifier or no such predictions, no model to ask, or a split it cannot be fitted on.
    """
    mode = request.relations
    if mode.startswith(IMPORTED):
        return _imported(mode.removeprefix(IMPORTED), predictions)
    if mode not in RELATION_MODES:
        raise OptionError(f"--relations is '{mode}': it must be one of {', '.join(RELATION_MODES)}, or {IMPORTED}NAME.")
    if mode == "none":
        return None
    if prompted := next((one for one in PROMPTED if one == mode), None):
        model = model_of(request)
        if model is None:
            raise OptionError(f"--relations {mode} asks a language model: name one of the settings with --endpoint.")
        return Prompted(model, relations_in(dataset), prompted, request.seed)
    if mode == "train-split":
        _check_split(dataset, frozenset(questions))
    return LocalClassifier(seed=request.seed, mode="cross_fitted" if mode == "local" else "train_split")


def _imported(name: str, there: Sequence[ImportedPredictions]) -> ImportedPredictions:
    found = next((one for one in there if one.name == name), None)
    if found is None:
        known = ", ".join(f"'{one.name}'" for one in there) or "none yet"
        raise OptionError(
            f"--relations names the predictions '{name}', which were not imported for this dataset (imported: "
            f"{known}): choose among those or import them first."
        )
    return found


def _check_split(dataset: Dataset, chosen: frozenset[str]) -> None:
    """Refuse before any work what the classifier could not be fitted on: no two sides, or a document on both.

    Questions that carry no split at all are split later, by document and seed.
    """
    labelled = [question for question in dataset.questions if question.id in chosen and question.relation]
    if not any(question.split for question in labelled):
        return
    sides: dict[str, set[bool]] = {}
    for question in labelled:
        for document in question.document_ids:
            sides.setdefault(document, set()).add(question.split == "train")
    both = [document for document, found in sides.items() if len(found) > 1]
    if both:
        raise OptionError(
            f"--relations train-split: document '{both[0]}' has questions in the train split and outside it, so the "
            "test would not be blind: give each document one split, or use 'local'."
        )
    if {found for of_document in sides.values() for found in of_document} != {True, False}:
        raise OptionError(
            "--relations train-split needs labelled questions of both splits, train and test, among those evaluated: "
            "mark them, evaluate more, or use 'local'."
        )
