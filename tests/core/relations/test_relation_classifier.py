"""The classifier as the engine uses it: honest folds, decided degenerate cases, storable, fast."""

from __future__ import annotations

import json
import time
from dataclasses import replace

import numpy as np
import pytest

from core.errors import ModelError, OptionError
from core.relations.classifier import FittedRelations, LocalClassifier, Unfittable, fit
from core.relations.cross_fitting import cross_fit
from core.relations.features import features
from tests.core.relations.samples import Made, made, unit

SPEC = LocalClassifier()


def many(n_documents: int = 12, n_labels: int = 4, **options: object) -> Made:
    """Three questions a relation and document."""
    labels = [f"r{i}" for _ in range(n_documents) for i in range(n_labels) for _ in range(3)]
    documents = [f"d{i:02}" for i in range(n_documents) for _ in range(3 * n_labels)]
    return made(labels, documents, **options)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def learnt() -> tuple[Made, FittedRelations]:
    questions = many()
    return questions, fit(SPEC, **questions.arguments())


def predicted(fitted: FittedRelations, questions: Made, index: np.ndarray | None = None) -> list[str]:
    index = np.arange(len(questions.labels)) if index is None else index
    return fitted.predict(
        index, questions.question[index], questions.answer[index], questions.text[index], questions.cues[index]
    )


def test_it_learns_what_shows_in_the_answer(learnt: tuple[Made, FittedRelations]) -> None:
    diagnostics = learnt[1].diagnostics
    assert diagnostics.accuracy > 0.9
    assert diagnostics.macro_f1 > 0.9
    assert diagnostics.majority == 0.25
    assert diagnostics.question_only < 0.45
    assert diagnostics.question_only_agreement < 0.5
    assert (diagnostics.n, diagnostics.n_documents, diagnostics.folds) == (144, 12, 5)
    assert diagnostics.notes == ()
    assert set(diagnostics.c) <= set(SPEC.c_grid)
    assert len(diagnostics.c) == len(diagnostics.question_only_c) == 5


def test_diagnostics_are_those_of_the_predictions_of_gold_answers(learnt: tuple[Made, FittedRelations]) -> None:
    questions, fitted = learnt
    right = [a == b for a, b in zip(predicted(fitted, questions), questions.labels, strict=True)]
    assert fitted.diagnostics.accuracy == pytest.approx(np.mean(right))
    assert sum(map(sum, fitted.diagnostics.matrix)) == 144


def test_random_labels_are_not_predicted_better_than_chance() -> None:
    """A leak from a question's own document would show here: vectors identify documents, labels follow them."""
    generator = np.random.default_rng(3)
    documents = [f"d{i:02}" for i in range(30) for _ in range(6)]
    labels = [f"r{i}" for i in generator.integers(0, 3, 30) for _ in range(6)]
    questions = made(labels, documents, signal=0.0)
    own = np.repeat(generator.normal(size=(30, 16)), 6, axis=0)
    questions = replace(
        questions,
        question=unit(questions.question + own),
        answer=unit(questions.answer + own),
        text=unit(questions.text + own),
    )
    assert fit(SPEC, **questions.arguments()).diagnostics.accuracy < 0.5


def test_a_fold_model_does_not_depend_on_the_labels_of_its_own_documents() -> None:
    questions = many()
    first = fit(SPEC, **questions.arguments())
    own = first.folds == 2
    labels = np.array(questions.labels)
    classes = np.array([first.labels.index(label) for label in labels])
    rows = features(questions.question, questions.answer, questions.text, questions.cues)
    everything = np.ones(len(labels), dtype=bool)
    changed = np.where(own, (classes + 1) % 4, classes)
    models = [cross_fit(rows, some, everything, first.folds, 4, SPEC.c_grid) for some in (classes, changed)]
    assert np.array_equal(models[0].weights[2], models[1].weights[2])
    assert np.array_equal(models[0].intercepts[2], models[1].intercepts[2])
    assert not np.array_equal(models[0].weights[1], models[1].weights[1])


def test_every_produced_answer_is_judged_by_its_questions_fold(learnt: tuple[Made, FittedRelations]) -> None:
    questions, fitted = learnt
    index = np.repeat(np.arange(len(questions.labels)), 3)[::-1].copy()
    alone = predicted(fitted, questions)
    assert predicted(fitted, questions, index) == [alone[i] for i in index]
    rows = features(questions.question, questions.answer, questions.text, questions.cues)
    for i in (0, 50, 143):
        scores = rows[i] @ fitted.weights[fitted.folds[i]] + fitted.intercepts[fitted.folds[i]]
        assert alone[i] == fitted.labels[int(np.argmax(scores))]


def test_fitting_is_deterministic_and_seeded() -> None:
    questions = many(n_documents=9)
    first, again = (fit(SPEC, **questions.arguments()) for _ in range(2))
    assert first.save() == again.save()
    other = fit(LocalClassifier(seed=1), **questions.arguments())
    assert not np.array_equal(first.folds, other.folds)


def test_it_can_be_stored_and_loaded(learnt: tuple[Made, FittedRelations]) -> None:
    questions, fitted = learnt
    stored = fitted.save()
    assert isinstance(stored, bytes)
    loaded = FittedRelations.load(stored)
    assert loaded.labels == fitted.labels
    assert loaded.reasons == fitted.reasons
    assert loaded.diagnostics == fitted.diagnostics
    assert predicted(loaded, questions) == predicted(fitted, questions)
    assert loaded.save() == stored
    assert json.loads(json.dumps(loaded.diagnostics.as_dict())) == fitted.diagnostics.as_dict()


@pytest.mark.parametrize("cut", [0, 10, 500, -30])
def test_a_damaged_store_is_one_sentence(learnt: tuple[Made, FittedRelations], cut: int) -> None:
    with pytest.raises(ModelError, match="stored relation classifier cannot be read"):
        FittedRelations.load(learnt[1].save()[:cut])


def test_the_spec_names_every_choice() -> None:
    assert SPEC.as_spec() == {
        "name": "local",
        "version": 1,
        "seed": 0,
        "folds": 5,
        "c_grid": [0.01, 0.1, 1.0],
        "mode": "cross_fitted",
    }


def test_one_relation_only() -> None:
    with pytest.raises(Unfittable, match="all questions have the relation 'a'"):
        fit(SPEC, **made(["a"] * 10, [str(i) for i in range(10)]).arguments())


def test_no_relation_at_all() -> None:
    with pytest.raises(Unfittable, match="no question has a relation label"):
        fit(SPEC, **made([""] * 4, list("abcd")).arguments())


def test_a_single_document() -> None:
    with pytest.raises(Unfittable, match="about one document"):
        fit(SPEC, **made(["a", "b"] * 10, ["d"] * 20).arguments())


def test_a_relation_rarer_than_the_folds_takes_part() -> None:
    questions = many()
    labels = list(questions.labels)
    labels[0] = labels[40] = labels[80] = "rare"
    labels[143] = "alone"
    fitted = fit(SPEC, **questions.arguments(labels=labels))
    assert "rare" in fitted.labels
    assert fitted.diagnostics.n == 144
    assert any("1 gold answers have a relation" in note and "alone (1)" in note for note in fitted.diagnostics.notes)
    assert fitted.diagnostics.as_dict()["confusion"]["labels"] == list(fitted.diagnostics.labels)


def test_fewer_documents_than_folds() -> None:
    fitted = fit(SPEC, **many(n_documents=3).arguments())
    assert fitted.diagnostics.folds == 3
    assert fitted.diagnostics.notes == ("There are only 3 documents, so there are 3 folds.",)
    assert fitted.diagnostics.accuracy > 0.7


def test_two_documents_leave_nothing_to_choose_c_by() -> None:
    fitted = fit(SPEC, **many(n_documents=2).arguments())
    assert fitted.diagnostics.c == (0.1, 0.1)
    assert "There are too few documents to choose C, so it is the middle of the grid." in fitted.diagnostics.notes


def test_a_fold_whose_training_part_shows_one_relation_gets_no_prediction() -> None:
    labels = ["a"] * 6 + ["b"] * 3 + ["a"] * 3
    documents = ["d1"] * 3 + ["d2"] * 3 + ["d3"] * 6
    fitted = fit(SPEC, **made(labels, documents).arguments())
    assert [bool(reason) for reason in fitted.reasons] == [False] * 6 + [True] * 6
    assert set(fitted.reasons) == {"", "the other documents show fewer than two relations"}
    found = predicted(fitted, made(labels, documents))
    assert found[6:] == [""] * 6
    assert set(found[:6]) <= {"a", "b"}
    assert fitted.diagnostics.n == 6
    assert any(note.startswith("6 questions get no prediction") for note in fitted.diagnostics.notes)


def test_documents_of_one_relation_each() -> None:
    with pytest.raises(Unfittable, match="whatever document is held out"):
        fit(SPEC, **made(["a"] * 5 + ["b"] * 5, ["d1"] * 5 + ["d2"] * 5).arguments())


def test_unlabelled_questions_are_predicted_but_neither_learnt_nor_counted() -> None:
    questions = many()
    labels = ["" if i % 4 == 0 else label for i, label in enumerate(questions.labels)]
    fitted = fit(SPEC, **questions.arguments(labels=labels))
    assert "" not in fitted.labels
    assert fitted.diagnostics.n == sum(bool(label) for label in labels)
    found = predicted(fitted, questions)
    hidden = [i for i, label in enumerate(labels) if not label]
    assert np.mean([found[i] == questions.labels[i] for i in hidden]) > 0.8


SPLIT = LocalClassifier(mode="train_split")


def test_the_train_split_predicts_only_the_others() -> None:
    questions = many()
    splits = ["train" if document < "d08" else "test" for document in questions.documents]
    fitted = fit(SPLIT, **questions.arguments(splits=splits))
    found = predicted(fitted, questions)
    assert [not label for label in found] == [split == "train" for split in splits]
    assert fitted.diagnostics.n == splits.count("test")
    assert fitted.diagnostics.accuracy > 0.8
    assert fitted.diagnostics.mode == "train_split"
    assert (fitted.diagnostics.folds, len(fitted.diagnostics.c)) == (1, 1)
    assert predicted(FittedRelations.load(fitted.save()), questions) == found


@pytest.mark.parametrize("splits", [None, [None] * 144, ["train"] * 144, ["test"] * 144])
def test_the_train_split_needs_both_sides(splits: list[str] | None) -> None:
    with pytest.raises(OptionError, match="field 'split'"):
        fit(SPLIT, **many().arguments(splits=splits))


def test_a_document_on_both_sides_is_refused() -> None:
    questions = many()
    splits = ["train" if i % 2 else "test" for i in range(len(questions.labels))]
    with pytest.raises(OptionError, match=r"Document 'd00' and 11 more has questions in the train split and outside"):
        fit(SPLIT, **questions.arguments(splits=splits))


def test_train_questions_of_one_relation() -> None:
    labels = ["a"] * 10 + ["a", "b"] * 5
    documents = ["d1"] * 10 + ["d2"] * 10
    with pytest.raises(Unfittable, match="train questions show fewer than two relations"):
        fit(SPLIT, **made(labels, documents).arguments(splits=["train"] * 10 + ["test"] * 10))


def test_a_train_split_of_one_document_takes_the_middle_c() -> None:
    questions = many(n_documents=2)
    splits = ["train" if document == "d00" else "test" for document in questions.documents]
    fitted = fit(SPLIT, **questions.arguments(splits=splits))
    assert fitted.diagnostics.c == (0.1,)


def test_two_relations() -> None:
    fitted = fit(SPEC, **many(n_labels=2).arguments())
    assert fitted.diagnostics.accuracy > 0.9


def _timed(n: int, n_documents: int) -> tuple[float, float]:
    """CPU seconds of the fit and of predicting 14 configurations' answers, at MiniLM's 384 dimensions."""
    labels = [f"r{i % 13:02}" for i in range(n)]
    questions = made(labels, [f"d{i * n_documents // n}" for i in range(n)], dimension=384, signal=0.1)
    began = time.process_time()
    fitted = fit(SPEC, **questions.arguments())
    middle = time.process_time()
    predicted(fitted, questions, np.repeat(np.arange(n), 14))
    return middle - began, time.process_time() - middle


def test_it_is_fast() -> None:
    """CPU seconds, which other processes on the machine do not change; the fit uses one core."""
    import sklearn.linear_model  # noqa: F401 - its import is not the fit

    assert _timed(78, 12)[0] < 2
    fitting, predicting = _timed(520, 60)
    assert fitting < 8
    assert predicting < 4
