"""Where things lie (all under ``TRILENS_HOME``, default ``.trilens/``), and what the browser may choose by name."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from core.endpoints import Endpoint, endpoints_in
from core.errors import InputError, StoreError

__all__ = ["SETTINGS_FILE", "Endpoint", "Home", "Settings", "home", "trilens_settings"]


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

    @property
    def backups(self) -> Path:
        """The folder of the backups that were made from the browser."""
        return self.path / "backups"

    def lock(self, run_id: str) -> Path:
        """The lock file a worker holds while it evaluates ``run_id``."""
        # a name that holds a slash, however it came into the store, leads nowhere else
        return self.path / "locks" / f"{run_id.replace('/', '_')}.lock"

    def log(self, run_id: str) -> Path:
        """What a worker started from the browser printed."""
        return self.path / "logs" / f"{run_id.replace('/', '_')}.log"


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


#: the file that names what a browser may choose
SETTINGS_FILE = Path(__file__).resolve().parents[1] / ".streamlit" / "secrets.toml"
_FACTORY = re.compile(r"[\w.]+:[\w.]+")


@dataclass(frozen=True, slots=True)
class Settings:
    """What the owner of this installation allows the browser to choose, by name.

    ``retrievers`` maps a name to ``package.module:factory``, ``encoders`` to the folder of a sentence-transformers
    model, ``import_roots`` to a folder whose files may be imported, ``endpoints`` to where a language model answers.
    """

    path: Path
    retrievers: Mapping[str, str] = field(default_factory=dict)
    encoders: Mapping[str, Path] = field(default_factory=dict)
    import_roots: Mapping[str, Path] = field(default_factory=dict)
    endpoints: Mapping[str, Endpoint] = field(default_factory=dict)


def trilens_settings() -> Settings:
    """Return the ``[trilens.*]`` tables of ``.streamlit/secrets.toml``, or of the file ``TRILENS_SETTINGS`` names.

    Raises:
        InputError: the file is there but cannot be read, is no TOML, or holds something unusable.
    """
    path, written = _settings_file()
    tables = written.get("trilens", {})
    if not isinstance(tables, dict):
        raise InputError(f"{path}: 'trilens' must be a table, such as [trilens.import_roots].")
    retrievers = _texts(path, tables, "retrievers")
    for name, factory in retrievers.items():
        if not _FACTORY.fullmatch(factory):
            raise InputError(
                f"{path}, trilens.retrievers.{name}: '{factory}' is no retriever; write package.module:factory."
            )
    return Settings(
        path,
        retrievers,
        _folders(path, tables, "encoders"),
        _folders(path, tables, "import_roots"),
        endpoints_in(path, tables.get("endpoints", {})),
    )


def secret(name: str) -> str:
    """Return what an environment variable holds, else what the settings file says at its top (``NAME = "…"``), or "".

    Raises:
        InputError: the settings file cannot be read.
    """
    found = os.environ.get(name, "").strip()
    if not found:
        said = _settings_file()[1].get(name, "")
        found = said.strip() if isinstance(said, str) else ""
    return found


def settings_file() -> Path:
    """Return the settings file, which need not be there."""
    named = os.environ.get("TRILENS_SETTINGS")
    return Path(named).expanduser() if named else SETTINGS_FILE


def _settings_file() -> tuple[Path, Mapping[str, object]]:
    """Return the settings file and what it holds: nothing where there is none."""
    named = os.environ.get("TRILENS_SETTINGS")
    path = settings_file()
    try:
        with path.open("rb") as file:
            return path, tomllib.load(file)
    except FileNotFoundError:
        if named:
            raise InputError(f"TRILENS_SETTINGS names {path}, which does not exist: correct or unset it.") from None
        return path, {}
    except (OSError, ValueError) as error:  # ValueError: no TOML, no UTF-8, or a number of too many digits
        # the error of a TOML reader names line and column, never what stands there
        raise InputError(f"{path} cannot be read ({error}): correct it, then load the page again.") from error


def _folders(path: Path, tables: Mapping[str, object], name: str) -> dict[str, Path]:
    folders = {key: Path(text).expanduser() for key, text in _texts(path, tables, name).items()}
    for key, folder in folders.items():
        if not folder.is_absolute():
            raise InputError(f"{path}, trilens.{name}.{key}: '{folder}' is not absolute; write the whole path.")
    return {key: folder.resolve() for key, folder in folders.items()}


def _texts(path: Path, tables: Mapping[str, object], name: str) -> dict[str, str]:
    table = tables.get(name, {})
    if not isinstance(table, dict) or not all(isinstance(value, str) and value.strip() for value in table.values()):
        raise InputError(f'{path}: [trilens.{name}] must hold lines such as NAME = "value", each a text.')
    return {str(key): value.strip() for key, value in table.items()}
