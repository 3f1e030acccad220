"""Values that a file can hold and a store or a walk cannot: refused in place, before anything is stored."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from core.datasets.importers import read_dataset
from core.errors import InputError
from tests.core.datasets.samples import table_rows, write_folder


def _refusal(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        read_dataset(path)
    message = str(caught.value)
    assert path.name in message
    assert "\n" not in message
    return message


def _jsonl(path: Path, **more: object) -> Path:
    path.write_text(json.dumps({**table_rows(1)[0], **more}) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("brackets", ["[]", "{}"])
def test_nested_too_deep(tmp_path: Path, brackets: str) -> None:
    value: object = 1
    for _ in range(700):
        value = [value] if brackets == "[]" else {"a": value}
    message = _refusal(_jsonl(tmp_path / "deep.jsonl", odd=value))
    assert "line 1, field 'odd'" in message
    assert "100 deep" in message


def test_many_brackets_are_not_deep(tmp_path: Path) -> None:
    path = _jsonl(tmp_path / "wide.jsonl", odd=[[i] for i in range(500)])
    assert read_dataset(path).dataset.questions


def test_half_a_character_in_a_name(tmp_path: Path) -> None:
    assert "half a character" in _refusal(_jsonl(tmp_path / "half.jsonl", **{"a\ud800": 1}))


def test_rows_without_fields(tmp_path: Path) -> None:
    path = tmp_path / "empty.jsonl"
    path.write_text("{}\n", encoding="utf-8")
    assert "without a single field" in _refusal(path)


def test_archives_that_are_no_workbook(tmp_path: Path) -> None:
    for name in ("letter.docx", "files.zip"):
        with zipfile.ZipFile(tmp_path / name, "w") as archive:
            archive.writestr("[Content_Types].xml", "<Types/>")
        assert "no XLSX workbook" in _refusal(tmp_path / name)


def test_a_workbook_is_known_by_its_content(tmp_path: Path) -> None:
    import openpyxl

    book = openpyxl.Workbook()
    assert book.active is not None
    row = table_rows(1)[0]
    book.active.append(list(row))
    book.active.append(list(row.values()))
    book.save(tmp_path / "book.xlsx")
    other = (tmp_path / "book.xlsx").rename(tmp_path / "book.xls")
    assert len(read_dataset(other).dataset.questions) == 1


def test_a_workbook_of_charts(tmp_path: Path) -> None:
    import openpyxl

    book = openpyxl.Workbook()
    book.create_chartsheet("chart", 0)
    book.save(tmp_path / "chart.xlsx")
    assert "no XLSX workbook" in _refusal(tmp_path / "chart.xlsx")


def test_cells_beyond_the_header_are_not_dropped(tmp_path: Path) -> None:
    import openpyxl

    book = openpyxl.Workbook()
    assert book.active is not None
    row = table_rows(1)[0]
    book.active.append(list(row))
    book.active.append([*row.values(), "surplus"])
    book.save(tmp_path / "wide.xlsx")
    assert f"row 2: the row has {len(row) + 1} cells" in _refusal(tmp_path / "wide.xlsx")


def test_two_columns_of_one_name_in_parquet(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    names = ["question", "question", "answer", "context"]
    table = pa.Table.from_arrays([pa.array([f"{name}?"]) for name in names], names=names)
    pq.write_table(table, tmp_path / "twins.parquet")
    assert "'question' more than once" in _refusal(tmp_path / "twins.parquet")


def test_two_columns_that_mean_one_field_are_told(tmp_path: Path) -> None:
    path = tmp_path / "twins.csv"
    path.write_text("Question,question,answer,context\na?,b?,c,d e f\n", encoding="utf-8")
    assert any("'Question', not from 'question'" in note for note in read_dataset(path).notes)


@pytest.mark.parametrize(
    ("card", "says"),
    [
        ("name: a\nnotes: &n\n  x: *n\n", "line 3: the value is nested"),
        ("name: a\nnotes:\n  x: " + "[" * 150 + "]" * 150 + "\n", "line 3: the value is nested"),
        ("name: a\nnotes:\n  x: " + "[" * 2000 + "]" * 2000 + "\n", "nested too deep"),
        (
            "name: a\nnotes:\n  a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n"
            + "".join(f"  {n}: &{n} [{', '.join(['*' + p] * 10)}]\n" for p, n in ("ab", "bc", "cd", "de", "ef")),
            "values",
        ),
        ("name: a\nnotes:\n  day: 2026-02-31\n", "put it in quotes"),
        ("name: a\nnotes:\n  number: " + "9" * 5000 + "\n", "put it in quotes"),
        ('name: a\ndescription: "a\\ud800"\n', "line 2: the text holds half a character"),
        ("name: a\nname: b\n", "line 2: 'name' is given twice"),
    ],
)
def test_cards(tmp_path: Path, card: str, says: str) -> None:
    write_folder(tmp_path / "folder")
    (tmp_path / "folder" / "dataset.yaml").write_text(card, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_dataset(tmp_path / "folder")
    assert says in str(caught.value)
    assert "dataset.yaml" in str(caught.value)


def test_a_card_that_is_a_folder(tmp_path: Path) -> None:
    write_folder(tmp_path / "folder")
    (tmp_path / "folder" / "dataset.yaml").unlink()
    (tmp_path / "folder" / "dataset.yaml").mkdir()
    with pytest.raises(InputError, match=r"dataset\.yaml cannot be read"):
        read_dataset(tmp_path / "folder")
