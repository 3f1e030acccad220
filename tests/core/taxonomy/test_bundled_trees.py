"""The bundled trees: those of the paper, in the order and at the levels in which the rest of the product has them."""

from __future__ import annotations

import json
from pathlib import Path

from core.taxonomy.bundled import BUNDLED_TREES, level_names, relation_tree
from core.taxonomy.trees import nested_tree


def test_the_three_trees_have_two_four_and_eight_categories() -> None:
    assert list(BUNDLED_TREES) == ["QC", "AT", "LV", "phrasing", "user_expertise"]
    assert [[len(level) for level in BUNDLED_TREES[name].levels] for name in ("QC", "AT", "LV")] == [[2, 4, 8]] * 3
    assert BUNDLED_TREES["user_expertise"].levels == (("expert", "novice"),)


def test_one_name_stands_in_two_trees() -> None:
    assert BUNDLED_TREES["QC"].ancestors("entity_extraction") == ("single_fact", "simple")
    assert BUNDLED_TREES["AT"].ancestors("entity_extraction") == ("short_span_extraction", "extractive")


def test_they_are_those_of_the_public_data(shared: Path) -> None:
    public = json.loads((shared / "hierarag" / "taxonomy.json").read_text(encoding="utf-8"))
    for dimension, nested in public.items():
        assert BUNDLED_TREES[dimension] == nested_tree(dimension, nested)


def test_levels_have_names_where_there_are_three() -> None:
    assert level_names(BUNDLED_TREES["QC"]) == ("coarse", "medium", "fine")
    assert level_names(BUNDLED_TREES["phrasing"]) == ("",)
    assert level_names(nested_tree("D", {"a": {"b": {"c": ["d"]}}})) == ("1", "2", "3", "4")


def test_relations_are_a_tree_of_one_level() -> None:
    tree = relation_tree(["causal", "house rule", "deductive", "causal"])
    assert tree.levels == (("deductive", "causal", "house rule"),)
