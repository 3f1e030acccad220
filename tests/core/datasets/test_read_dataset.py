from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from core.datasets.importers import FORMATS, read_dataset
from core.errors import OptionError
from tests.core.datasets.samples import HIERARAG, needs_hierarag, refusal, table_rows, write_csv, write_jsonl


def test_unknown_format_lists_the_known(tmp_path: Path) -> None:
    assert set(FORMATS) == {"trilens", "table", "rag12000", "datamorgana"}
    with pytest.raises(OptionError) as caught:
        read_dataset(tmp_path, format="tabel")
    assert all(f"'{name}'" in str(caught.value) for name in FORMATS)


def test_a_format_that_cannot_be_told(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "a.csv", [{"colour": "red", "size": "3"}])
    message = refusal(path)
    assert "cannot be told from the fields 'colour', 'size'" in message
    assert "--format" in message
    assert "--map" in message


@pytest.mark.parametrize("text", ["Just some prose.\nAnd more of it.\n", "# A heading\n\ntext, text, text\n"])
def test_prose_is_no_dataset(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.txt").write_text(text)
    assert refusal(tmp_path / "a.txt")


@pytest.mark.parametrize("name", ["a/b", "", " a", "a\n", "a\x1b[31m", "x" * 101, "a\\b"])
def test_names_that_cannot_be(tmp_path: Path, name: str) -> None:
    with pytest.raises(OptionError, match="dataset name"):
        read_dataset(write_csv(tmp_path / "a.csv", table_rows()), name=name)


def test_name(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "v1.2.questions.jsonl", table_rows())
    assert read_dataset(path).dataset.card.name == "v1.2.questions"
    assert read_dataset(path, name="mine").dataset.card.name == "mine"


def test_declared_format_wins_over_the_guess(tmp_path: Path) -> None:
    row = {**table_rows()[0], "context": ["text one"], "document_ids": ["d"], "question_type": "factoid"}
    path = write_jsonl(tmp_path / "a.jsonl", [row])
    assert read_dataset(path).format == "datamorgana"
    table = read_dataset(path, format="table")
    assert (table.format, table.dataset.questions[0].meta) == ("table", {"question_type": "factoid"})
    assert read_dataset(path, mapping={"answer": "answer"}).format == "table"


def test_reading_twice_gives_the_same(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "a.csv", table_rows(9))
    assert read_dataset(path) == read_dataset(path)


@needs_hierarag
def test_qa150_as_a_table() -> None:
    path = HIERARAG / "qa150.jsonl"
    assert "no column for 'context'" in refusal(path)
    assert "--map context=COLUMN" in refusal(path)
    result = read_dataset(path, mapping={"context": "generated_answer", "document_id": "qa_id"})
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert (result.format, len(result.dataset.questions)) == ("table", 150)
    assert [q.answer for q in result.dataset.questions] == [row["reference_answer"] for row in rows]
    assert [d.text for d in result.dataset.documents] == [row["generated_answer"] for row in rows]
    assert [d.id for d in result.dataset.documents] == [row["qa_id"] for row in rows]
    assert result.dataset.questions[0].meta["human"] == rows[0]["human"]
    assert result.dataset.questions[0].categories == {"user_expertise": rows[0]["user_expertise"]}


def test_importing_loads_no_heavy_module() -> None:
    code = (
        "import sys, core.datasets.importers, core.datasets.validation, core.datasets.export\n"
        "heavy = {'torch', 'sklearn', 'scipy', 'pandas', 'pyarrow', 'openpyxl', 'py3langid', 'yaml', 'numpy'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
