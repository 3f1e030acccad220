"""The same content is read once, and other content never taken for it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.services.importing import import_source

pytestmark = pytest.mark.usefixtures("home")

ROW = {"id": "1", "question": "What is it?", "answer": "A stone.", "document_id": "d", "context": "It is a stone."}


def test_files_of_one_name_beside_a_card_are_two_datasets(tmp_path: Path) -> None:
    folder = tmp_path / "beside"
    folder.mkdir()
    (folder / "dataset.yaml").write_text("name: beside\n", encoding="utf-8")
    (folder / "stones.jsonl").write_text(json.dumps(ROW) + "\n", encoding="utf-8")
    columns = ",".join(ROW)
    (folder / "stones.csv").write_text(f"{columns}\n1,What is that?,A tree.,d,That is a tree.\n", encoding="utf-8")
    first, second = (import_source(folder / name) for name in ("stones.jsonl", "stones.csv"))
    assert not second.known
    assert first.name != second.name


def test_only_the_files_that_are_read_decide(tmp_path: Path) -> None:
    folder = tmp_path / "stones"
    folder.mkdir()
    (folder / "documents.jsonl").write_text('{"id": "d", "text": "It is a stone."}\n', encoding="utf-8")
    (folder / "questions.jsonl").write_text(
        '{"id": "1", "question": "What is it?", "answer": "A stone.", "documents": ["d"]}\n', encoding="utf-8"
    )
    name = import_source(folder).name
    (folder / "notes.txt").write_text("a remark", encoding="utf-8")
    assert import_source(folder).known
    assert import_source(folder / "questions.jsonl").name == name
    (folder / "documents.jsonl").write_text('{"id": "d", "text": "It is a pebble."}\n', encoding="utf-8")
    assert not import_source(folder).known
