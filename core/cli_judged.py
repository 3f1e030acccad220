"""Commands for what other evaluation tools made: judgments, rankings and responses in, TREC files out."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.errors import InputError, OptionError

if TYPE_CHECKING:
    from core.services.judged_reports import FileReport, ImportedCollection

#: rows left out that are printed one by one for a file
_SKIPS = 5


def add_judged(command: argparse.ArgumentParser) -> None:
    """Add to ``import`` what makes a judged collection of its files."""
    command.add_argument(
        "--collection",
        metavar="NAME",
        help="the files (or all of a folder) are judgments, nuggets, topics, rankings and responses of others: they "
        "make this collection, or add to it",
    )
    command.add_argument(
        "--read", action="append", default=[], metavar="FILE=FORMAT", help="the format of a file; guessed when left out"
    )
    command.add_argument(
        "--system",
        action="append",
        default=[],
        metavar="FILE=NAME",
        help="the system whose output or labels a file holds",
    )
    command.add_argument(
        "--grade", type=int, default=1, metavar="N", help="the lowest judgment that counts as yes (default 1)"
    )
    command.add_argument(
        "--strip-segments", action="store_true", help="ids of parts such as doc#5 stand for their documents"
    )


def add_judged_commands(commands: Any) -> None:
    """Add the other commands to the command line's subparsers."""
    command = commands.add_parser("export-trec", help="write a run's rankings and its judgments as TREC files")
    command.add_argument("run_id", metavar="RUN")
    command.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    command.set_defaults(run=_export_trec)


def is_judged_import(options: argparse.Namespace) -> bool:
    """Return whether ``import`` is to read files of other evaluation tools, as asked or as their content tells."""
    if options.collection is not None:
        return True
    asked = options.read or options.system or options.strip_segments or options.grade != 1
    if options.as_system is None:
        if asked:
            raise OptionError("--read, --system, --grade and --strip-segments need --collection NAME.")
        return False
    from core.services.judged_importing import holds_a_system

    return bool(asked) or all(holds_a_system(path) for path in _files(options.source))


def import_judged(options: argparse.Namespace) -> int:
    """Do what ``import FILE… --collection NAME`` asks for, or ``--as-system DATASET`` with files of other tools."""
    from core.services.importing import dataset_named
    from core.services.judged_importing import import_collection
    from core.services.judged_reports import GivenFile

    if options.collection is not None and options.as_system is not None:
        raise OptionError("--collection and --as-system exclude each other: leave one of them out.")
    if options.format or options.map:
        raise OptionError("--format and --map have no use here: say the format of a file with --read FILE=FORMAT.")
    files = _files(options.source)
    formats, systems = _by_file("--read", options.read, files), _by_file("--system", options.system, files)
    if options.name is not None:
        if options.collection is not None or len(files) > 1:
            raise OptionError("--name has no use here: name a file's system with --system FILE=NAME.")
        systems[files[0]] = options.name
    given = [GivenFile(path, format=formats.get(path, ""), system=systems.get(path, "")) for path in files]
    imported = import_collection(
        given,
        options.collection if options.collection is not None else dataset_named(options.as_system),
        grade=options.grade,
        segments=options.strip_segments,
        systems_only=options.collection is None,
    )
    if options.json:
        json.dump(asdict(imported), sys.stdout, ensure_ascii=False, indent=2)
        print()
    else:
        _print(imported)
    return 0


def _files(sources: Sequence[Path]) -> list[Path]:
    """Return the files, of a folder all in it and below; hidden ones are left out."""
    files: list[Path] = []
    for source in sources:
        if source.is_dir():
            within = (path for path in sorted(source.rglob("*")) if path.is_file())
            files += [
                path for path in within if not any(part.startswith(".") for part in path.relative_to(source).parts)
            ]
        else:
            files.append(source)
    if not files:
        raise InputError(f"{sources[0]} holds no file: give files, or a folder with some.")
    return list(dict.fromkeys(files))


def _by_file(option: str, pairs: Sequence[str], files: Sequence[Path]) -> dict[Path, str]:
    """Return what is said of files: FILE is a path as given, or a name that one of them has."""
    said: dict[Path, str] = {}
    for pair in pairs:
        which, _, value = (part.strip() for part in pair.rpartition("="))
        meant = [path for path in files if which in (str(path), path.name)]
        if not value or len(meant) != 1:
            raise OptionError(
                f"{option} is '{pair}': write FILE={'FORMAT' if option == '--read' else 'NAME'} with one of the "
                "files given."
            )
        said[meant[0]] = value
    return said


def _print(imported: ImportedCollection) -> None:
    state = "was imported before with the same topics" if imported.known else "was imported"
    print(
        f"{imported.name} {state}: {imported.n_topics:,} topics, {imported.n_nuggets:,} nuggets, {imported.n_judged:,} "
        "judged documents."
    )
    for file in imported.files:
        _print_file(file)
    for system in imported.systems:
        again = " (as before)" if system.known else ""
        print(
            f"  system {system.name}{again}: topics ranked {system.n_rankings:,}, answered {system.n_answers:,}, "
            f"refusals among them {system.n_refused:,}, labels {system.n_labels:,}"
        )
    for note in imported.notes:
        print(f"  note: {note}")


def _print_file(file: FileReport) -> None:
    if not file.format:
        print(f"  {file.called}: {file.about}")
        return
    print(f"  {file.called}: {file.about}; rows read {file.n_rows:,}, left out {file.n_skipped:,}")
    for skip in file.skipped[:_SKIPS]:
        print(f"    left out: {f'line {skip.line}, ' if skip.line else ''}{skip.field}: {skip.reason}")
    if len(file.skipped) > _SKIPS:
        print(f"    and more for the same kinds of reasons ({len(file.skipped) - _SKIPS:,}; --json lists them)")
    for note in file.notes:
        print(f"    note: {note}")


def _export_trec(options: argparse.Namespace) -> int:
    from core.services.trec_exporting import export_trec

    written = export_trec(options.run_id, options.out)
    print(f"{options.out} was written: {', '.join(written)}.")
    return 0
