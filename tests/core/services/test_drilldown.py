"""A cell's questions: pages, sentences, states, CSV, and the way from one to the next."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import pytest

from core.errors import OptionError
from core.services import drilldown
from core.services.drilldown import Cell, Neighbours
from core.services.question_filter import Where
from tests.core.services.drilldown_samples import HOSTILE, dataset, item, make_run

pytestmark = pytest.mark.usefixtures("home")


def test_a_cell_lists_its_relation_worst_first() -> None:
    found = drilldown.cell(Cell(make_run(), "knn", "causal"))
    assert [row["question_id"] for row in found.rows] == ["q4", "q2", "q3"]
    assert (found.label, found.n, found.number, found.n_pages) == ("kNN", 3, 1, 1)
    assert (
        found.sentence
        == "3 questions: relation right for 1, wrong for 2; mean BERTSim over these 3 questions .233; 1 refusal."
    )


def test_the_average_lists_all_questions_and_counts_every_state() -> None:
    found = drilldown.cell(Cell(make_run(), "knn"))
    assert found.n == 6
    assert found.sentence == (
        "6 questions: relation right for 2, wrong for 2; mean BERTSim over the 5 of these questions that are scored "
        ".460; 1 refusal; 1 failed; 1 not applicable, at least in part. The map's average weights relations equally "
        "and leaves out questions without a relation."
    )


def test_without_relations_there_is_one_average() -> None:
    made = dataset()
    made = replace(made, questions=tuple(replace(q, relation=None) for q in made.questions))
    assert "weights relations" not in drilldown.cell(Cell(make_run(made=made), "knn")).sentence


def test_filters_and_search_narrow_the_cell() -> None:
    cell = Cell(make_run(), "knn", "causal", Where(split="test"))
    assert [row["question_id"] for row in drilldown.cell(cell).rows] == ["q2", "q3"]
    found = drilldown.cell(replace(cell, search="Milling"))
    assert [row["question_id"] for row in found.rows] == ["q3"]
    assert found.sentence == "1 question that holds “Milling”: relation right for 1, wrong for 0; BERTSim .400."
    assert drilldown.cell(replace(cell, search="unicorn")).sentence == (
        "No question, reference or answer of this cell holds “unicorn”."
    )
    assert drilldown.cell(replace(cell, relation="temporal", where=Where(("causal",)))).sentence == (
        "No question of this cell matches the filters."
    )


def test_a_run_without_rows_says_so() -> None:
    found = drilldown.cell(Cell(make_run(rows=[]), "knn"))
    assert found.rows == ()
    assert found.sentence == "This run has stored no answers yet: they are stored when all are scored."


def test_states_in_words() -> None:
    run = make_run()
    rows = {row["question_id"]: row for row in drilldown.cell(Cell(run, "knn")).rows}
    assert {name: drilldown.state(row) for name, row in rows.items()} == {
        "q1": "scored", "q2": "scored", "q3": "scored", "q4": "refused", "q5": f"failed: timeout {HOSTILE}",
        "q6": "relation not applicable: this question has no relation label",
    }  # fmt: skip
    assert {name: drilldown.verdict(row) for name, row in rows.items()} == {
        "q1": "right", "q2": "wrong", "q3": "right", "q4": "wrong", "q5": "", "q6": "",
    }  # fmt: skip
    table = drilldown.rows_table(list(rows.values()))
    assert list(table.columns) == [
        "question", "BERTSim", "relation", "predicted relation", "relation is", "reference", "answer", "state",
    ]  # fmt: skip
    assert table["BERTSim"].isna().sum() == 1


def test_an_empty_table_has_its_columns() -> None:
    assert list(drilldown.rows_table([]).columns)[:2] == ["question", "BERTSim"]


def _many() -> Cell:
    made = dataset()
    first = made.questions[0]
    questions = tuple(replace(first, id=f"m{n:03d}", question=f"Question {n}?") for n in range(60))
    rows = [item("knn", q.id, similarity=0.5) for q in questions]
    return Cell(make_run(rows=rows, made=replace(made, questions=questions)), "knn", order="dataset")


def test_pages_of_25_and_numbers_beyond_the_ends() -> None:
    cell = _many()
    pages = [drilldown.cell(cell, number) for number in (1, 2, 3)]
    assert [len(page.rows) for page in pages] == [25, 25, 10]
    assert [row["question_id"] for page in pages for row in page.rows] == [f"m{n:03d}" for n in range(60)]
    assert {page.n_pages for page in pages} == {3}
    assert drilldown.cell(cell, 99).number == 3
    assert drilldown.cell(cell, -1).number == 1


def test_the_csv_holds_all_rows_and_nothing_a_spreadsheet_runs() -> None:
    cell = _many()
    rows = list(csv.DictReader(io.StringIO(drilldown.cell_csv(cell))))
    assert len(rows) == 60
    assert rows[59]["question id"] == "m059"
    assert {row["configuration"] for row in rows} == {"kNN"}
    made = dataset()
    question = replace(made.questions[1], question="=cmd()", answer="+1")
    run = make_run(rows=[item("knn", "q2")], made=replace(made, questions=(question,)))
    (row,) = csv.DictReader(io.StringIO(drilldown.cell_csv(Cell(run, "knn"))))
    assert (row["question"], row["reference"]) == ("'=cmd()", "'+1")


def test_neighbours_follow_the_list() -> None:
    cell = Cell(make_run(), "knn", "causal")
    assert drilldown.neighbours(cell, "q2") == Neighbours(2, 3, "q4", "q3")
    assert drilldown.neighbours(cell, "q1") is None
    assert drilldown.neighbours(replace(cell, order="highest"), "q2") == Neighbours(2, 3, "q3", "q4")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"run_id": "gone"}, "no run 'gone' is stored"),
        ({"configuration": "<b>"}, "this run has no configuration '<b>'"),
        ({"relation": "gone"}, "no question of this run has the relation 'gone'"),
        ({"order": "id; DROP TABLE runs"}, "questions cannot be sorted by 'id; DROP TABLE runs'"),
        ({"where": Where(split="dev")}, "is in the split 'dev'"),
    ],
)
def test_what_does_not_exist_is_one_sentence(changes: dict[str, object], said: str) -> None:
    cell = replace(Cell(make_run(), "knn"), **changes)  # type: ignore[arg-type]
    for ask in (drilldown.cell, drilldown.cell_csv, lambda c: drilldown.neighbours(c, "q1")):
        with pytest.raises(OptionError) as caught:
            ask(cell)
        assert said in str(caught.value)


def test_a_long_search_is_cut() -> None:
    assert drilldown.cell(Cell(make_run(), "knn", search="x" * 5000)).n == 0
