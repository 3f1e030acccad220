"""Category trees: what lies below what, and which values are no trees."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.datasets.bundled import bundled_path
from core.datasets.importers.trilens_card import read_card, tree_nodes
from core.errors import InputError, OptionError
from core.taxonomy.trees import labelled_trees, nested_tree, tree_of_parents

NESTED = {
    "simple": {"single": ["span", "entity"], "multi": ["sum", "paraphrase"]},
    "complex": {"across": ["one hop"], "lone": None, "text": "alone"},
}


def test_levels_ancestors_children_and_leaves() -> None:
    tree = nested_tree("QC", NESTED)
    assert tree.levels == (
        ("simple", "complex"),
        ("single", "multi", "across", "lone", "text"),
        ("span", "entity", "sum", "paraphrase", "one hop", "alone"),
    )
    assert tree.nodes[:4] == ("simple", "single", "span", "entity")
    assert tree.ancestors("entity") == ("single", "simple")
    assert tree.ancestors("complex") == ()
    assert [tree.level_of(name) for name in ("simple", "lone", "alone")] == [0, 1, 2]
    assert tree.children(None) == ("simple", "complex")
    assert tree.children("simple") == ("single", "multi")
    assert tree.within("multi") == ("multi", "sum", "paraphrase")
    assert tree.leaves("simple") == ("span", "entity", "sum", "paraphrase")
    assert tree.leaves("lone") == ("lone",)
    assert tree.leaves() == ("span", "entity", "sum", "paraphrase", "one hop", "lone", "alone")


def test_a_flat_list_is_one_level() -> None:
    tree = nested_tree("phrasing", ["concise", "verbose"])
    assert tree.levels == (("concise", "verbose"),)
    assert tree.leaves("verbose") == ("verbose",)
    assert nested_tree("none", None).levels == ()


def test_one_name_may_stand_in_two_dimensions() -> None:
    trees, _ = labelled_trees(
        {"QC": {"simple": ["entity"]}, "AT": {"short": ["entity"]}}, {"QC": {"entity": 1}, "AT": {"entity": 2}}
    )
    assert trees["QC"].ancestors("entity") == ("simple",)
    assert trees["AT"].ancestors("entity") == ("short",)


def test_the_bundled_card() -> None:
    card = read_card(bundled_path("trilens-demo")).trees
    trees, problems = labelled_trees(card, {dimension: {} for dimension in card})
    assert problems == ()
    assert [len(level) for level in trees["QC"].levels] == [2, 4, 8]
    assert [len(level) for level in trees["AT"].levels] == [2, 4, 8]
    assert trees["LV"].within("similar_to_document")[-1] == "moderate_low_lexical_overlap"
    assert trees["user_expertise"].levels == (("expert", "novice"),)


@pytest.mark.parametrize(
    ("nested", "said"),
    [
        ({"a": ["x"], "b": ["x"]}, "names 'x' twice, below 'a' and below 'b'"),
        ({"a": ["a"]}, "names 'a' twice, at the top and below 'a'"),
        (["x", "x"], "names 'x' twice, at the top and at the top"),
        ({"a": [3]}, "holds '3', which is no name"),
        ({"a": [["x"]]}, "is no name"),
        ({2026: ["x"]}, "which is no name"),
    ],
)
def test_what_is_no_tree_is_explained(nested: Any, said: str) -> None:
    with pytest.raises(InputError, match="the tree of 'QC'") as caught:
        nested_tree("QC", nested)
    assert said in str(caught.value)


def test_a_value_that_holds_itself_is_found() -> None:
    endless: dict[str, Any] = {}
    endless["a"] = endless
    with pytest.raises(InputError, match=r"names 'a' twice|more than 100 deep"):
        nested_tree("QC", endless)


def test_orphans_and_circles_are_explained() -> None:
    with pytest.raises(InputError, match=r"puts 'x' below 'gone', which is none of its categories: add 'gone'"):
        tree_of_parents("QC", [("a", None), ("x", "gone")])
    with pytest.raises(InputError, match=r"runs in a circle: 'a' below 'b' below 'a'"):
        tree_of_parents("QC", [("top", None), ("a", "b"), ("b", "a")])
    with pytest.raises(InputError, match=r"runs in a circle: 'b' below 'c' below 'b'"):
        tree_of_parents("QC", [("a", "b"), ("b", "c"), ("c", "b")])


def test_children_may_be_named_before_their_parents() -> None:
    tree = tree_of_parents("QC", [("x", "a"), ("a", None), ("y", "a")])
    assert tree.nodes == ("a", "x", "y")


def test_unknown_names_are_said() -> None:
    tree = nested_tree("QC", NESTED)
    for ask in (tree.level_of, tree.ancestors, tree.children, tree.within, tree.leaves):
        with pytest.raises(OptionError, match="'gone' is no category of 'QC'"):
            ask("gone")


_trees = st.recursive(
    st.lists(st.integers(), max_size=3) | st.none(),
    lambda inner: st.dictionaries(st.integers(), inner, max_size=3),
    max_leaves=12,
)


@given(_trees)
def test_every_node_is_below_its_ancestors_and_leaves_part_the_tree(shape: Any) -> None:
    counter = iter(range(10_000))

    def named(value: Any) -> Any:
        if isinstance(value, dict):
            return {f"n{next(counter)}": named(below) for below in value.values()}
        return [f"n{next(counter)}" for _ in value] if value is not None else None

    nested = named(shape)
    tree = nested_tree("D", nested)
    assert set(tree.nodes) == tree_nodes(nested)
    assert sum(len(level) for level in tree.levels) == len(tree.nodes)
    for name in tree.nodes:
        assert all(name in tree.within(above) for above in tree.ancestors(name))
        assert tree.levels[tree.level_of(name)].count(name) == 1
    tops = [leaf for top in tree.children(None) for leaf in tree.leaves(top)]
    assert tuple(tops) == tree.leaves()


def test_trees_of_labelled_questions() -> None:
    """In the card's order, unlabelled dimensions left out; strangers, and what is no tree, stand at the top."""
    card = {"B": {"x": ["y"]}, "unused": ["z"], "broken": {"a": ["a"]}}
    trees, problems = labelled_trees(card, {"broken": {"a": 1}, "A": {"q": 1, "p": 2}, "B": {"y": 1, "new": 1}})
    assert list(trees) == ["B", "broken", "A"]
    assert trees["B"].ancestors("y") == ("x",)
    assert trees["B"].parents["new"] is None
    assert trees["A"].levels == (("p", "q"),)
    assert trees["broken"].levels == (("a",),)
    (problem,) = problems
    assert "'broken' names 'a' twice" in problem
