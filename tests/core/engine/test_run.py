"""A whole run: what is shared, what is recomputed, what fails and is retried alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.cli import main
from core.engine.progress import Progress
from core.engine.run import Outcome, evaluate
from core.engine.spec import Request
from core.services import evaluation
from core.services.lenses import logic
from core.services.workspace import workspace
from core.store.runs import run_row

ROOT = Path(__file__).resolve().parents[3]

pytestmark = pytest.mark.usefixtures("home")


def _evaluate(small_csv: Path, **choices: Any) -> Outcome:
    spec, dataset = evaluation.plan(Request(str(small_csv), **choices))
    return evaluation.run(spec, dataset)


def _counts() -> dict[str, int]:
    """How many results each stage has stored."""
    _, store = workspace()
    return {r["stage"]: r["n"] for r in store.rows("SELECT stage, COUNT(*) AS n FROM stage_results GROUP BY 1")}


def _rows(run_id: str, columns: str = "*") -> list[dict[str, Any]]:
    _, store = workspace()
    return store.rows(f"SELECT {columns} FROM run_items WHERE run = ? ORDER BY configuration, question", (run_id,))


def test_every_configuration_scores_every_question(small_csv: Path) -> None:
    outcome = _evaluate(small_csv)
    rows = _rows(outcome.run_id)
    assert len(rows) == 14 * 6
    assert {row["similarity_state"] for row in rows if row["configuration"] != "evidence"} == {"scored"}
    evidence = [row for row in rows if row["configuration"] == "evidence"]
    assert {row["similarity_state"] for row in evidence} == {"not_applicable"}
    assert all("evidence" in row["similarity_reason"] for row in evidence)
    lens = logic(outcome.run_id)
    assert len(lens.scores.ranking.rows) == 13
    assert lens.scores.relations == ("causal", "direct matching")


def test_identical_choices_are_one_run_and_no_work(small_csv: Path) -> None:
    first = _evaluate(small_csv)
    before = _counts()
    second = _evaluate(small_csv)
    assert (second.run_id, second.worked) == (first.run_id, False)
    assert _counts() == before


@pytest.mark.parametrize(
    ("change", "untouched"),
    [
        ({"k": 2}, {"chunk", "retrieve"}),
        ({"relations": "none"}, {"chunk", "retrieve", "answer", "classify"}),
        ({"retrievers": "knn,dps"}, {"chunk", "retrieve", "answer"}),
        ({"scope": "document"}, {"chunk"}),
        ({"seed": 1, "retrievers": "knn,bm25"}, {"chunk"}),
    ],
)
def test_a_changed_part_recomputes_only_what_depends_on_it(
    small_csv: Path, change: dict[str, Any], untouched: set[str]
) -> None:
    _evaluate(small_csv)
    before = _counts()
    outcome = _evaluate(small_csv, **change)
    assert outcome.worked
    after = _counts()
    assert {stage for stage in before if after[stage] == before[stage]} >= untouched
    _, store = workspace()
    assert store.rows("SELECT * FROM stage_results WHERE writes > 1") == []


def test_beta_recomputes_nothing(small_csv: Path) -> None:
    outcome = _evaluate(small_csv)
    before = _counts()
    assert logic(outcome.run_id, 0.0).scores != logic(outcome.run_id, float("inf")).scores
    assert _counts() == before


def test_equal_passages_share_one_answer(small_csv: Path) -> None:
    _evaluate(small_csv, retrievers="knn,dps,bm25", combinations="none", k=20)
    # with k beyond the corpus every configuration hands on all passages: one answer a question
    assert _counts()["answer"] == 6


def test_the_reproduce_command_makes_the_same_run(small_csv: Path) -> None:
    outcome = _evaluate(small_csv, k=3, retrievers="knn,bm25/langchain", scope="document", sample="4", seed=2)
    command = logic(outcome.run_id).command
    arguments = command.split()[3:]
    assert arguments[0] == "evaluate"
    options = main(["evaluate", *arguments[1:]])
    assert options == 0
    _, store = workspace()
    assert store.rows("SELECT COUNT(*) AS n FROM runs") == [{"n": 1}]


def test_two_homes_agree(small_csv: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outcomes = []
    for name in ("one", "two"):
        monkeypatch.setenv("TRILENS_HOME", str(tmp_path / name))
        outcomes.append(_rows(_evaluate(small_csv).run_id))
    for left, right in zip(*outcomes, strict=True):
        for name, value in left.items():
            if isinstance(value, float):
                assert right[name] == pytest.approx(value, abs=1e-5)
            else:
                assert right[name] == value


_FLAKY = """
from pathlib import Path
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever

class First(BaseRetriever):
    passages: list
    def _get_relevant_documents(self, query, *, run_manager):
        if "mill" in query and Path({switch!r}).exists():
            raise ConnectionError("the index is away")
        return self.passages[:4]

def make(passages):
    return First(passages=passages)
"""


@pytest.fixture
def flaky(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[bool], str]:
    switch = tmp_path / "broken"
    (tmp_path / "flaky_retriever.py").write_text(_FLAKY.format(switch=str(switch)), encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    sys.modules.pop("flaky_retriever", None)

    def turn(broken: bool) -> str:
        switch.touch() if broken else switch.unlink()
        return "flaky_retriever:make"

    return turn


def test_failed_items_are_states_and_can_be_retried_alone(small_csv: Path, flaky: Callable[[bool], str]) -> None:
    name = flaky(True)
    choices = {"retrievers": f"knn,{name}", "combinations": f"a:knn+{name}"}
    outcome = _evaluate(small_csv, **choices)
    failed = [row for row in _rows(outcome.run_id) if row["similarity_state"] == "failed"]
    assert {(row["configuration"], row["question"]) for row in failed} == {
        (c, q) for c in (name, f"a:knn+{name}") for q in ("q3", "q4")
    }
    assert all("ConnectionError" in row["similarity_reason"] and row["similarity"] is None for row in failed)
    scores = logic(outcome.run_id).scores
    broken = next(c for c in scores.configurations if c.id == name)
    assert (broken.bertsim.n_scored, broken.bertsim.n_failed) == (4, 2)
    assert scores.ranking.n_questions == 4

    # resuming alone does not repeat what failed
    assert evaluation.resume(outcome.run_id).worked is False

    # a retry that is stopped leaves the results, and what may be retried, as they were
    _, store = workspace()
    found = run_row(store, outcome.run_id)
    spec, dataset = evaluation.plan_again(outcome.run_id)
    progress = Progress(store, outcome.run_id)
    progress.listener = lambda event: progress.stop.set() if event.stage == "score" else None
    home, _ = workspace()
    stopped = evaluate(store, home, spec, dataset, progress=progress, retry_failed=True)
    assert stopped.state == "stopped"
    kept = ("state", "version", "finished", "failures")
    assert {name: run_row(store, outcome.run_id)[name] for name in kept} == {name: found[name] for name in kept}

    flaky(False)
    before = {row["item"]: row["writes"] for row in _writes("retrieve")}
    again = evaluation.resume(outcome.run_id, retry_failed=True)
    assert again.worked
    written = {row["item"] for row in _writes("retrieve") if row["writes"] != before[row["item"]]}
    assert len(written) == 2
    rows = [row for row in _rows(outcome.run_id) if row["configuration"] != "evidence"]
    assert {row["similarity_state"] for row in rows} == {"scored"}
    assert logic(outcome.run_id).scores.ranking.n_questions == 6


def _writes(stage: str) -> list[dict[str, Any]]:
    _, store = workspace()
    return store.rows("SELECT key || item AS item, writes FROM stage_results WHERE stage = ?", (stage,))


def test_an_edited_factory_is_not_answered_from_stored_rankings(
    small_csv: Path, flaky: Callable[[bool], str], tmp_path: Path
) -> None:
    name = flaky(True)
    first = _evaluate(small_csv, retrievers=name, combinations="none")
    source = tmp_path / "flaky_retriever.py"
    source.write_text(source.read_text(encoding="utf-8").replace("[:4]", "[-2:]"), encoding="utf-8")
    sys.modules.pop("flaky_retriever")
    second = _evaluate(small_csv, retrievers=name, combinations="none")
    assert second.run_id != first.run_id


def test_a_second_process_imports_no_torch_and_takes_three_seconds(small_csv: Path, home: Path) -> None:
    _evaluate(small_csv)
    code = (
        "import sys, json\nfrom core.cli import main\n"
        f"status = main(['evaluate', {str(small_csv)!r}])\n"
        "heavy = ('torch', 'sentence_transformers', 'transformers', 'sklearn', 'langchain', 'langchain_core')\n"
        "print(json.dumps([status, [name for name in heavy if name in sys.modules]]))"
    )
    before = os.times()
    process = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**os.environ, "TRILENS_HOME": str(home)},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    after = os.times()
    # of processor time: other tests run at the same time
    seconds = after.children_user - before.children_user + after.children_system - before.children_system
    assert json.loads(process.stdout.splitlines()[-1]) == [0, []]
    assert seconds <= 3.0


def test_a_retriever_ranks_equally_in_every_mixture(small_csv: Path) -> None:
    columns = "configuration, question, passages"
    alone = _rows(_evaluate(small_csv, retrievers="bm25", combinations="none").run_id, columns)
    mixed = _rows(_evaluate(small_csv).run_id, columns)
    assert [r for r in mixed if r["configuration"] == "bm25"] == [r for r in alone if r["configuration"] == "bm25"]


def test_a_language_the_encoder_does_not_cover_has_no_similarity_and_no_lrcr(tmp_path: Path) -> None:
    path = tmp_path / "faehre.jsonl"
    texts = {
        "d1": "Die Fähre nach Marlow fährt im Sommer alle vierzig Minuten, weil dann viele Gäste kommen. Im Winter "
        "verkehrt sie nur zweimal am Tag, denn der Hafen friert zu.",
        "d2": "Die Mühle von Marlow wurde im Jahr 1871 gebaut. Sie mahlte Hafer, bis der Fluss gestaut wurde. "
        "Danach diente das Gebäude viele Jahre lang als Schule.",
    }
    rows = [
        ("1", "Wie oft fährt die Fähre im Sommer?", "Alle vierzig Minuten.", "d1", "direct matching"),
        ("2", "Warum fährt die Fähre im Winter seltener?", "Weil der Hafen zufriert.", "d1", "causal"),
        ("3", "Wann wurde die Mühle gebaut?", "Im Jahr 1871.", "d2", "direct matching"),
        ("4", "Warum mahlte die Mühle keinen Hafer mehr?", "Weil der Fluss gestaut wurde.", "d2", "causal"),
    ]
    names = ("id", "question", "answer", "document_id", "relation")
    path.write_text(
        "".join(json.dumps({**dict(zip(names, row, strict=True)), "context": texts[row[3]]}) + "\n" for row in rows),
        encoding="utf-8",
    )
    found = [row for row in _rows(_evaluate(path).run_id) if row["configuration"] != "evidence"]
    assert {row["similarity_state"] for row in found} == {"not_applicable"}
    assert {row["correct_state"] for row in found} == {"not_applicable"}
    assert all("'de'" in row["correct_reason"] for row in found)
