"""Judged collections in the store: made, added to, imported again; all or nothing, and never under a run's feet."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.errors import InputError, OptionError
from core.services.exporting import export_dataset
from core.services.importing import import_source
from core.services.judged_importing import SCORES, import_collection, read_collection, store_collection
from core.services.judged_reports import GivenFile, ImportedCollection
from core.services.workspace import workspace
from core.store.datasets import dataset_rows, load_dataset
from core.store.runs import create_run
from core.store.systems import system_answers, system_rows
from tests.core.datasets.judged.written import SHARED, lines, needs_coverage, objects, whole

QRELS = ("t1 1 d1 1", "t1 2 d2 1", "t1 2 d3 0", "t2 1 d4 1")
RUN = ("t1 Q0 d2 1 9 mine", "t1 Q0 d1 2 8 mine", "t2 Q0 d9 1 7 mine")
TEXTS = {"t1": ["It runs hourly", "It is blue"], "t2": ["It is closed"]}


@pytest.fixture(autouse=True)
def _home(home: Path) -> None:
    del home


def imported(*paths: Path, name: str = "ferries", **options: Any) -> ImportedCollection:
    return import_collection([GivenFile(path) for path in paths], name, **options)


def stored() -> list[str]:
    return [row["name"] for row in dataset_rows(workspace()[1])]


def test_everything_at_once_or_one_file_after_the_other(tmp_path: Path) -> None:
    qrels, run = lines(tmp_path / "q", *QRELS), lines(tmp_path / "x.run", *RUN)
    texts, topics = whole(tmp_path / "n.json", TEXTS), lines(tmp_path / "t.tsv", "t1\tFerries?", "t2\tMills?")
    imported(qrels, run, texts, topics)
    for path in (qrels, texts, topics, run):
        imported(path, name="slowly")
    _, store = workspace()
    once, slowly = load_dataset(store, "ferries"), load_dataset(store, "slowly")
    assert once.questions == slowly.questions
    assert system_answers(store, "ferries", "mine") == system_answers(store, "slowly", "mine")
    assert once.documents == ()
    assert [question.question for question in once.questions] == ["Ferries?", "Mills?"]
    assert once.card.language == "en"


def test_the_same_files_again_change_nothing(tmp_path: Path) -> None:
    paths = [lines(tmp_path / "q", *QRELS), lines(tmp_path / "x.run", *RUN)]
    first = imported(*paths)
    assert not first.known
    assert not first.systems[0].known
    before = (dataset_rows(workspace()[1]), system_rows(workspace()[1]))
    again = imported(*paths)
    assert again.known
    assert again.systems[0].known
    assert (dataset_rows(workspace()[1]), system_rows(workspace()[1])) == before


def test_what_was_read_is_told_file_by_file(tmp_path: Path) -> None:
    report = imported(
        lines(tmp_path / "q", *QRELS),
        lines(tmp_path / "x.run", *RUN, "t9 Q0 d1 1 1 mine"),
        lines(tmp_path / "LICENSE", "MIT"),
    )
    assert [(file.called, file.format, file.n_rows, file.n_skipped) for file in report.files] == [
        ("q", "diversity-qrels", 4, 0),
        ("x.run", "trec-run", 4, 1),
        ("LICENSE", "", 0, 0),
    ]
    assert (report.n_topics, report.n_nuggets, report.n_judged) == (2, 3, 4)
    assert (report.systems[0].n_rankings, report.systems[0].n_answers) == (2, 0)
    assert report.notes == (
        "topics of which only rankings can be scored, 2: of each, the nuggets have numbers and no texts.",
    )


def test_nothing_is_stored_where_a_file_is_broken(tmp_path: Path) -> None:
    qrels, broken = lines(tmp_path / "q", *QRELS), lines(tmp_path / "x.run", *RUN, "t1 Q0 d3 3 high mine")
    with pytest.raises(InputError, match=r"x\.run, line 4, field 'score'"):
        imported(qrels, broken)
    assert stored() == []


@pytest.mark.parametrize(
    ("name", "message"),
    [("x.run", "None of the files holds judgments or nuggets"), ("LICENSE", "LICENSE: the format cannot be told")],
)
def test_files_that_make_no_collection_are_refused(tmp_path: Path, name: str, message: str) -> None:
    rows = RUN if name == "x.run" else ("MIT",)
    with pytest.raises(InputError, match=message):
        imported(lines(tmp_path / name, *rows))


def test_a_dataset_with_documents_takes_no_judgments(tmp_path: Path, small_csv: Path) -> None:
    import_source(small_csv)
    with pytest.raises(OptionError, match="'marlow' is a dataset with documents of its own"):
        imported(lines(tmp_path / "q", *QRELS), name="marlow")
    with pytest.raises(OptionError, match="q holds judgments and no system"):
        imported(lines(tmp_path / "q", *QRELS), name="marlow", systems_only=True)
    with pytest.raises(OptionError, match="no dataset named 'gone' is stored"):
        imported(lines(tmp_path / "q", *QRELS), name="gone", systems_only=True)
    with pytest.raises(OptionError, match="holds a slash"):
        imported(lines(tmp_path / "q", *QRELS), name="a/b")


def test_rankings_and_responses_of_our_own_questions(tmp_path: Path, small_csv: Path) -> None:
    import_source(small_csv)
    run = lines(tmp_path / "x.run", "q1 Q0 d1 1 2 other", "q1 Q0 d2#1 2 1 other", "q3 Q0 d2 1 2 other")
    said = objects(
        tmp_path / "r.jsonl",
        {"run_id": "other", "topic_id": "q1", "references": ["d1"], "answer": [{"text": "Hourly.", "citations": [0]}]},
        {"run_id": "other", "topic_id": "q2", "references": [], "answer": [{"text": "I do not know."}]},
    )
    report = imported(run, said, name="marlow", systems_only=True)
    assert (report.systems[0].n_rankings, report.systems[0].n_answers, report.systems[0].n_refused) == (2, 2, 1)
    answers = system_answers(workspace()[1], "marlow", "other")
    assert answers["q1"].ranking == ("d1", "d2#1")
    assert answers["q1"].contexts[0].text.startswith("The Marlow ferry")
    assert answers["q2"].refused
    elsewhere = lines(tmp_path / "y.run", "q1 Q0 elsewhere 1 2 third")
    with pytest.raises(InputError, match="system 'third' ranks no document of the dataset"):
        imported(elsewhere, name="marlow", systems_only=True)


def test_other_answers_of_a_stored_system_are_refused(tmp_path: Path) -> None:
    imported(lines(tmp_path / "q", *QRELS), lines(tmp_path / "x.run", *RUN))
    with pytest.raises(OptionError, match="system 'mine' of 'ferries' has another answer to topic 't1' already"):
        imported(lines(tmp_path / "y.run", "t1 Q0 d1 1 9 mine"))
    named = import_collection([GivenFile(tmp_path / "y.run", system="mine again")], "ferries")
    assert named.systems[0].name == "mine again"


def test_what_a_run_was_made_with_is_not_replaced(tmp_path: Path) -> None:
    qrels, run = lines(tmp_path / "q", *QRELS), lines(tmp_path / "x.run", *RUN)
    imported(qrels, run)
    _, store = workspace()
    create_run(store, "r1", "ferries", {"resolved": {"systems": [{"name": "mine"}]}}, state="done")
    with pytest.raises(OptionError, match="run 'r1' was made with the topics of 'ferries' as they are"):
        imported(whole(tmp_path / "n.json", TEXTS))
    labels = {"system": "mine", "topic": "t1", "nugget": "1", "label": "support"}
    with pytest.raises(OptionError, match="run 'r1' was made with system 'mine' as it is"):
        imported(objects(tmp_path / "l.jsonl", labels))
    assert imported(qrels, run).known
    other = imported(lines(tmp_path / "y.run", *(row.replace("mine", "yours") for row in RUN)))
    assert other.systems[0].name == "yours"


def test_a_collection_that_changed_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    imported(lines(tmp_path / "q", *QRELS))
    read = read_collection([GivenFile(whole(tmp_path / "n.json", TEXTS))], "ferries")
    imported(lines(tmp_path / "t.tsv", "t1\tFerries?"))
    with pytest.raises(OptionError, match="'ferries' has changed since the files were read"):
        store_collection(read)


def test_a_collection_is_exported_and_read_back_equal(tmp_path: Path) -> None:
    imported(lines(tmp_path / "q", *QRELS), whole(tmp_path / "n.json", TEXTS))
    export_dataset("ferries", tmp_path / "folder")
    assert {path.name for path in (tmp_path / "folder").iterdir()} == {"dataset.yaml", "questions.jsonl"}
    row = json.loads((tmp_path / "folder" / "questions.jsonl").read_text().splitlines()[0])
    assert row["judged"] == ["d1", "d2", "d3"]
    assert row["nuggets"][0]["held_by"] == ["d1"]
    back = import_source(tmp_path / "folder", name="back")
    _, store = workspace()
    assert back.name == "back"
    assert load_dataset(store, "back").questions == load_dataset(store, "ferries").questions


def test_scores_of_other_evaluators_stand_in_the_card(tmp_path: Path) -> None:
    imported(
        lines(tmp_path / "q", *QRELS),
        lines(tmp_path / "x.scores.tsv", "r\tall\tf1_macro\t0.25", "r\tt1\tf1\t0.5"),
        whole(tmp_path / "f.json", {"t1": {"recall": 0.5}, "t2": {"recall": 1.0}}),
    )
    assert load_dataset(workspace()[1], "ferries").card.notes[SCORES] == {
        "x.scores.tsv": {"f1_macro": "0.25 (as the file says)", "f1": "0.5000 (mean of 1 topics)"},
        "f.json": {"recall": "0.7500 (mean of 2 topics)"},
    }


@needs_coverage
@pytest.mark.parametrize(
    ("name", "topics", "nuggets", "systems"),
    [
        (
            "lancer_neuclir24",
            19,
            267,
            {"bm25", "lancer:agg_sum:nq_2", "lsr-neuclir", "plaidx-neuclir", "qwen3-neuclir"},
        ),
        ("report_gen_eval", 7, 135, {"jhu-orion-aggregated-w-claude"}),
    ],
)
def test_real_collections(name: str, topics: int, nuggets: int, systems: set[str]) -> None:
    report = imported(*sorted(path for path in (SHARED / name).rglob("*") if path.is_file()), name=name)
    assert (report.n_topics, report.n_nuggets) == (topics, nuggets)
    assert {system.name for system in report.systems} == systems
