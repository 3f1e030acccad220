import io

import pandas as pd
import pytest

from core.errors import OptionError
from core.metrics.diversity import subtopic_recall
from core.reports.coverage_json import coverage_object
from core.reports.coverage_text import coverage_table
from core.services import coverage as services
from core.services.catalogue import run as run_summary
from core.services.coverage import RELATION, coverage, coverage_map, curves, dimensions, matcher_words, missing
from core.services.coverage_list import NuggetCell, nugget_csv, nugget_list
from core.services.coverage_question import matrix_sentence, nugget_matrices
from core.services.coverage_tables import configurations_table, curves_table, map_table
from core.services.helpful_passages import helpful
from core.services.matched_words import matched_words
from core.services.question_filter import Where
from core.services.retrieval_coverage import association
from core.services.workspace import workspace
from tests.core.services.coverage_samples import covered_run
from tests.core.services.drilldown_samples import make_run


@pytest.fixture
def run(home):
    return covered_run()


def of(lens, identifier):
    return next(c for c in lens.scores.configurations if c.id == identifier)


def test_the_lens_reads_what_the_run_stored(run):
    lens = coverage(run)
    knn = of(lens, "knn")
    assert knn.macro["grounded"].value == pytest.approx((1 / 5 + 1) / 2)
    states = knn.macro["grounded"]
    assert (states.n_scored, states.n_failed, states.n_not_applicable) == (2, 1, 3)
    assert knn.losses.parts == {
        "grounded": 2, "said_not_grounded": 1, "retrieved_not_said": 1, "not_retrieved": 1, "nowhere": 1,
    }  # fmt: skip
    assert lens.matcher == "offline matcher, default profile"
    assert lens.denominator == "supported"
    assert lens.by_construction
    assert lens.scores.reference == frozenset({"evidence"})


def test_vital_alone_counts_vital_nuggets(run):
    assert of(coverage(run, "vital"), "knn").losses.n == 3 + 1


def test_rankings_without_answers_are_compared_by_alpha_ndcg(home):
    lens = coverage(covered_run(answered=False), k=5)
    assert lens.scores.ranking.measure == "alpha_ndcg@5"
    assert [row.id for row in lens.scores.ranking.rows] == ["knn", "bm25"]
    assert of(lens, "knn").macro["grounded"].n_not_applicable == 6
    found = nugget_matrices(lens.run.id, "q1", "knn")
    assert found.nuggets[0].outcome == "not applicable: only a ranking is there"


def test_filters_look_at_some_questions(run):
    lens = coverage(run, where=Where(relations=("causal",)))
    assert of(lens, "bm25").losses.n == 3
    assert lens.filtered.startswith("3 of 6 questions")
    with pytest.raises(OptionError, match="None of the 6 questions"):
        coverage(run, where=Where(relations=("temporal",), categories=(("style", "odd"),), split="train"))


def test_maps_by_relation_and_by_category(run):
    assert dimensions(run) == (RELATION, "QC", "style")
    found = coverage_map(run, "said", RELATION)
    assert found.columns == ("causal", "temporal")
    assert found.groups["bm25"]["causal"].value == pytest.approx((0 + 1) / 2)
    found = coverage_map(run, "said", "QC")
    assert found.columns == ("one fact", "two facts", "inference")
    with pytest.raises(OptionError, match="choose another one"):
        coverage_map(run, "said", "LV")


def test_curves_leave_the_evidence_out(run):
    assert [list(panel.of) for panel in curves(run)] == [["knn", "bm25"]] * 2


def test_what_has_no_coverage_says_why(home):
    old = make_run()
    _, store = workspace()
    assert "evaluated before coverage was measured" in missing(run_summary(old))
    with pytest.raises(OptionError, match=r"^this run was evaluated before"):
        coverage(old)
    with store.write() as db:
        db.conn.execute("UPDATE questions SET record = json_set(record, '$.nuggets', json('[]'))")
    assert "No question of this run has nuggets" in missing(run_summary(old))
    assert services.command(old).startswith(".venv/bin/python -m core evaluate marlow")
    assert coverage_object(old) == {"missing": missing(run_summary(old))}


def test_a_run_without_scores_says_so(home):
    assert "has no scores yet" in missing(run_summary(make_run(rows=[])))


def test_a_segment_leads_to_its_nuggets(run):
    found = nugget_list(NuggetCell(run, "knn", "retrieved_not_said"))
    assert found.sentence == "1 nugget retrieved, not said, of 1 question."
    (row,) = found.rows
    assert (row.question_id, row.nugget, row.outcome) == ("q1", "Why or how often in winter.", "retrieved, not said")
    assert row.rank == 2


def test_a_cell_leads_to_all_nuggets_of_its_questions(run):
    found = nugget_list(NuggetCell(run, "bm25", dimension=RELATION, group="causal"))
    assert [row.question_id for row in found.rows] == ["q3", "q3", "q2"]
    assert found.sentence == "3 nuggets of 2 questions, 1 of them grounded."
    vital = nugget_list(NuggetCell(run, "bm25", dimension=RELATION, group="causal", importance="vital"))
    assert [row.importance for row in vital.rows] == ["vital", "vital"]


def test_a_failed_answer_has_nuggets_but_no_part(run):
    found = nugget_list(NuggetCell(run, "knn", where=Where(categories=(("QC", "inference"),))))
    assert found.rows[0].outcome == "failed: the endpoint timed out"
    assert found.sentence == "2 nuggets of 1 question; the answers to 1 question are not scored."


def test_pages_of_a_list_hold_every_nugget_once(run, monkeypatch):
    monkeypatch.setattr("core.services.coverage_list.PAGE_SIZE", 3)
    whole = NuggetCell(run, "bm25")
    pages = [nugget_list(whole, number) for number in (1, 2, 3)]
    assert [page.n_pages for page in pages] == [3] * 3
    rows = [row for page in pages for row in page.rows]
    assert len(rows) == len(set(rows)) == 8
    assert nugget_list(whole, 99).number == 3
    table = pd.read_csv(io.StringIO(nugget_csv(whole)))
    assert table["nugget"].tolist() == [row.nugget for row in rows]
    assert set(table["configuration"]) == {"BM25"}
    assert set(table["matcher"]) == {coverage(run).matcher}


def test_a_list_of_nothing_says_so(run):
    assert nugget_list(NuggetCell(run, "bm25", "nowhere")).sentence == "No nugget here is in no passage."


@pytest.mark.parametrize(
    ("cell", "complaint"),
    [
        ({"configuration": "nobody"}, "has no configuration"),
        ({"configuration": "knn", "part": "lost"}, "have no part"),
        ({"configuration": "knn", "dimension": RELATION, "group": "fuzzy"}, "of the kind 'fuzzy'"),
    ],
)
def test_a_list_of_what_is_not_there_is_refused(run, cell, complaint):
    with pytest.raises(OptionError, match=complaint):
        nugget_list(NuggetCell(run, **cell))


def test_the_matrices_of_a_question(run):
    found = nugget_matrices(run, "q1", "knn")
    assert [passage.id for passage in found.passages] == ["ferry#0", "ferry#1", "mill#0"]
    assert found.handed_on == 2
    assert found.held[0] == ("held_cited", "none", "none")
    assert found.held[3] == ("none", "held_cited", "none")
    assert found.says[0] == ("grounded", "none")
    assert found.says[2] == ("said_cited", "none")
    assert found.says[1] == ("none", "none")
    assert found.passages[0].text.startswith("The Marlow ferry runs")
    marked = [piece.text for piece in found.sentences[0].pieces if piece.marked]
    assert marked == ["runs", "every", "forty", "minutes"]
    assert found.sentences[0].cites == ("1",)
    assert found.sentences[1].cites == ("2", "1", "3")
    assert matrix_sentence(found) == (
        "kNN: the passages it was given hold 3 of 5 nuggets; its answer says 1 with a citation that holds it."
    )


def test_a_passage_another_configuration_found_would_help(run):
    found = nugget_matrices(run, "q1", "knn", k=3, rank=3)
    assert found.helpful == (
        "Adding ferry#2 at rank 3 would raise StRecall@3 by .250, from .750 to 1.000: it holds nugget n5.",
    )


def test_a_question_without_nuggets_or_with_a_failed_answer(run):
    assert nugget_matrices(run, "q4", "knn") is None
    found = nugget_matrices(run, "q3", "knn")
    assert matrix_sentence(found).endswith("its answer is failed (the endpoint timed out).")
    assert found.no_ranking == "a set has no ranking"
    with pytest.raises(OptionError, match="choose one from 1 to 5"):
        nugget_matrices(run, "q1", "knn", rank=6)
    with pytest.raises(OptionError, match="has no configuration"):
        nugget_matrices(run, "q1", "nobody")


def test_what_helps_is_subtopic_recall_of_the_moved_ranking():
    holders = {"a": {0}, "b": {1}, "c": {2, 3}, "d": set()}
    ranking = ["d", "a", "b"]
    (sentence,) = helpful(ranking, holders, 4, k=3, rank=3)
    judgments = {name: {str(n) for n in held} for name, held in holders.items()}
    before, after = subtopic_recall(ranking, judgments, 3), subtopic_recall(["d", "a", "c"], judgments, 3)
    assert f"by {after - before:.3f}".replace("0.", ".") in sentence
    assert (before, after) == (0.5, 0.75)
    # whoever pushes another holder out is charged for it
    assert helpful(["a", "b"], {"a": {0}, "b": {1}, "c": {2}}, 3, k=2, rank=1) == ()
    assert helpful(ranking, holders, 0, k=3, rank=1) == ()


@pytest.mark.parametrize(
    ("sentence", "statement", "language", "marked"),
    [
        ("Ferries run daily.", "The ferry runs.", "en", ["Ferries", "run"]),
        ("The ferries' bells!", "A ferry bell", "en", ["ferries", "bells"]),
        ("Die Häuser stehen.", "Das Haus steht", "de", ["Häuser"]),
        ("渡轮每四十分钟开一班", "渡轮四十分钟", "zh", ["渡轮", "四十分钟"]),
        ("Nothing of it.", "The ferry", "en", []),
    ],
)
def test_matched_words_are_marked(sentence, statement, language, marked):
    found = matched_words(sentence, [statement], language)
    assert "".join(piece.text for piece in found) == sentence
    assert [piece.text for piece in found if piece.marked] == marked


def test_tables_name_matcher_and_denominator(run):
    lens = coverage(run)
    table = configurations_table(lens.scores, lens.matcher, lens.denominator)
    assert set(table["matcher"]) == {lens.matcher}
    assert set(table["StRecall divides by"]) == {"supported nuggets"}
    assert table.loc[table["configuration"] == "kNN", "nuggets retrieved, not said"].item() == 1
    cells = map_table(lens.scores, coverage_map(run, "said", RELATION), lens.matcher, lens.denominator)
    assert len(cells) == 6
    assert set(cells["matcher"]) == {lens.matcher}
    points = curves_table(curves(run), lens.scores, lens.denominator)
    assert len(points) == 2 * 20
    assert set(points["StRecall divides by"]) == {"supported nuggets"}


def test_the_json_has_the_shape_of_the_logic_lens(run):
    found = coverage_object(run)
    knn = next(c for c in found["configurations"] if c["id"] == "knn")
    assert set(knn["grounded_coverage"]) == {
        "value", "low", "high", "n_scored", "n_failed", "n_not_applicable", "n_refused",
    }  # fmt: skip
    assert knn["grounded_coverage"]["value"] >= 0
    assert knn["losses"] == {
        "n_nuggets": 6, "grounded": 2, "said_not_grounded": 1, "retrieved_not_said": 1, "not_retrieved": 1,
        "nowhere": 1, "unknown": 0,
    }  # fmt: skip
    evidence = next(c for c in found["configurations"] if c["id"] == "evidence")
    assert evidence["subtopic_recall@10"]["value"] is None
    assert "reason" in evidence["subtopic_recall@10"]
    assert set(knn["relations"]) == {"causal", "temporal"}
    assert found["matcher"] == "offline matcher, default profile"
    assert found["ranked_on"]["measure"] == "grounded_coverage"
    assert found["correlations"][0]["views"]["pooled"]["n_points"] == 5


def test_the_terminal_table_names_who_decided(run):
    lens = coverage(run)
    text = coverage_table(lens)
    assert text.splitlines()[1].startswith(lens.scores.ranking.rows and next(
        c.label for c in lens.scores.configurations if c.id == lens.scores.ranking.rows[0].id
    ))  # fmt: skip
    assert "offline matcher, default profile" in text


def test_association_leaves_out_what_has_no_ranking(run):
    found = association(run, "strec@10", "grounded")
    assert set(found.means) == {"knn", "bm25"}
    assert len(found.cloud.x) == 5
    with pytest.raises(OptionError, match="is not offered"):
        association(run, "judged@10", "grounded")
    with pytest.raises(OptionError, match="is not offered"):
        association(run, "strec@10", "retrieved")


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ({"name": "offline", "profile": "strict"}, "offline matcher, strict profile"),
        ({"name": "llm", "model": {"model": "judge-1"}}, "language model judge-1"),
    ],
)
def test_the_matcher_in_words(spec, words):
    assert matcher_words(spec) == words
    assert matcher_words(spec, labelled=True) == f"imported labels where there are any, else {words}"
