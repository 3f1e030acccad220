"""Writing a report: to a temporary file beside the target, then in one step into place."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import IO, Literal

from core.errors import InputError
from core.reports.logic_json import score_object
from core.reports.question_csv import write_csv
from core.services.lenses import logic
from core.store.database import store_errors

ReportFormat = Literal["csv", "json"]


def write_report(run_id: str, format: ReportFormat, path: Path) -> None:
    """Write the per-question rows (csv) or the scores at beta 1 (json) of a finished run.

    Raises:
        OptionError: there is no such run, or it is not finished.
        InputError: the target is a folder or a device, or its folder does not exist or cannot be written.
        StoreError: the disk is full; what was at ``path`` before is still there.
    """
    lens = logic(run_id)
    try:
        target = _target(path)
        with (
            store_errors(target),
            tempfile.NamedTemporaryFile("w", encoding="utf-8", newline="", dir=target.parent, delete=False) as file,
        ):
            temporary = Path(file.name)
            try:
                _write(file, run_id, format, score_object(lens))
                file.close()
                temporary.chmod(0o644)
                temporary.replace(target)
            except BaseException:
                temporary.unlink(missing_ok=True)
                raise
    except (OSError, RuntimeError) as error:  # RuntimeError: links that lead in a circle
        reason = error.strerror if isinstance(error, OSError) else error
        raise InputError(f"{path} cannot be written ({reason}): choose another --out.") from error


def _target(path: Path) -> Path:
    """Return the file that is meant, behind links; refuse what a file that takes its place would destroy."""
    target = path.resolve()
    if not target.parent.is_dir():
        raise InputError(f"{path.parent} is no folder: make it first or choose another --out.")
    if target.is_dir():
        raise InputError(f"{path} is a folder: give --out the name of a file.")
    if target.exists() and not target.is_file():
        raise InputError(f"{path} is a device or a pipe: give --out the name of a file.")
    return target


def _write(file: IO[str], run_id: str, format: ReportFormat, scores: object) -> None:
    if format == "csv":
        write_csv(run_id, file)
    else:
        json.dump(scores, file, ensure_ascii=False, indent=2)
