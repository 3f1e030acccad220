"""What all tests share: a home of their own, a small dataset, and where the public data lies."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import hypothesis
import pytest

from tests.made_once import evaluate_all, made_once

# how long an example takes depends on what runs beside it
hypothesis.settings.register_profile("trilens", deadline=None)
hypothesis.settings.load_profile("trilens")
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared" / "data"
#: a retriever that somebody brings
BACKWARDS = "tests.core.retrieval.factories:backwards"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty TRILENS_HOME."""
    path = tmp_path / "home"
    monkeypatch.setenv("TRILENS_HOME", str(path))
    return path


@pytest.fixture(scope="session")
def shared() -> Path:
    """The public data beside the repository; tests that need it are skipped where it is not."""
    if not SHARED.is_dir():
        pytest.skip(f"the public data is not at {SHARED}")
    return SHARED


_DOCUMENTS = {
    "d1": "The Marlow ferry runs every forty minutes in summer. In winter it runs twice a day because the harbour "
    "freezes. A ticket costs three crowns. Children below six travel free of charge.",
    "d2": "The Marlow mill was built in 1871 by Anna Rusk. It ground oats until the river was dammed in 1902. "
    "Afterwards it served as a school. The wheel still turns on market days.",
    "d3": "The keeper of the Marlow light climbs 188 steps twice a day. The lamp burns from dusk to dawn. "
    "Fog makes the keeper sound the horn each minute. No keeper may leave before relief arrives.",
}
_QUESTIONS = [
    ("q1", "How often does the Marlow ferry run in summer?", "Every forty minutes.", "d1", "direct matching"),
    ("q2", "Why does the Marlow ferry run less in winter?", "Because the harbour freezes.", "d1", "causal"),
    ("q3", "Who built the Marlow mill?", "Anna Rusk built it.", "d2", "direct matching"),
    ("q4", "What stopped the Marlow mill from grinding oats?", "The damming of the river in 1902.", "d2", "causal"),
    ("q5", "How many steps does the Marlow keeper climb?", "188 steps twice a day.", "d3", "direct matching"),
    (
        "q6",
        "What makes the Marlow keeper sound the horn?",
        "Fog makes the keeper sound it each minute.",
        "d3",
        "causal",
    ),
]


@pytest.fixture
def small_csv(tmp_path: Path) -> Path:
    """Three documents, six questions, two relations, as a table anybody might have."""
    return write_small_csv(tmp_path)


def write_small_csv(folder: Path) -> Path:
    path = folder / "marlow.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "question", "answer", "document_id", "context", "relation"])
        for name, question, answer, document, relation in _QUESTIONS:
            writer.writerow([name, question, answer, document, _DOCUMENTS[document], relation])
    return path


@pytest.fixture(scope="session")
def demo_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home in which six questions a relation of the benchmark were evaluated in both scopes; only to be copied."""
    choices = [["trilens-demo", "--scope", scope, "--sample", "balanced:6"] for scope in ("document", "corpus")]
    return made_once(tmp_path_factory, "demo-once", lambda home: evaluate_all(home, choices))


@pytest.fixture(scope="session")
def marlow_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home in which the small dataset was evaluated, by all retrievers and by BM25 with one to five passages."""

    def make(home: Path) -> None:
        source = str(write_small_csv(home))
        cheap = [source, "--retrievers", f"bm25,{BACKWARDS}", "--combinations", "none", "--relations", "none"]
        evaluate_all(home, [[source], *([*cheap, "--k", str(k)] for k in range(1, 6))])

    return made_once(tmp_path_factory, "marlow-once", make)
