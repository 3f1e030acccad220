"""Personal codes, browsers that are signed in with one, sign-ins that ended, failed attempts: their rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.store.database import Store

#: a failed attempt is forgotten after an hour, the end of a sign-in when its cookie has expired
FAILURE_SECONDS, ENDED_SECONDS = 3_600.0, 31 * 86_400.0


def insert_code(store: Store, values: Mapping[str, Any]) -> None:
    """Store a new code."""
    with store.write() as db:
        db["access_codes"].insert(dict(values))


def code_rows(store: Store) -> list[dict[str, Any]]:
    """Return all codes, newest first."""
    return store.rows("SELECT * FROM access_codes ORDER BY created DESC, rowid DESC")


def code_row(store: Store, identifier: str) -> dict[str, Any] | None:
    """Return one code, None where there is none of that id."""
    rows = store.rows("SELECT * FROM access_codes WHERE id = ?", (identifier,))
    return rows[0] if rows else None


def revoke_code_row(store: Store, identifier: str, at: float) -> bool:
    """Mark a code as revoked, and so end every sign-in with it. False where there is none.

    One that was revoked before keeps its time.
    """
    with store.write() as db:
        found = db.conn.execute("UPDATE access_codes SET revoked = COALESCE(revoked, ?) WHERE id = ?", (at, identifier))
        return bool(found.rowcount)


def put_sign_in(store: Store, digest: str, code: str, until: float, at: float) -> None:
    """Store that a browser is signed in with a code; sign-ins that ran out are forgotten."""
    with store.write() as db:
        db.conn.execute("DELETE FROM access_sign_ins WHERE until <= ?", (at,))
        db.conn.execute("INSERT INTO access_sign_ins (digest, code, until) VALUES (?, ?, ?)", (digest, code, until))
        db.conn.execute("UPDATE access_codes SET used = ? WHERE id = ?", (at, code))


def sign_in_row(store: Store, digest: str) -> dict[str, Any] | None:
    """Return the code that a browser is signed in with, and ``until`` when."""
    rows = store.rows(
        "SELECT c.*, s.until FROM access_sign_ins AS s JOIN access_codes AS c ON c.id = s.code WHERE s.digest = ?",
        (digest,),
    )
    return rows[0] if rows else None


def drop_sign_in(store: Store, digest: str) -> None:
    """Forget that a browser is signed in."""
    with store.write() as db:
        db.conn.execute("DELETE FROM access_sign_ins WHERE digest = ?", (digest,))


def end_sign_in(store: Store, digest: str, at: float) -> None:
    """Store that a sign-in with the provider was ended, though its cookie may live on in some tab."""
    with store.write() as db:
        db.conn.execute("DELETE FROM access_ended WHERE at <= ?", (at - ENDED_SECONDS,))
        db.conn.execute("INSERT OR IGNORE INTO access_ended (digest, at) VALUES (?, ?)", (digest, at))


def has_ended(store: Store, digest: str) -> bool:
    """Return whether a sign-in with the provider was ended."""
    return bool(store.rows("SELECT 1 FROM access_ended WHERE digest = ?", (digest,)))


def failures(store: Store, address: str) -> tuple[int, float]:
    """Return how many attempts of an address failed of late, and when the last one did."""
    rows = store.rows("SELECT failed, last FROM access_failures WHERE address = ?", (address,))
    return (rows[0]["failed"], rows[0]["last"]) if rows else (0, 0.0)


def put_failure(store: Store, address: str, at: float) -> None:
    """Count a failed attempt of an address; what is older than an hour is forgotten."""
    with store.write() as db:
        db.conn.execute("DELETE FROM access_failures WHERE last <= ?", (at - FAILURE_SECONDS,))
        db.conn.execute(
            "INSERT INTO access_failures (address, failed, last) VALUES (?, 1, ?) "
            "ON CONFLICT (address) DO UPDATE SET failed = failed + 1, last = excluded.last",
            (address, at),
        )


def drop_failures(store: Store, address: str) -> None:
    """Forget the failed attempts of an address that has signed in."""
    if failures(store, address)[0]:
        with store.write() as db:
            db.conn.execute("DELETE FROM access_failures WHERE address = ?", (address,))
