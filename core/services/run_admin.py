"""Use cases on a stored run besides evaluating it: give it a title or a spending limit, delete it."""

from __future__ import annotations

from dataclasses import asdict

from core.engine.request import Request, check_limits
from core.errors import OptionError
from core.services.queueing import take_lock
from core.services.workspace import workspace
from core.store.runs import change_request, delete_run, rename_run, run_row

#: characters of a title: what a line of a list on a phone can hold
LONGEST_TITLE = 80


def rename(run_id: str, title: str, before: str | None = None) -> str:
    """Give a run a title ("" takes it away) and return it as stored: white space is one space each.

    ``before`` is the title that whoever renames it has seen; None: whichever it is.

    Raises:
        OptionError: there is no such run, it is not called ``before`` any more, or the title is too long or no text.
    """
    _, store = workspace()
    run_row(store, run_id)
    tidy = " ".join(title.split())
    if len(tidy) > LONGEST_TITLE:
        raise OptionError(f"the title has {len(tidy)} characters: it may have at most {LONGEST_TITLE}.")
    # the rest of what cannot be printed: control characters, halves of characters, marks that turn a line around
    if not tidy.isprintable():
        raise OptionError("the title holds characters that cannot be shown: leave them out.")
    if not rename_run(store, run_id, tidy, before):
        run_row(store, run_id)
        raise OptionError("somebody else has renamed this run meanwhile: look at its title and rename it again.")
    return tidy


def limit_spending(run_id: str, max_calls: int | None = None, max_tokens: int | None = None) -> None:
    """Let a run send so many calls to its language model and use so many tokens, all it did before counted in.

    None leaves a limit as it is.

    Raises:
        OptionError: there is no such run, or a limit is below 1.
    """
    _, store = workspace()
    spec = run_row(store, run_id)["spec"]
    given = {"max_calls": max_calls, "max_tokens": max_tokens}
    changed = {name: most for name, most in given.items() if most is not None}
    if not changed:
        return
    request = Request(**{**spec["request"], **changed})
    check_limits(request)
    change_request(store, run_id, spec | {"request": asdict(request)})


def delete(run_id: str) -> None:
    """Delete a run and its scores. What its stages computed stays, so that the same run again is quick.

    Raises:
        OptionError: there is no such run (any more).
        BusyError: it is being evaluated.
    """
    home, store = workspace()
    run_row(store, run_id)
    lock = take_lock(run_id)
    try:
        if not delete_run(store, run_id):
            run_row(store, run_id)
        home.log(run_id).unlink(missing_ok=True)
    finally:
        lock.close()
