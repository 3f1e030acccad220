"""Stage *classify*: the relation of every produced answer, by whichever classifier the run has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.engine.calls import Calls
from core.engine.contexts import Context
from core.engine.encode import Encodings
from core.engine.fill import Workbench
from core.engine.relate_imported import imported_relations
from core.engine.relate_local import local_relations
from core.engine.relations import Pair, Relations
from core.engine.spec import RunSpec
from core.relations.classifier import LocalClassifier
from core.relations.predictions import ImportedPredictions
from core.schema import Answer, Dataset, Question

__all__ = ["Relations", "relations_of"]


def relations_of(
    spec: RunSpec,
    dataset: Dataset,
    questions: Sequence[Question],
    texts: Mapping[str, Context],
    contexts: Mapping[Pair, Context],
    answers: Mapping[Pair, Answer],
    encodings: Encodings,
    bench: Workbench,
    calls: Calls | None,
) -> Relations:
    """Return the relation of every produced answer, and how good the classifier is on reference answers.

    ``texts`` maps question ids to the text behind their reference answer: the gold evidence, else what kNN retrieved.
    ``calls`` reach the language model of a classifier that asks one. Refusals are not predicted: their relation is
    wrong by definition.

    Raises:
        OptionError: the predictions that the run was planned with were deleted or replaced.
    """
    classifier = spec.classifier
    if classifier is None:
        return Relations(reason="relations were switched off for this run")
    if not any(question.relation for question in questions):
        return Relations(reason="the dataset has no relation labels")
    if isinstance(classifier, LocalClassifier):
        return local_relations(classifier, questions, texts, contexts, answers, encodings, bench)
    if isinstance(classifier, ImportedPredictions):
        return imported_relations(classifier, spec, questions, answers, bench)
    from core.engine.relate_prompted import prompted_relations

    assert calls is not None, "a classifier that asks a model needs one to ask"
    return prompted_relations(classifier, dataset, questions, texts, contexts, answers, calls)
