"""Trees of a run: the dataset's, bundled ones, the user's own, and labels that none of them knows."""

from __future__ import annotations

import io

import pytest

from core.errors import InputError, OptionError
from core.services import catalogue, granularity, trees
from core.services.dataset_admin import delete
from core.services.granularity import Choice
from core.services.tree_uploads import keep_upload, preview, uploaded_trees
from core.services.workspace import workspace
from core.taxonomy.tree_files import trees_from_yaml
from tests.core.services.drilldown_samples import make_run
from tests.core.services.granularity_samples import LEAVES, QC, coarse_run, grove, planted

pytestmark = pytest.mark.usefixtures("home")

MINE = """
reading:
  short: [extractive_span, entity_extraction]
  long:
    - spread: [multi_span_aggregation, paraphrasing_required]
    - reasoned: [single_hop_inference, multi_hop_reasoning, comparative_synthesis]
"""


def mine(text=MINE):
    (tree,) = trees_from_yaml(text).values()
    return tree


def upload(text, name="mine.yaml"):
    return keep_upload(name, io.BytesIO(text.encode() if isinstance(text, str) else text))


def test_the_datasets_trees_come_first_and_relations_last():
    found = trees.dimensions(coarse_run())
    assert list(found) == ["QC", "style", "relation"]
    assert [one.origin for one in found.values()] == ["dataset", "labels", "labels"]
    assert found["QC"].title == "question complexity (QC)"


def test_a_card_without_a_tree_gets_the_bundled_one_where_that_knows_the_labels():
    made = grove([leaf for leaf in LEAVES for _ in range(2)], trees={})
    found = trees.dimensions(make_run(made=made, rows=planted(made, {})))
    assert found["QC"].origin == "bundled"
    assert found["QC"].tree == QC
    made = grove(["easy", "hard"] * 4, name="other", trees={})
    found = trees.dimensions(make_run(made=made, rows=planted(made, {})))
    assert found["QC"].origin == "labels"
    assert found["QC"].tree.levels == (("easy", "hard"),)


def test_a_card_whose_tree_cannot_be_read_leaves_its_labels_side_by_side():
    made = grove(["a", "b"] * 4, trees={"QC": {"a": ["b"], "b": None}})
    assert trees.dimensions(make_run(made=made, rows=planted(made, {})))["QC"].origin == "labels"


def test_a_tree_is_uploaded_looked_at_kept_used_and_taken_away():
    run = coarse_run(6)
    uploaded = uploaded_trees(upload(MINE, "../my trees.yaml"))
    assert uploaded.file == "my trees.yaml"
    tree = uploaded.trees["reading"]
    assert trees.suggested_labels(run, tree) == "QC"
    seen = preview(run, tree, "QC", {})
    assert (seen.n_placed, seen.n_questions) == (42, 48)
    row = seen.outline.set_index(seen.outline["category"].str.strip()).loc["long"]
    assert (row["labelled here"], row["here or below"]) == (0, 30)
    assert [one.name for one in seen.placed.set_aside] == ["comparative_synthesis_concepts"]
    before = trees.tree_stamp(run)
    trees.keep_tree(run, tree, "QC", {"comparative_synthesis_concepts": "reasoned"}, uploaded.file)
    assert trees.tree_stamp(run) != before
    kept = trees.dimension(run, "reading")
    assert (kept.origin, kept.labels, kept.tree) == ("yours", "QC", tree)
    lens = granularity.granularity(Choice(run, "reading", "knn", "bertsim"))
    assert lens.table.n_questions == 48
    assert lens.table.n_unlabelled == 0
    (stored,) = trees.own_trees(run)
    assert stored.source == "my trees.yaml"
    trees.remove_tree(run, "reading")
    assert "reading" not in trees.dimensions(run)
    with pytest.raises(OptionError, match="no tree 'reading' is kept"):
        trees.remove_tree(run, "reading")


def test_relations_can_be_sorted_into_a_tree_too():
    run = coarse_run(4)
    tree = mine("kinds:\n  reasoning: [causal]\n  reading: [temporal]\n")
    assert trees.suggested_labels(run, tree) == "relation"
    trees.keep_tree(run, tree, "relation", {}, "kinds.yaml")
    lens = granularity.granularity(Choice(run, "kinds", "knn", "bertsim"))
    assert [row.k for row in lens.table.rows] == [2, 2]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("t:\n  - {name: a, parent: b}\n  - {name: b, parent: a}\n", "runs in a circle: 'a' below 'b' below 'a'"),
        ("t:\n  - {name: a, parent: gone}\n", "puts 'a' below 'gone', which is none of its categories"),
        ("t:\n  a: [x]\n  b: [x]\n", "names 'x' twice, below 'a' and below 'b'"),
        ("t:\n  a: [x]\n  a: [y]\n", "'a' stands twice in line 3"),
        ("t: [a, b\n", "is not valid YAML"),
        ("- a\n- b\n", "holds no tree"),
        ("", "holds no tree"),
    ],
)
def test_a_broken_tree_is_explained_in_a_sentence_and_not_kept(text, says):
    with pytest.raises(InputError, match=says):
        upload(text)


def test_files_that_are_no_text_are_refused():
    with pytest.raises(InputError, match="no UTF-8 text at byte 0"):
        upload(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="larger than 4 MB"):
        upload(b"a" * 4_000_001)
    with pytest.raises(OptionError, match="no longer there"):
        uploaded_trees("0" * 16)
    with pytest.raises(OptionError, match="no longer there"):
        uploaded_trees("../../etc")


def test_spelling_variants_are_read_and_what_nobody_knows_is_offered_and_mapped():
    labels = ["Extractive Span", "entity-extraction", "multi_hop_reasonin", "nonsense"] * 3
    made = grove(labels)
    run = make_run(made=made, rows=planted(made, {}))
    found = trees.placed(run, "QC")
    assert {one.name: one.node for one in found.mapped} == {
        "Extractive Span": "extractive_span", "entity-extraction": "entity_extraction",
    }  # fmt: skip
    assert {one.name: one.suggestion for one in found.set_aside} == {
        "multi_hop_reasonin": "multi_hop_reasoning", "nonsense": None,
    }  # fmt: skip
    lens = granularity.granularity(Choice(run, "QC", "knn", "bertsim"))
    assert any("did you mean 'multi_hop_reasoning'?" in note for note in lens.table.notes)
    trees.keep_mapping(run, "QC", {"multi_hop_reasonin": "multi_hop_reasoning", "nonsense": None})
    assert sum(own == "multi_hop_reasoning" for own in trees.placed(run, "QC").own) == 3
    (reading,) = trees.own_trees(run)
    assert reading.tree is None
    with pytest.raises(OptionError, match="is no category of 'QC'"):
        trees.keep_mapping(run, "QC", {"nonsense": "nowhere"})
    trees.keep_mapping(run, "QC", {})
    assert trees.own_trees(run) == ()
    assert sum(own == "multi_hop_reasoning" for own in trees.placed(run, "QC").own) == 0


def test_a_tree_that_fits_nothing_is_not_kept():
    run = coarse_run(2)
    with pytest.raises(OptionError, match="none of the labels of 'QC' is a category of 'other'"):
        trees.keep_tree(run, mine("other: [x, y]\n"), "QC", {}, "")
    with pytest.raises(OptionError, match="has a label of 'AT'"):
        trees.keep_tree(run, mine(), "AT", {}, "")
    with pytest.raises(OptionError, match="1 to 120 characters"):
        trees.keep_tree(run, mine(f"{'x' * 200}: [extractive_span]\n"), "QC", {}, "")
    with pytest.raises(OptionError, match="stands in a tree 'nothing'"):
        trees.dimension(run, "nothing")


def test_a_dataset_takes_its_trees_with_it():
    run = coarse_run(2)
    trees.keep_tree(run, mine(), "QC", {}, "mine.yaml")
    delete(catalogue.run(run).dataset)
    _, store = workspace()
    assert store.rows("SELECT * FROM trees") == []
