from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import Any

import pytest

from core.datasets.importers import json_rows, read_dataset, sheet_rows
from core.datasets.importers.rows import open_rows
from core.errors import InputError
from tests.core.datasets.samples import MILL, refusal, table_rows, write_csv, write_jsonl


def rows_of(path: Path) -> list[tuple[int, dict[str, Any]]]:
    return [(place.line, row) for place, row in open_rows(path)]


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8", newline="")
    return path


class TestJsonLines:
    def test_blank_lines_count_and_nan_is_missing(self, tmp_path: Path) -> None:
        path = write(tmp_path / "a.jsonl", '\n{"a": NaN}\n\n  \n{"a": [1, -Infinity]}')
        assert rows_of(path) == [(2, {"a": None}), (5, {"a": [1, None]})]

    def test_cut_in_the_last_row(self, tmp_path: Path) -> None:
        path = write_jsonl(tmp_path / "a.jsonl", table_rows())
        path.write_bytes(path.read_bytes()[:-40])
        message = refusal(path)
        assert message.startswith(f"{path}, line 3: the file ends in the middle of this row")

    @pytest.mark.parametrize(
        ("line", "fault"),
        [
            ('{"a": 1,}', "not a whole JSON object"),
            ('{"a": 1} {"a": 2}', "Extra data at column 10"),
            ("[1, 2]", "not a JSON object"),
            ("7", "not a JSON object"),
            ('{"a": ' + "[" * 100_000, "cannot be read|not a whole"),
            ('{"a": ' + "9" * 5000 + "}", "cannot be read"),
            ('{"a": {"b": "\\ud83d"}}', r"field 'a': the text holds half a character \(\\ud83d"),
        ],
    )
    def test_broken_row_is_named(self, tmp_path: Path, line: str, fault: str) -> None:
        path = write(tmp_path / "a.jsonl", '{"a": 1}\n' + line + '\n{"a": 2}\n')
        with pytest.raises(InputError, match=f"a.jsonl, line 2.*(?:{fault})"):
            rows_of(path)

    def test_pairs_of_halves_are_one_character(self, tmp_path: Path) -> None:
        assert rows_of(write(tmp_path / "a.jsonl", '{"a": "\\ud83d\\ude00"}\n')) == [(1, {"a": "😀"})]

    def test_a_row_that_never_ends(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(json_rows, "LONGEST_ROW", 1000)
        with pytest.raises(InputError, match="line 2: the row is longer than 1,000"):
            rows_of(write(tmp_path / "a.jsonl", '{"a": 1}\n{"a": "' + "x" * 2000 + '"}\n'))


class TestJsonArray:
    ROWS = ({"a": '[{,}]\\"', "n": 1}, {"a": "é" * 50}, {}, {"deep": [{"x": [1, 2.5, True, None]}]})

    @pytest.mark.parametrize("size", [1, 2, 7, 1 << 20])
    @pytest.mark.parametrize("indent", [None, 2])
    def test_same_items_whatever_is_read_at_once(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int, indent: int | None
    ) -> None:
        monkeypatch.setattr(json_rows, "_READ", size)
        path = write(tmp_path / "a.json", "\n " + json.dumps(self.ROWS, ensure_ascii=False, indent=indent) + "\n")
        assert rows_of(path) == list(enumerate(self.ROWS, start=1))

    @pytest.mark.parametrize("size", [3, 1 << 20])
    @pytest.mark.parametrize(
        ("text", "fault"),
        [
            ('[{"a": 1},\n {"a": 2', "line 2: the file ends in the middle of the array"),
            ('[{"a": 1},\n {"a": "xy', "line 2: the file ends in the middle of the array"),
            ('[{"a": 1},\n', "line 2: the file ends in the middle of the array"),
            ('[{"a": 1}\n', "line 2: the file ends in the middle of the array"),
            ("[", "line 1: the file ends in the middle of the array"),
            ('[{"a": 1},\n\n {"a": tru}]\n', "line 3: the JSON is broken"),
            ('[{"a": 1}\n {"a": 2}]', r"line 2: the JSON is broken \('\]' expected, '\{' found"),
            ('[{"a": 1}, 7]', "item 2: it is not a JSON object"),
            ('[{"a": 1},]', "item 2: it is not a JSON object"),
            ('[{"a": 1}]\n[{"a": 2}]', r"line 2: '\[' follows the end of the array"),
            ('[{"a": {"b": "\\uD83d"}}]', "item 1, field 'a': the text holds half a character"),
        ],
    )
    def test_broken_array(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int, text: str, fault: str
    ) -> None:
        monkeypatch.setattr(json_rows, "_READ", size)
        with pytest.raises(InputError, match=fault):
            rows_of(write(tmp_path / "a.json", text))

    def test_empty_array(self, tmp_path: Path) -> None:
        assert "holds no rows" in refusal(write(tmp_path / "a.json", "[ ]"))

    def test_an_item_that_never_ends(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(json_rows, "LONGEST_ROW", 1000)
        monkeypatch.setattr(json_rows, "_READ", 100)
        with pytest.raises(InputError, match="item 1: it is longer than 1,000"):
            rows_of(write(tmp_path / "a.json", '[{"a": "' + "x" * 5000 + '"}]'))


class TestDelimited:
    @pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
    def test_delimiter_is_found(self, tmp_path: Path, delimiter: str) -> None:
        path = write_csv(tmp_path / "a.csv", table_rows(), delimiter=delimiter)
        assert [row for _, row in rows_of(path)] == table_rows()

    def test_tsv_is_tabs_whatever_the_header_holds(self, tmp_path: Path) -> None:
        path = write(tmp_path / "a.tsv", "a, b, c, d\te\n1\t2\n")
        assert rows_of(path) == [(2, {"a, b, c, d": "1", "e": "2"})]

    def test_line_is_where_the_row_begins(self, tmp_path: Path) -> None:
        path = write(tmp_path / "a.csv", 'a,b\n"1\n2\n3",x\n,\n\n4,y\n')
        assert [line for line, _ in rows_of(path)] == [2, 7]

    def test_nameless_index_column(self, tmp_path: Path) -> None:
        assert rows_of(write(tmp_path / "a.csv", ",b\n0,x\n")) == [(2, {"column_1": "0", "b": "x"})]

    def test_trailing_empty_cells_are_no_fault(self, tmp_path: Path) -> None:
        assert rows_of(write(tmp_path / "a.csv", "a,b\n1,2,,\n")) == [(2, {"a": "1", "b": "2"})]

    @pytest.mark.parametrize(
        ("text", "fault"),
        [
            ("a,b\n1,2\n3\n", "line 3: the row has 1 cells and the header 2"),
            ("a,b\n1,2,3\n", "line 2: the row has 3 cells and the header 2"),
            ('a,b\n1,2\n"3,4\n5,6\n', r"line 3: a quoted cell begins .* never closed \(noticed on line 4\)"),
            ('a,b\n1,2\n"x"y,4\n', "line 3: the row is not valid CSV"),
            ("a,b,a\n1,2,3\n", "line 1: the header names 'a' more than once"),
        ],
    )
    def test_broken_row_is_named(self, tmp_path: Path, text: str, fault: str) -> None:
        with pytest.raises(InputError, match=fault):
            rows_of(write(tmp_path / "a.csv", text))

    def test_a_quote_that_swallows_the_file(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sheet_rows, "LONGEST_CELL", 1000)
        text = "a,b\n" + '1,"2"\n' * 3 + '1,"2\n' + "1,2\n" * 1000
        with pytest.raises(InputError, match=r"line 5: a cell that begins in this row .* or its quote is never closed"):
            rows_of(write(tmp_path / "a.csv", text))


class TestWorkbook:
    def write(self, path: Path, *sheets: list[list[Any]]) -> Path:
        import openpyxl

        book = openpyxl.Workbook()
        book.remove(book.active)
        for number, rows in enumerate(sheets):
            sheet = book.create_sheet(f"s{number}")
            for row in rows:
                sheet.append(row)
        book.save(path)
        return path

    def test_types_blank_rows_and_row_numbers(self, tmp_path: Path) -> None:
        day = datetime.datetime(2026, 1, 31, 12)
        path = self.write(tmp_path / "a.xlsx", [[], ["id", "x", None], [1, "é"], [None, " "], [2.0, day]])
        assert rows_of(path) == [(3, {"id": 1, "x": "é"}), (5, {"id": 2, "x": "2026-01-31T12:00:00"})]

    def test_table_from_a_workbook(self, tmp_path: Path) -> None:
        header = ["id", "question", "answer", "context", "relation"]
        rows = [[i, f"What is {i}?", i * 1.5, MILL, "causal"] for i in range(1, 4)]
        result = read_dataset(self.write(tmp_path / "My sheet.xlsx", [header, *rows], [["other"]]))
        assert result.notes == ("My sheet.xlsx has 2 sheets; only the first was read.",)
        assert [(q.id, q.answer) for q in result.dataset.questions] == [("1", "1.5"), ("2", "3"), ("3", "4.5")]
        assert len(result.dataset.documents) == 1

    def test_row_is_named(self, tmp_path: Path) -> None:
        path = self.write(tmp_path / "a.xlsx", [["question", "answer", "context"], ["q", "a", "c"], ["q", None, "c"]])
        assert refusal(path).startswith(f"{path}, row 3, field 'answer': the answer is empty")

    def test_empty_sheet(self, tmp_path: Path) -> None:
        assert "holds no rows" in refusal(self.write(tmp_path / "a.xlsx", []))

    @pytest.mark.parametrize("keep", [0.3, 0.97])
    def test_cut_workbook(self, tmp_path: Path, keep: float) -> None:
        path = self.write(tmp_path / "a.xlsx", [["question"], *[[f"q{i}"] for i in range(500)]])
        path.write_bytes(path.read_bytes()[: int(path.stat().st_size * keep)])
        assert "is no XLSX workbook" in refusal(path)

    def test_zip_that_is_no_workbook(self, tmp_path: Path) -> None:
        import zipfile

        with zipfile.ZipFile(tmp_path / "a.xlsx", "w") as archive:
            archive.writestr("readme.txt", "hello")
        assert "is no XLSX workbook" in refusal(tmp_path / "a.xlsx")

    def test_zip_bomb(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sheet_rows, "_LARGEST_WORKBOOK", 1000)
        path = self.write(tmp_path / "a.xlsx", [["question"], ["q"]])
        assert "unpacks to" in refusal(path)


class TestParquet:
    def write(self, path: Path, columns: dict[str, Any]) -> Path:
        import pyarrow as pa
        import pyarrow.parquet as pq

        pq.write_table(pa.table(columns), path)
        return path

    def test_table_from_parquet(self, tmp_path: Path) -> None:
        path = self.write(
            tmp_path / "a.parquet",
            {
                "question": ["a?", "b?"],
                "answer": ["a", "b"],
                "contexts": [["one text", "another"], ["one text"]],
                "image": [b"\x00", b"\x01"],
                "made": [datetime.date(2026, 1, 31)] * 2,
                "score": [float("nan"), 0.5],
            },
        )
        dataset = read_dataset(path).dataset
        assert [document.text for document in dataset.documents] == ["one text", "another"]
        assert [len(question.document_ids) for question in dataset.questions] == [2, 1]
        assert dataset.questions[0].meta == {"made": "2026-01-31"}
        assert dataset.questions[1].meta == {"made": "2026-01-31", "score": 0.5}

    def test_row_is_named(self, tmp_path: Path) -> None:
        path = self.write(tmp_path / "a.parquet", {"question": ["a", ""], "answer": ["b"] * 2, "context": ["c"] * 2})
        assert refusal(path).startswith(f"{path}, row 2, field 'question': the question is empty")

    def test_damaged(self, tmp_path: Path) -> None:
        path = self.write(tmp_path / "a.parquet", {"question": ["a"]})
        path.write_bytes(path.read_bytes()[:-10])
        assert "is no Parquet file" in refusal(path)
