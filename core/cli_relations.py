"""Commands about other classifiers of relations: predictions taken in, a training file written out."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.errors import OptionError

if TYPE_CHECKING:
    from core.services.prediction_importing import ReadPredictions

#: rows left out that are printed one by one
_SKIPS = 10


def add_as_predictions(command: argparse.ArgumentParser) -> None:
    """Add to ``import`` the option that makes its source predicted relations of a dataset's answers."""
    command.add_argument(
        "--as-predictions",
        metavar="DATASET",
        help="SOURCE holds relations that another classifier predicted for answers of this dataset's runs: columns "
        "question, configuration and relation; `evaluate --relations imported:NAME` takes them",
    )


def import_as_predictions(options: argparse.Namespace) -> int:
    """Do what ``import … --as-predictions DATASET`` asks for."""
    from core.services.importing import dataset_named, parse_mapping
    from core.services.prediction_importing import import_predictions

    if options.format:
        raise OptionError(
            "--format has no use with --as-predictions, which reads any table by its columns: leave it out."
        )
    if options.as_system is not None:
        raise OptionError("--as-system and --as-predictions are two things: import the file as one of them.")
    imported = import_predictions(
        options.source[0], dataset_named(options.as_predictions), name=options.name, mapping=parse_mapping(options.map)
    )
    if options.json:
        json.dump(asdict(imported), sys.stdout, ensure_ascii=False, indent=2)
        print()
    else:
        _print_predictions(imported)
    return 0


def add_relation_commands(commands: Any) -> None:
    """Add them to the command line's subparsers."""
    command = commands.add_parser(
        "training-file", help="write the train questions as chats from which a language model learns relations"
    )
    command.add_argument("dataset", metavar="DATASET", help="a stored name or a path")
    command.add_argument("--out", type=Path, required=True, metavar="PATH", help="a JSON Lines file, a chat a line")
    command.add_argument("--seed", type=int, default=0, help="draws a split where the dataset marks none")
    command.set_defaults(run=_training_file)


def _print_predictions(imported: ReadPredictions) -> None:
    known = "were imported before, just as they are" if imported.known else "were imported"
    print(
        f"The predictions {imported.name} {known}: evaluate {imported.dataset} with --relations "
        f"'imported:{imported.name}'."
    )
    print(f"  rows: {imported.n_rows:,}, predictions: {imported.n_predictions:,}")
    counts = ", ".join(f"{name} {n:,}" for name, n in imported.configurations.items())
    print(f"  by configuration: {counts}")
    for skip in imported.skipped[:_SKIPS]:
        print(f"  skipped line {skip.line}: {skip.field}: {skip.reason}")
    if len(imported.skipped) > _SKIPS:
        print(f"  and {len(imported.skipped) - _SKIPS:,} more lines (--json lists all)")
    for note in imported.notes:
        print(f"  note: {note}")


def _training_file(options: argparse.Namespace) -> int:
    from core.services.importing import dataset_named
    from core.services.training_file import write_training_file

    if options.seed < 0:
        raise OptionError(f"--seed is {options.seed}: it must be 0 or more.")
    written = write_training_file(dataset_named(options.dataset), options.out, seed=options.seed)
    print(f"{written.path} was written: {written.n_chats:,} chats about {written.n_documents:,} documents.")
    print("  " + ", ".join(f"{name} {n:,}" for name, n in written.relations.items()))
    print(f"  labelled questions held out for testing: {written.n_held_out:,}")
    if written.drawn:
        print(
            f"  note: the dataset marks no split, so four fifths of its documents were drawn with seed {options.seed}."
        )
    if written.on_both_sides:
        print(
            "  note: documents, or groups of them that questions join, with questions inside and outside, so that a "
            f"test on the others is not blind: {written.on_both_sides:,}."
        )
    if written.n_retrieved:
        print(f"  note: no evidence is marked, so what BM25 finds stands in its place: {written.n_retrieved:,} chats.")
    if written.n_left_out:
        print(f"  note: left out for want of a reference answer or a text: {written.n_left_out:,} questions.")
    return 0
