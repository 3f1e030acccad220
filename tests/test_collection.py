"""Two processes must collect the same tests: names that hold the clock, a hash order or an address differ by chance."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def collected(seed: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-q", "tests"], cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return [line for line in done.stdout.splitlines() if "::" in line]


@pytest.mark.slow
def test_names_of_tests_do_not_depend_on_clock_or_hash_order() -> None:
    first = collected("1")
    time.sleep(1.1)
    second = collected("2")
    assert len(first) > 1000
    assert first == second
