"""Trees from somebody's YAML: any depth, two ways of writing, and every mistake explained in one sentence."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InputError
from core.taxonomy.tree_files import MOST_CHARACTERS, trees_from_yaml
from core.taxonomy.trees import Tree


def test_nested_lists_and_mappings_of_any_depth() -> None:
    text = """
topic:
  science:
    - physics
    - biology:
        - botany:
            mosses: [sphagnum, hornwort]
        - zoology
  arts:
mood: [calm, tense]
"""
    trees = trees_from_yaml(text)
    assert list(trees) == ["topic", "mood"]
    assert [len(level) for level in trees["topic"].levels] == [2, 2, 2, 1, 2]
    assert trees["topic"].ancestors("hornwort") == ("mosses", "botany", "biology", "science")
    assert trees["topic"].children("arts") == ()
    assert trees["mood"].levels == (("calm", "tense"),)


def test_rows_of_name_and_parent() -> None:
    text = """
topic:
  - {name: physics, parent: science}
  - {name: science}
  - {name: optics, parent: physics}
"""
    assert trees_from_yaml(text)["topic"].ancestors("optics") == ("physics", "science")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("t: [{name: a, parent: b}, {name: b, parent: a}]", r"runs in a circle: 'a' below 'b' below 'a'; cut it open"),
        ("t: [{name: a, parent: gone}]", r"puts 'a' below 'gone', which is none of its categories: add 'gone'"),
        ("t: [{name: a}, {name: a}]", r"names 'a' twice, at the top and at the top"),
        ("t: {a: [x], b: [x]}", r"names 'x' twice, below 'a' and below 'b'"),
        ("t: {a: [x], a: [y]}", r"not valid YAML: 'a' stands twice in line 1, column 13"),
        ("t: [a]\nt: [b]", r"'t' stands twice in line 2, column 1"),
        ("t: {a: [1, 2]}", r"holds '1', which is no name: write names as texts"),
        ("t: [a, '']", r"holds an empty name: give every category one"),
        ("t: [{name: a, above: b}]", r"category 1 of 't' has the field 'above': use 'name' and 'parent' only"),
        ("t: [{name: a}, {name: 3}]", r"category 2 of 't' has a name or parent that is no text"),
        ("t:", r"names no category of 't': nest at least one below it"),
        ("1: [a]", r"calls a dimension 1: write its name as a text"),
        ("", r"mine.yaml holds no tree: write the name of a dimension"),
        ("- a\n- b", r"holds no tree"),
        ("t: [a", r"mine.yaml is not valid YAML: .* in line 1, column 6"),
        ("t: !!python/object/apply:os.getcwd []", r"not valid YAML"),
        ("t: &x {a: *x}", r"names 'a' twice|nested more than 100 deep"),
    ],
)
def test_mistakes_are_explained(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said) as caught:
        trees_from_yaml(text, "mine.yaml")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "t: " + "{a: " * 150 + "x" + "}" * 150,
        "t: " + "[" * 2_000,
        "t: [a]" + " " * MOST_CHARACTERS,
        "t: {" + ", ".join(f"k{i}: " + "{" + f"n{i}: " for i in range(2_000)),
    ],
    ids=["deep", "open", "long", "torn"],
)
def test_hostile_texts_end_in_a_sentence(text: str) -> None:
    with pytest.raises(InputError):
        trees_from_yaml(text)


def test_references_that_would_multiply_are_stopped_at_the_first_repeat() -> None:
    text = "a: &a [x, y]\nb: &b {p: *a, q: *a}\n"
    with pytest.raises(InputError, match="names 'x' twice"):
        trees_from_yaml(text)


names = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12).filter(
    str.strip
)


@given(st.lists(names, unique=True, min_size=1, max_size=30), st.randoms(use_true_random=False))
def test_any_tree_survives_being_written_down(nodes: list[str], random: object) -> None:
    parents: dict[str, str | None] = {}
    for place, name in enumerate(nodes):
        above = random.randrange(-1, place)  # type: ignore[attr-defined]
        parents[name] = None if above < 0 else nodes[above]
    rows = [{"name": name} | ({"parent": parent} if parent is not None else {}) for name, parent in parents.items()]
    tree = trees_from_yaml(yaml.safe_dump({"D": rows}, allow_unicode=True))["D"]
    assert dict(tree.parents) == parents
    assert trees_from_yaml(yaml.safe_dump({"D": _nested(tree, None)}, allow_unicode=True))["D"] == tree


def _nested(tree: Tree, name: str | None) -> object:
    return [{child: _nested(tree, child)} if tree.children(child) else child for child in tree.children(name)]
