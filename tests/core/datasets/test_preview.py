"""What is said of a file before it is read, and the columns a person chose of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.datasets.importers import read_dataset
from core.datasets.importers.columns import ALIASES
from core.datasets.importers.preview import REQUIRED, preview
from core.errors import InputError
from tests.core.datasets.samples import (
    HIERARAG,
    needs_hierarag,
    table_rows,
    write_csv,
    write_folder,
    write_jsonl,
)


def test_required_fields_are_fields() -> None:
    for fields in REQUIRED.values():
        assert set(fields) <= set(ALIASES)


def test_samples_are_different_short_and_on_one_line(tmp_path: Path) -> None:
    rows = [{"question": "a\nb  c", "answer": "x" * 500, "context": ["one", "two"], "empty": None, "n": 7}] * 5
    seen = preview(write_jsonl(tmp_path / "t.jsonl", rows))
    samples = {column.name: column.samples for column in seen.columns}
    assert samples["question"] == ("a b c",)
    assert samples["answer"] == ("x" * 99 + "…",)
    assert samples["context"] == ('["one", "two"]',)
    assert (samples["empty"], samples["n"]) == ((), ("7",))


@pytest.mark.parametrize(
    ("columns", "format"),
    [
        (["question", "answer", "context"], "table"),
        (["a", "b"], "table"),
        (["question", "answer", "context", "extracted_sentences", "logical_category"], "rag12000"),
    ],
)
def test_formats_of_tables(tmp_path: Path, columns: list[str], format: str) -> None:
    seen = preview(write_csv(tmp_path / "t.csv", [dict.fromkeys(columns, "x")]))
    assert (seen.format, seen.formats) == (format, ("table", "rag12000"))


def test_a_trilens_folder_and_its_name(tmp_path: Path) -> None:
    assert preview(write_folder(tmp_path / "a", card="name: mine\n")).name == "mine"
    bare = preview(write_folder(tmp_path / "b", card=None))
    assert (bare.name, bare.format, bare.formats, bare.mapping) == ("", "trilens", ("trilens",), {})


@needs_hierarag
def test_datamorgana_is_told_from_its_content() -> None:
    seen = preview(HIERARAG / "rq3_interactions_all.jsonl")
    assert seen.format == "datamorgana"
    assert set(seen.formats) == {"table", "rag12000", "datamorgana"}


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(b"\0" * 100)
    with pytest.raises(InputError):
        preview(path)
    with pytest.raises(InputError):
        preview(tmp_path / "none.csv")


def test_a_column_without_a_name_is_not_offered(tmp_path: Path) -> None:
    seen = preview(write_jsonl(tmp_path / "t.jsonl", [{"": 1, " ": 2, "question": "?"}]))
    assert [column.name for column in seen.columns] == ["question"]


def test_chosen_columns_and_the_guess_read_the_same(tmp_path: Path) -> None:
    rows = [{**row, "complexity": "simple", "mood": "calm"} for row in table_rows()]
    path = write_csv(tmp_path / "t.csv", rows)
    seen = preview(path)
    mapping = {field: seen.mapping.get(field, "") for field in ALIASES}
    assert read_dataset(path, mapping=mapping, categories=seen.categories).dataset == read_dataset(path).dataset


def test_a_column_that_is_renamed_on_the_way_keeps_its_own_name(tmp_path: Path) -> None:
    rows = [{**row, "split": "dev", "column split": "taken"} for row in table_rows(1)]
    path = write_csv(tmp_path / "t.csv", rows)
    mapping = {**dict.fromkeys(ALIASES, ""), "question": "question", "answer": "answer", "context": "context"}
    (question,) = read_dataset(path, mapping=mapping, categories=[]).dataset.questions
    assert question.meta == {"id": "q0", "split": "dev", "column split": "taken"}


def test_what_a_file_is_called_by_its_owner(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "uploaded.csv", table_rows())
    found = read_dataset(path, called="Fragen 2026.csv").dataset.card
    assert (found.name, found.source) == ("Fragen 2026", "Fragen 2026.csv")
