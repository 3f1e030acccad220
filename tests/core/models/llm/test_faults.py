"""Statuses and headers in words, and what follows from them."""

from __future__ import annotations

import email.utils
import json
import time

import pytest

from core.models.llm.faults import ANSWERED, FATAL, RETRYABLE, fault_of_status, retry_after


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (301, "model"),
        (400, "request"),
        (401, "auth"),
        (402, "auth"),
        (403, "auth"),
        (404, "model"),
        (408, "timeout"),
        (409, "server"),
        (413, "too_long"),
        (422, "request"),
        (429, "rate"),
        (500, "server"),
        (503, "server"),
        (529, "server"),
    ],
)
def test_every_status_has_a_kind(status: int, kind: str) -> None:
    fault = fault_of_status(status, "", {})
    assert (fault.kind, fault.status) == (kind, status)
    assert fault.reason
    assert "(" not in fault.reason


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ({"error": {"message": "no", "code": "insufficient_quota"}}, "auth"),
        ({"error": {"message": "maximum context length is 10", "code": None}}, "too_long"),
        ({"error": {"message": "x", "type": "exceed_context_size_error"}}, "too_long"),
        ({"error": {"message": "no", "code": "model_not_found"}}, "model"),
        ({"error": "plain"}, "request"),
        ({"detail": "plain"}, "request"),
        ([1], "request"),
    ],
)
def test_the_code_in_the_body_is_heeded(body: object, kind: str) -> None:
    assert fault_of_status(400, json.dumps(body), {}).kind == kind


def test_the_reason_quotes_the_endpoint_in_one_short_line() -> None:
    assert fault_of_status(500, '{"error": {"message": "it\\n broke"}}', {}).reason.endswith("status 500 (it broke)")
    assert len(fault_of_status(500, "x" * 10_000, {}).reason) < 300
    assert "html" not in fault_of_status(502, "<html><body>Bad gateway</body></html>", {}).reason


def test_no_kind_is_both_tried_again_and_final() -> None:
    assert not RETRYABLE & FATAL
    assert not RETRYABLE & ANSWERED
    assert not FATAL & ANSWERED


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "99999"}, 120.0),
        ({"retry-after": "inf"}, 120.0),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
    ],
)
def test_retry_after_is_read(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers) == seconds


def test_retry_after_may_be_a_date() -> None:
    found = retry_after({"retry-after": email.utils.formatdate(time.time() + 30, usegmt=True)})
    assert found is not None
    assert 28 <= found <= 30
