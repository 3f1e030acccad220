"""One question of a run: what every configuration made of it, and its passages cut again."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from core.engine.spec import Request
from core.engine.systems import SystemSpec
from core.errors import OptionError
from core.schema import SystemAnswer, SystemContext
from core.services import evaluation, passages, questions
from core.services.workspace import workspace
from core.store.run_items import save_items
from core.store.runs import update_run
from core.store.systems import delete_system, save_system, system_rows
from tests.core.services.drilldown_samples import FERRY, HOSTILE, dataset, item, make_run

pytestmark = pytest.mark.usefixtures("home")


def test_every_configuration_with_scores_and_citations() -> None:
    view = questions.question(make_run(), "q1")
    assert view.question.id == "q1"
    assert [document.title for document in view.documents] == ["The ferry"]
    assert [(o.id, o.label, o.is_reference) for o in view.outcomes] == [
        ("knn", "kNN", False), ("bm25", "BM25", False), ("evidence", "Gold evidence", True),
    ]  # fmt: skip
    knn = view.outcomes[0]
    # a passage that was not retrieved is place 0, last
    assert knn.sentences == (("It runs every forty minutes.", (1,)), ("The harbour freezes.", (1, 2, 0)))
    assert (knn.similarity, knn.predicted, knn.verdict, knn.state) == (0.9, "temporal", "right", "scored")
    assert (knn.words, knn.n_sentences, knn.evidence) == (40, 4, "all")


def test_evidence_of_every_kind() -> None:
    run = make_run()
    knn = {name: questions.question(run, name).outcomes[0] for name in ("q3", "q4", "q5", "q6")}
    assert knn["q3"].evidence == "all"
    assert knn["q4"].evidence is None, "none is marked"
    assert knn["q4"].refused
    assert knn["q5"].sentences == ()
    assert knn["q5"].state == f"failed: timeout {HOSTILE}"


def test_a_run_that_stored_no_rows_yet_shows_the_question() -> None:
    view = questions.question(make_run(rows=[]), "q2")
    assert view.outcomes == ()
    assert view.question.answer == "Because the harbour freezes."
    assert list(view.labels) == ["knn", "bm25", "evidence"]


@pytest.mark.parametrize("name", ["gone", "q2", "", "' OR 1=1"])
def test_a_question_the_run_does_not_ask_is_said(name: str) -> None:
    run = make_run(limit=1)
    with pytest.raises(OptionError, match="this run does not ask a question"):
        questions.question(run, name)
    with pytest.raises(OptionError, match="this run does not ask a question"):
        passages.retrieved(run, name, "knn")


def test_unknown_run_and_configuration() -> None:
    with pytest.raises(OptionError, match="no run 'gone' is stored"):
        questions.question("gone", "q1")
    with pytest.raises(OptionError, match="this run has no configuration 'gone'"):
        passages.retrieved(make_run(), "q1", "gone")


def test_passages_are_cut_again_with_evidence_marked() -> None:
    found = passages.retrieved(make_run(), "q1", "knn")
    first, second = found.passages
    assert (first.place, first.id, first.title, first.holds) == (1, "ferry#0", "The ferry", "all")
    assert [(piece.text[:12], piece.marked) for piece in first.pieces] == [
        ("The Marlow f", True), (" ", False), ("In winter it", True),
    ]  # fmt: skip
    assert second.holds == "some"
    assert [piece.text for piece in second.pieces if piece.marked] == ["because the harbour freezes."]
    assert found.missing == ()
    assert {one.nugget.id: one.held for one in found.nuggets} == {
        "n1": True, "n2": False, "n3": None, "n4": True, "n5": False,
    }  # fmt: skip


def test_what_no_passage_holds_is_quoted() -> None:
    run = make_run(rows=[item("knn", "q1", passages='["ferry#1", "mill#0"]')])
    found = passages.retrieved(run, "q1", "knn")
    assert [passage.holds for passage in found.passages] == ["some", "none"]
    assert found.missing == (FERRY[:52], "In winter it runs twice a day because the harbour freezes.")


@pytest.mark.parametrize("name", ["gone#0", "ferry#99", "ferry#-1", "ferry#x", "ferry#²", "ferry", "#", ""])
def test_passages_that_do_not_exist_are_said_and_nothing_is_claimed(name: str) -> None:
    run = make_run(rows=[item("knn", "q1", passages=json.dumps([name, "ferry#2"]))])
    found = passages.retrieved(run, "q1", "knn")
    assert [bool(passage.problem) for passage in found.passages] == [True, False]
    assert found.passages[0].pieces == ()
    assert found.missing == ()
    assert {one.held for one in found.nuggets} <= {True, None}


def test_document_ids_with_a_number_sign() -> None:
    made = dataset()
    documents = (replace(made.documents[0], id="a#b"), *made.documents[1:])
    question = replace(made.questions[5], document_ids=("a#b",))
    run = make_run(
        made=replace(made, documents=documents, questions=(question,)),
        rows=[item("knn", "q6", passages='["a#b#0"]')],
    )
    (passage,) = passages.retrieved(run, "q6", "knn").passages
    assert passage.pieces[0].text.startswith("The Marlow ferry")


def test_runs_cut_by_an_earlier_version_claim_nothing() -> None:
    _, store = workspace()
    run = make_run()
    spec = json.loads(store.rows("SELECT spec FROM runs")[0]["spec"])
    spec["resolved"]["versions"]["chunk"] = 0
    update_run(store, run, spec=spec)
    found = passages.retrieved(run, "q1", "knn")
    assert all(passage.problem and not passage.pieces for passage in found.passages)
    assert questions.question(run, "q1").outcomes[0].evidence is None


def test_a_document_whole() -> None:
    view = questions.question(make_run(), "q2")
    marked = questions.marked_document(view.question, view.documents[0])
    assert "".join(piece.text for piece in marked) == FERRY
    assert [piece.text for piece in marked if piece.marked] == [
        "In winter it runs twice a day because the harbour freezes."
    ]


def test_passages_are_those_the_engine_stored(small_csv: Path) -> None:
    """A real run: its passages are read as they were cut then, by the same key, without being cut again."""
    planned, made = evaluation.plan(
        Request(str(small_csv), retrievers="bm25", combinations="none", relations="none", chunk_words=12)
    )
    run = evaluation.run(planned, made).run_id
    _, store = workspace()
    documents = {document.id: document.text for document in made.documents}
    found = passages.retrieved(run, "q1", "bm25")
    assert found.passages
    stored = [
        json.loads(row["value"])["passages"]
        for row in store.rows("SELECT value FROM stage_results WHERE stage = 'chunk'")
    ]
    for passage in found.passages:
        document, _, ordinal = passage.id.rpartition("#")
        text = "".join(piece.text for piece in passage.pieces)
        assert any(
            len(spans) > int(ordinal) and documents[document][slice(*spans[int(ordinal)])] == text for spans in stored
        )
    # the stored cut comes first: a changed one shows
    passages._spans.cache_clear()
    store.db.execute(
        "UPDATE stage_results SET value = '{\"passages\": [[0, 3]], \"sentences\": []}' WHERE stage = 'chunk'"
    )
    again = passages.retrieved(run, "q1", "bm25")
    shown = ["".join(piece.text for piece in passage.pieces) for passage in again.passages if not passage.problem]
    assert {len(text) for text in shown} == {3}


def _system_run() -> str:
    """A run whose third configuration is an imported system with a text of ours and one from elsewhere."""
    _, store = workspace()
    make_run(rows=[])
    given = SystemAnswer(
        ("Every forty minutes.",),
        (SystemContext(FERRY[:52], "ferry", 0, 52), SystemContext(f"Read on the web. {HOSTILE}")),
        ((0, 1),),
    )
    save_system(store, "marlow", "my rag", {"q1": given}, source="file")
    (row,) = system_rows(store, "marlow")
    spec = json.loads(store.rows("SELECT spec FROM runs")[0]["spec"])
    system = SystemSpec("my rag", row["fingerprint"])
    spec["configurations"].append(system.id)
    spec["labels"][system.id] = "my rag"
    spec["resolved"]["systems"] = [system.as_spec()]
    run = store.rows("SELECT id FROM runs")[0]["id"]
    update_run(store, run, spec=spec, version=1, state="done")
    answer = json.dumps(
        {
            "sentences": ["Every forty minutes."],
            "citations": [{"sentence": 0, "document_id": "", "passage_id": "system:my rag#2"}],
            "refused": False,
        }
    )
    save_items(store, run, [item(system.id, "q1", answer=answer, passages='["system:my rag#1", "system:my rag#2"]')])
    return run


def test_what_an_imported_system_was_given() -> None:
    run = _system_run()
    outcome = questions.question(run, "q1").outcomes[-1]
    assert outcome.sentences == (("Every forty minutes.", (2,)),)
    assert outcome.evidence is None, "what the text from elsewhere holds cannot be told from its place"
    first, second = passages.retrieved(run, "q1", "system:my rag").passages
    assert (first.title, first.holds, first.pieces[0].marked) == ("The ferry", "some", True)
    assert second.pieces[0].text == f"Read on the web. {HOSTILE}"
    assert second.holds is None
    found = passages.retrieved(run, "q1", "system:my rag")
    assert found.missing == ()
    assert {one.nugget.id: one.held for one in found.nuggets}["n1"] is True


def test_a_system_that_was_replaced_or_deleted_shows_no_other_texts() -> None:
    run = _system_run()
    _, store = workspace()
    delete_system(store, "marlow", "my rag")
    assert all(passage.problem for passage in passages.retrieved(run, "q1", "system:my rag").passages)
    save_system(store, "marlow", "my rag", {"q1": SystemAnswer(("x",), (SystemContext("other"),) * 2)}, source="file")
    assert all(passage.problem for passage in passages.retrieved(run, "q1", "system:my rag").passages)


def test_question_rows_still_yield_every_pair() -> None:
    rows = list(questions.question_rows(make_run()))
    assert len(rows) == 18
    assert rows[0]["question_id"] == "q1"
