"""Text that goes into spreadsheets: a cell from a dataset must not run as a formula."""

from __future__ import annotations

from typing import Any


def neutral(cell: Any) -> Any:
    """Return the cell with an apostrophe in front where it is text that begins like a formula."""
    if isinstance(cell, str) and cell.startswith(("=", "+", "-", "@", "\t", "\r")):
        return "'" + cell
    return cell
