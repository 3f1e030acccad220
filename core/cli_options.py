"""Options of the command line that take more than a line."""

from __future__ import annotations

import argparse


def add_evaluate(command: argparse.ArgumentParser) -> None:
    """Add what can be chosen for a run; names and defaults are those of ``core.engine.spec.Request``."""
    from core.models.embeddings import DEFAULT_ENCODER

    command.add_argument("dataset", nargs="?", default="", metavar="DATASET", help="a stored name or a path")
    command.add_argument(
        "--resume", nargs="+", default=[], metavar="RUN", help="do what is missing of these runs, one after the other"
    )
    command.add_argument("--retry-failed", action="store_true", help="compute anew what failed before")
    command.add_argument("--scope", default="", help="corpus or document; corpus when there is more than one document")
    command.add_argument(
        "--retrievers", default="all", help="all, or a list such as knn,bm25/langchain,my.module:factory"
    )
    command.add_argument("--combinations", default="all", help="all, none, or a list such as a-two,s-four,a:knn+bm25")
    command.add_argument("--k", type=int, default=4, help="passages handed to the answerer (1 to 20)")
    command.add_argument("--chunking", default="exact", help="exact or langchain")
    command.add_argument("--chunk-words", type=int, default=100, help="words a chunk at most")
    command.add_argument("--encoder", default=DEFAULT_ENCODER, help="retrieval encoder: a name or a folder")
    command.add_argument("--similarity-encoder", default=DEFAULT_ENCODER, help="encoder of BERTSim and the relations")
    command.add_argument(
        "--answerer",
        default="extractive",
        help="extractive (no language model), local (a small one on this machine), or the kind of an endpoint: openai "
        "or chat",
    )
    command.add_argument(
        "--relations",
        default="local",
        help="local (cross-fitted), train-split, llm or llm-few (a language model, without or with examples), "
        "imported:NAME or none",
    )
    command.add_argument(
        "--endpoint", default="", metavar="NAME", help="the language model: an endpoint of the settings, or local"
    )
    command.add_argument(
        "--matcher",
        default="offline",
        help="who tells which nuggets an answer says: offline (no language model; offline:lenient, offline:strict or "
        "a threshold such as offline:0.42), or llm",
    )
    command.add_argument("--max-calls", type=int, metavar="N", help="stop when this run has sent N calls to it")
    command.add_argument("--max-tokens", type=int, metavar="N", help="stop when this run has used N tokens of it")
    command.add_argument(
        "--repeats", type=int, default=1, metavar="N", help="ask for each answer of a model that samples N times"
    )
    command.add_argument(
        "--systems", default="", help="imported systems: names with commas, or none; all of the dataset when left out"
    )
    command.add_argument("--sample", default="", help="N at random, or balanced:N a relation")
    command.add_argument("--split", default="", help="only the questions that the dataset marks as train or as test")
    command.add_argument("--limit", type=int, help="only the first N questions")
    command.add_argument("--seed", type=int, default=0)
    command.add_argument(
        "--detach",
        action="store_true",
        help="go on in a worker process, after those started before, and return at once",
    )
    command.add_argument("--json", action="store_true", help="one JSON line an event")


def beta(text: str) -> float:
    """Return a beta from 0 to infinity; argparse turns the error into its sentence."""
    try:
        value = float(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"'{text}' is no number") from error
    if not value >= 0:
        raise argparse.ArgumentTypeError(f"{text} is below 0")
    return value
