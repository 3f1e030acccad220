"""What the listing commands print, for people and for machines."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from shlex import quote
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from core.engine.run import Outcome
    from core.services.catalogue import DatasetSummary, RunSummary
    from core.services.importing import Imported


def prepare_streams() -> None:
    """Make sure that printing cannot fail for want of a stream or of a character in the terminal's encoding."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # closed before we were started (`>&-`)
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - for the process's life
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def discard(stream: TextIO) -> None:
    """Send what is still to be printed nowhere: whoever read it went away, or it cannot be written."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def flush_complaints() -> None:
    """Write what standard error still holds; what cannot be written is lost, but no reason for another exit status."""
    try:
        sys.stderr.flush()
    except OSError:
        discard(sys.stderr)


def complain(message: str) -> None:
    """Print one line on standard error, whatever characters a path or a name in it holds."""
    line = "".join(character if character.isprintable() else repr(character)[1:-1] for character in message)
    # the exit status says it too where standard error cannot
    with suppress(OSError):
        print(line, file=sys.stderr, flush=True)


def print_import(imported: Imported, as_json: bool) -> None:
    """The dataset's name and labels, what was skipped, what looks odd."""
    if as_json:
        _dump(asdict(imported))
        return
    print(f"{imported.name} {'was imported before with the same content' if imported.known else 'was imported'}.")
    for line in label_lines(imported.labels):
        print(f"  {line}")
    for skip in imported.skipped:
        print(f"  skipped line {skip.line}: {skip.field}: {skip.reason}")
    for warning in imported.warnings:
        print(f"  note: {warning}")


def label_lines(labels: Any) -> list[str]:
    """Which labels a dataset has, a line each."""
    relations = labels.get("relations") or {}
    lines = [f"{labels['documents']:,} documents, {labels['questions']:,} questions"]
    lines.append(f"relations: {len(relations)} ({', '.join(relations)})" if relations else "relations: none")
    lines += [f"{key.replace('_', ' ')}: {labels[key]:,} questions" for key in ("with_evidence", "with_nuggets")]
    for dimension, nodes in (labels.get("categories") or {}).items():
        lines.append(f"categories {dimension}: {len(nodes)}")
    return lines


def print_datasets(datasets: Sequence[DatasetSummary], as_json: bool) -> None:
    """One line a dataset."""
    if as_json:
        _dump([asdict(dataset) for dataset in datasets])
        return
    if not datasets:
        print("No dataset is stored yet: `.venv/bin/python -m core demo` imports the bundled one.")
    for dataset in datasets:
        print(
            f"{dataset.name}  {dataset.n_documents:,} documents  {dataset.n_questions:,} questions  "
            f"{len(dataset.labels.get('relations') or {})} relations  ({dataset.format})"
        )


def print_runs(runs: Sequence[RunSummary], as_json: bool) -> None:
    """One line a run."""
    if as_json:
        _dump([asdict(run) for run in runs])
        return
    if not runs:
        print("No run is stored yet: `.venv/bin/python -m core demo` makes the first.")
    for run in runs:
        where = f"  {run.stage} {run.done:,}/{run.total:,}" if run.state == "running" else ""
        choices = run.options or "default choices"
        title = f"  {run.title!r}" if run.title else ""
        searched = run.searched if run.is_collection else f"{run.scope} scope"
        print(
            f"{run.id}{title}  {run.state}{where}  {searched}  {run.n_questions:,} questions  "
            f"{run.n_configurations} configurations  {choices}  {run.started}  {run.message}".rstrip()
        )


def print_outcome(outcome: Outcome) -> None:
    """How a run ended, with its table when it is done."""
    from core.services.catalogue import run
    from core.services.costs import cost_so_far, cost_words
    from core.services.lenses import logic

    if outcome.state != "done":
        how = f"is paused: {outcome.message}" if outcome.state == "paused" else f"was stopped: {outcome.message}"
        higher = {"max_calls": " --max-calls N", "max_tokens": " --max-tokens N"}.get(outcome.limit, "")
        print(
            f"{outcome.run_id} {how if outcome.message else 'was stopped;'} "
            f"`.venv/bin/python -m core evaluate --resume {quote(outcome.run_id)}{higher}` goes on"
            f"{', with a higher N than before' if higher else ''}."
        )
        if so_far := cost_so_far(run(outcome.run_id)):
            print(so_far)
        return
    if not outcome.worked:
        print(f"{outcome.run_id} was complete already; nothing was computed.")
    lens = logic(outcome.run_id)
    if lens.run.is_collection:
        from core.reports.run_text import run_tables

        print(run_tables(lens))
    else:
        from core.reports.logic_text import logic_table

        print(logic_table(lens))
        if cost := cost_words(lens.provenance.get("cost")):
            print(f"\nCost: {cost}")


def _dump(value: Any) -> None:
    print(json.dumps(value, ensure_ascii=False, indent=2))
