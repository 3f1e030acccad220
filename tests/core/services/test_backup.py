"""Backup of a living store, and the way back."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

import pytest

from core.errors import BusyError, InputError, OptionError, TrilensError
from core.jobs.lock import hold
from core.services import backup, catalogue
from core.services.importing import import_source
from core.services.workspace import workspace
from core.store.migrations import SCHEMA_VERSION
from core.store.runs import create_run


def names() -> list[str]:
    return [dataset.name for dataset in catalogue.datasets()]


def test_restore_brings_back_what_was_deleted_and_keeps_what_was_there(
    home: Path, small_csv: Path, tmp_path: Path
) -> None:
    import_source(small_csv, name="first")
    backup.backup(tmp_path / "copy.db")
    import_source(small_csv, name="second")
    kept = backup.restore(tmp_path / "copy.db")
    assert names() == ["first"]
    backup.restore(kept)
    assert sorted(names()) == ["first", "second"]


def test_backup_while_others_write_is_whole(home: Path, tmp_path: Path) -> None:
    _, store = workspace()
    stop = threading.Event()

    def write_pairs() -> None:
        number = 0
        while not stop.is_set():
            with store.write() as db:
                for name in ("a", "b"):
                    db.execute(
                        "INSERT INTO stage_results (stage, key, item, state) VALUES (?, ?, ?, 'scored')",
                        (name, "k", str(number)),
                    )
            number += 1

    writer = threading.Thread(target=write_pairs)
    writer.start()
    try:
        for number in range(5):
            backup.backup(tmp_path / f"{number}.db")
    finally:
        stop.set()
        writer.join()
    for number in range(5):
        copy = sqlite3.connect(tmp_path / f"{number}.db")
        counts = dict(copy.execute("SELECT stage, COUNT(*) FROM stage_results GROUP BY 1"))
        copy.close()
        assert len(set(counts.values())) <= 1
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_file()) == [f"{n}.db" for n in range(5)]


def test_an_existing_file_is_never_replaced(home: Path, tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text("mine", encoding="utf-8")
    with pytest.raises(InputError, match="exists already"):
        backup.backup(path)
    assert path.read_text(encoding="utf-8") == "mine"


def test_a_folder_that_is_not_there(home: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="make it first"):
        backup.backup(tmp_path / "none" / "copy.db")


@pytest.mark.parametrize("content", [b"", b"not a database at all, only text" * 40])
def test_what_is_no_store_is_refused_and_nothing_changes(home: Path, small_csv: Path, content: bytes) -> None:
    import_source(small_csv, name="first")
    strange = home / "strange.db"
    strange.write_bytes(content)
    with pytest.raises(InputError, match="the store was left as it is"):
        backup.restore(strange)
    assert names() == ["first"]


def test_a_foreign_database_is_refused(home: Path, tmp_path: Path) -> None:
    foreign = sqlite3.connect(tmp_path / "foreign.db")
    foreign.execute("CREATE TABLE people (name)")
    foreign.execute("PRAGMA user_version = 2")
    foreign.commit()
    foreign.close()
    with pytest.raises(InputError, match="another database"):
        backup.restore(tmp_path / "foreign.db")


def test_a_newer_store_is_refused(home: Path, tmp_path: Path) -> None:
    backup.backup(tmp_path / "copy.db")
    newer = sqlite3.connect(tmp_path / "copy.db")
    newer.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    newer.close()
    with pytest.raises(InputError, match="newer Trilens"):
        backup.restore(tmp_path / "copy.db")


def test_a_damaged_copy_is_refused(home: Path, small_csv: Path, tmp_path: Path) -> None:
    import_source(small_csv, name="first")
    copy = tmp_path / "copy.db"
    backup.backup(copy)
    whole = bytearray(copy.read_bytes())
    for page in range(4096, len(whole) - 4096, 4096):
        whole[page : page + 64] = b"\xff" * 64
    copy.write_bytes(whole)
    with pytest.raises(TrilensError):
        backup.restore(copy)
    assert names() == ["first"]


def test_no_restore_while_a_run_is_evaluated(home: Path, small_csv: Path, tmp_path: Path) -> None:
    name = import_source(small_csv).name
    backup.backup(tmp_path / "copy.db")
    place, store = workspace()
    create_run(store, "going", name, {"request": {"dataset": name}, "resolved": {}, "configurations": []})
    with hold(place.lock("going"), "run 'going'"), pytest.raises(BusyError, match="'going' is being evaluated"):
        backup.restore(tmp_path / "copy.db")


def test_backups_of_the_browser_are_listed_newest_first_and_can_be_deleted(home: Path) -> None:
    made = [backup.make_backup() for _ in range(3)]
    assert [one.name for one in backup.backups()] == [one.name for one in reversed(made)]
    assert all(one.size > 0 for one in made)
    backup.delete_backup(made[0].name)
    assert made[0].name not in [one.name for one in backup.backups()]


@pytest.mark.parametrize(
    "name", ["../trilens.db", "/etc/passwd", "trilens-2026-01-01T00-00-00.000.db", "", "..", "a\x00b", "x" * 5000]
)
def test_only_listed_backups_can_be_named(home: Path, name: str) -> None:
    backup.make_backup()
    for act in (backup.backup_file, backup.delete_backup):
        with pytest.raises(OptionError, match="There is no backup"):
            act(name)
    assert (home / "trilens.db").exists()
