"""Use cases on a stored run besides evaluating it: give it a title or a spending limit, delete it."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from core.engine.models import settings_of
from core.engine.request import Request, check_limits
from core.errors import OptionError
from core.services.queueing import Started, resume_all, take_lock
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
        OptionError: there is no such run, or a limit is below 1 or above what the settings allow.
    """
    _, store = workspace()
    spec = run_row(store, run_id)["spec"]
    given = {"max_calls": max_calls, "max_tokens": max_tokens}
    changed = {name: most for name, most in given.items() if most is not None}
    if not changed:
        return
    request = Request(**{**spec["request"], **changed})
    check_limits(request)
    for name, most in changed.items():
        ceiling = _ceiling(request, name)
        if ceiling is not None and most > ceiling:
            raise OptionError(
                f"--{name.replace('_', '-')} is {most}: the settings allow the endpoint '{request.endpoint}' "
                f"{ceiling:,} a run ({name}); raise that first."
            )
    change_request(store, run_id, spec | {"request": asdict(request)})


@dataclass(frozen=True, slots=True)
class ReachedLimit:
    """The spending limit that stopped a run: ``name`` is "max_calls" or "max_tokens", ``most`` what it allowed.

    ``ceiling`` is what the settings allow at most, None where they do not say.
    """

    name: str
    most: int
    ceiling: int | None

    @property
    def what(self) -> str:
        """What is counted: "calls" or "tokens"."""
        return self.name.removeprefix("max_")

    @property
    def can_be_raised(self) -> bool:
        """Whether a higher limit would be heeded."""
        return self.ceiling is None or self.ceiling > self.most


def reached_limit(run_id: str) -> ReachedLimit | None:
    """Return the spending limit that stopped a run, None where none did or its endpoint is not there any more.

    Raises:
        OptionError: there is no such run.
    """
    _, store = workspace()
    row = run_row(store, run_id)
    name = row["provenance"].get("limit", "")
    if not name or row["version"] > 0:
        return None
    request = Request(**row["spec"]["request"])
    ceiling, asked = _ceiling(request, name), getattr(request, name)
    limits = [limit for limit in (ceiling, asked) if limit is not None]
    return ReachedLimit(name, min(limits), ceiling) if limits else None


def resume_with(run_id: str, name: str, most: int) -> Started:
    """Go on with a run under a higher limit: so many "max_calls" or "max_tokens", all before counted in.

    Raises:
        OptionError: there is no such run or limit, or it is not higher or above what the settings allow.
        TrilensError: the worker ended before it began.
    """
    reached = reached_limit(run_id)
    if reached is None or name != reached.name:
        raise OptionError(f"run '{run_id}' was not stopped by this limit (any more): look at it again.")
    if most <= reached.most:
        raise OptionError(f"{most:,} {reached.what} are no more than the {reached.most:,} it had: give it more.")
    limit_spending(run_id, **{name: most})
    return resume_all([run_id])


def _ceiling(request: Request, name: str) -> int | None:
    endpoint = settings_of(request)
    found: int | None = getattr(endpoint, name) if endpoint else None
    return found


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
