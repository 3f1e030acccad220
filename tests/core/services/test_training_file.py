"""The training file: chats about the train questions alone, in the words a run asks with."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from core.errors import InputError, OptionError
from core.models.llm.calls import ModelSpec
from core.relations.labelled import gold_text, relations_in
from core.relations.prompted import Case, Prompted
from core.services.importing import import_bundled, import_source
from core.services.training_file import write_training_file
from core.services.workspace import workspace
from core.store.datasets import load_dataset

pytestmark = pytest.mark.usefixtures("home")


def _chats(path: Path) -> list[list[dict[str, str]]]:
    return [json.loads(line)["messages"] for line in path.read_text(encoding="utf-8").splitlines()]


def _table(path: Path, rows: list[dict[str, Any]]) -> str:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return import_source(path).name


def _row(number: int, **fields: Any) -> dict[str, Any]:
    context = f"Mill {number} ground oats. The river froze in winter. Nobody came."
    row = {
        "id": f"q{number}",
        "question": f"Why did mill {number} stop?",
        "answer": "The river froze.",
        "context": context,
        "relation": "causal" if number % 2 else "temporal",
        "split": "test" if number % 4 == 0 else "train",
    }
    return row | fields


def test_a_chat_is_what_a_run_asks_and_the_relation(tmp_path: Path) -> None:
    name = import_bundled("trilens-demo").name
    written = write_training_file(name, tmp_path / "train.jsonl")
    dataset = load_dataset(workspace()[1], name)
    prompted = Prompted(ModelSpec("openai", "http://127.0.0.1:1/v1", "m"), relations_in(dataset))
    documents = {document.id: document for document in dataset.documents}
    asked = {}
    for q in dataset.questions:
        call = prompted.call(Case(q.question, q.answer, gold_text(q, documents)))
        asked[tuple((m.role, m.content) for m in call.messages)] = q.relation
    chats = _chats(tmp_path / "train.jsonl")
    assert len(chats) == written.n_chats > 0
    for chat in chats:
        *turns, reply = chat
        assert reply == {"role": "assistant", "content": asked[tuple((m["role"], m["content"]) for m in turns)]}


def test_only_train_questions_and_no_relation_lost(tmp_path: Path) -> None:
    name = _table(tmp_path / "mills.csv", [_row(n) for n in range(1, 13)])
    written = write_training_file(name, tmp_path / "train.jsonl")
    asked = "\n".join(chat[1]["content"] for chat in _chats(tmp_path / "train.jsonl"))
    assert all((f"Why did mill {n} stop?" in asked) == (n % 4 != 0) for n in range(1, 13))
    assert (written.n_chats, written.n_held_out, written.drawn, written.on_both_sides) == (9, 3, False, 0)
    assert written.relations == {"causal": 6, "temporal": 3}


def test_without_a_split_one_is_drawn_by_document(tmp_path: Path) -> None:
    rows = [{k: v for k, v in _row(n).items() if k != "split"} for n in range(1, 11)]
    name = _table(tmp_path / "mills.csv", rows)
    written = write_training_file(name, tmp_path / "train.jsonl")
    assert (written.n_chats, written.n_held_out, written.drawn) == (8, 2, True)
    first = (tmp_path / "train.jsonl").read_bytes()
    write_training_file(name, tmp_path / "train.jsonl")
    assert (tmp_path / "train.jsonl").read_bytes() == first
    write_training_file(name, tmp_path / "train.jsonl", seed=3)
    assert (tmp_path / "train.jsonl").read_bytes() != first


def test_without_evidence_the_document_s_best_passages_stand_in(tmp_path: Path) -> None:
    long = " ".join(f"Filler {i} says nothing of note here today." for i in range(400))
    name = _table(tmp_path / "mills.csv", [_row(1, context=f"{long}\n\nThe mill stopped in 1902.\n\n{long}"), _row(2)])
    written = write_training_file(name, tmp_path / "train.jsonl")
    assert written.n_retrieved == written.n_chats == 2
    text = _chats(tmp_path / "train.jsonl")[0][1]["content"]
    assert "The mill stopped in 1902." in text
    assert len(text.split()) < 600


def test_a_document_with_questions_on_both_sides_is_counted(tmp_path: Path) -> None:
    shared = {"document_id": "d", "context": "Mills stop in winter. Rivers freeze."}
    rows = [_row(n, **shared, split=split) for n, split in enumerate(["train", "train", "test"])]
    assert write_training_file(_table(tmp_path / "mills.csv", rows), tmp_path / "train.jsonl").on_both_sides == 1


def test_nothing_to_learn_from(tmp_path: Path) -> None:
    plain = _table(tmp_path / "plain.csv", [{k: v for k, v in _row(1).items() if k != "relation"}])
    tests = _table(tmp_path / "tests.csv", [_row(n, split="test") for n in (1, 2)])
    with pytest.raises(OptionError, match="has a relation, so there is nothing to learn from"):
        write_training_file(plain, tmp_path / "train.jsonl")
    with pytest.raises(OptionError, match="marked as a train question"):
        write_training_file(tests, tmp_path / "train.jsonl")
    assert not (tmp_path / "train.jsonl").exists()


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    name = _table(tmp_path / "mills.csv", [_row(n) for n in (1, 2)])
    with pytest.raises(InputError, match="is a folder"):
        write_training_file(name, tmp_path)
    with pytest.raises(InputError, match="is no folder"):
        write_training_file(name, tmp_path / "nowhere" / "train.jsonl")
