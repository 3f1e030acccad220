"""What is said of a dataset is what it holds."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.datasets.bundled import bundled_names, bundled_path
from core.datasets.importers import read_dataset
from core.figures.distributions import Node
from core.schema import Card
from core.services import distributions as counts
from core.services.browsing import StoredDataset, stored_dataset
from core.services.dataset_tables import dataset_table, label_texts
from core.services.importing import import_bundled, import_source
from core.text.tokens import count_words
from tests.core.datasets.samples import table_rows, write_folder, write_jsonl


def dataset(**labels: Any) -> StoredDataset:
    return StoredDataset(
        name="d", title="D", fingerprint="f", n_documents=52, n_questions=520, n_runs=0, format="trilens", source="s",
        created="2026-01-01T00:00:00", labels={"questions": 520, **labels}, card=Card("d"),
    )  # fmt: skip


EACH = dict.fromkeys(("causal", "temporal"), 40)


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        ({"relations": EACH, "with_nuggets": 520, "categories": {"QC": {"a": 1}}},
         "labelled for all three lenses; every relation has 40."),
        ({"relations": {"causal": 3, "temporal": 40}}, "labelled for Logic alone; relations have 3 to 40."),
        ({"relations": {"causal": 3}, "without_relation": 517, "with_nuggets": 1},
         "labelled for Logic and Coverage alone; the only relation has 3; 517 questions have none."),
        ({"categories": {"QC": {"a": 1}}}, "labelled for Granularity alone."),
        ({}, "without labels for any lens: only BERTSim can compare configurations."),
    ],
)  # fmt: skip
def test_the_finding_says_size_lenses_and_relations(labels: dict[str, Any], said: str) -> None:
    assert counts.finding(dataset(**labels)) == f"520 questions over 52 documents, {said}"


def test_what_is_missing_is_named_with_what_would_help() -> None:
    assert len(counts.missing_labels(dataset())) == 3
    (only,) = counts.missing_labels(dataset(relations=EACH, categories={"QC": {"a": 1}}))
    assert only.startswith("Coverage: no question has nuggets")


@pytest.mark.usefixtures("home")
def test_the_bundled_dataset_counted_twice() -> None:
    name = import_bundled(bundled_names()[0]).name
    found = counts.distributions(name)
    truth = read_dataset(bundled_path(bundled_names()[0])).dataset
    cells = Counter((q.relation or "", q.split or "") for q in truth.questions)
    for split, numbers in found.splits.items():
        assert numbers == tuple(cells[relation, split] for relation in found.relations)
    assert sum(map(sum, found.splits.values())) == len(truth.questions)
    assert found.nuggets == Counter(len(q.nuggets) for q in truth.questions)
    assert found.n_vital == sum(n.importance == "vital" for q in truth.questions for n in q.nuggets)
    for dimension, nodes in found.trees.items():
        top = sum(node.n for node in nodes if node.depth == 0)
        assert top == sum(dimension in q.categories for q in truth.questions)
    words = sorted(count_words(d.text) for d in truth.documents)
    documents = found.lengths[0]
    assert sum(documents.counts) == len(words)
    assert words[0] <= documents.low <= documents.median <= documents.high <= words[-1]
    for sentence in (
        counts.relation_sentence(found), counts.nugget_sentence(found), counts.length_sentence(found),
        *(counts.tree_sentence(nodes) for nodes in found.trees.values()),
    ):  # fmt: skip
        assert sentence.endswith(".")


@pytest.mark.usefixtures("home")
def test_a_dataset_without_any_label(tmp_path: Path) -> None:
    name = import_source(write_jsonl(tmp_path / "t.jsonl", table_rows(1))).name
    found = counts.distributions(name)
    assert found.relations == ("",)
    assert found.splits == {"": (1,)}
    assert (found.trees, found.nuggets, found.n_vital) == ({}, {0: 1}, 0)
    assert [sum(one.counts) for one in found.lengths] == [1, 1, 1]
    assert not any("relation" in text for text in found.warnings)
    assert counts.language_sentence(found) in ("all documents in en", "all documents in an unknown language")
    assert label_texts(stored_dataset(name).labels)["Relations"] == ""


@pytest.mark.parametrize("words", [[1], [0, 0], [7] * 5, list(range(1000)), [3, 4, 5, 90_000], [10**9]])
def test_histograms_hold_every_text_in_few_round_bins(words: list[int]) -> None:
    found = counts.lengths("answers", words)
    assert sum(found.counts) == len(words)
    assert len(found.counts) == len(found.edges) - 1 <= 22
    assert found.edges[0] <= min(words)
    steps = {b - a for a, b in zip(found.edges, found.edges[1:], strict=False)}
    assert len(steps) == 1
    assert str(steps.pop()).rstrip("0") in ("1", "2", "5")


def test_sentences_on_relations_and_trees() -> None:
    found = counts.Distributions(
        ("causal", "temporal", ""), {"train": (30, 5, 9), "": (0, 0, 4)}, {}, {0: 2, 3: 2}, 3, (), {"en": 3, "": 1}, ()
    )
    assert counts.relation_sentence(found) == "Fewer than 20 questions, so mostly noise: temporal."
    assert "Each has at least 20" in counts.relation_sentence(replace(found, splits={"": (20, 21, 0)}))
    assert (
        counts.nugget_sentence(found) == "1.5 nuggets a question on average; 50 % are vital; 2 questions without any."
    )
    assert counts.language_sentence(found) == "documents in en (3) and an unknown language (1)"
    assert counts.tree_sentence([Node("a", 0, 3), Node("b", 1, 1), Node("c", 1, 2)]) == (
        "From 1 question (b) to 2 (c) a category of level 2."
    )
    assert counts.tree_sentence([Node("a", 0, 3), Node("b", 0, 3)]) == "Every category has 3 questions."


@pytest.mark.usefixtures("home")
def test_levels_that_label_nothing_are_left_out(tmp_path: Path) -> None:
    card = "name: t\ntrees:\n  QC: {hard: {complex: [deep]}, easy: [plain]}\n"
    name = import_source(write_folder(tmp_path / "t", card=card)).name
    nodes = counts.distributions(name).trees["QC"]
    assert [(node.name, node.depth, node.n) for node in nodes] == [
        ("hard", 0, 1), ("complex", 1, 1), ("easy", 0, 0), ("plain", 1, 0)
    ]  # fmt: skip


def test_the_table_of_datasets_is_short() -> None:
    many = {f"own {i}": {"a": 1} for i in range(9)}
    (row,) = dataset_table(
        [dataset(relations=EACH, with_evidence=260, with_nuggets=100, nuggets=250, categories=many)]
    ).to_dict("records")
    assert row["Relations"] == "2, 40 each"
    assert row["Evidence"] == "50 %"
    assert row["Nuggets"] == "2.5 a question"
    assert row["Lenses"] == "all three"
    assert row["Categories"] == "own 0, own 1, own 2, own 3 and 5 more"
    assert (row["Splits"], row["Languages"]) == ("–", "–")
