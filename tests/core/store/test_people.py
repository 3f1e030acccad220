"""Studies in the file itself: all or nothing, one winner a token, nothing lost to a kill, old stores brought along."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from core.services import annotating, studies
from core.services.annotating import Accepted, Assigned
from core.services.rated import ratings
from core.services.workspace import workspace
from core.store.database import Store
from core.store.migration_people import people
from core.store.migrations import MIGRATIONS
from core.store.people import insert_study, study_row
from core.store.people_presses import Pressed, press
from tests.core.people.study_samples import OWNER, make_study, rater

ROOT = Path(__file__).resolve().parents[3]


def test_an_older_store_gets_the_tables_and_keeps_what_it_has(tmp_path, monkeypatch):
    before = MIGRATIONS.index(people)
    path = tmp_path / "trilens.db"
    with monkeypatch.context() as older:
        older.setattr("core.store.database.MIGRATIONS", MIGRATIONS[:before])
        older.setattr("core.store.database.SCHEMA_VERSION", before)
        store = Store(path)
        with store.write() as db:
            db["datasets"].insert({"name": "kept"})
        assert "studies" not in store.db.table_names()
        store.close()
    store = Store(path)
    assert {"studies", "study_items", "study_presses"} <= set(store.db.table_names())
    assert [row["name"] for row in store.rows("SELECT name FROM datasets")] == ["kept"]
    store.close()


@pytest.mark.usefixtures("home")
def test_a_study_is_stored_whole_or_not_at_all():
    make_study(n_items=3)
    _, store = workspace()
    row = {**study_row(store, "study-one"), "id": "study-two"}
    items = store.rows("SELECT * FROM study_items")
    fresh = {**items[0], "id": "study-two-00000", "study": "study-two", "passages": [], "credits": []}
    with pytest.raises(sqlite3.IntegrityError):
        insert_study(store, row, [fresh, {**fresh, "id": items[1]["id"]}])
    assert store.rows("SELECT id FROM studies") == [{"id": "study-one"}]
    assert len(store.rows("SELECT id FROM study_items")) == 3


@pytest.mark.usefixtures("home")
def test_of_many_presses_with_one_token_just_one_counts():
    study = make_study(n_items=1)
    shown = annotating.next_assignment(rater(1), study.id)
    assert isinstance(shown, Assigned)
    _, store = workspace()

    def once(number: int) -> str:
        value = (0.0, 3.0, 7.0)[number % 3]
        _, reason = press(store, Pressed(shown.assignment, rater(1).id, "vote", shown.token, value), time.time())
        store.close()
        return "refused" if reason else f"accepted {value:g}"

    with ThreadPoolExecutor(8) as pool:
        told = Counter(pool.map(once, range(40)))
    assert told["refused"] == 39
    ((outcome, _),) = [one for one in told.items() if one[0] != "refused"]
    (saved,) = ratings(study.id).ratings
    assert outcome == f"accepted {saved.value:g}"
    assert Counter(one.outcome for one in annotating.history(rater(1), study.id)) == Counter(accepted=1, refused=39)


@pytest.mark.usefixtures("home")
def test_a_counter_of_hands_follows_whatever_statement_changes_a_state():
    study = make_study(n_items=1, n_raters=3, raters_per_item=3)
    shown = [annotating.next_assignment(rater(number), study.id) for number in (1, 2, 3)]
    annotating.vote(rater(1), shown[0].assignment, shown[0].token, 7)
    annotating.skip(rater(2), shown[1].assignment, shown[1].token)
    _, store = workspace()

    def held():
        return store.rows("SELECT held FROM study_items")[0]["held"]

    assert held() == 2
    for state, expected in (("expired", 0), ("scored", 3), ("withdrawn", 0), ("cannot_judge", 3)):
        with store.write() as db:
            db.conn.execute("UPDATE study_assignments SET state = ?", (state,))
        assert held() == expected


@pytest.mark.usefixtures("home")
def test_a_score_that_was_told_as_saved_survives_a_kill():
    study = make_study(n_items=2)
    script = (
        "from core.services import annotating; from tests.core.people.study_samples import rater; import time\n"
        f"one = annotating.next_assignment(rater(1), {study.id!r})\n"
        "print(annotating.vote(rater(1), one.assignment, one.token, 7).assignment, flush=True); time.sleep(60)"
    )
    process = subprocess.Popen([sys.executable, "-c", script], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    told = process.stdout.readline().strip()
    process.send_signal(signal.SIGKILL)
    process.communicate()
    (saved,) = ratings(study.id).ratings
    assert saved.value == 7
    # the rater goes on where the store says: at the other item
    shown = annotating.next_assignment(rater(1), study.id)
    assert shown.assignment != told
    assert isinstance(annotating.vote(rater(1), shown.assignment, shown.token, 3), Accepted)
    assert studies.progress(OWNER, study.id).short == 0
