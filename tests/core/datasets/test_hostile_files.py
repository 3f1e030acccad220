"""Whatever is done to a file, it is either read or refused in one sentence; nothing else comes out."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.datasets.importers import read_dataset
from core.errors import TrilensError
from tests.core.datasets.samples import table_rows, write_csv, write_folder, write_jsonl

QUIET = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]


@cache
def wellformed(kind: str) -> bytes:
    """Return a good file; written once, because workbooks carry the time at which they are written."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"whole.{kind}"
        if kind == "csv":
            write_csv(path, table_rows(6))
        elif kind == "jsonl":
            write_jsonl(path, table_rows(6))
        elif kind == "json":
            path.write_text(json.dumps(table_rows(6), indent=1))
        elif kind == "parquet":
            import pyarrow as pa
            import pyarrow.parquet as pq

            pq.write_table(pa.Table.from_pylist(table_rows(6)), path)
        else:
            import openpyxl

            book = openpyxl.Workbook()
            assert book.active is not None
            for row in [list(table_rows(1)[0]), *[list(row.values()) for row in table_rows(6)]]:
                book.active.append(row)
            book.save(path)
        return path.read_bytes()


def read_or_refuse(path: Path, format: str | None = None) -> None:
    message = ""
    try:
        dataset = read_dataset(path, format=format).dataset
    except TrilensError as error:
        message = str(error)
    if message:
        assert message.endswith(".")
        assert "\n" not in message
    else:
        assert dataset.questions
        assert {i for q in dataset.questions for i in q.document_ids} <= {d.id for d in dataset.documents}


@settings(max_examples=100, deadline=None, suppress_health_check=QUIET)
@given(content=st.binary(max_size=400), suffix=st.sampled_from([".csv", ".tsv", ".jsonl", ".json", ".xlsx", ".txt"]))
def test_any_bytes(tmp_path: Path, content: bytes, suffix: str) -> None:
    path = tmp_path / f"any{suffix}"
    path.write_bytes(content)
    read_or_refuse(path)


@pytest.mark.parametrize("kind", ["csv", "jsonl", "json", "xlsx", "parquet"])
@settings(max_examples=60, deadline=None, suppress_health_check=QUIET)
@given(draw=st.data())
def test_damage_to_a_good_file(tmp_path: Path, kind: str, draw: st.DataObject) -> None:
    content = wellformed(kind)
    start = draw.draw(st.integers(0, len(content)))
    end = draw.draw(st.integers(start, min(len(content), start + 40)))
    inserted = draw.draw(
        st.binary(max_size=6) | st.sampled_from([b'"', b"\n", b"{", b"]", b",", b"\\", b"\xff", b"\0"])
    )
    path = tmp_path / f"damaged.{kind}"
    path.write_bytes(content[:start] + inserted + content[end:])
    read_or_refuse(path)


@pytest.mark.parametrize("name", ["dataset.yaml", "documents.jsonl", "questions.jsonl"])
@settings(max_examples=60, deadline=None, suppress_health_check=QUIET)
@given(draw=st.data())
def test_damage_to_a_trilens_folder(tmp_path: Path, name: str, draw: st.DataObject) -> None:
    folder = write_folder(
        tmp_path / "d", card="name: x\nlanguage: en\nrelations: {causal: c}\ntrees: {QC: [complex]}\n"
    )
    content = (folder / name).read_bytes()
    start = draw.draw(st.integers(0, len(content)))
    end = draw.draw(st.integers(start, min(len(content), start + 20)))
    inserted = draw.draw(
        st.sampled_from([b"", b"null", b"1", b"[]", b"{}", b'"', b": ", b"- ", b"&a *a", b"\xe9", b"!!"])
    )
    (folder / name).write_bytes(content[:start] + inserted + content[end:])
    read_or_refuse(folder)


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.floats()
    | st.sampled_from(["", " ", "mill", "q1", "the river"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["text", "start", "end"]), inner),
    max_leaves=5,
)


@settings(max_examples=150, deadline=None, suppress_health_check=QUIET)
@given(
    field=st.sampled_from(["id", "question", "documents", "relation", "evidence", "nuggets", "categories", "split"]),
    value=VALUES,
)
def test_any_value_in_any_field(tmp_path: Path, field: str, value: object) -> None:
    row = {"id": "q1", "question": "?", "answer": "!", "documents": ["mill"], field: value}
    read_or_refuse(write_folder(tmp_path / "d", questions=[row]))


@settings(max_examples=150, deadline=None, suppress_health_check=QUIET)
@given(
    field=st.sampled_from(["question", "context", "document_ids", "question_categories", "error", "split", "relation"]),
    value=VALUES,
    format=st.sampled_from(["table", "datamorgana", "rag12000"]),
)
def test_any_value_in_any_cell(tmp_path: Path, field: str, value: object, format: str) -> None:
    row = {**table_rows(1)[0], "extracted_sentences": [], "relation": "r", field: value}
    read_or_refuse(write_jsonl(tmp_path / "a.jsonl", [row]), format)
