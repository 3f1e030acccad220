"""kill -9 at any moment, the same command again: nothing lost, nothing done twice, the same tables."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from core.datasets.bundled import bundled_path
from core.settings import Home
from core.store.database import Store

ROOT = Path(__file__).resolve().parents[3]


def _start(home: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "core", "evaluate", str(bundled_path("trilens-demo")), "--json"],
        cwd=ROOT,
        env={**os.environ, "TRILENS_HOME": str(home)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _finish(home: Path) -> tuple[str, float]:
    began = time.monotonic()
    process = _start(home)
    out, err = process.communicate(timeout=280)
    assert process.returncode == 0, err
    return json.loads(out.splitlines()[-1])["run"], time.monotonic() - began


def _outcome(home: Path, run_id: str) -> tuple[dict[Any, Any], list[dict[str, Any]]]:
    """Rankings by (key, item) and the run's rows."""
    store = Store(Home(home).store)
    rankings = {
        (row["key"], row["item"]): json.loads(row["value"])["p"]
        for row in store.rows("SELECT key, item, value FROM stage_results WHERE stage = 'retrieve'")
    }
    rows = store.rows("SELECT * FROM run_items WHERE run = ? ORDER BY configuration, question", (run_id,))
    return rankings, rows


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[Any, Any], list[dict[str, Any]], float]:
    home = tmp_path_factory.mktemp("undisturbed")
    run_id, seconds = _finish(home)
    return *_outcome(home, run_id), seconds


def _kill_and_resume(
    home: Path, undisturbed: tuple[dict[Any, Any], list[dict[str, Any]], float], fraction: float
) -> None:
    rankings, rows, seconds = undisturbed
    process = _start(home)
    time.sleep(fraction * seconds)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=60)
    run_id, _ = _finish(home)
    resumed_rankings, resumed_rows = _outcome(home, run_id)
    assert resumed_rankings == rankings
    assert len(resumed_rows) == len(rows)
    for resumed, row in zip(resumed_rows, rows, strict=True):
        for name, value in row.items():
            if name == "similarity" and value is not None:
                assert resumed[name] == pytest.approx(value, abs=1e-5)
            else:
                assert resumed[name] == value, name
    store = Store(Home(home).store)
    twice = store.rows("SELECT stage, item, writes FROM stage_results WHERE writes > 1")
    assert twice == [], "stored results were computed again"


@pytest.mark.parametrize("fraction", [0.45, 0.8])
def test_killed_twice(tmp_path: Path, undisturbed: Any, fraction: float) -> None:
    _kill_and_resume(tmp_path, undisturbed, fraction)


@pytest.mark.slow
@pytest.mark.parametrize("moment", range(10))
def test_killed_at_ten_random_moments(tmp_path: Path, undisturbed: Any, moment: int) -> None:
    _kill_and_resume(tmp_path, undisturbed, (moment + random.Random(moment).random()) / 10)
