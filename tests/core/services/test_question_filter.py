"""Which questions of a run match, and the lens over them alone."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from core.errors import OptionError
from core.schema import Card
from core.services import catalogue, lenses, question_filter
from core.services.question_filter import EVERYTHING, Where, filtered_sentence, matching, run_questions
from core.services.workspace import workspace
from core.store.database import Store
from core.store.datasets import dataset_rows, delete_dataset, replace_card
from core.store.runs import run_row
from tests.core.services.drilldown_samples import dataset, make_run

pytestmark = pytest.mark.usefixtures("home")


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        (EVERYTHING, "q1 q2 q3 q4 q5 q6"),
        (Where(("causal",)), "q2 q3 q4"),
        (Where(("causal", "temporal")), "q1 q2 q3 q4 q5"),
        (Where(split="test"), "q2 q3 q5"),
        (Where(("causal",), "test"), "q2 q3"),
        (Where(categories=(("QC", "simple"),)), "q1 q2"),
        (Where(categories=(("QC", "complex"),)), "q3"),
        (Where(categories=(("QC", "one fact"),)), "q2"),
        (Where(categories=(("QC", "simple"), ("style", "plain"))), "q1"),
        (Where(("temporal",), "test", (("style", "odd"),)), ""),
    ],
)
def test_matching(where: Where, expected: str) -> None:
    assert matching(make_run(), where) == tuple(expected.split())


def test_labels_are_counted_at_every_level() -> None:
    found = run_questions(make_run())
    assert dict(found.relations) == {"causal": 3, "temporal": 2}
    assert dict(found.splits) == {"test": 3, "train": 2}
    assert dict(found.nodes["QC"]) == {"simple": 2, "one fact": 1, "two facts": 1, "complex": 1, "inference": 1}
    assert list(found.trees) == ["QC", "style"]


def test_a_run_of_some_questions_knows_their_labels_alone() -> None:
    found = run_questions(make_run(limit=1))
    assert found.ids == ("q1",)
    assert dict(found.relations) == {"temporal": 1}


@pytest.mark.parametrize(
    ("where", "said"),
    [
        (Where(("gone",)), "no question of this run has the relation 'gone'"),
        (Where(split="dev"), "no question of this run is in the split 'dev'"),
        (Where(categories=(("LV", "x"),)), "no question of this run has a category of 'LV'"),
        (Where(categories=(("QC", "gone"),)), "'gone' is no category of 'QC'"),
    ],
)
def test_unknown_labels_are_said(where: Where, said: str) -> None:
    run = make_run()
    with pytest.raises(OptionError, match=said):
        matching(run, where)


def test_a_dataset_deleted_while_its_card_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    run = make_run()

    def deleted_meanwhile(store: Store) -> list[dict[str, object]]:
        delete_dataset(store, run_row(store, run)["dataset"], [run])
        return dataset_rows(store)

    monkeypatch.setattr(question_filter, "dataset_rows", deleted_meanwhile)
    with pytest.raises(OptionError, match=f"no run '{run}' is stored"):
        run_questions(run)


def test_unknown_run() -> None:
    with pytest.raises(OptionError, match="no run 'gone' is stored"):
        matching("gone", EVERYTHING)


def test_the_sentence_of_a_filtered_view() -> None:
    run = make_run()
    assert filtered_sentence(run, EVERYTHING) == ""
    assert filtered_sentence(run, Where(("causal",), "test", (("QC", "simple"),))) == (
        "1 of 6 questions: split test; causal; QC simple. A filtered view shows effects and intervals only, no "
        "verdicts on noise."
    )
    assert filtered_sentence(run, Where(("temporal",), "test", (("style", "odd"),))) == (
        "None of the 6 questions of this run matches: split test; temporal; style odd."
    )


def test_a_tree_that_cannot_be_read_leaves_its_labels_side_by_side() -> None:
    made = dataset()
    made = replace(made, card=Card("marlow", trees={"QC": {"simple": ["one fact"], "complex": ["one fact"]}}))
    found = run_questions(make_run(made=made))
    assert found.trees["QC"].levels == (("inference", "one fact", "two facts"),)
    assert "names 'one fact' twice" in found.problems[0]
    assert found.trees["style"].nodes == ("odd", "plain")


def test_the_lens_is_computed_on_the_questions_that_match() -> None:
    run = make_run()
    whole, causal = lenses.logic(run), lenses.logic(run, where=Where(("causal",)))
    assert whole.filtered == ""
    assert causal.filtered.startswith("3 of 6 questions: causal.")
    assert causal.scores.relations == ("causal",)
    knn = {c.id: c for c in causal.scores.configurations}["knn"]
    assert knn.bertsim.value == pytest.approx((0.2 + 0.4 + 0.1) / 3)
    assert knn.bertsim.n_scored == 3
    assert {c.id: c for c in whole.scores.configurations}["knn"].relations["causal"] == knn.relations["causal"]


def test_the_lens_says_that_nothing_matches() -> None:
    run = make_run()
    with pytest.raises(OptionError, match="None of the 6 questions of this run matches"):
        lenses.logic(run, where=Where(("temporal",), "test", (("style", "odd"),)))


def test_the_lens_of_one_question() -> None:
    run = make_run()
    one = lenses.logic(run, where=Where(("causal",), "train"))
    assert [c.bertsim.n_scored for c in one.scores.configurations] == [1, 1, 0]
    assert all(c.bertsim.low is None for c in one.scores.configurations)


def test_among_keeps_every_array_in_step() -> None:
    _, store = workspace()
    seen = lenses.observations(store, make_run())
    some = lenses.among(seen, ["q5", "q2"])
    assert some.question_ids == ("q2", "q5")
    assert some.relations == ("causal", "temporal")
    for name in ("similarity", "correct", "refused", "words", "sentences", "similarity_state", "correct_state"):
        np.testing.assert_array_equal(getattr(some, name), getattr(seen, name)[:, [1, 4]])
    assert json.dumps(some.clusters.tolist()) == json.dumps(seen.clusters[[1, 4]].tolist())


def test_another_card_brings_other_trees_at_once() -> None:
    run = make_run()
    assert matching(run, Where(categories=(("QC", "simple"),))) == ("q1", "q2")
    before = catalogue.run(run).stamp
    _, store = workspace()
    (row,) = dataset_rows(store)
    card = Card(row["name"], trees={"QC": {"short": ["simple"]}})
    replace_card(store, row["name"], row["fingerprint"], card, source="made", source_hash="y", format="trilens")
    assert run_questions(run).trees["QC"].levels[0][0] == "short"
    with pytest.raises(OptionError):
        matching(run, Where(categories=(("QC", "complex"), ("QC", "none"))))
    assert catalogue.run(run).stamp != before
