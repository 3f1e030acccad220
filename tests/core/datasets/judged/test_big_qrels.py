"""Two million judgments become a collection in little time and memory."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

TOPICS, DOCUMENTS, NUGGETS = 1_000, 400, 5
PEAK_BYTES = 1_000_000_000
SECONDS = 240

PROBE = """
import re, sys
from pathlib import Path
from core.services.judged_importing import import_collection
from core.services.judged_reports import GivenFile
report = import_collection([GivenFile(Path(sys.argv[1]))], "big")
print(report.files[0].n_rows, report.n_topics, report.n_nuggets, report.n_judged)
# not getrusage: a child keeps the peak of the process that started it
print(int(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1]) * 1024)
"""


@pytest.mark.slow
def test_two_million_judgments(tmp_path: Path) -> None:
    path = tmp_path / "big.divqrels"
    with path.open("w", encoding="ascii") as stream:
        for topic in range(TOPICS):
            stream.writelines(
                f"{topic} {nugget} msmarco_v2.1_doc_{topic}_{document:07d}#{nugget} {int(document % 3 > 0)}\n"
                for document in range(DOCUMENTS)
                for nugget in range(NUGGETS)
            )
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", PROBE, str(path)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "TRILENS_HOME": str(tmp_path / "home")},
    )
    seconds = time.perf_counter() - started
    read, peak = done.stdout.splitlines()
    print(f"{path.stat().st_size / 1e6:.0f} MB, {seconds:.1f} s, peak {int(peak) / 1e6:.0f} MB: {read}")
    rows = TOPICS * DOCUMENTS * NUGGETS
    assert read == f"{rows} {TOPICS} {TOPICS * NUGGETS} {rows}"
    assert int(peak) < PEAK_BYTES
    assert seconds < SECONDS
