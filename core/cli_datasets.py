"""Commands about datasets that are not needed to evaluate one: check, and what other systems answered to one."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from core.errors import OptionError

if TYPE_CHECKING:
    from core.services.system_importing import ImportedSystem

#: rows left out that are printed one by one
_SKIPS = 10


def add_dataset_commands(commands: Any) -> None:
    """Add them to the command line's subparsers."""
    command = commands.add_parser("check", help="look for weak labels: evidence, nuggets, wordings, near-duplicates")
    command.add_argument("dataset", metavar="DATASET", help="a stored name or a path")
    command.add_argument("--json", action="store_true")
    command.set_defaults(run=_check)


def add_as_system(command: argparse.ArgumentParser) -> None:
    """Add to ``import`` the option that makes its source another RAG's answers to a dataset's questions."""
    command.add_argument(
        "--as-system",
        metavar="DATASET",
        help="SOURCE holds another RAG's answers and contexts for this dataset: one more configuration of its runs",
    )


def import_as_system(options: argparse.Namespace) -> int:
    """Do what ``import … --as-system DATASET`` asks for."""
    from core.services.importing import dataset_named, parse_mapping
    from core.services.system_importing import import_system

    if options.format:
        raise OptionError("--format has no use with --as-system, which reads any table by its columns: leave it out.")
    imported = import_system(
        options.source[0], dataset_named(options.as_system), name=options.name, mapping=parse_mapping(options.map)
    )
    if options.json:
        json.dump(asdict(imported), sys.stdout, ensure_ascii=False, indent=2)
        print()
    else:
        _print_system(imported)
    return 0


def _print_system(imported: ImportedSystem) -> None:
    known = "was imported before with the same answers" if imported.known else "was imported"
    print(f"{imported.name} {known}: a system of {imported.dataset}, and a configuration of its next runs.")
    print(
        f"  rows: {imported.n_rows:,}, matched to one of {imported.n_questions:,} questions: {imported.n_matched:,}\n"
        f"  answers: {imported.n_answers:,}, refusals among them: {imported.n_refused:,}\n"
        f"  contexts: {imported.n_contexts:,}, found in a document: {imported.n_located:,}"
    )
    for skip in imported.skipped[:_SKIPS]:
        print(f"  skipped line {skip.line}: {skip.field}: {skip.reason}")
    if len(imported.skipped) > _SKIPS:
        print(f"  and {len(imported.skipped) - _SKIPS:,} more lines (--json lists all)")
    for note in imported.notes:
        print(f"  note: {note}")


def _check(options: argparse.Namespace) -> int:
    from core.services.checking import check_dataset
    from core.services.importing import dataset_named

    findings = check_dataset(dataset_named(options.dataset))
    if options.json:
        json.dump([asdict(finding) for finding in findings], sys.stdout, ensure_ascii=False, indent=2)
        print()
        return 0
    for finding in findings:
        print(finding.message)
        for start in range(0, min(len(finding.ids), 20), 5):
            print("    " + "  ".join(finding.ids[start : start + 5]))
        if len(finding.ids) > 20:
            print(f"    and {len(finding.ids) - 20} more (--json lists all)")
    print(f"{len(findings)} findings." if findings else "Nothing to say against it.")
    return 0
