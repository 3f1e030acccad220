"""The questions of a category, in order, page by page."""

from __future__ import annotations

import pytest

from core.errors import OptionError
from core.services.granularity_list import NodeQuestions, node_csv, node_questions, rows_table
from tests.core.services.drilldown_samples import HOSTILE, make_run
from tests.core.services.granularity_samples import coarse_run

pytestmark = pytest.mark.usefixtures("home")


def listed(run, node, **more):
    return node_questions(NodeQuestions(run, more.pop("dimension", "QC"), node, "knn", "bertsim", **more))


def test_a_categorys_questions_come_worst_first_with_their_texts():
    found = listed(make_run(), "simple")
    assert [row["question_id"] for row in found.rows] == ["q2", "q1"]
    assert found.sentence == "2 questions: mean BERTSim .550 over the 2 scored."
    table = rows_table(found.rows)
    assert table["BERTSim"].tolist() == pytest.approx([0.2, 0.9])
    assert table["category"].tolist() == ["one fact", "two facts"]
    assert table["question"][0] == "Why does it run less in winter?"
    assert table["state"].tolist() == ["scored", "scored"]


def test_orders_and_what_is_not_scored():
    run = make_run()

    def ids(**more):
        return [row["question_id"] for row in listed(run, "temporal", dimension="relation", **more).rows]

    assert ids() == ["q1", "q5"]
    assert ids(order="highest") == ["q1", "q5"]
    assert ids(order="unscored") == ["q5", "q1"]
    assert ids(order="dataset") == ["q1", "q5"]
    found = listed(run, "temporal", dimension="relation")
    assert found.sentence.endswith("over the 1 scored; 1 not scored.")
    assert found.rows[1]["state"].startswith("failed: timeout")
    assert found.rows[1]["BERTSim"] is None


def test_two_configurations_are_ordered_by_their_difference():
    found = listed(make_run(), "causal", dimension="relation", second="bm25")
    rows = {row["question_id"]: row for row in found.rows}
    assert [row["question_id"] for row in found.rows] == ["q4", "q2", "q3"]
    assert rows["q3"]["difference"] == pytest.approx(0.1)
    assert rows["q4"]["BERTSim, kNN"] == pytest.approx(0.1)
    assert rows["q4"]["BERTSim, BM25"] == pytest.approx(0.4)
    assert "mean difference in BERTSim" in found.sentence


def test_pages_and_the_whole_list_as_csv():
    run = coarse_run()
    chosen = NodeQuestions(run, "QC", "simple", "knn", "bertsim")
    first, last = node_questions(chosen), node_questions(chosen, 99)
    assert (first.n, first.n_pages, len(first.rows)) == (40, 2, 25)
    assert (last.number, len(last.rows)) == (2, 15)
    assert not {row["question_id"] for row in first.rows} & {row["question_id"] for row in last.rows}
    assert node_csv(chosen).count("\n") == 41


def test_texts_that_a_spreadsheet_would_run_are_neutral_in_the_csv():
    text = node_csv(NodeQuestions(make_run(), "relation", "temporal", "bm25", "bertsim"))
    assert HOSTILE.replace('"', '""') in text
    assert '\n"=' not in text


def test_what_does_not_exist_is_said():
    run = make_run()
    for wrong in (
        NodeQuestions(run, "QC", "nowhere", "knn", "bertsim"),
        NodeQuestions(run, "nothing", "simple", "knn", "bertsim"),
        NodeQuestions(run, "QC", "simple", "nobody", "bertsim"),
        NodeQuestions(run, "QC", "simple", "knn", "beauty"),
        NodeQuestions(run, "QC", "simple", "knn", "bertsim", second="nobody"),
        NodeQuestions(run, "QC", "simple", "knn", "bertsim", order="sideways"),
        NodeQuestions("no-run", "QC", "simple", "knn", "bertsim"),
    ):
        with pytest.raises(OptionError):
            node_questions(wrong)
