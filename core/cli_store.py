"""Commands that keep the store: backup, restore, doctor."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any


def add_store_commands(commands: Any) -> None:
    """Add them to the command line's subparsers."""
    command = commands.add_parser("backup", help="copy the living store to a file")
    command.add_argument("path", type=Path, metavar="PATH")
    command.set_defaults(run=_backup)

    command = commands.add_parser("restore", help="put a copy in the place of the store, which is kept beside")
    command.add_argument("path", type=Path, metavar="PATH")
    command.set_defaults(run=_restore)

    command = commands.add_parser("doctor", help="versions, encoder, store, endpoints: is everything in order?")
    command.set_defaults(run=_doctor)


def _backup(options: argparse.Namespace) -> int:
    from core.services.backup import backup

    backup(options.path)
    print(f"{options.path} holds a copy of the store.")
    return 0


def _restore(options: argparse.Namespace) -> int:
    from core.services.backup import restore

    kept = restore(options.path)
    print(f"The store is now what {options.path} holds; as it was before, it is kept in {kept}.")
    return 0


def _doctor(options: argparse.Namespace) -> int:
    del options
    from core.services.doctor import examine

    findings = examine(connections=True)
    for finding in findings:
        print(f"{'ok  ' if finding.good else 'BAD '} {finding.subject}: {finding.detail}")
    return 0 if all(finding.good for finding in findings) else 1
