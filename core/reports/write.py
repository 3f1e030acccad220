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
        InputError: the target's folder does not exist or cannot be written.
        StoreError: the disk is full; what was at ``path`` before is still there.
    """
    lens = logic(run_id)
    if not path.parent.is_dir():
        raise InputError(f"{path.parent} is no folder: make it first or choose another --out.")
    if path.is_dir():
        raise InputError(f"{path} is a folder: give --out the name of a file.")
    try:
        with (
            store_errors(path),
            tempfile.NamedTemporaryFile("w", encoding="utf-8", newline="", dir=path.parent, delete=False) as file,
        ):
            temporary = Path(file.name)
            try:
                _write(file, run_id, format, score_object(lens))
                file.close()
                temporary.chmod(0o644)
                temporary.replace(path)
            except BaseException:
                temporary.unlink(missing_ok=True)
                raise
    except PermissionError as error:
        raise InputError(f"{path} cannot be written ({error.strerror}): choose another --out.") from error


def _write(file: IO[str], run_id: str, format: ReportFormat, scores: object) -> None:
    if format == "csv":
        write_csv(run_id, file)
    else:
        json.dump(scores, file, ensure_ascii=False, indent=2)
