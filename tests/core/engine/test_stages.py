"""Single stages: what they need, in which order they search, how they count their work."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from core.engine.contexts import Context
from core.engine.fill import Workbench
from core.engine.progress import Event, Progress
from core.engine.relations import movable
from core.engine.spec import Request
from core.schema import Answer, Question
from core.services import evaluation
from core.services.lenses import observations
from core.services.workspace import workspace
from core.store.runs import create_run
from core.store.stage_results import StageKey, StageResult, put_results

pytestmark = pytest.mark.usefixtures("home")


def _evaluate(source: Path, **choices: Any) -> tuple[str, list[Event]]:
    events: list[Event] = []
    planned, dataset = evaluation.plan(Request(str(source), **choices))
    return evaluation.run(planned, dataset, listener=events.append).run_id, events


def _rows(run_id: str) -> list[dict[str, Any]]:
    _, store = workspace()
    return store.rows("SELECT * FROM run_items WHERE run = ? ORDER BY configuration, question", (run_id,))


def _folder(path: Path, documents: dict[str, str], questions: list[dict[str, Any]]) -> Path:
    path.mkdir()
    (path / "dataset.yaml").write_text(f"name: {path.name}\nlanguage: en\n", encoding="utf-8")
    (path / "documents.jsonl").write_text(
        "".join(json.dumps({"id": name, "text": text}) + "\n" for name, text in documents.items()), encoding="utf-8"
    )
    (path / "questions.jsonl").write_text("".join(json.dumps(q) + "\n" for q in questions), encoding="utf-8")
    return path


@pytest.mark.parametrize("retrievers", ["bm25", "edi,tfidf/paper"])
def test_words_alone_need_no_encoded_passages(small_csv: Path, retrievers: str) -> None:
    run_id, events = _evaluate(small_csv, retrievers=retrievers, combinations="none", relations="none")
    rows = [row for row in _rows(run_id) if row["configuration"] != "evidence"]
    assert {row["similarity_state"] for row in rows} == {"scored"}
    assert "encode passages" not in {event.stage for event in events}


def test_evidence_without_a_sentence_is_learnt_from_what_knn_finds(tmp_path: Path) -> None:
    documents = {name: f"The {name} stands by the river. ... It was built of oak." for name in ("mill", "barn", "kiln")}
    questions = [
        {
            "id": f"{name}-{relation}",
            "question": f"Where does the {name} stand?" if relation == "direct" else f"Why is the {name} of oak?",
            "answer": "By the river.",
            "documents": [name],
            "relation": relation,
            # three full stops: a piece of the text, and no sentence
            "evidence": [[{"document": name, "start": text.index("..."), "end": text.index("...") + 3}]],
        }
        for name, text in documents.items()
        for relation in ("direct", "causal")
    ]
    source = _folder(tmp_path / "oak", documents, questions)
    run_id, _ = _evaluate(source, retrievers="bm25", combinations="none")
    rows = [row for row in _rows(run_id) if row["configuration"] == "bm25"]
    assert {row["correct_state"] for row in rows} == {"scored"}


def test_document_scope_goes_by_the_corpus_order_not_by_ids(tmp_path: Path) -> None:
    text = "Nothing here answers it."
    question = {"id": "q", "question": "Zyzzyva?", "answer": "A weevil.", "documents": ["a", "z"], "relation": "x"}
    source = _folder(tmp_path / "two", {"z": text, "a": text}, [question])
    run_id, _ = _evaluate(source, scope="document", retrievers="bm25", combinations="none", relations="none")
    (row,) = [row for row in _rows(run_id) if row["configuration"] == "bm25"]
    assert json.loads(row["passages"]) == ["z#0", "a#0"]


def test_what_is_stored_counts_as_done_and_not_as_speed() -> None:
    _, store = workspace()
    create_run(store, "run", _any_dataset(), {})
    key = StageKey("stage", "key")
    put_results(store, key, [StageResult(str(i), i) for i in range(90)])
    events: list[Event] = []
    progress = Progress(store, "run", events.append)

    def slow(batch: Any) -> list[StageResult]:
        time.sleep(0.02)
        return [StageResult(item, value) for item, value in batch]

    progress.begin("stage", 100)
    Workbench(store, progress).fill(key, {str(i): i for i in range(100)}, slow, batch=5)
    assert [event.done for event in events] == [0, 90, 95, 100]
    assert events[1].rate is None
    # 5 items in at least 20 ms
    assert events[2].rate is not None
    assert events[2].rate <= 5 / 0.02


def test_time_after_the_last_vector_is_no_encoding(small_csv: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from core.engine import stages as driver

    given = driver.answers_of

    def later(*arguments: Any) -> Any:
        time.sleep(0.5)
        return given(*arguments)

    # every text of the second run is cached: its encoding takes no time
    _evaluate(small_csv, retrievers="bm25", combinations="none", relations="none")
    monkeypatch.setattr(driver, "answers_of", later)
    run_id, _ = _evaluate(small_csv, retrievers="bm25", combinations="none", relations="none", seed=1)
    _, store = workspace()
    provenance = json.loads(store.rows("SELECT provenance FROM runs WHERE id = ?", (run_id,))[0]["provenance"])
    assert sum(s for stage, s in provenance["seconds"].items() if stage.startswith("encode")) < 0.4


def test_a_retriever_that_finds_nothing_hands_over_no_words(
    small_csv: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "empty_retriever.py").write_text(
        "from langchain_core.retrievers import BaseRetriever\n"
        "class Empty(BaseRetriever):\n"
        "    passages: list\n"
        "    def _get_relevant_documents(self, query, *, run_manager):\n"
        "        return [] if 'mill' in query else self.passages[:1]\n"
        "def make(passages):\n"
        "    return Empty(passages=passages)\n",
        encoding="utf-8",
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    run_id, _ = _evaluate(small_csv, retrievers="empty_retriever:make", combinations="none", relations="none")
    _, store = workspace()
    seen = observations(store, run_id)
    assert (seen.words[0] == 0).tolist() == [False, False, True, True, False, False]
    # the evidence row has no context at all
    assert (seen.words[1] != seen.words[1]).all()


def test_failed_answers_do_not_move_lrcr() -> None:
    questions = [Question(f"q{i}", "What?", "That.", ("d",), relation="x") for i in range(4)]
    answers = {("knn", q.id): Answer(("That.",)) for q in questions}
    answers |= {("own", q.id): Answer(("That.",)) for q in questions[:2]}
    answers["own", "q1"] = Answer(("No.",), refused=True)
    predicted = {pair: "x" for pair, answer in answers.items() if not answer.refused}

    # of the two questions that both answered, the refusal of one makes a difference; what failed compares nothing
    assert movable(questions, predicted, answers) == 0.5


def _any_dataset() -> str:
    from core.services.importing import import_bundled

    return import_bundled("trilens-demo").name


def test_a_context_keeps_no_order_of_passages() -> None:
    assert Context((1, 0), ()).fingerprint == Context((0, 1), ()).fingerprint
