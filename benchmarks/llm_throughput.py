"""How fast calls go through the client: 1,000 distinct ones, an endpoint of 1 s latency, 64 at once.

The endpoint is the tests' own server in a process of its own, so that the two do not share an interpreter. The least
possible is 1,000 / 64 rounded up, that is 16 s.

python -m benchmarks.llm_throughput
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from pathlib import Path

from core.endpoints import Endpoint
from core.models.llm.calls import Call, Completion, Message, Outcome
from core.models.llm.client import LanguageModel
from tests.endpoints.server import MODEL

CALLS, LATENCY, CONCURRENCY = 1000, 1.0, 64
#: about what four passages and a question take, in words
_WORDS = 600


def main() -> dict[str, float]:
    command = [sys.executable, "-m", "tests.endpoints.server", str(LATENCY)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).resolve().parents[1]
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        address = server.stdout.readline().strip()
        endpoint = Endpoint("benchmark", "openai", MODEL, address, concurrency=CONCURRENCY)
        calls = {
            str(number): Call((Message("user", f"{number} " + "passage " * _WORDS),), max_tokens=256)
            for number in range(CALLS)
        }
        outcomes: dict[str, Outcome] = {}
        began, processor = time.perf_counter(), time.process_time()
        LanguageModel(endpoint).run(calls, on_outcome=outcomes.__setitem__, stop=threading.Event())
        seconds, processor = time.perf_counter() - began, time.process_time() - processor
        server.stdin.close()
    answers = [outcome for outcome in outcomes.values() if isinstance(outcome, Completion)]
    return {
        "calls": CALLS,
        "answered": len(answers),
        "seconds": round(seconds, 2),
        "calls_per_second": round(CALLS / seconds, 1),
        "processor_seconds": round(processor, 2),
        "median_latency": round(sorted(answer.seconds for answer in answers)[len(answers) // 2], 3),
    }


if __name__ == "__main__":
    print(json.dumps(main(), indent=2))
