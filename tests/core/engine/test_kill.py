"""kill -9 at any moment, the same command again: nothing lost, nothing done twice, the same tables."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from core.datasets.bundled import bundled_path
from core.settings import Home
from core.store.database import Store

ROOT = Path(__file__).resolve().parents[3]
#: six questions a relation: large enough to be killed in every stage, small enough to be evaluated a dozen times
SAMPLE = (str(bundled_path("trilens-demo")), "--sample", "balanced:6")


def _start(home: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "core", "evaluate", *SAMPLE, "--json"],
        cwd=ROOT,
        env={**os.environ, "TRILENS_HOME": str(home)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _finish(home: Path) -> tuple[str, int]:
    """Evaluate to the end; return the run and how many lines it printed on the way."""
    process = _start(home)
    out, err = process.communicate(timeout=280)
    assert process.returncode == 0, err
    lines = out.splitlines()
    return json.loads(lines[-1])["run"], len(lines)


def _outcome(home: Path, run_id: str) -> tuple[dict[Any, Any], list[dict[str, Any]]]:
    """Rankings by (key, item) and the run's rows."""
    store = Store(Home(home).store)
    rankings = {
        (row["key"], row["item"]): json.loads(row["value"])["p"]
        for row in store.rows("SELECT key, item, value FROM stage_results WHERE stage = 'retrieve'")
    }
    rows = store.rows("SELECT * FROM run_items WHERE run = ? ORDER BY configuration, question", (run_id,))
    return rankings, rows


@dataclass(frozen=True)
class Undisturbed:
    rankings: dict[Any, Any]
    rows: list[dict[str, Any]]
    lines: int


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Undisturbed:
    home = tmp_path_factory.mktemp("undisturbed")
    run_id, lines = _finish(home)
    return Undisturbed(*_outcome(home, run_id), lines)


def _kill_and_resume(home: Path, undisturbed: Undisturbed, fraction: float, delay: float) -> None:
    """Kill a run ``delay`` seconds after it printed that share of its lines, then evaluate to the end."""
    process = _start(home)
    assert process.stdout is not None
    for _ in range(max(1, int(fraction * (undisturbed.lines - 2)))):
        assert process.stdout.readline()
    time.sleep(delay)
    assert process.poll() is None, "the run had ended before it was to be killed"
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=60)
    run_id, _ = _finish(home)
    rankings, rows = _outcome(home, run_id)
    assert rankings == undisturbed.rankings
    assert len(rows) == len(undisturbed.rows)
    for resumed, row in zip(rows, undisturbed.rows, strict=True):
        for name, value in row.items():
            if name == "similarity" and value is not None:
                assert resumed[name] == pytest.approx(value, abs=1e-5)
            else:
                assert resumed[name] == value, name
    twice = Store(Home(home).store).rows("SELECT stage, item, writes FROM stage_results WHERE writes > 1")
    assert twice == [], "stored results were computed again"


@pytest.mark.parametrize("fraction", [0.3, 0.8])
def test_killed_twice(tmp_path: Path, undisturbed: Undisturbed, fraction: float) -> None:
    _kill_and_resume(tmp_path, undisturbed, fraction, 0.0)


@pytest.mark.slow
@pytest.mark.parametrize("moment", range(10))
def test_killed_at_ten_random_moments(tmp_path: Path, undisturbed: Undisturbed, moment: int) -> None:
    generator = random.Random(moment)
    _kill_and_resume(tmp_path, undisturbed, (moment + generator.random()) / 10, generator.uniform(0, 0.05))
