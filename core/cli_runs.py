"""Commands on stored runs: stop, rename, delete; going on with several, one after the other."""

from __future__ import annotations

import argparse
import traceback
from collections.abc import Mapping, Sequence
from functools import partial
from shlex import quote
from typing import Any

from core.cli_print import complain
from core.errors import TrilensError


def add_run_commands(commands: Any) -> None:
    """Add them to the command line's subparsers."""
    command = commands.add_parser(
        "stop", help="ask a run to stop at the next safe point, or take it out of its queue; the rest goes on"
    )
    command.add_argument("run_id", metavar="RUN")
    command.set_defaults(run=_stop)

    command = commands.add_parser("rename", help="give a run a title; its id and its command stay")
    command.add_argument("run_id", metavar="RUN")
    command.add_argument("title", metavar="TITLE", help="at most 80 characters; '' takes the title away")
    command.set_defaults(run=_rename)

    command = commands.add_parser("delete", help="delete a run with all its scores; what its stages computed stays")
    command.add_argument("run_id", metavar="RUN")
    command.add_argument("--yes", action="store_true", help="really delete it")
    command.set_defaults(run=_delete)


def resume(run_ids: Sequence[str], retry_failed: bool, as_json: bool, limits: Mapping[str, int | None]) -> int:
    """Evaluate what is missing of stored runs and return the exit status; of several, one that fails stops no other.

    ``limits`` are what they may spend from now on, None as before.
    """
    from core.cli_progress import evaluate_and_print
    from core.services.queueing import opened
    from core.services.run_admin import limit_spending

    for run_id in run_ids:
        limit_spending(run_id, **limits)
    status = 0
    with opened(run_ids, retry_failed=retry_failed) as queue:
        if len(run_ids) == 1:
            return evaluate_and_print(partial(queue.evaluate, run_ids[0]), as_json)
        for run_id in dict.fromkeys(run_ids):
            try:
                ended = evaluate_and_print(partial(queue.evaluate, run_id), as_json)
            except TrilensError as error:
                complain(str(error))
                ended = 2
            except Exception:
                traceback.print_exc()
                ended = 1
            status = status or ended
    return status


def _stop(options: argparse.Namespace) -> int:
    from core.services.queueing import stop

    how = {"asked": "was asked to stop", "withdrawn": "was taken out of the queue"}[stop(options.run_id)]
    print(f"{options.run_id} {how}; `.venv/bin/python -m core evaluate --resume {quote(options.run_id)}` goes on.")
    return 0


def _rename(options: argparse.Namespace) -> int:
    from core.services.run_admin import rename

    title = rename(options.run_id, options.title)
    print(f"{options.run_id} is now called {title!r}." if title else f"{options.run_id} has no title any more.")
    return 0


def _delete(options: argparse.Namespace) -> int:
    from core.services.catalogue import run
    from core.services.run_admin import delete

    if not options.yes:
        found = run(options.run_id)
        complain(f"{found.id} ({found.state}) would be deleted with all its scores: add --yes to do so.")
        return 2
    delete(options.run_id)
    print(f"{options.run_id} was deleted.")
    return 0
