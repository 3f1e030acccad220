"""The speed of a whole evaluation against a plain LangChain loop, in one run on one machine.

The loop answers 40 questions drawn with seed 1 (8 configurations, document scope); ours evaluates all 1,000 with
13 configurations in corpus scope, on an empty home. Compared are questions per second; both leave imports out.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.shared_files import (
    LANGCHAIN_LOOP,
    NORMALISED_DOCUMENTS,
    NORMALISED_QUESTIONS,
    REAL_QUESTIONS,
    RESULTS,
    ROOT,
    require,
)


def main() -> dict[str, Any]:
    require(LANGCHAIN_LOOP, NORMALISED_DOCUMENTS, NORMALISED_QUESTIONS, REAL_QUESTIONS)
    with tempfile.TemporaryDirectory() as folder:
        loop = _loop(Path(folder))
        whole = _ours(Path(folder) / "whole", None)
        quarter = _ours(Path(folder) / "quarter", 250)
        again = _second_run(Path(folder) / "whole")
    result = {
        "langchain_loop": loop,
        "trilens": whole,
        "trilens_quarter": quarter,
        "times_faster": round(whole["questions_per_second"] / loop["questions_per_second"], 1),
        "time_for_four_times_the_questions": round(whole["seconds"] / quarter["seconds"], 2),
        "identical_second_run_seconds": again,
    }
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "logic_speed.json").write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    return result


def _loop(folder: Path) -> dict[str, Any]:
    lines = NORMALISED_QUESTIONS.read_text(encoding="utf-8").splitlines()
    drawn = folder / "questions.jsonl"
    drawn.write_text("\n".join(random.Random(1).sample(lines, 40)) + "\n", encoding="utf-8")
    return _last_json([sys.executable, str(LANGCHAIN_LOOP), str(NORMALISED_DOCUMENTS), str(drawn)])


def _ours(home: Path, limit: int | None) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.evaluate_timed", str(REAL_QUESTIONS)]
    return _last_json(command + ([str(limit)] if limit else []), home)


def _second_run(home: Path) -> float:
    began = time.perf_counter()
    _output([sys.executable, "-m", "core", "evaluate", str(REAL_QUESTIONS)], home)
    return round(time.perf_counter() - began, 2)


def _last_json(command: list[str], home: Path | None = None) -> dict[str, Any]:
    return dict(json.loads(_output(command, home).splitlines()[-1]))


def _output(command: list[str], home: Path | None) -> str:
    environment = {**os.environ, "HF_HUB_OFFLINE": "1"} | ({"TRILENS_HOME": str(home)} if home else {})
    return subprocess.run(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=True, timeout=1_800
    ).stdout


if __name__ == "__main__":
    print(json.dumps(main(), indent=2))
