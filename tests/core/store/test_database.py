"""The store under load, from newer versions, on full disks and by foreign files."""

from __future__ import annotations

import json
import multiprocessing
import resource
import sqlite3
import time
from pathlib import Path

import pytest

from core.errors import StoreError
from core.store.database import Store
from core.store.migrations import MIGRATIONS, SCHEMA_VERSION
from core.store.stage_results import StageKey, StageResult, get_results, put_results

KEY = StageKey("stage", "key")


def _write_many(path: Path, worker: int, rounds: int, failures: multiprocessing.Queue[str]) -> None:
    try:
        store = Store(path)
        for number in range(rounds):
            with store.write() as db:
                # read first, then write: the order under which a plain BEGIN fails
                count = db.conn.execute("SELECT COALESCE(MAX(total), 0) FROM counter").fetchone()[0]
                db.conn.execute(
                    "INSERT INTO counter (worker, number, total) VALUES (?, ?, ?)", (worker, number, count + 1)
                )
    except Exception as error:
        failures.put(f"writer {worker}: {type(error).__name__}: {error}")


def _read_many(path: Path, seconds: float, failures: multiprocessing.Queue[str]) -> None:
    try:
        store = Store(path)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            rows = store.rows("SELECT COUNT(*) AS n, COALESCE(MAX(total), 0) AS total FROM counter")
            assert rows[0]["n"] == rows[0]["total"]
    except Exception as error:
        failures.put(f"reader: {type(error).__name__}: {error}")


def test_eight_processes_never_see_a_locked_database(tmp_path: Path) -> None:
    path = tmp_path / "trilens.db"
    with Store(path).write() as db:
        db.conn.execute("CREATE TABLE counter (worker INTEGER, number INTEGER, total INTEGER UNIQUE)")
    spawn = multiprocessing.get_context("spawn")
    failures: multiprocessing.Queue[str] = spawn.Queue()
    writers = [spawn.Process(target=_write_many, args=(path, i, 60, failures)) for i in range(4)]
    readers = [spawn.Process(target=_read_many, args=(path, 2.0, failures)) for _ in range(4)]
    for process in writers + readers:
        process.start()
    for process in writers + readers:
        process.join(120)
        assert process.exitcode == 0
    assert failures.empty(), failures.get()
    assert Store(path).rows("SELECT COUNT(*) AS n FROM counter") == [{"n": 240}]


def _open_new(path: Path, failures: multiprocessing.Queue[str]) -> None:
    try:
        put_results(Store(path), KEY, [StageResult(str(time.monotonic_ns()), 1)])
    except Exception as error:
        failures.put(f"{type(error).__name__}: {error}")


def test_eight_processes_may_make_the_same_store(tmp_path: Path) -> None:
    path = tmp_path / "trilens.db"
    spawn = multiprocessing.get_context("spawn")
    failures: multiprocessing.Queue[str] = spawn.Queue()
    processes = [spawn.Process(target=_open_new, args=(path, failures)) for _ in range(8)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(120)
    assert failures.empty(), failures.get()


def test_refuses_a_newer_store(tmp_path: Path) -> None:
    path = tmp_path / "trilens.db"
    Store(path)
    with sqlite3.connect(path) as connection:
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    with pytest.raises(StoreError, match="newer Trilens"):
        Store(path)


@pytest.mark.parametrize("version", range(SCHEMA_VERSION))
def test_migrates_forward_from_every_version(tmp_path: Path, version: int) -> None:
    path = tmp_path / "trilens.db"
    fresh = Store(tmp_path / "fresh.db")
    from sqlite_utils import Database

    connection = sqlite3.connect(path, isolation_level=None)
    db = Database(connection)
    for migration in MIGRATIONS[:version]:
        migration(db)
    connection.execute(f"PRAGMA user_version = {version}")
    connection.close()
    assert Store(path).db.schema == fresh.db.schema


def test_runs_of_before_get_the_columns_that_lists_show(tmp_path: Path) -> None:
    from sqlite_utils import Database

    path = tmp_path / "trilens.db"
    connection = sqlite3.connect(path, isolation_level=None)
    for migration in MIGRATIONS[:3]:
        migration(Database(connection))
    spec = {
        "request": {"dataset": "d", "k": 2},
        "resolved": {"scope": "corpus", "questions": ["q1", "q2"]},
        "configurations": ["bm25", "knn", "evidence"],
    }
    connection.execute("INSERT INTO runs (id, spec) VALUES ('r', ?), ('empty', '{}')", (json.dumps(spec),))
    connection.execute("PRAGMA user_version = 3")
    connection.close()
    full, empty = Store(path).rows("SELECT title, request, scope, n_questions, n_configurations FROM runs")
    assert json.loads(full.pop("request")) == spec["request"]
    assert full == {"title": "", "scope": "corpus", "n_questions": 2, "n_configurations": 3}
    assert empty == {"title": "", "request": "{}", "scope": "", "n_questions": 0, "n_configurations": 0}


def test_a_foreign_file_is_named_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "trilens.db"
    path.write_bytes(b"not a database at all, but long enough to be looked at" * 100)
    before = path.read_bytes()
    with pytest.raises(StoreError, match="damaged or no Trilens store"):
        Store(path)
    assert path.read_bytes() == before


def test_failed_transaction_leaves_nothing(tmp_path: Path) -> None:
    store = Store(tmp_path / "trilens.db")

    def break_off() -> None:
        with store.write() as db:
            db.conn.execute("INSERT INTO stage_results (stage, key, item, state) VALUES ('a', 'b', 'c', 'scored')")
            raise RuntimeError("in the middle")

    with pytest.raises(RuntimeError, match="in the middle"):
        break_off()
    assert store.rows("SELECT * FROM stage_results") == []
    put_results(store, KEY, [StageResult("later", 1)])
    assert get_results(store, KEY, ["later"])["later"].value == 1


def _fill_up(path: Path, told: multiprocessing.Queue[str]) -> None:
    store = Store(path)
    resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))
    try:
        for number in range(200):
            put_results(store, KEY, [StageResult(f"{number}-{i}", "x" * 100) for i in range(100)])
    except StoreError as error:
        told.put(str(error))


def test_a_full_disk_is_said_in_words_and_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "trilens.db"
    spawn = multiprocessing.get_context("spawn")
    told: multiprocessing.Queue[str] = spawn.Queue()
    process = spawn.Process(target=_fill_up, args=(path, told))
    process.start()
    sentence = told.get(timeout=60)
    process.join(60)
    assert "full" in sentence
    assert "\n" not in sentence
    store = Store(path)
    kept = store.rows("SELECT COUNT(*) AS n FROM stage_results")[0]["n"]
    assert kept > 0
    assert kept % 100 == 0, "a transaction was stored in part"
    put_results(store, KEY, [StageResult("after", 1)])


def test_results_keep_states_reasons_and_bytes(tmp_path: Path) -> None:
    store = Store(tmp_path / "trilens.db")
    put_results(
        store,
        KEY,
        [StageResult("a", {"x": [1, 2]}), StageResult("b", None, "failed", "it broke"), StageResult("c", b"\x00\x01")],
    )
    found = get_results(store, KEY, ["a", "b", "c", "d"])
    assert found["a"].value == {"x": [1, 2]}
    assert (found["b"].state, found["b"].reason, found["b"].value) == ("failed", "it broke", None)
    assert found["c"].value == b"\x00\x01"
    assert "d" not in found


def test_an_item_computed_twice_is_counted(tmp_path: Path) -> None:
    store = Store(tmp_path / "trilens.db")
    for _ in range(2):
        put_results(store, KEY, [StageResult("a", 1)])
    assert store.rows("SELECT writes FROM stage_results") == [{"writes": 2}]


def test_more_items_than_one_statement_can_name(tmp_path: Path) -> None:
    store = Store(tmp_path / "trilens.db")
    put_results(store, KEY, [StageResult(str(i), i) for i in range(2_345)])
    found = get_results(store, KEY, [str(i) for i in range(2_345)])
    assert [found[str(i)].value for i in range(2_345)] == list(range(2_345))
