"""Stage *classify* by predictions that were imported: each goes to the answer that it was made for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.engine.fill import Workbench
from core.engine.relations import Gap, Pair, Relations, ceiling, movable
from core.engine.repeats import plain
from core.engine.spec import RunSpec
from core.errors import OptionError
from core.relations.predictions import GOLD, ImportedPredictions
from core.schema import Answer, Prediction, Question
from core.store.database import Store
from core.store.predictions import load_predictions, prediction_rows


def prediction_specs(store: Store, dataset: str) -> list[ImportedPredictions]:
    """Return the predictions that were imported for a dataset, by name."""
    return [ImportedPredictions(row["name"], row["fingerprint"]) for row in prediction_rows(store, dataset)]


def imported_relations(
    classifier: ImportedPredictions,
    spec: RunSpec,
    questions: Sequence[Question],
    answers: Mapping[Pair, Answer],
    bench: Workbench,
) -> Relations:
    """Match predictions to the run's answers by question and configuration (its id, or its label).

    One that names another answer than the run's is not taken: it was made for another run. Those for configuration
    ``gold`` are about the reference answers and give the ceiling; without them it is unknown.

    Raises:
        OptionError: the predictions are not stored any more, or others stand under their name.
    """
    dataset = spec.request.dataset
    if classifier not in prediction_specs(bench.store, dataset):
        raise OptionError(
            f"run '{spec.run_id}' was made with the predictions '{classifier.name}', which are not there any more or "
            "are others now: import those of then under that name, or evaluate the dataset anew."
        )
    ids = {label.casefold(): id_ for id_, label in spec.labels.items()} | {id_: id_ for id_ in spec.configurations}
    given: dict[Pair, Prediction] = {}
    gold: dict[str, Prediction] = {}
    for prediction in load_predictions(bench.store, dataset, classifier.name):
        named = prediction.configuration
        if named.casefold() == GOLD:
            gold[prediction.question] = prediction
        elif configuration := ids.get(named) or ids.get(named.casefold()):
            pair = (configuration, prediction.question)
            # where a file names a configuration by its id and by its label, the id counts
            if named == configuration or pair not in given:
                given[pair] = prediction

    by_id = {question.id: question for question in questions if question.relation}
    predicted: dict[Pair, str] = {}
    gaps: dict[Pair, Gap] = {}
    for pair, answer in answers.items():
        if pair[1] not in by_id or answer.refused:
            continue
        if (found := given.get((plain(pair[0]), pair[1]))) is None:
            gaps[pair] = Gap("not_applicable", "no prediction was imported for this answer")
        elif not _is_about(found, answer.text):
            gaps[pair] = Gap("not_applicable", "the imported prediction was made for another answer than this one")
        else:
            predicted[pair] = found.relation
    if gaps and not predicted:
        (first, *_) = gaps.values()
        return Relations(reason=f"the predictions '{classifier.name}' fit none of this run's answers ({first.reason})")
    labelled = list(by_id.values())
    seeing = {q.id: gold[q.id].relation for q in labelled if q.id in gold and _is_about(gold[q.id], q.answer)}
    unknown = [] if seeing else [f"Nothing was predicted for the reference answers (configuration '{GOLD}')."]
    diagnostics = ceiling("imported", labelled, seeing, {}, notes=unknown)
    return Relations(
        predicted,
        {},
        diagnostics | {"movable": movable(labelled, predicted, answers, gaps)},
        gaps=gaps,
        from_vectors=False,
        from_text=False,
    )


def _is_about(prediction: Prediction, answer: str) -> bool:
    """Whether a prediction was made for this text, white space aside; where nobody says, it is taken at its word."""
    return not prediction.answer.strip() or prediction.answer.split() == answer.split()
