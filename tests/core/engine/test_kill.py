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
from tests.made_once import lend_encodings

ROOT = Path(__file__).resolve().parents[3]
#: six questions a relation: large enough to be killed in every stage
SAMPLE = (str(bundled_path("trilens-demo")), "--sample", "balanced:6")


@pytest.fixture
def home(tmp_path: Path, demo_once: Path) -> Path:
    return _begun(tmp_path / "home", demo_once)


def _begun(home: Path, demo_once: Path) -> Path:
    """A home in which most texts are encoded, so that a dozen runs take no longer than they must."""
    lend_encodings(demo_once, home, without=12)
    return home


def _start(home: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "core", "evaluate", *SAMPLE, "--json"],
        cwd=ROOT,
        env={**os.environ, "TRILENS_HOME": str(home)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _finish(home: Path) -> tuple[str, list[dict[str, Any]]]:
    """Evaluate to the end; return the run and the progress it printed on the way."""
    process = _start(home)
    out, err = process.communicate(timeout=280)
    assert process.returncode == 0, err
    *events, last = map(json.loads, out.splitlines())
    return last["run"], events


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
    events: list[dict[str, Any]]

    def reached(self, event: dict[str, Any], fraction: float) -> bool:
        """Whether a run that prints ``event`` is as far as this one was after that share of its lines.

        Lines cannot be counted instead: a stage prints its first and last, and more the longer it takes.
        """
        stages = list(dict.fromkeys(one["stage"] for one in self.events))
        at, wanted = ((stages.index(e["stage"]), e["done"]) for e in (event, self.events[self._line(fraction)]))
        return at >= wanted

    def _line(self, fraction: float) -> int:
        return max(0, int(fraction * (len(self.events) - 1)) - 1)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory, demo_once: Path) -> Undisturbed:
    home = _begun(tmp_path_factory.mktemp("undisturbed"), demo_once)
    run_id, events = _finish(home)
    return Undisturbed(*_outcome(home, run_id), events)


def _kill_and_resume(home: Path, undisturbed: Undisturbed, fraction: float, delay: float) -> None:
    """Kill a run ``delay`` seconds after that share of what it has to do, then evaluate to the end."""
    process = _start(home)
    assert process.stdout is not None
    assert any(undisturbed.reached(json.loads(line), fraction) for line in process.stdout)
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


@pytest.mark.slow
@pytest.mark.parametrize("fraction", [0.3, 0.8])
def test_killed_twice(home: Path, undisturbed: Undisturbed, fraction: float) -> None:
    _kill_and_resume(home, undisturbed, fraction, 0.0)


@pytest.mark.slow
@pytest.mark.parametrize("moment", range(10))
def test_killed_at_ten_random_moments(home: Path, undisturbed: Undisturbed, moment: int) -> None:
    generator = random.Random(moment)
    _kill_and_resume(home, undisturbed, (moment + generator.random()) / 10, generator.uniform(0, 0.05))
