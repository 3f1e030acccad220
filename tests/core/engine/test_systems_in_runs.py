"""Another RAG's answers as a configuration: scored like ours, and none of ours is scored differently for it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.engine.imported import handed_on
from core.engine.spec import Request, resolve
from core.engine.systems import SystemSpec, chosen_systems, systems_made_with
from core.errors import OptionError
from core.figures.configurations import family, in_order
from core.metrics.scores import ConfigurationScores
from core.models.encoders import DEFAULT_ENCODER, encoder_spec
from core.schema import Card, Dataset, Document, Question
from core.services import evaluation
from core.services.findings import overall
from core.services.importing import import_source
from core.services.lenses import logic
from core.services.system_importing import ImportedSystem, import_system, remove_system
from core.services.workspace import workspace
from core.store.runs import run_row, update_run
from tests.core.datasets.samples import HIERARAG, needs_hierarag, write_jsonl

pytestmark = pytest.mark.usefixtures("home")

FERRY = (
    "The Marlow ferry runs every forty minutes in summer. In winter it runs twice a day because the harbour freezes."
)
GIVEN: Mapping[str, Mapping[str, Any]] = {
    "q1": {"answer": "Every forty minutes [1].", "contexts": [FERRY, "Elsewhere ferries rest. They rust."]},
    "q2": {"answer": "Because the harbour freezes. [2]", "contexts": ["In winter it runs twice a day", FERRY]},
    "q3": {"answer": "Anna Rusk built it.", "contexts": ["Anna Rusk was a miller."]},
    "q4": {"answer": "The damming of the river in 1902.", "contexts": ["It ground oats until the river was dammed."]},
    "q5": {"answer": "188 steps twice a day.", "contexts": ["The keeper climbs 188 steps."]},
    "q6": {"answer": "The text does not say that.", "contexts": ["No keeper may leave before relief arrives."]},
}


def _import(tmp_path: Path, name: str = "own", **changed: Mapping[str, Any] | None) -> ImportedSystem:
    """Import ``GIVEN`` with some questions' rows changed or, where None, left out."""
    rows = [{"id": id_, **row} for id_, row in {**GIVEN, **changed}.items() if row is not None]
    return import_system(write_jsonl(tmp_path / f"{name}.jsonl", rows), "marlow", name=name)


@pytest.fixture
def marlow(small_csv: Path) -> str:
    return import_source(small_csv).name


def _evaluate(**choices: Any) -> str:
    spec, dataset = evaluation.plan(Request("marlow", **choices))
    outcome = evaluation.run(spec, dataset)
    assert outcome.state == "done"
    return outcome.run_id


def _rows(run_id: str, configuration: str | None = None) -> list[dict[str, Any]]:
    _, store = workspace()
    rows = store.rows("SELECT * FROM run_items WHERE run = ? ORDER BY configuration, question", (run_id,))
    return [row for row in rows if configuration in (None, row["configuration"])]


def _scores(run_id: str, configuration: str) -> ConfigurationScores:
    return next(c for c in logic(run_id).scores.configurations if c.id == configuration)


def test_a_system_is_one_more_configuration_after_the_reference(marlow: str, tmp_path: Path) -> None:
    _import(tmp_path)
    run_id = _evaluate()
    _, store = workspace()
    spec = run_row(store, run_id)["spec"]
    assert spec["configurations"][-2:] == ["evidence", "system:own"]
    assert spec["labels"]["system:own"] == "own"
    assert len(_rows(run_id)) == 15 * 6
    rows = {row["question"]: row for row in _rows(run_id, "system:own")}
    assert {row["similarity_state"] for row in rows.values()} == {row["correct_state"] for row in rows.values()}
    assert {row["similarity_state"] for row in rows.values()} == {"scored"}
    assert rows["q3"]["similarity"] == pytest.approx(1.0, abs=1e-5)
    assert [row["refused"] for row in rows.values()] == [0, 0, 0, 0, 0, 1]
    assert (rows["q6"]["predicted"], rows["q6"]["correct"]) == (None, 0)
    assert rows["q5"]["predicted"] in ("causal", "direct matching")
    lens = logic(run_id)
    assert "system:own" in [row.id for row in lens.scores.ranking.rows]
    assert _scores(run_id, "system:own").bertsim.n_refused == 1
    assert family("system:own") == "imported"
    assert in_order(["system:own", "evidence", "s-two", "knn"]) == ["knn", "s-two", "evidence", "system:own"]


def test_contexts_are_whole_texts_in_sentences_each_once(marlow: str, tmp_path: Path) -> None:
    _import(tmp_path)
    run_id = _evaluate(retrievers="bm25", combinations="none")
    rows = {row["question"]: row for row in _rows(run_id, "system:own")}
    # two sentences of the document, two from elsewhere
    assert (rows["q1"]["sentences"], rows["q1"]["words"]) == (4, 9 + 11 + 3 + 2)
    # the piece of a sentence is not the sentence that holds it
    assert rows["q2"]["sentences"] == 3
    assert json.loads(rows["q1"]["passages"]) == ["system:own#1", "system:own#2"]
    answer = json.loads(rows["q2"]["answer"])
    assert answer["sentences"] == ["Because the harbour freezes."]
    assert answer["citations"] == [{"sentence": 0, "document_id": "d1", "passage_id": "system:own#2"}]
    _, store = workspace()
    texts = handed_on(store, "marlow", "system:own", "q1")
    assert [(id_, context.document_id) for id_, context in texts.items()] == [
        ("system:own#1", "d1"), ("system:own#2", ""),
    ]  # fmt: skip
    assert handed_on(store, "marlow", "own", "q1") == handed_on(store, "marlow", "system:no", "q1") == {}


def test_a_sentence_that_two_contexts_hold_counts_once(marlow: str, tmp_path: Path) -> None:
    sentence = "Anna Rusk was a miller."
    _import(tmp_path, q3={"answer": "Anna.", "contexts": [sentence, f"{sentence} She was old.", sentence, "  "]})
    run_id = _evaluate(retrievers="bm25", combinations="none", relations="none")
    row = next(row for row in _rows(run_id, "system:own") if row["question"] == "q3")
    assert (row["sentences"], row["words"]) == (2, 5 + 3)
    assert json.loads(row["passages"]) == ["system:own#1", "system:own#2", "system:own#3"]


def test_nothing_of_the_others_changes(marlow: str, tmp_path: Path) -> None:
    before = _evaluate()
    _import(tmp_path, q1=None, q2={"answer": "", "contexts": []})
    after = _evaluate()
    assert after != before

    def others(run_id: str) -> list[dict[str, Any]]:
        return [{**row, "run": ""} for row in _rows(run_id) if row["configuration"] != "system:own"]

    assert others(after) == others(before)
    one, other = logic(before), logic(after)
    assert other.classifier == one.classifier
    assert one.classifier is not None
    assert [c for c in other.scores.configurations if c.id != "system:own"] == list(one.scores.configurations)


def test_nothing_of_the_others_changes_in_another_home(
    small_csv: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []
    for name in ("with", "without"):
        monkeypatch.setenv("TRILENS_HOME", str(tmp_path / name))
        import_source(small_csv)
        if name == "with":
            _import(tmp_path)
        run_id = _evaluate(retrievers="knn,bm25")
        found.append([{**row, "run": ""} for row in _rows(run_id) if row["configuration"] != "system:own"])
        found.append(logic(run_id).classifier)
    assert found[0] == found[2]
    assert found[1] == found[3]


def test_answers_and_contexts_are_read_by_the_similarity_encoder(marlow: str, tmp_path: Path) -> None:
    _import(tmp_path)
    (tmp_path / "mine").symlink_to(encoder_spec(DEFAULT_ENCODER).path)
    choices = {"retrievers": "bm25", "combinations": "none"}
    columns = ("question", "similarity", "predicted", "correct", "words")
    one, other = (
        [[row[name] for name in columns] for row in _rows(run_id, "system:own")]
        for run_id in (_evaluate(**choices), _evaluate(**choices, similarity_encoder=str(tmp_path / "mine")))
    )
    assert one == other


def test_without_contexts_the_relation_cannot_be_told(marlow: str, tmp_path: Path) -> None:
    _import(tmp_path, **{id_: {"answer": row["answer"], "contexts": None} for id_, row in GIVEN.items()})
    run_id = _evaluate()
    rows = _rows(run_id, "system:own")
    assert {row["similarity_state"] for row in rows} == {"scored"}
    assert {(row["correct"], row["correct_state"], row["correct_reason"]) for row in rows} == {
        (None, "not_applicable", "no contexts came with this answer")
    }
    assert {row["predicted"] for row in rows} == {None}
    assert {row["passages"] for row in rows} == {"[]"}
    own = _scores(run_id, "system:own")
    assert (own.bertsim.n_scored, own.lrcr.value, own.lrcr.n_not_applicable, own.lrcr.n_refused) == (6, None, 6, 1)
    ranking = logic(run_id).scores.ranking
    assert (ranking.n_questions, len(ranking.rows)) == (6, 13)
    assert "system:own" in ranking.left_out


def test_missing_and_empty_answers_have_states_and_the_ranking_says_how_many_are_left(
    marlow: str, tmp_path: Path
) -> None:
    report = _import(tmp_path, q1=None, q2={"answer": " ", "contexts": [FERRY]}, q3=None)
    assert (report.n_matched, report.n_answers, report.n_questions) == (4, 3, 6)
    assert any("questions without an answer, not scored for this system: 2 of 6" in note for note in report.notes)
    run_id = _evaluate()
    rows = {row["question"]: row for row in _rows(run_id, "system:own")}
    for id_ in ("q1", "q3"):
        assert (rows[id_]["similarity_state"], rows[id_]["correct_state"]) == ("not_applicable", "not_applicable")
        assert rows[id_]["similarity_reason"] == "no answer of this system was imported for this question"
        assert rows[id_]["answer"] == "{}"
    assert (rows["q2"]["similarity_state"], rows["q2"]["correct_state"]) == ("failed", "failed")
    assert rows["q2"]["similarity_reason"] == "the system gave no answer"
    lens = logic(run_id)
    assert lens.run.failures == {"the system gave no answer": 1}
    own = _scores(run_id, "system:own").bertsim
    assert (own.n_scored, own.n_failed, own.n_not_applicable) == (3, 1, 2)
    assert _scores(run_id, "knn").bertsim.n_scored == 6
    assert (lens.scores.ranking.n_questions, lens.scores.ranking.n_total) == (3, 6)
    assert "the 3 of 6 questions that every configuration has scored" in overall(lens.scores).text


def test_a_sample_that_a_system_did_not_answer_ranks_the_others(marlow: str, tmp_path: Path) -> None:
    _import(tmp_path, q1=None, q2=None)
    ranking = logic(_evaluate(limit=2)).scores.ranking
    assert (ranking.n_questions, len(ranking.rows)) == (2, 13)
    assert "2 not applicable" in ranking.left_out["system:own"]


def test_runs_without_systems_keep_their_ids(marlow: str, tmp_path: Path) -> None:
    before, _ = evaluation.plan(Request("marlow"))
    assert "systems" not in before.resolved()
    _import(tmp_path)
    none, _ = evaluation.plan(Request("marlow", systems="none"))
    assert none.run_id == before.run_id
    assert none.configurations == before.configurations


def test_a_choice_of_systems_is_part_of_the_command(marlow: str, tmp_path: Path) -> None:
    for name in ("b", "a", "my rag"):
        _import(tmp_path, name)
    every, _ = evaluation.plan(Request("marlow"))
    assert every.configurations[-3:] == ("system:a", "system:b", "system:my rag")
    assert "--systems 'a,b,my rag'" in every.request.command()
    some, _ = evaluation.plan(Request("marlow", systems=" my rag, a"))
    assert some.configurations[-2:] == ("system:a", "system:my rag")
    again, _ = evaluation.plan(some.request)
    assert again.run_id == some.run_id
    with pytest.raises(OptionError, match=r"--systems names 'c', which .* \(imported: 'a', 'b', 'my rag'\)"):
        evaluation.plan(Request("marlow", systems="a,c"))


def _interrupted(run_id: str) -> None:
    _, store = workspace()
    with store.write() as db:
        db.conn.execute("DELETE FROM run_items WHERE run = ?", (run_id,))
    update_run(store, run_id, state="stopped")


def test_a_run_goes_on_with_the_systems_it_was_made_with(marlow: str, tmp_path: Path) -> None:
    choices = {"retrievers": "bm25", "combinations": "none", "relations": "none"}
    bare = _evaluate(**choices)
    _import(tmp_path, "a")
    with_one = _evaluate(**choices)
    _import(tmp_path, "b")
    for run_id, expected in ((bare, {"bm25", "evidence"}), (with_one, {"bm25", "evidence", "system:a"})):
        _interrupted(run_id)
        outcome = evaluation.resume(run_id)
        assert (outcome.run_id, outcome.state, outcome.worked) == (run_id, "done", True)
        assert {row["configuration"] for row in _rows(run_id)} == expected
    assert {row["configuration"] for row in _rows(_evaluate(**choices))} == {
        "bm25", "evidence", "system:a", "system:b",
    }  # fmt: skip


def test_a_system_that_is_gone_or_replaced_is_said_in_one_sentence(marlow: str, tmp_path: Path) -> None:
    _import(tmp_path)
    run_id = _evaluate(retrievers="bm25", combinations="none", relations="none")
    planned = evaluation.plan_again(run_id)
    remove_system("marlow", "own")
    with pytest.raises(OptionError, match=f"run '{run_id}' was made with the system 'own', which is not there any"):
        evaluation.resume(run_id)
    _interrupted(run_id)
    with pytest.raises(OptionError, match="is not there any more"):
        evaluation.run(*planned)
    _import(tmp_path, q1={"answer": "Never.", "contexts": []})
    with pytest.raises(OptionError, match="which has other answers now: import the answers of then under that name"):
        evaluation.resume(run_id)
    remove_system("marlow", "own")
    _import(tmp_path)
    assert evaluation.resume(run_id).state == "done"
    with pytest.raises(OptionError, match="dataset 'marlow' has no system 'other'"):
        remove_system("marlow", "other")


def test_no_two_labels_are_alike() -> None:
    dataset = Dataset(Card("d"), (Document("a", "Text."),), (Question("q", "What?", "That.", ("a",)),))
    there = [SystemSpec("kNN", "1"), SystemSpec("knn", "2")]
    spec = resolve(Request("d"), dataset, "fingerprint", there)
    assert spec.labels["system:kNN"] == "kNN (imported)"
    assert spec.labels["system:knn"] == "knn"
    assert len(set(spec.labels.values())) == len(spec.configurations)
    changed = resolve(Request("d"), dataset, "fingerprint", [there[0], replace(there[1], fingerprint="3")])
    assert changed.run_id != spec.run_id


def test_choices_and_what_a_run_was_made_with() -> None:
    there = [SystemSpec("a", "1"), SystemSpec("b", "2")]
    assert chosen_systems("", there) == tuple(there)
    assert chosen_systems(" None ", there) == ()
    assert chosen_systems("b,,b", there) == (there[1],)
    assert systems_made_with("r", {}, there) == ()
    assert systems_made_with("r", {"systems": [there[1].as_spec()]}, there) == (there[1],)
    with pytest.raises(OptionError, match=r"\(imported: none yet\)"):
        chosen_systems("a", [])


@needs_hierarag
def test_bertsim_of_published_answers_is_the_published_cosine(tmp_path: Path) -> None:
    with (HIERARAG / "qa150.jsonl").open(encoding="utf-8") as file:
        published = [json.loads(line) for line, _ in zip(file, range(16), strict=False)]
    rows = [
        {"id": row["qa_id"], "question": row["question"], "answer": row["reference_answer"], "context": "No document."}
        for row in published
    ]
    import_source(write_jsonl(tmp_path / "marlow.jsonl", rows))
    report = import_system(HIERARAG / "qa150.jsonl", "marlow", name="generated")
    assert (report.n_rows, report.n_answers, len(report.skipped)) == (150, 16, 134)
    run_id = _evaluate(retrievers="bm25", combinations="none", relations="none")
    found = {row["question"]: row["similarity"] for row in _rows(run_id, "system:generated")}
    for row in published:
        assert found[row["qa_id"]] == pytest.approx(row["cs_recomputed"], abs=2e-6)
        assert found[row["qa_id"]] == pytest.approx(row["cs_published"], abs=6e-4)
