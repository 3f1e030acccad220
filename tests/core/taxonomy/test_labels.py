"""Labels in a tree: lifted, read as something else, set aside or in conflict, and never dropped without a word."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import OptionError
from core.taxonomy.bundled import BUNDLED_TREES
from core.taxonomy.labels import Conflict, MappedLabel, place_labels
from core.taxonomy.trees import nested_tree

QC = BUNDLED_TREES["QC"]
UNEVEN = nested_tree("D", {"a": {"a1": ["x", "y"], "a2": None}, "b": None})


def test_labels_at_any_level_are_lifted() -> None:
    placed = place_labels(QC, ["entity_extraction", "single_fact", "complex", None])
    assert placed.at_level(0) == ("simple", "simple", "complex", None)
    assert placed.at_level(1) == ("single_fact", "single_fact", None, None)
    assert placed.at_level(2) == ("entity_extraction", None, None, None)
    assert placed.levels_of_own.tolist() == [2, 1, 0, -1]
    assert placed.n_unlabelled == 1


def test_questions_of_a_level_of_their_own() -> None:
    placed = place_labels(QC, ["entity_extraction", "single_fact", "complex"])
    assert placed.independent
    assert placed.at_level(1, independent=True) == (None, "single_fact", None)
    assert not place_labels(QC, ["entity_extraction", "multi_hop_reasoning"]).independent
    assert not place_labels(QC, ["simple", "complex"]).independent


def test_a_leaf_above_stands_for_itself_below() -> None:
    placed = place_labels(UNEVEN, ["x", "a2", "b"])
    assert placed.at_level(1) == ("a1", "a2", "b")
    assert placed.at_level(2) == ("x", "a2", "b")
    assert not placed.independent


def test_there_are_only_so_many_levels() -> None:
    with pytest.raises(OptionError, match="'QC' has no level 3: it has 3"):
        place_labels(QC, ["simple"]).at_level(3)


@pytest.mark.parametrize("variant", ["Simple", " simple", "SIMPLE", "ｓｉｍｐｌｅ", "sim-ple"])
def test_spelling_variants_are_read_as_the_node_and_listed(variant: str) -> None:
    placed = place_labels(QC, [variant, "simple", variant])
    assert placed.own == ("simple",) * 3
    assert placed.mapped == (MappedLabel(variant, "simple", 2),)
    assert placed.sentences() == (f"'{variant}' (2 questions) was read as 'simple'.",)


def test_other_labels_are_set_aside_with_a_suggestion() -> None:
    placed = place_labels(QC, ["multihop reasonning", "something else", "simple"])
    assert placed.own == (None, None, "simple")
    assert [(one.name, one.suggestion) for one in placed.set_aside] == [
        ("multihop reasonning", "multi_hop_reasoning"),
        ("something else", None),
    ]
    assert placed.sentences() == (
        "'multihop reasonning' (1 question) is no category of 'QC' and is set aside; did you mean "
        "'multi_hop_reasoning'?",
        "'something else' (1 question) is no category of 'QC' and is set aside.",
    )


def test_the_users_decisions_come_first() -> None:
    placed = place_labels(QC, ["easy", "Simple", "hard"], {"easy": "simple", "Simple": None})
    assert placed.own == ("simple", None, None)
    assert [(one.name, one.reason) for one in placed.set_aside] == [
        ("Simple", "was set aside as asked"),
        ("hard", "is no category of 'QC' and is set aside"),
    ]
    with pytest.raises(OptionError, match="'easy' is mapped to 'gone', which is no category of 'QC'"):
        place_labels(QC, ["easy"], {"easy": "gone"})


def test_a_label_that_may_be_two_nodes_is_not_guessed() -> None:
    tree = nested_tree("D", ["A b", "a-B"])
    placed = place_labels(tree, ["a_b", "A b"])
    assert placed.own == (None, "A b")
    assert placed.set_aside[0].reason == "may mean 'A b' or 'a-B' and is set aside"


def test_signs_tell_names_apart() -> None:
    placed = place_labels(nested_tree("language", ["c"]), ["C++", "C"])
    assert placed.own == (None, "c")


def test_two_children_of_one_parent_are_a_conflict() -> None:
    labels = [["extractive_span", "entity_extraction"], ["simple", "complex"], ["single_fact", "extractive_span"]]
    placed = place_labels(QC, labels)
    assert placed.own == ("single_fact", None, "extractive_span")
    assert placed.conflicts == (
        Conflict(0, "single_fact", ("extractive_span", "entity_extraction")),
        Conflict(1, None, ("simple", "complex")),
    )
    assert placed.sentences() == (
        "1 question is labelled in 'extractive_span' and 'entity_extraction', two children of 'single_fact': counted "
        "in 'single_fact' only.",
        "1 question is labelled in 'simple' and 'complex', two children of 'QC': set aside.",
    )


def test_a_known_label_beside_an_unknown_one_counts() -> None:
    placed = place_labels(QC, [["simple", "gone"], []])
    assert placed.own == ("simple", None)
    assert placed.n_unlabelled == 1
    assert [one.name for one in placed.set_aside] == ["gone"]


entries = st.one_of(st.none(), st.sampled_from([*QC.nodes, "Simple", "gone", ""]), st.lists(st.sampled_from(QC.nodes)))


@given(st.lists(entries, max_size=30))
def test_every_question_has_a_place_or_a_reason(labels: list[str | Sequence[str] | None]) -> None:
    placed = place_labels(QC, labels)
    missing = sum(name is None for name in placed.own)
    lost = sum(one.parent is None for one in placed.conflicts) + sum(one.n for one in placed.set_aside)
    assert missing == placed.n_unlabelled + lost
    for level in range(3):
        for own, lifted in zip(placed.own, placed.at_level(level), strict=True):
            assert lifted is None or (lifted in QC.levels[level] and own in QC.within(lifted))
