"""The bundled benchmark holds what its card promises: counts, balance, split, labels, checks."""

from __future__ import annotations

from collections import Counter

import pytest

from core.datasets.bundled import bundled_path
from core.datasets.importers import read_dataset
from core.datasets.validation import warnings
from core.datasets.wording_checks import BANDS, variations
from core.schema import Dataset
from core.services.checking import AGREEMENT, lexical_findings
from core.taxonomy.relations import BUNDLED
from tests.made_once import lend_encodings

RELATIONS = {relation.name for relation in BUNDLED}


@pytest.fixture(scope="module")
def demo() -> Dataset:
    return read_dataset(bundled_path("trilens-demo")).dataset


@pytest.fixture(scope="module")
def levels() -> Dataset:
    return read_dataset(bundled_path("trilens-levels")).dataset


@pytest.fixture(scope="module")
def languages() -> Dataset:
    return read_dataset(bundled_path("trilens-languages")).dataset


def test_fifty_two_documents_of_the_promised_length_and_variety(demo: Dataset) -> None:
    assert len(demo.documents) == 52
    lengths = [len(document.text.split()) for document in demo.documents]
    assert min(lengths) >= 350
    assert max(lengths) <= 750
    assert len({document.meta["kind"] for document in demo.documents}) >= 10


def test_ten_questions_a_document_and_forty_a_relation(demo: Dataset) -> None:
    assert len(demo.questions) == 520
    assert set(Counter(question.document_ids for question in demo.questions).values()) == {10}
    assert Counter(question.relation for question in demo.questions) == dict.fromkeys(RELATIONS, 40)


def test_the_split_is_by_document_and_balanced(demo: Dataset) -> None:
    sides: dict[str, set[str | None]] = {}
    for question in demo.questions:
        for document in question.document_ids:
            sides.setdefault(document, set()).add(question.split)
    assert Counter(side for found in sides.values() for side in found) == {"train": 39, "test": 13}
    for split, each in (("train", 30), ("test", 10)):
        counts = Counter(question.relation for question in demo.questions if question.split == split)
        assert counts == dict.fromkeys(RELATIONS, each)


@pytest.mark.parametrize("dimension", ["QC", "AT", "LV"])
def test_every_finest_category_has_forty_questions(dimension: str, demo: Dataset) -> None:
    counts = Counter(question.categories[dimension] for question in demo.questions)
    assert len(counts) == 8
    assert min(counts.values()) >= 40, counts


@pytest.mark.parametrize("dimension", ["phrasing", "user_expertise"])
def test_the_other_dimensions_are_labelled_everywhere(dimension: str, demo: Dataset) -> None:
    counts = Counter(question.categories[dimension] for question in demo.questions)
    assert set(counts) == set(demo.card.trees[dimension])
    assert min(counts.values()) >= 60, counts


def test_nuggets(demo: Dataset) -> None:
    numbers = Counter(len(question.nuggets) for question in demo.questions)
    assert set(numbers) <= {1, 2, 3, 4, 5}
    assert numbers[1] <= 52
    assert all(any(n.importance == "vital" for n in question.nuggets) for question in demo.questions)
    assert all(nugget.evidence for question in demo.questions for nugget in question.nuggets)
    alternatives = {"OR": 0, "AND": 0}
    for question in demo.questions:
        for kind in {nugget.aggregator for nugget in question.nuggets if nugget.answers}:
            alternatives[kind] += 1
    assert alternatives["OR"] >= 60
    assert alternatives["AND"] >= 40


def test_reference_answers_are_short(demo: Dataset) -> None:
    from core.text.sentences import sentence_spans

    assert all(1 <= len(sentence_spans(question.answer)) <= 3 for question in demo.questions)
    assert all(question.evidence for question in demo.questions)


def test_no_check_finds_anything(demo: Dataset) -> None:
    assert [str(finding) for finding in (*warnings(demo), *lexical_findings(demo))] == []


def test_linguistic_variation_agrees_with_what_is_measured(demo: Dataset) -> None:
    measured = variations(demo)
    assert len(measured) >= 515  # of some questions nothing but names is left
    assert sum(one.agrees for one in measured) / len(measured) >= AGREEMENT
    assert all(one.in_band for one in measured if one.category in BANDS)


def test_levels_stand_on_the_same_documents_and_are_independent(demo: Dataset, levels: Dataset) -> None:
    assert levels.documents == demo.documents
    counts = Counter(question.categories["QC"] for question in levels.questions)
    assert counts == dict.fromkeys(
        ("simple", "complex", "single_fact", "multi_fact_local", "cross_section_synthesis", "comparative_analysis"), 40
    )
    assert all(set(question.categories) == {"QC"} and question.relation is None for question in levels.questions)
    assert not {q.question for q in levels.questions} & {q.question for q in demo.questions}


def test_languages(languages: Dataset) -> None:
    assert Counter(document.language for document in languages.documents) == {"zh": 2, "de": 2, "es": 2, "ar": 2}
    assert set(Counter(question.document_ids for question in languages.questions).values()) == {10}
    assert {question.relation for question in languages.questions} == RELATIONS
    lexical = {finding.check for finding in lexical_findings(languages)}
    assert not lexical & {"nugget-not-found", "nugget-without-evidence", "nugget-beyond-answer", "copied-answer"}


@pytest.mark.slow
def test_no_near_duplicates_and_questions_that_do_not_leak(home, demo_once) -> None:
    """The question-only classifier, cross-fitted by document, stays below 55 % on relations; nothing is said twice."""
    from core.engine.spec import Request
    from core.services.checking import duplicate_findings
    from core.services.evaluation import plan, run
    from core.services.lenses import logic

    lend_encodings(demo_once, home)
    spec, dataset = plan(Request("trilens-demo", retrievers="knn", combinations="none"))
    levels = read_dataset(bundled_path("trilens-levels")).dataset
    both = Dataset(dataset.card, dataset.documents, (*dataset.questions, *levels.questions))
    assert [str(finding) for finding in duplicate_findings(both)] == []
    run(spec, dataset)
    found = logic(spec.run_id).classifier
    assert found is not None
    assert found["n"] == 520
    assert found["question_only"] < 0.55
    assert found["accuracy"] > 2 * found["majority"]
