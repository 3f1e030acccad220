"""Values of workbooks, Parquet and YAML files as the types that JSON has."""

from __future__ import annotations

import datetime
import decimal
from typing import Any


def plain(value: object) -> Any:
    """Return the value as JSON knows it: dates become ISO text, decimals numbers, what is not finite None."""
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, datetime.timedelta):
        return value.total_seconds()
    if isinstance(value, decimal.Decimal):
        value = float(value)
    if isinstance(value, float) and value - value != 0:
        return None
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    return value
