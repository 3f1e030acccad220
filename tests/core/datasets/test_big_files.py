"""A file of 200 MB with one bad row near its end: refused with its line, in little time and memory."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROWS = 52_000
#: The last row but 20 is the bad one.
BAD = ROWS - 20
#: Peak memory of the whole process; the distinct texts of the records are 200 MB of it.
PEAK_BYTES = 600_000_000
SECONDS = 60

PROBE = """
import re, sys
from pathlib import Path
from core.datasets.importers import read_dataset
from core.errors import InputError
try:
    read_dataset(Path(sys.argv[1]))
except InputError as error:
    print(error)
    # not getrusage: a child keeps the peak of the process that started it
    print(int(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1]) * 1024)
else:
    sys.exit("the file was not refused")
"""
SENTENCE = "The mill at Alder Creek ran three shifts and its wheel turned day and night. "


def write_big(path: Path, good: str, bad: str, *, head: str = "", tail: str = "") -> None:
    """Write rows of about 4 KB with distinct texts; ``good`` and ``bad`` are formatted with number and text."""
    with path.open("w", encoding="utf-8", newline="") as stream:
        stream.write(head)
        stream.writelines(
            (bad if number == BAD else good).format(number=number, text=f"{number}: " + SENTENCE * 51)
            for number in range(1, ROWS + 1)
        )
        stream.write(tail)


CSV_HEAD = "id,question,answer,context\n"
CSV_ROW = "{number},Question {number}?,answer,{text}\n"
JSON_ROW = '{{"id": {number}, "question": "Question {number}?", "answer": "answer", "context": "{text}"}}'


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "good", "bad", "place"),
    [
        ("a.jsonl", JSON_ROW + "\n", JSON_ROW.replace('"answer": "answer"', '"answer": ""') + "\n", f"line {BAD}"),
        ("b.jsonl", JSON_ROW + "\n", JSON_ROW[:-3] + "\n", f"line {BAD}"),
        ("c.jsonl", JSON_ROW + "\n", JSON_ROW.replace('"id": {number}', '"id": 7') + "\n", f"line {BAD}"),
        ("a.csv", CSV_ROW, CSV_ROW.replace(",answer,", ",,"), f"line {BAD + 1}"),
        ("b.csv", CSV_ROW, CSV_ROW.replace("{text}", '"{text}'), f"line {BAD + 1}"),
        ("a.json", JSON_ROW + ",\n", JSON_ROW.replace('"answer": "answer"', '"answer": 1,') + ",\n", f"line {BAD}"),
    ],
)
def test_one_bad_row_near_the_end(tmp_path: Path, name: str, good: str, bad: str, place: str) -> None:
    path = tmp_path / name
    ends = {".csv": (CSV_HEAD, ""), ".json": ("[", json.dumps({"id": "end"}) + "]"), ".jsonl": ("", "")}
    head, tail = ends[path.suffix]
    write_big(path, good, bad, head=head, tail=tail)
    assert path.stat().st_size > 200_000_000
    started = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", PROBE, str(path)], capture_output=True, text=True, check=True)
    seconds = time.perf_counter() - started
    message, peak = done.stdout.splitlines()
    print(f"{name}: {path.stat().st_size / 1e6:.0f} MB, {seconds:.1f} s, peak {int(peak) / 1e6:.0f} MB: {message}")
    assert message.startswith(f"{path}, {place}")
    assert int(peak) < PEAK_BYTES
    assert seconds < SECONDS
