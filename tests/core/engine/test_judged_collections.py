"""Collections of judged topics in runs: what a run leaves out counts 0, what no answer can say is not applicable."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core.engine.spec import Request
from core.services import evaluation
from core.services.coverage import coverage
from core.services.coverage_question import matrix_sentence, nugget_matrices
from core.services.judged_importing import import_collection
from core.services.judged_reports import GivenFile
from core.services.workspace import workspace
from core.store.coverage import CoverageRow, coverage_rows, load_measures
from tests.core.datasets.judged.written import lines, objects

pytestmark = pytest.mark.usefixtures("home")


def _evaluated(*paths: Path) -> str:
    import_collection([GivenFile(path) for path in paths], "ferries")
    spec, data = evaluation.plan(Request("ferries", relations="none"))
    assert evaluation.run(spec, data).state == "done"
    return spec.run_id


def _measure(run_id: str, system: str, name: str) -> list[float]:
    names, array = load_measures(workspace()[1], run_id)[system]
    return [float(value) for value in array[:, names.index(name)]]


def _row(run_id: str, system: str, topic: str) -> CoverageRow:
    return coverage_rows(workspace()[1], run_id, topic, [system])[system]


def test_a_topic_that_the_run_leaves_out_counts_zero(tmp_path: Path) -> None:
    run_id = _evaluated(
        lines(tmp_path / "q", "t1 1 d1 1", "t1 2 d2 1", "t2 1 d4 1"), lines(tmp_path / "x.run", "t1 Q0 d1 1 9 mine")
    )
    assert _measure(run_id, "system:mine", "strec@5") == [0.5, 0.0]
    assert _measure(run_id, "system:mine", "alpha_ndcg@5")[1] == 0.0
    row = _row(run_id, "system:mine", "t2")
    assert (row.state, row.reason) == ("not_applicable", "a ranking without answers was imported")


def test_what_is_known_by_its_document_stands_once_in_a_questions_matrix(tmp_path: Path) -> None:
    said = {"run_id": "r", "topic_id": "t1", "references": ["d1", "d2"], "answer": [
        {"text": "The ferry runs daily in summer.", "citations": [1]}]}  # fmt: skip
    run_id = _evaluated(
        lines(tmp_path / "q", "t1 1 d1 1", "t1 2 d2 1"),
        objects(tmp_path / "n.json", {"t1": ["The mill burned down in spring.", "The ferry runs daily in summer."]}),
        objects(tmp_path / "r.jsonl", said),
    )
    found = nugget_matrices(run_id, "t1", "system:r")
    assert found is not None
    assert [one.id for one in found.passages] == ["d1", "d2"]
    assert found.handed_on == 0, "only what it cites is known"
    assert found.held == (("held", "none"), ("none", "held_cited"))
    assert found.sentences[0].cites == ("2",)
    assert found.says == (("none",), ("grounded",))


def test_a_sentence_that_says_one_of_the_answers_needed_says_a_part(tmp_path: Path) -> None:
    bank = {"query_id": "t1", "nugget_bank": {"Which ferries run?": {
        "question_id": "1", "aggregator_type": "AND", "answers": {
            "The Marlow ferry runs daily.": {"references": [{"doc_id": "d1"}]},
            "The Estwick ferry sails weekly.": {"references": [{"doc_id": "d2"}]},
        }}}}  # fmt: skip
    said = {"run_id": "r", "topic_id": "t1", "references": ["d1"], "answer": [
        {"text": "The Marlow ferry runs daily.", "citations": [0]}]}  # fmt: skip
    run_id = _evaluated(objects(tmp_path / "bank.jsonl", bank), objects(tmp_path / "r.jsonl", said))
    found = nugget_matrices(run_id, "t1", "system:r")
    assert found is not None
    # the sentence cites what holds its answer; the nugget lacks the other one
    assert found.says == (("said_part",),)
    assert found.held == (("held_cited",),)
    assert found.nuggets[0].needs_all
    assert found.nuggets[0].outcome == "not said, passages not known"
    assert matrix_sentence(found).startswith("r: nobody knows what passages it was given; its answer says 0 ")


def test_answers_are_not_held_against_what_they_cannot_say(tmp_path: Path) -> None:
    said = {"run_id": "r", "topic_id": "t1", "references": ["d1"], "answer": [
        {"text": "Relevant to ferries and nugget 1.", "citations": [0]}]}  # fmt: skip
    for name, qrels in (("relevance", ("t1 0 d1 1", "t2 0 d2 1")), ("numbers", ("t1 1 d1 1", "t1 2 d2 1"))):
        folder = tmp_path / name
        folder.mkdir()
        import_collection([GivenFile(lines(folder / "q", *qrels)), GivenFile(objects(folder / "r", said))], name)
        spec, data = evaluation.plan(Request(name, relations="none"))
        assert evaluation.run(spec, data).state == "done"
        row = _row(spec.run_id, "system:r", "t1")
        assert row.state == "not_applicable"
        assert row.reason.startswith("the" if name == "numbers" else "there are relevance judgments")
        assert np.isnan(_measure(spec.run_id, "system:r", "said_vital")[0])
        assert np.isnan(_measure(spec.run_id, "system:r", "retrieved_vital")[0]), "only what it cites is known"


def test_where_nobody_judged_what_holds_a_nugget_proof_is_no_zero(tmp_path: Path) -> None:
    said = {"run_id": "r", "topic_id": "t1", "references": ["d1"], "answer": [
        {"text": "The ferry runs daily in summer.", "citations": [0]}]}  # fmt: skip
    run_id = _evaluated(
        objects(tmp_path / "n.json", {"t1": ["The mill burned down in spring.", "The ferry runs daily in summer."]}),
        objects(tmp_path / "r.jsonl", said),
    )
    assert _measure(run_id, "system:r", "said_vital")[0] == 1.0
    for unknown in ("grounded_vital", "retrieved_vital", "not_retrieved_vital", "said_not_grounded_vital"):
        assert np.isnan(_measure(run_id, "system:r", unknown)[0]), unknown
    lens = coverage(run_id)
    assert lens.scores.ranking.measure == "said"
    (row,) = lens.scores.configurations
    assert row.macro["grounded"].value is None
    assert row.macro["said"].value == 0.5
    found = nugget_matrices(run_id, "t1", "system:r")
    assert found is not None
    assert [one.outcome for one in found.nuggets] == [
        "not said, passages not known", "said; what holds it is not known"
    ]  # fmt: skip


def test_what_an_answer_cites_is_no_ranking_and_not_what_it_was_made_from(tmp_path: Path) -> None:
    said = {"run_id": "r", "topic_id": "t1", "references": ["d1"], "answer": [
        {"text": "The ferry runs daily in summer.", "citations": [0]}]}  # fmt: skip
    run_id = _evaluated(
        lines(tmp_path / "q", "t1 1 d1 1", "t1 2 d9 1"),
        objects(tmp_path / "n.json", {"t1": ["The ferry runs daily in summer.", "The mill burned down."]}),
        objects(tmp_path / "r.jsonl", said),
    )
    assert _measure(run_id, "system:r", "grounded_vital")[0] == 1.0
    for unknown in ("retrieved_vital", "strec@5", "alpha_ndcg@5", "mrr"):
        assert np.isnan(_measure(run_id, "system:r", unknown)[0]), unknown
    assert "only what its answers cite" in _row(run_id, "system:r", "t1").record["no_ranking"]
