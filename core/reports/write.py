"""Writing a report to a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal

from core.reports.coverage_json import coverage_object
from core.reports.granularity_json import granularity_object
from core.reports.logic_json import score_object
from core.reports.question_csv import write_csv
from core.services.lenses import logic
from core.services.written_file import written_file

ReportFormat = Literal["csv", "json"]


def write_report(run_id: str, format: ReportFormat, path: Path) -> None:
    """Write the per-question rows (csv) or the scores at beta 1 (json) of a finished run.

    Raises:
        OptionError: there is no such run, or it is not finished.
        InputError: the target is a folder or a device, or its folder does not exist or cannot be written.
        StoreError: the disk is full; what was at ``path`` before is still there.
    """
    lens = logic(run_id)
    with written_file(path) as file:
        if format == "csv":
            write_csv(run_id, file)
        else:
            found = {
                **score_object(lens),
                "coverage": coverage_object(run_id),
                "granularity": granularity_object(run_id),
            }
            json.dump(found, file, ensure_ascii=False, indent=2)
