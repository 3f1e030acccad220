"""Studies over a stored run: what becomes an item, who may do what, and that a run may go while its study stays."""

from __future__ import annotations

import csv
import io
import json
import shutil
from collections import Counter
from dataclasses import replace

import pytest

from core.errors import OptionError
from core.people.records import Design, Gold
from core.people.roles import AccessError, Actor
from core.services import annotating, studies
from core.services.annotating import Assigned
from core.services.catalogue import runs
from core.services.rated import ratings
from core.services.run_admin import delete as delete_run
from core.services.study_exporting import export_history, export_ratings
from core.services.study_files import read_gold
from core.services.workspace import workspace
from core.store.people import item_rows
from core.store.run_questions import question_items
from tests.core.people.study_samples import OWNER, make_study, rater

VIEWER = Actor("v@example.org", "viewer")


@pytest.fixture
def marlow(marlow_once, home):
    """The small dataset's runs; the one by all retrievers comes first."""
    shutil.copytree(marlow_once, home, dirs_exist_ok=True)
    found = [run.id for run in runs()]
    return sorted(found, key=lambda run: -len(stored_configurations(run)))


def stored_configurations(run):
    _, store = workspace()
    return {
        row["configuration"] for row in store.rows("SELECT DISTINCT configuration FROM run_items WHERE run = ?", (run,))
    }


def test_items_are_the_distinct_answers_of_a_run_with_their_texts(demo_once, home):
    shutil.copytree(demo_once, home, dirs_exist_ok=True)
    run = runs()[0].id
    design = Design("Pilot", (run,), n_questions=20)
    made, again = studies.create(OWNER, design), studies.create(OWNER, design)
    _, store = workspace()
    items = item_rows(store, made.id)
    assert [row["answer"] for row in items] == [row["answer"] for row in item_rows(store, again.id)]
    assert len({row["question_id"] for row in items}) == 20
    taken = Counter({row["question_id"]: row["relation"] for row in items}.values())
    assert max(taken.values()) - min(taken.values()) <= 1
    for question in {row["question_id"] for row in items}:
        of_question = [row for row in items if row["question_id"] == question]
        credited = [credit["configuration"] for row in of_question for credit in row["credits"]]
        # every configuration has just one item a question, the gold evidence too
        assert sorted(credited) == sorted(stored_configurations(run))
        assert "evidence" in credited
        assert len({row["answer"] for row in of_question}) == len(of_question)
        for row in of_question:
            names = [credit["configuration"] for credit in row["credits"]]
            for one in question_items(store, run, names, question):
                assert " ".join(one["answer"]["sentences"]).split() == row["answer"].split()
            assert all(passage.strip() for passage in row["passages"])
    assert made.labels[f"{run}/bm25"] == "BM25"
    told = studies.preview(design)
    assert (told.n_items, told.n_questions, told.n_ratings) == (made.n_items, 20, 2 * made.n_items)
    assert told.merged == 20 * len(stored_configurations(run)) - made.n_items
    # whether passages support an answer is another question for other passages
    assert studies.preview(replace(design, second_question="Supported by the passages?")).n_items > made.n_items


def test_several_runs_of_a_dataset_are_rated_together(marlow):
    chosen = Design("Both", tuple(marlow[:2]), ("bm25",), n_questions=0)
    made = studies.create(OWNER, chosen)
    assert len(set(made.labels.values())) == 2
    _, store = workspace()
    both = [row for row in item_rows(store, made.id) if len(row["credits"]) == 2]
    assert both
    assert {credit["run"] for credit in both[0]["credits"]} == set(marlow[:2])


def test_generated_questions_are_shown_with_their_document_and_without_their_category(marlow):
    _, store = workspace()
    record = json.loads(store.rows("SELECT record FROM questions WHERE id = 'q1'")[0]["record"])
    record["categories"] = {"QC": "simple"}
    with store.write() as db:
        db.conn.execute("UPDATE questions SET record = ? WHERE id = 'q1'", (json.dumps(record),))
    made = studies.create(OWNER, Design("Check", template="questions", dataset="marlow", dimension="QC", n_questions=0))
    assert made.further[-1].options == ("simple",)
    studies.invite(OWNER, made.id, rater(1).id)
    shown = annotating.next_assignment(rater(1), made.id)
    assert isinstance(shown, Assigned)
    assert shown.reference == ""
    assert "Marlow" in shown.passages[0]
    assert {row["assigned"] for row in item_rows(store, made.id)} == {"", "simple"}
    with pytest.raises(OptionError, match="choose of QC"):
        studies.create(OWNER, Design("Check", template="questions", dataset="marlow", dimension="LV"))


def test_what_is_not_there_is_said(marlow):
    for wrong, says in (
        (Design("x", ("no-run",)), "no run 'no-run'"),
        (Design("x", (marlow[0],), ("bm42",)), "no chosen run has a configuration 'bm42'"),
        (Design("x", template="questions", dataset="none"), "none"),
    ):
        with pytest.raises(OptionError, match=says):
            studies.create(OWNER, wrong)
    assert studies.studies() == []


def test_a_study_outlives_its_run(marlow):
    made = studies.create(OWNER, Design("Pilot", (marlow[0],), n_questions=2))
    studies.invite(OWNER, made.id, rater(1).id)
    shown = annotating.next_assignment(rater(1), made.id)
    delete_run(marlow[0])
    annotating.vote(rater(1), shown.assignment, shown.token, 7)
    after = annotating.next_assignment(rater(1), made.id)
    assert after.question
    assert ratings(made.id).ratings[0].value == 7
    assert studies.progress(OWNER, made.id).answered == 1


@pytest.mark.usefixtures("home")
def test_only_owners_make_and_change_studies():
    study = make_study(n_raters=1)
    for actor in (VIEWER, rater(1)):
        for use in (
            lambda a: studies.create(a, Design("x", ("r",))), lambda a: studies.pause(a, study.id),
            lambda a: studies.resume(a, study.id), lambda a: studies.close(a, study.id),
            lambda a: studies.delete(a, study.id), lambda a: studies.invite(a, study.id, "z"),
            lambda a: studies.remove_rater(a, study.id, rater(1).id),
        ):  # fmt: skip
            with pytest.raises(AccessError):
                use(actor)
    assert studies.study(study.id).state == "open"


@pytest.mark.usefixtures("home")
def test_inviting_twice_is_once_and_bad_ids_are_refused():
    study = make_study(n_raters=0)
    first = studies.invite(OWNER, study.id, " a@example.org ", "Ann")
    assert studies.invite(OWNER, study.id, "a@example.org") == first
    assert studies.invite(OWNER, study.id, "b@example.org").label == "Rater 2"
    assert len(studies.raters(study.id)) == 2
    for wrong in ("", " ", "model: x", "a\nb", "x" * 201):
        with pytest.raises(OptionError):
            studies.invite(OWNER, study.id, wrong)
    with pytest.raises(OptionError, match="nobody called"):
        studies.remove_rater(OWNER, study.id, "z")
    with pytest.raises(OptionError, match="no study"):
        studies.invite(OWNER, "no-study", "a")


@pytest.mark.usefixtures("home")
def test_progress_names_raters_for_owners_alone_and_counts_what_lacks():
    study = make_study(n_items=4, n_raters=2, raters_per_item=1, shared=0.5)
    shown = annotating.next_assignment(rater(1), study.id)
    annotating.vote(rater(1), shown.assignment, shown.token, 7)
    annotating.vote(rater(1), shown.assignment, shown.token, 7)
    seen = studies.progress(OWNER, study.id)
    assert [(one.name, one.scored, one.refused) for one in seen.raters] == [("Rita 1", 1, 1), ("Rita 2", 0, 0)]
    # two items for one each, two for both
    assert (seen.answered, seen.needed) == (1, 6)
    hidden = studies.progress(VIEWER, study.id)
    assert [(one.label, one.name, one.id) for one in hidden.raters] == [("Rater 1", "", ""), ("Rater 2", "", "")]
    # who is removed is not waited for
    studies.remove_rater(OWNER, study.id, rater(2).id)
    assert studies.progress(OWNER, study.id).needed == 4


@pytest.mark.usefixtures("home")
def test_a_deleted_study_leaves_nothing():
    study, other = make_study(), make_study(identifier="study-two")
    shown = annotating.next_assignment(rater(1), study.id)
    annotating.vote(rater(1), shown.assignment, shown.token, 7)
    annotating.next_assignment(rater(1), other.id)
    studies.delete(OWNER, study.id)
    with pytest.raises(OptionError, match="no study"):
        studies.delete(OWNER, study.id)
    _, store = workspace()
    for table in ("study_items", "study_raters", "study_assignments", "study_presses"):
        assert store.rows(f"SELECT * FROM {table} WHERE study = ?", (study.id,)) == []
    assert [one.id for one in studies.studies()] == [other.id]
    assert len(item_rows(store, other.id)) == 6


@pytest.mark.usefixtures("home")
def test_an_export_holds_every_rating_and_press_and_no_name_for_viewers():
    study = make_study(second_question="Supported?", gold=(Gold("Q?", "R.", "=A", 7.0),))
    for value in (0, 7):
        shown = annotating.next_assignment(rater(1), study.id)
        annotating.save_note(rater(1), shown.assignment, "=HYPERLINK(1) <b>")
        annotating.vote(rater(1), shown.assignment, shown.token, 5, True)
        annotating.vote(rater(1), shown.assignment, shown.token, value, True)
    table = list(csv.DictReader(io.StringIO(export_ratings(OWNER, study.id, "csv"))))
    assert sorted(row["value"] for row in table) == ["0.0", "7.0"]
    assert {row["note"] for row in table} == {"'=HYPERLINK(1) <b>"}
    assert {(row["name"], row["rater"], row["second"]) for row in table} == {("Rita 1", "Rater 1", "yes")}
    record = json.loads(export_ratings(OWNER, study.id, "json"))
    assert len(record["items"]) == 7
    assert [press["outcome"] for press in record["history"]] == ["refused", "accepted"] * 2
    assert len(list(csv.DictReader(io.StringIO(export_history(OWNER, study.id))))) == 4
    for text in (export_ratings(VIEWER, study.id, "csv"), export_ratings(VIEWER, study.id, "json"),
                 export_history(VIEWER, study.id)):  # fmt: skip
        assert "Rita" not in text
        assert "rater1@" not in text
    # who rates stays blind while the study goes on
    for export in (lambda: export_ratings(rater(2), study.id, "csv"), lambda: export_history(rater(2), study.id)):
        with pytest.raises(AccessError, match="when the study is closed"):
            export()
    studies.close(OWNER, study.id)
    assert "Rita" not in export_ratings(rater(2), study.id, "json")
    with pytest.raises(OptionError, match="csv or json"):
        export_ratings(OWNER, study.id, "xml")


def test_known_scores_are_read_from_a_table(tmp_path):
    path = tmp_path / "gold.csv"
    path.write_text('Question,reference,answer,score\n"Who?",Anna,Anna,"7,0"\nWhy?,Fog,,0\n', encoding="utf-8")
    assert read_gold(path) == (Gold("Who?", "Anna", "Anna", 7.0), Gold("Why?", "Fog", "", 0.0))
    path.write_text("question,reference,answer,score\na,b,c,much\n", encoding="utf-8")
    with pytest.raises(Exception, match=r"line 2.*'much' is no number"):
        read_gold(path)
    path.write_text("question,answer\na,b\n", encoding="utf-8")
    with pytest.raises(Exception, match="reference"):
        read_gold(path)
