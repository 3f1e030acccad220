"""What can go wrong with one request, in words, and what follows from it: try again, give the call up, end the run."""

from __future__ import annotations

import email.utils
import json
import math
import time
from collections.abc import Mapping

from core.models.llm.calls import FailureKind, Tokens
from core.models.llm.keys import storable

#: kinds that the next try may mend
RETRYABLE: frozenset[FailureKind] = frozenset({"rate", "server", "timeout", "connection"})
#: kinds that every other call would meet as well
FATAL: frozenset[FailureKind] = frozenset({"auth", "model"})
#: kinds that show that the endpoint takes calls and answers them
ANSWERED: frozenset[FailureKind] = frozenset({"format", "too_long"})
#: kinds of a call's failure after which the model may have written all the same, and be paid for
BILLED: tuple[FailureKind, ...] = ("timeout", "format")
#: the longest a Retry-After may hold us up, in seconds
MAX_RETRY_AFTER = 120.0
_MAX_DETAIL = 200


class Fault(Exception):  # noqa: N818 - the field's word; it is caught here and leaves as a failure in words
    """One request that brought no answer.

    ``retry_after`` is what the endpoint asks to be waited, in seconds (capped), None where it says nothing; ``status``
    is the HTTP status, 0 where none came. ``tokens`` are those in and out of an answer that came and is of no use.
    """

    def __init__(
        self,
        kind: FailureKind,
        reason: str,
        *,
        retry_after: float | None = None,
        status: int = 0,
        tokens: Tokens | None = None,
    ) -> None:
        super().__init__(reason)
        self.kind = kind
        self.reason = reason
        self.retry_after = retry_after
        self.status = status
        self.tokens = tokens

    @property
    def may_be_billed(self) -> bool:
        """Whether the model may have written an answer that did not reach us, or was of no use."""
        return self.status == 0 and self.kind in (*BILLED, "too_long")


def fault_of_status(status: int, body: str, headers: Mapping[str, str], key: str = "") -> Fault:
    """Return what an HTTP status other than success means; ``body`` is shown in part, without the ``key``."""
    detail, code = _detail(body, key)
    said = f" ({detail})" if detail else ""
    if 300 <= status < 400:
        return Fault("model", f"it redirects to another address, which is never followed{said}", status=status)
    if status == 401:
        return Fault("auth", f"it does not accept the key{said}", status=status)
    if status == 402 or code == "insufficient_quota":
        return Fault("auth", f"the account has no credit left{said}", status=status)
    if status == 403:
        return Fault("auth", f"the key may not do this{said}", status=status)
    if status == 404 or code == "model_not_found":
        return Fault("model", f"it knows no such model, or nothing answers at this address{said}", status=status)
    if status == 429:
        return Fault("rate", f"too many requests{said}", retry_after=retry_after(headers), status=status)
    if status == 408:
        return Fault("timeout", f"the endpoint gave up waiting{said}", status=status)
    if status >= 500 or status in (409, 425):
        reason = f"the endpoint answered with status {status}{said}"
        return Fault("server", reason, retry_after=retry_after(headers), status=status)
    if status == 413 or _is_too_long(code, detail):
        return Fault("too_long", f"the prompt is longer than the model takes{said}", status=status)
    return Fault("request", f"the endpoint refused the request with status {status}{said}", status=status)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds a ``Retry-After`` header (seconds or a date) asks for, in [0, 120], None where it asks none.

    ``retry-after-ms`` is read as well. What is neither a number nor a date is passed over.
    """
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        text = headers.get(name)
        if text is None:
            continue
        try:
            seconds = float(text) / unit
        except ValueError:
            seconds = _until(text)
        if not math.isnan(seconds):
            return min(max(seconds, 0.0), MAX_RETRY_AFTER)
    return None


def _until(text: str) -> float:
    """Return the seconds until an HTTP date, NaN where the text is none."""
    try:
        return email.utils.parsedate_to_datetime(text).timestamp() - time.time()
    except (ValueError, OverflowError):
        return math.nan


def _detail(body: str, key: str) -> tuple[str, str]:
    """Return what an error body says, cut to a line without the key, and its code."""
    message, code = body, ""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, dict):
        error = value.get("error", value)
        if isinstance(error, dict):
            message = str(error.get("message") or error.get("detail") or "")
            code = str(error.get("code") or error.get("type") or "")
        else:
            message = str(error)
    elif value is not None:
        message = str(value)
    elif body.lstrip().startswith("<"):
        message = ""  # a page for people, made by something in between
    line = " ".join(storable(message, key).split())
    return (line if len(line) <= _MAX_DETAIL else line[:_MAX_DETAIL] + "…"), code


def _is_too_long(code: str, detail: str) -> bool:
    text = f"{code} {detail}".casefold()
    return "context" in text and any(word in text for word in ("length", "window", "size", "exceed"))
