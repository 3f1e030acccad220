"""The command line: parse, call a service, print. Exit 0 only when what was asked was done."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from core import __version__
from core.cli_datasets import add_as_system, add_dataset_commands, import_as_system
from core.cli_evaluate import evaluate
from core.cli_generate import add_generate_command
from core.cli_judged import add_judged, add_judged_commands, import_judged, is_judged_import
from core.cli_nuggets import add_nugget_commands
from core.cli_options import add_evaluate, beta
from core.cli_print import complain, discard, flush_complaints, prepare_streams
from core.cli_relations import add_as_predictions, add_relation_commands, import_as_predictions
from core.cli_runs import add_run_commands
from core.cli_store import add_store_commands
from core.cli_study import add_study_command
from core.errors import FULL_DISK, OptionError, TrilensError

if TYPE_CHECKING:
    from core.engine.progress import Listener
    from core.engine.run import Outcome
    from core.engine.spec import RunSpec
    from core.schema import Dataset

INTERRUPTED = 130


class _Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one sentence."""

    def error(self, message: str) -> NoReturn:
        """Print what is wrong and where help is, and exit with status 2."""
        complain(f"{message}: `{self.prog} --help` shows what there is.")
        self.exit(2)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    prepare_streams()
    try:
        return _run(arguments)
    finally:
        flush_complaints()


def _run(arguments: Sequence[str] | None) -> int:
    try:
        try:
            options = _parser().parse_args(arguments)
            return int(options.run(options))
        finally:
            # here and not when the interpreter ends, where nobody can say what went wrong any more
            sys.stdout.flush()
    except TrilensError as error:
        complain(str(error))
        return 2
    except BrokenPipeError:
        # the reader of our output went away (`| head`): nothing is left to say
        discard(sys.stdout)
        return 0
    except OSError as error:
        complain(_in_words(error))
        return 2
    except KeyboardInterrupt:
        complain("Interrupted; everything finished so far is stored.")
        return INTERRUPTED


def _in_words(error: OSError) -> str:
    """What the system refused: our own modules say so better, but libraries and the output meet it too."""
    reason = error.strerror or str(error)
    try:
        sys.stdout.flush()
    except OSError:
        discard(sys.stdout)
        return f"The output cannot be written ({reason}): send it somewhere else."
    if error.errno in FULL_DISK:
        return (
            f"The disk is full, or the output cannot be written ({reason}): free some space or send the output "
            "elsewhere, and run the same command again; what was stored before is kept."
        )
    if error.filename is None:
        return f"The system refused to go on ({reason}): run the same command again; what was stored before is kept."
    return f"{error.filename} cannot be used ({reason}): check the path and its permissions."


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog=".venv/bin/python -m core",
        description="Which retriever for which kind of question, how sure are we, and what would more data change?",
    )
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=_Parser)

    command = commands.add_parser("demo", help="import the bundled benchmark and evaluate it in both scopes")
    command.add_argument("--json", action="store_true", help="one JSON line an event")
    command.set_defaults(run=_demo)

    command = commands.add_parser("import", help="read, validate and store a dataset")
    command.add_argument("source", type=Path, nargs="+", metavar="SOURCE")
    command.add_argument("--format", help="trilens, table, rag12000 or datamorgana; guessed when left out")
    command.add_argument("--name", help="the name to store it under")
    command.add_argument(
        "--map", action="append", default=[], metavar="FIELD=COLUMN", help="which column is which field"
    )
    add_as_system(command)
    add_as_predictions(command)
    add_judged(command)
    command.add_argument("--json", action="store_true")
    command.set_defaults(run=_import)

    command = commands.add_parser("export", help="write a stored dataset as a Trilens folder")
    command.add_argument("dataset")
    command.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    command.set_defaults(run=_export)

    command = commands.add_parser("datasets", help="list what is stored")
    command.add_argument("--json", action="store_true")
    command.set_defaults(run=_datasets)

    command = commands.add_parser("runs", help="list the runs, newest first")
    command.add_argument("--json", action="store_true")
    command.set_defaults(run=_runs)

    command = commands.add_parser("evaluate", help="evaluate a dataset; the same command again does what is missing")
    add_evaluate(command)
    command.set_defaults(run=evaluate)

    add_run_commands(commands)

    command = commands.add_parser("score", help="the tables of a finished run")
    command.add_argument("run_id", metavar="RUN")
    command.add_argument("--beta", type=beta, default=1.0, help="0 = answers only … inf = logic only (default 1)")
    command.add_argument("--convention", choices=("formula", "prose"), default="formula")
    command.add_argument("--text-measures", action="store_true", help="ROUGE-1, ROUGE-L, BLEU and token F1 as well")
    command.add_argument("--json", action="store_true")
    command.set_defaults(run=_score)

    command = commands.add_parser("report", help="write a finished run to a file")
    command.add_argument("run_id", metavar="RUN")
    command.add_argument("--format", choices=("csv", "json"), required=True)
    command.add_argument("--out", type=Path, required=True, metavar="PATH")
    command.set_defaults(run=_report)

    add_dataset_commands(commands)
    add_nugget_commands(commands)
    add_generate_command(commands)
    add_relation_commands(commands)
    add_judged_commands(commands)
    add_store_commands(commands)
    add_study_command(commands)
    return parser


def _demo(options: argparse.Namespace) -> int:
    from core.cli_progress import evaluate_and_print
    from core.engine.spec import Request
    from core.services.evaluation import plan
    from core.services.importing import import_bundled

    name = import_bundled("trilens-demo").name
    status = 0
    # corpus scope last: Home shows the newest run
    for scope in ("document", "corpus"):
        spec, dataset = plan(Request(name, scope=scope))
        status = status or evaluate_and_print(partial(_run_listened, spec, dataset), options.json)
    return status


def _run_listened(spec: RunSpec, dataset: Dataset, listener: Listener) -> Outcome:
    from core.services.evaluation import run

    return run(spec, dataset, listener=listener)


def _import(options: argparse.Namespace) -> int:
    from core.cli_print import print_import
    from core.services.importing import import_source, parse_mapping

    if is_judged_import(options):
        return import_judged(options)
    if len(options.source) > 1:
        raise OptionError("one SOURCE is imported at a time, but for files of a --collection or with rankings.")
    if options.as_predictions is not None:
        return import_as_predictions(options)
    if options.as_system is not None:
        return import_as_system(options)
    imported = import_source(
        options.source[0], format=options.format, name=options.name, mapping=parse_mapping(options.map)
    )
    print_import(imported, options.json)
    return 0


def _export(options: argparse.Namespace) -> int:
    from core.services.exporting import export_dataset

    export_dataset(options.dataset, options.out)
    print(f"{options.dataset} was written to {options.out}.")
    return 0


def _datasets(options: argparse.Namespace) -> int:
    from core.cli_print import print_datasets
    from core.services.catalogue import datasets

    print_datasets(datasets(), options.json)
    return 0


def _runs(options: argparse.Namespace) -> int:
    from core.cli_print import print_runs
    from core.services.catalogue import runs

    print_runs(runs(), options.json)
    return 0


def _score(options: argparse.Namespace) -> int:
    from core.services.lenses import logic

    lens = logic(options.run_id, options.beta, options.convention)
    texts = None
    if options.text_measures:
        from core.services.text_measures import measure_texts

        texts = measure_texts(options.run_id)
    if options.json:
        from core.reports.coverage_json import coverage_object
        from core.reports.granularity_json import granularity_object
        from core.reports.logic_json import score_object

        _print_json(
            {
                **score_object(lens, texts),
                "coverage": coverage_object(options.run_id),
                "granularity": granularity_object(options.run_id),
            }
        )
    else:
        from core.reports.logic_text import text_table
        from core.reports.run_text import run_tables

        print(run_tables(lens))
        if texts:
            print(f"\n{text_table(lens, texts)}")
    return 0


def _report(options: argparse.Namespace) -> int:
    from core.reports.write import write_report

    write_report(options.run_id, options.format, options.out)
    print(f"{options.out} was written.")
    return 0


def _print_json(value: Any) -> None:
    json.dump(value, sys.stdout, ensure_ascii=False, indent=2)
    print()
