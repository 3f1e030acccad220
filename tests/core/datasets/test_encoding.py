from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pytest

from core.datasets.importers import read_dataset
from tests.core.datasets.samples import refusal, table_rows, write_csv, write_jsonl

CAFE = "Das Café „Zur Mühle“ schließt – wie jedes Jahr – im März, und die Gäste gehen über den Fluss."
ROWS = [{"question": "Wann schließt das Café?", "answer": "Im März.", "context": CAFE}]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
@pytest.mark.parametrize("kind", ["csv", "jsonl", "json"])
def test_text_survives_every_encoding(tmp_path: Path, encoding: str, kind: str) -> None:
    path = tmp_path / f"cafe.{kind}"
    if kind == "csv":
        write_csv(path, ROWS, encoding=encoding)
    elif kind == "jsonl":
        path.write_text(json.dumps(ROWS[0], ensure_ascii=False) + "\n", encoding=encoding)
    else:
        path.write_text(json.dumps(ROWS, ensure_ascii=False), encoding=encoding)
    result = read_dataset(path)
    assert result.dataset.documents[0].text == CAFE
    assert result.dataset.questions[0].question == ROWS[0]["question"]
    assert result.dataset.documents[0].language == "de"
    notes = {"cp1252": ("is not UTF-8 and was read as Windows-1252.",), "utf-16": ("was read as UTF-16.",)}
    assert result.notes == tuple(f"{path.name} {note}" for note in notes.get(encoding, ()))


def test_line_ends_of_windows_and_those_inside_texts(tmp_path: Path) -> None:
    path = tmp_path / "w.csv"
    path.write_bytes(b'question,answer,context\r\nWhy?,Because.,"one\r\ntwo\nthree"\r\n\r\nHow?,So.,"four"\r\n')
    dataset = read_dataset(path).dataset
    assert [document.text for document in dataset.documents] == ["one\r\ntwo\nthree", "four"]
    lines = tmp_path / "w.jsonl"
    lines.write_bytes(b'{"question":"Why?","answer":"a\\u2028b","context":"one\\r\\ntwo \xe2\x80\xa8 three"}\r\n\r\n')
    question = read_dataset(lines).dataset
    assert question.documents[0].text == "one\r\ntwo \u2028 three"
    assert question.questions[0].answer == "a\u2028b"


def test_gzip_is_read_by_content(tmp_path: Path) -> None:
    plain = write_jsonl(tmp_path / "t.jsonl", table_rows())
    packed = tmp_path / "t.jsonl.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes(), mtime=0))
    result = read_dataset(packed)
    assert result.dataset.card.name == "t"
    assert result.dataset.questions == read_dataset(plain).dataset.questions
    packed.write_bytes(packed.read_bytes()[:-30])
    assert "gzip stream is damaged or cut" in refusal(packed)


@pytest.mark.parametrize(
    "content", [b"", b"\n \r\n\t", b"\xef\xbb\xbf", b"\xef\xbb\xbf\n", b"\xff\xfe", gzip.compress(b"", mtime=0)]
)
def test_empty_file(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "nothing.jsonl"
    path.write_bytes(content)
    assert f"{path} is empty" in refusal(path)


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.bin"])
@pytest.mark.parametrize(
    "content",
    [
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
        b"SQLite format 3\0" + bytes(100),
        bytes(range(1, 256)) * 40,
        b"question,answer\n" * 100_000 + b"a\0b\n",
    ],
)
def test_binary_file(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    assert f"{path} is a binary file" in refusal(path)


def test_one_damaged_byte_in_utf8_is_named_and_not_taken_for_windows(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "d.csv", ROWS * 50)
    content = path.read_bytes().splitlines(keepends=True)
    content[30] = content[30].replace("é".encode(), b"\xe9", 1)
    path.write_bytes(b"".join(content))
    assert f"{path}, line 31: this line is not valid UTF-8" in refusal(path)


def test_cut_inside_a_character(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "d.csv", ROWS * 5)
    path.write_bytes(path.read_bytes() + "x,y,ü".encode()[:-1])
    assert "line 7: the file ends in the middle of a character" in refusal(path)


@pytest.mark.parametrize("encoding", ["cp1251", "gb2312", "shift_jis", "koi8-r"])
def test_other_code_pages_are_not_read_as_western(tmp_path: Path, encoding: str) -> None:
    text = {"gb2312": "这家公司在星期四召回了药片" * 9, "shift_jis": "同社は木曜日に錠剤を回収した" * 9}.get(
        encoding, "Мельница стояла у реки и работала три смены. " * 5
    )
    path = write_csv(tmp_path / "o.csv", [{"question": text, "answer": text, "context": text}] * 3, encoding=encoding)
    assert "neither UTF-8 nor Windows-1252" in refusal(path)


def test_missing_folder_and_unreadable(tmp_path: Path) -> None:
    assert "does not exist" in refusal(tmp_path / "no.csv")
    assert "is a folder" in refusal(tmp_path)
    looping = tmp_path / "loop.csv"
    os.symlink(looping, looping)
    assert "loop.csv" in refusal(looping)
