"""The same content is read once, and other content never taken for it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.schema import Card
from core.services import browsing
from core.services.importing import import_source
from tests.core.datasets.samples import table_rows, write_folder, write_jsonl

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


def card_of(name: str) -> Card:
    return browsing.stored_dataset(name).card


def test_the_same_content_with_another_card_replaces_the_card(tmp_path: Path) -> None:
    name = import_source(write_folder(tmp_path / "trial", card="name: trial\n")).name
    before = browsing.stored_dataset(name)
    told = write_folder(tmp_path / "told", card="name: trial\ntitle: A trial\nlicence: CC0\n")
    again = import_source(told)
    assert (again.name, again.known) == (name, True)
    assert again.warnings[0] == "the card of 'trial' was replaced by the one of told."
    after = browsing.stored_dataset(name)
    assert (after.title, after.card.licence, after.created) == ("A trial", "CC0", before.created)
    assert after.version != before.version
    assert after.fingerprint == before.fingerprint
    assert import_source(told).warnings == ()
    # a card that says nothing takes nothing away
    import_source(write_folder(tmp_path / "trial", card="name: trial\n"))
    assert card_of(name).licence == "CC0"


def test_a_table_with_the_same_content_leaves_the_card(tmp_path: Path) -> None:
    name = import_source(write_jsonl(tmp_path / "t.jsonl", table_rows())).name
    before = card_of(name)
    folder = tmp_path / "other"
    folder.mkdir()
    assert import_source(write_jsonl(folder / "t.json", table_rows())).name == name
    assert card_of(name) == before
