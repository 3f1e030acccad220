"""Errors a user can cause.

Every message says what was wrong, where (file, line, field) and what to do about it, in one sentence:
the command line prints it as it is and exits with status 2, the pages show it in place.
"""

from __future__ import annotations

import errno

#: what the system says when nothing more can be written
FULL_DISK = frozenset({errno.ENOSPC, errno.EFBIG, errno.EDQUOT})


class TrilensError(Exception):
    """Base of every error that is the input's or the machine's, not a bug of ours."""


class InputError(TrilensError):
    """A file, row or field that cannot be used as it stands."""


class OptionError(TrilensError):
    """An argument or setting outside its range, or naming something that does not exist."""


class StoreError(TrilensError):
    """The store cannot be opened, read or written (newer version, full disk, network file system)."""


class ModelError(TrilensError):
    """An encoder or language model that is missing, damaged or not the one it claims to be."""


class BusyError(TrilensError):
    """Somebody else is doing just this at the moment (a run that is already being evaluated)."""


class EndpointUnreachable(ModelError):  # noqa: N818 - the name says what happened
    """An endpoint that answers nothing at the moment; what was not answered is still to do, not failed."""


class EndpointRefused(ModelError):  # noqa: N818 - the name says what happened
    """An endpoint that will answer no call as it is set up: wrong key, unknown model, a request it does not take."""


class SpendingLimitReached(ModelError):  # noqa: N818 - the name says what happened
    """The run has used the calls or tokens its endpoint's settings allow; what was answered is kept.

    ``limit`` is "max_calls" or "max_tokens".
    """

    def __init__(self, message: str, limit: str) -> None:
        super().__init__(message)
        self.limit = limit
