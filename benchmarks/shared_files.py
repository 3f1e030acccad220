"""Where the public files lie that the benchmarks read; they are never part of the repository."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared"
RESULTS = ROOT / "benchmarks" / "results"
REAL_QUESTIONS = SHARED / "data" / "hierarag" / "rq3_interactions_all.jsonl"
NORMALISED_QUESTIONS = SHARED / "data" / "hierarag" / "rq3_questions.jsonl"
NORMALISED_DOCUMENTS = SHARED / "data" / "hierarag" / "rq3_documents.jsonl"
LANGCHAIN_LOOP = SHARED / "bench" / "langchain_loop.py"


def require(*paths: Path) -> None:
    """Leave with a sentence when a file is not there."""
    for path in paths:
        if not path.exists():
            sys.exit(f"{path} is not there: the benchmark reads public data kept beside the repository.")
