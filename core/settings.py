"""Where things lie: everything the product writes is under ``TRILENS_HOME`` (default ``.trilens/``)."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from core.errors import StoreError


@dataclass(frozen=True, slots=True)
class Home:
    """The folder that holds the store, the encodings, the locks of living runs and their logs."""

    path: Path

    @property
    def store(self) -> Path:
        """The SQLite file with datasets, runs and stage results."""
        return self.path / "trilens.db"

    @property
    def encodings(self) -> Path:
        """The SQLite file with cached text encodings; may be deleted at any time."""
        return self.path / "encodings.db"

    def lock(self, run_id: str) -> Path:
        """The lock file a worker holds while it evaluates ``run_id``."""
        return self.path / "locks" / f"{run_id}.lock"

    def log(self, run_id: str) -> Path:
        """What a worker started from the browser printed."""
        return self.path / "logs" / f"{run_id}.log"


def home() -> Home:
    """Return the home named by ``TRILENS_HOME``, made if it is not there yet.

    Raises:
        StoreError: the folder cannot be made.
    """
    path = Path(os.environ.get("TRILENS_HOME") or ".trilens")
    try:
        path = path.expanduser().resolve()
        for folder in (path, path / "locks", path / "logs"):
            folder.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise StoreError(f"{path} cannot be made ({reason}): set TRILENS_HOME to a folder you may write to.") from error
    return Home(path)
