"""The granularity lens of runs whose differences are known."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from core.errors import OptionError
from core.reports.granularity_json import granularity_object
from core.reports.granularity_text import granularity_tables
from core.services import catalogue, granularity, granularity_companions, trees
from core.services.granularity import Choice
from core.services.granularity_captions import average_sentence, headline, notes, paper_beside, splits_from
from core.services.granularity_companions import companions, set_to_evaluate
from core.services.granularity_crossed import Crossing, crossable, crossed, default_crossing
from core.services.granularity_scores import qualities, scores
from core.services.granularity_tables import (
    configurations_shown,
    dimensions_shown,
    levels_shown,
    levels_table,
    nodes_table,
    splits_shown,
)
from core.services.question_filter import run_questions
from core.services.text_measures import measure_texts
from tests.core.services.coverage_samples import covered_run
from tests.core.services.drilldown_samples import item, make_run
from tests.core.services.granularity_samples import LEAVES, coarse_run, grove, parents_run, planted

pytestmark = pytest.mark.usefixtures("home")


def lens_of(run, dimension="QC", configuration="knn", **more):
    return granularity.granularity(Choice(run, dimension, configuration, "bertsim", **more))


def test_a_difference_planted_at_the_coarse_level_is_found_there_and_comes_out_equal_again():
    run = coarse_run()
    lens = lens_of(run)
    assert lens.table.recommended.level == 0
    assert headline(lens).startswith("By question complexity (QC), BERTSim of kNN: report at coarse")
    assert "On 80 questions over 16 documents." in paper_beside(lens)
    shown = levels_shown(lens)
    assert shown["level"].tolist() == ["coarse", "medium", "fine"]
    assert shown["K"].tolist() == [2, 4, 8]
    assert "recommended" in shown["verdict"][0]
    corrected = levels_table(lens)["corrected power"]
    assert corrected.tolist() == pytest.approx([0.1] * 3, abs=0.03)
    # nothing is drawn anew: equal to the last digit
    assert lens_of(run).table == lens.table
    assert lens_of(run).splits == lens.splits


def test_a_configuration_without_differences_is_told_so():
    lens = lens_of(coarse_run(), configuration="bm25")
    assert lens.table.recommended.level is None
    assert "no level separates" in headline(lens)


def test_the_means_of_the_tree_are_those_of_its_questions():
    run = coarse_run()
    lens = lens_of(run)
    questions = run_questions(run)
    values = scores(catalogue.run(run), "bertsim", "knn")
    inside = [i for i, one in enumerate(questions.categories_of) if one["QC"] in lens.dimension.tree.within("simple")]
    (simple,) = (node for node in lens.nodes if node.name == "simple")
    assert simple.n == len(inside) == 40
    assert simple.mean.value == pytest.approx(float(values[inside].mean()))
    table = nodes_table(lens)
    assert table["category"].tolist() == list(lens.dimension.tree.nodes)
    assert table["level"].tolist()[:3] == ["coarse", "medium", "fine"]


def test_rolled_up_parents_have_no_ratio_and_the_way_to_one_is_shown():
    run = coarse_run()
    lens = lens_of(run)
    assert {row.state for row in lens.splits.rows} == {"not_applicable"}
    assert splits_shown(lens)["ρ"].tolist() == ["not applicable"] * 6
    assert "rolled up from their children" in splits_from(lens, "")
    assert average_sentence(lens) == ""
    assert companions(catalogue.run(run), lens.dimension) == ()


def test_another_runs_coarser_questions_give_parents_means_of_their_own():
    run, other = coarse_run(), parents_run()
    summary, dimension = catalogue.run(run), trees.dimension(run, "QC")
    (found,) = companions(summary, dimension)
    assert (found.run.id, found.levels) == (other, "coarse and medium")
    lens = lens_of(run, companion=other)
    assert all(row.independent_parent for row in lens.splits.rows)
    assert {row.state for row in lens.splits.rows} <= {"shown", "inconclusive"}
    assert "from medium to fine" in average_sentence(lens)
    assert "those of run " + other in splits_from(lens, "")
    # the run's own levels stay as they were, unless one asks for each level's own questions
    assert not lens.table.independent
    assert lens.table == lens_of(run).table
    own = lens_of(run, companion=other, levels="own")
    assert own.table.independent
    assert [row.n for row in own.table.rows] == [16, 32, 80]
    # seen from the other side it is the same pair
    assert companions(catalogue.run(other), trees.dimension(other, "QC"))[0].run.id == run


def test_runs_that_chose_otherwise_are_no_companions():
    run = coarse_run()
    made = grove(["simple", "complex"] * 6, name="parents")
    make_run(made=made, rows=planted(made, {}), k=2)
    assert companions(catalogue.run(run), trees.dimension(run, "QC")) == ()
    command = set_to_evaluate(catalogue.run(run), trees.dimension(run, "QC"))
    assert command.startswith(".venv/bin/python -m core evaluate parents --scope corpus")
    with pytest.raises(OptionError, match="has no questions for levels of this tree"):
        lens_of(run, companion="nobody")
    with pytest.raises(OptionError, match="has no questions for levels"):
        granularity_companions.no_companion("x" * 500)


def test_a_dataset_labelled_at_several_levels_is_compared_over_each_levels_own_questions():
    lens = lens_of(parents_run())
    assert lens.levels == "own"
    assert lens.can_choose_levels
    assert [row.n for row in lens.table.rows] == [16, 32, 0]
    assert levels_shown(lens)["corrected power"].tolist()[-1] == "no labels"
    coarse = [row for row in lens.splits.rows if row.level == 0]
    assert all(row.independent_parent for row in coarse)
    rolled = lens_of(lens.run.id, levels="rolled")
    assert [row.n for row in rolled.table.rows] == [48, 32, 0]


def test_measures_of_a_run_and_what_is_not_scored():
    run = catalogue.run(make_run())
    found = qualities(run)
    assert list(found)[:3] == ["bertsim", "lrcr", "refusal"]
    assert {"rouge1", "rouge_l", "bleu", "token_f1"} <= set(found)
    values = scores(run, "bertsim", "knn")
    assert values.tolist()[:4] == pytest.approx([0.9, 0.2, 0.4, 0.1])
    assert np.isnan(values[4])  # its answer failed: no 0, no neutral value
    assert scores(run, "refusal", "knn")[3] == 1.0
    assert np.isnan(scores(run, "refusal", "knn")[4])
    assert 0 <= scores(run, "rouge1", "knn")[0] <= 1
    with pytest.raises(OptionError, match="no measure 'beauty'"):
        scores(run, "beauty", "knn")
    with pytest.raises(OptionError, match="no configuration 'nobody'"):
        scores(run, "bertsim", "nobody")


def test_measures_of_coverage_can_colour_a_tree():
    run = catalogue.run(covered_run())
    assert {"grounded_coverage", "info_recall", "alpha_ndcg@10"} <= set(qualities(run))
    assert scores(run, "grounded_coverage", "knn")[0] == pytest.approx(1 / 5)
    lens = granularity.granularity(Choice(run.id, "QC", "knn", "grounded_coverage"))
    assert lens.quality.symbol == "coverage"


def test_wording_is_measured_as_the_table_of_texts_measures_it():
    run = make_run()
    # that table gives relations equal weight, and leaves out questions without one
    relations = np.array(run_questions(run).relation_of)
    values = scores(catalogue.run(run), "token_f1", "bm25")
    by_relation = [values[relations == name].mean() for name in ("temporal", "causal")]
    assert measure_texts(run)["bm25"]["token_f1"].value == pytest.approx(float(np.mean(by_relation)))


def test_differences_are_those_of_questions_that_both_have_scored():
    run = make_run()
    nodes = granularity.differences(Choice(run, "style", "knn", "bertsim"), "bm25")
    by_name = {node.name: node for node in nodes}
    # q1 and q3 are plain: (.9 - .1 + .4 - .3) / 2
    assert by_name["plain"].mean.value == pytest.approx(0.45)
    assert by_name["odd"].mean.value == pytest.approx(0.0)
    assert by_name["odd"].too_small


def test_trees_are_compared_and_the_planted_one_comes_first():
    run = coarse_run()
    choice = Choice(run, "QC", "knn", "bertsim")
    found = granularity.compared_dimensions(choice)
    assert found.rows[0].dimension == "QC"
    assert {row.dimension for row in found.rows} == {"QC", "style", "relation"}
    shown = dimensions_shown(found, {"QC": "question complexity (QC)"})
    assert shown["tree"][0] == "question complexity (QC)"
    assert shown["recommended"][0] == "yes"


def test_the_level_may_depend_on_the_configuration():
    found = granularity.by_configuration(Choice(coarse_run(), "QC", "knn", "bertsim"))
    shown = configurations_shown(found, {"knn": "kNN", "bm25": "BM25"})
    best = dict(zip(shown["configuration"], shown["recommended level"], strict=True))
    assert best["kNN"] == "coarse"
    assert best["BM25"] == "none"
    assert found.tests[0].p_adjusted < 0.05


def test_two_trees_are_crossed():
    run = coarse_run()
    assert set(crossable(run)) == {"QC", "style", "relation"}
    fallback = default_crossing(run)
    assert (fallback.first, fallback.first_pair) == ("QC", ("simple", "complex"))
    assert (fallback.second, fallback.second_pair) == ("style", ("curt", "odd"))
    choice = Choice(run, "QC", "knn", "bertsim")
    found = crossed(choice, fallback)
    assert found.first_effect.value == pytest.approx(0.2, abs=0.05)
    assert sum(cell.n for cell in found.cells) == found.n
    assert crossed(choice, fallback) == found
    for wrong in (
        Crossing("QC", ("simple", "complex"), "QC", ("simple", "complex")),
        Crossing("QC", ("simple", "single_fact"), "style", ("plain", "odd")),
        Crossing("QC", ("simple", "simple"), "style", ("plain", "odd")),
        Crossing("QC", ("simple", "nowhere"), "style", ("plain", "odd")),
        Crossing("QC", ("simple", "complex"), "nothing", ("plain", "odd")),
    ):
        with pytest.raises(OptionError):
            crossed(choice, wrong)


def test_a_level_with_one_category_and_categories_with_one_question_say_why():
    made = grove(["extractive_span"] * 6)
    lens = lens_of(make_run(made=made, rows=planted(made, {})))
    assert lens.table.recommended.level is None
    assert "only 'simple' has" in levels_table(lens)["reason"][0]
    made = grove(list(LEAVES), name="tiny")
    lens = lens_of(make_run(made=made, rows=planted(made, {})))
    assert all(node.too_small for node in lens.nodes if node.name in LEAVES)
    assert levels_shown(lens)["corrected power"].tolist() == ["too few"] * 3
    assert "Too few questions in 14 of 14 categories." in paper_beside(lens)


def test_equal_scores_separate_nothing_and_unscored_ones_count_nowhere():
    made = grove([leaf for leaf in LEAVES for _ in range(6)])
    rows = [item("knn", question.id, similarity=0.5) for question in made.questions]
    rows += [
        item("bm25", q.id, similarity=None, similarity_state="failed", similarity_reason="timeout", answer="{}")
        for q in made.questions
    ]
    run = make_run(made=made, rows=rows)
    lens = lens_of(run)
    assert lens.table.recommended.level is None
    assert "all 48 questions have the same score" in levels_table(lens)["reason"][0]
    failed = lens_of(run, configuration="bm25")
    assert failed.table.n_not_scored == 48
    assert any("48 questions without a score count nowhere." in note.text for note in notes(failed))
    assert all(node.mean.value is None for node in failed.nodes)


def test_a_run_without_labels_or_scores_says_what_is_missing():
    made = grove([None] * 4, trees={})
    bare = tuple(replace(question, relation=None, categories={}) for question in made.questions)
    run = make_run(made=replace(made, questions=bare), rows=[item("knn", bare[0].id)])
    assert "no categories and no relations" in granularity.missing(catalogue.run(run))
    assert granularity_object(run)["missing"]
    going = make_run(made=grove(["simple"] * 3, name="going"), rows=[])
    assert "has no scores yet" in granularity.missing(catalogue.run(going))


def test_the_json_has_every_table_and_no_number_that_json_does_not_know():
    run = coarse_run(6)
    parents_run()
    found = json.loads(json.dumps(granularity_object(run), allow_nan=False))
    assert found["missing"] == ""
    assert found["measure"] == "bertsim"
    assert set(found["trees"]) == {"QC", "style", "relation"}
    tree = found["trees"]["QC"]
    assert tree["companion"].startswith("parents-")
    assert [row["k"] for row in tree["levels"]["rows"]] == [2, 4, 8]
    assert len(tree["splits"]["rows"]) == 6
    assert set(tree["configurations"]["recommended"]) == {"knn", "bm25"}
    assert found["comparison"]["rows"][0]["dimension"] == "QC"
    assert len(found["interaction"]["cells"]) == 4
    text = granularity_tables(catalogue.run(run))
    assert "corrected power" in text
    assert "By question complexity (QC), BERTSim of kNN" in text
