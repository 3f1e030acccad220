"""Deleting a dataset takes its runs along, or nothing."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from core.datasets.importers import read_dataset
from core.engine.spec import Request
from core.errors import BusyError, OptionError
from core.jobs.lock import hold
from core.services import browsing, catalogue, exporting
from core.services.dataset_admin import delete
from core.services.evaluation import plan, run
from core.services.importing import import_source
from core.services.workspace import workspace
from core.store.datasets import delete_dataset
from tests.core.datasets.samples import DOCUMENTS, table_rows, write_folder, write_jsonl


def evaluated(name: str) -> str:
    spec, dataset = plan(Request(name, retrievers="bm25", combinations="none", relations="none"))
    run(spec, dataset)
    return spec.run_id


def rows_left() -> dict[str, int]:
    _, store = workspace()
    tables = ("datasets", "documents", "questions", "runs", "run_items", "systems", "system_answers")
    return {table: store.rows(f"SELECT COUNT(*) AS n FROM {table}")[0]["n"] for table in tables}


def test_a_dataset_goes_with_its_runs_and_the_others_stay(home: Path, small_csv: Path, tmp_path: Path) -> None:
    doomed = import_source(small_csv).name
    other = import_source(write_jsonl(tmp_path / "other.jsonl", table_rows())).name
    gone, kept = evaluated(doomed), evaluated(other)
    _, store = workspace()
    with store.write() as db:
        db["systems"].insert(
            {"dataset": doomed, "name": "s", "source": "", "fingerprint": "", "n_answers": 1, "created": ""}
        )
        db["system_answers"].insert({"dataset": doomed, "system": "s", "question": "q1", "record": "{}"})
    assert [row["id"] for row in browsing.runs(doomed)] == [gone]
    (home / "logs" / f"{gone}.log").write_text("said", encoding="utf-8")
    delete(doomed)
    assert [one.name for one in browsing.stored_datasets()] == [other]
    assert [one.id for one in catalogue.runs()] == [kept]
    items = store.rows("SELECT COUNT(*) AS n FROM run_items WHERE run = ?", (kept,))[0]["n"]
    assert items > 0
    assert rows_left() == {
        "datasets": 1, "documents": 2, "questions": 3, "runs": 1, "run_items": items, "systems": 0, "system_answers": 0
    }  # fmt: skip
    assert list((home / "logs").iterdir()) == []
    with pytest.raises(OptionError, match="any more"):
        delete(doomed)


def test_nothing_goes_while_one_of_its_runs_is_alive(home: Path, small_csv: Path) -> None:
    name = import_source(small_csv).name
    run_id = evaluated(name)
    place, _ = workspace()
    before = rows_left()
    with hold(place.lock(run_id), "the run"), pytest.raises(BusyError, match="is being evaluated"):
        delete(name)
    assert rows_left() == before
    delete(name)
    assert set(rows_left().values()) == {0}


def test_a_run_that_has_come_meanwhile_stops_it(home: Path, small_csv: Path) -> None:
    name = import_source(small_csv).name
    evaluated(name)
    _, store = workspace()
    before = rows_left()
    with pytest.raises(BusyError, match="has just been started"):
        delete_dataset(store, name, [])
    with pytest.raises(BusyError):
        delete(name, only_unused=True)
    assert rows_left() == before


def test_the_archive_holds_the_whole_dataset(home: Path, tmp_path: Path) -> None:
    import zipfile

    source = write_folder(tmp_path / "trial")
    name = import_source(source).name
    with zipfile.ZipFile(io.BytesIO(exporting.zipped(name))) as archive:
        assert archive.namelist() == ["dataset.yaml", "documents.jsonl", "questions.jsonl"]
        archive.extractall(tmp_path / "again")
    assert read_dataset(tmp_path / "again").dataset == read_dataset(source).dataset
    assert not [path for path in home.iterdir() if path.name.startswith("export-")]
    with pytest.raises(OptionError):
        exporting.zipped("gone")


def test_tables_run_nothing_in_a_spreadsheet(home: Path, tmp_path: Path) -> None:
    attack = "=HYPERLINK(1)"
    rows = [
        {"id": "1", "question": attack, "answer": "+1", "context": "@x and @y", "relation": "-2", "=dde": "x"},
        {"id": "2", "question": "a,b\n\"c\"", "answer": "\t=1", "context": "plain", "relation": "", "=dde": ""},
    ]  # fmt: skip
    name = import_source(write_jsonl(tmp_path / "t.jsonl", rows), mapping={}, categories=["=dde"]).name
    questions = list(csv.DictReader(io.StringIO(exporting.questions_csv(name))))
    documents = list(csv.DictReader(io.StringIO(exporting.documents_csv(name))))
    assert [row["question"] for row in questions] == [f"'{attack}", 'a,b\n"c"']
    assert questions[0]["category =dde"] == "x"
    for row in (*questions, *documents):
        assert not any(cell.startswith(("=", "+", "-", "@", "\t")) for cell in (*row, *row.values()))


def test_questions_come_with_evidence_nuggets_and_categories(home: Path, tmp_path: Path) -> None:
    name = import_source(write_folder(tmp_path / "trial")).name
    (first, second) = csv.DictReader(io.StringIO(exporting.questions_csv(name)))
    assert first["evidence"] == f"the river fell to three feet | {DOCUMENTS[0]['text'][42:51]}"
    assert first["nuggets"] == "the river fell (vital) | shifts (okay)"
    assert (first["category QC"], second["category QC"]) == ("complex", "")
    assert json.dumps(second["documents"]) == '"ferry"'


@pytest.mark.parametrize(
    ("name", "called"),
    [("a b", "a-b.zip"), ("../x", "x.zip"), ("日本", "日本.zip"), ("...", "dataset.zip"), ('a"\r\nb', "a---b.zip")],
)
def test_a_download_is_called_after_the_dataset(name: str, called: str) -> None:
    assert exporting.file_name(name, ".zip") == called
