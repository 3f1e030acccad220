"""What became of a run's nuggets: a row a (configuration, question), and the numbers of a lens as arrays.

The rows hold what a page shows of one question; the arrays hold what it computes tables from, so that no page reads
thousands of rows. Rows of an array are the run's questions in its own order (``spec.resolved.questions``).
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from core.schema import StateName
from core.store.database import BATCH, Store

Lens = Literal["coverage"]
#: names of the columns, and (questions, columns) float32 with NaN where a number was not scored
Numbers = tuple[tuple[str, ...], NDArray[np.float32]]


@dataclass(frozen=True, slots=True)
class CoverageRow:
    """One configuration's nuggets on one question: the state of the answer's part, and a JSON-able ``record``."""

    configuration: str
    question: str
    state: StateName
    reason: str
    record: Mapping[str, Any]


def save_coverage(store: Store, run_id: str, rows: Iterable[CoverageRow]) -> None:
    """Replace a run's rows, in transactions of at most 1,000."""
    values = [
        (
            *(run_id, row.configuration, row.question, row.state, row.reason),
            json.dumps(row.record, ensure_ascii=False, separators=(",", ":")),
        )
        for row in rows
    ]
    for start in range(0, len(values), BATCH):
        with store.write() as db:
            db.conn.executemany(
                "INSERT OR REPLACE INTO run_coverage (run, configuration, question, state, reason, record) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                values[start : start + BATCH],
            )


def save_measures(store: Store, run_id: str, numbers: Mapping[str, Numbers], lens: Lens = "coverage") -> None:
    """Replace a run's arrays of a lens, by configuration id, all of them or none."""
    with store.write() as db:
        db.conn.executemany(
            "INSERT OR REPLACE INTO run_measures (run, configuration, lens, names, numbers) VALUES (?, ?, ?, ?, ?)",
            [
                (run_id, configuration, lens, json.dumps(names), zlib.compress(array.astype("<f4").tobytes(), 1))
                for configuration, (names, array) in numbers.items()
            ],
        )


def load_measures(store: Store, run_id: str, lens: Lens = "coverage") -> dict[str, Numbers]:
    """Return a run's arrays of a lens by configuration id, in the order stored; empty where the run has none.

    The arrays are read-only. A run has none when its questions have no nuggets, or when it was evaluated before
    nuggets were.
    """
    found = {}
    for row in store.rows(
        "SELECT configuration, names, numbers FROM run_measures WHERE run = ? AND lens = ? ORDER BY rowid",
        (run_id, lens),
    ):
        names = tuple(json.loads(row["names"]))
        array = np.frombuffer(zlib.decompress(row["numbers"]), dtype="<f4").reshape(-1, len(names))
        found[row["configuration"]] = (names, array)
    return found


def coverage_states(store: Store, run_id: str) -> list[tuple[str, str, StateName, str]]:
    """Return (configuration, question, state, reason) of every row of a run that is not scored."""
    return list(
        store.db.conn.execute(
            "SELECT configuration, question, state, reason FROM run_coverage WHERE run = ? AND state <> 'scored'",
            (run_id,),
        )
    )


def coverage_rows(store: Store, run_id: str, question: str, configurations: Sequence[str]) -> dict[str, CoverageRow]:
    """Return one question's rows by configuration id, of those ``configurations`` that have one."""
    rows = store.rows(
        """
        SELECT c.* FROM json_each(:configurations) AS chosen
        CROSS JOIN run_coverage AS c ON c.run = :run AND c.configuration = chosen.value AND c.question = :question
        """,
        {"run": run_id, "configurations": json.dumps(configurations, ensure_ascii=False), "question": question},
    )
    return {
        row["configuration"]: CoverageRow(
            row["configuration"], row["question"], row["state"], row["reason"], json.loads(row["record"])
        )
        for row in rows
    }
