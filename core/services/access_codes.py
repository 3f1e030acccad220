"""Use case *give access*: an owner makes personal codes, looks at them, revokes them."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal, get_args

from core.errors import OptionError
from core.people.codes import new_code
from core.people.roles import Actor, Role, require
from core.services.workspace import workspace
from core.store import identities as rows
from core.store.database import now
from core.store.people import studies_of

LONGEST_NAME = 120
MOST_DAYS = 3_650
CodeState = Literal["valid", "expired", "revoked"]


@dataclass(frozen=True, slots=True)
class PersonalCode:
    """A code as owners see it: never its text. ``created``, ``expires`` and ``used`` are UTC, ISO 8601, or ""."""

    id: str
    role: Role
    name: str
    state: CodeState
    created: str
    expires: str
    used: str
    studies: tuple[str, ...]


def create_code(actor: Actor, role: Role, name: str = "", days: int | None = None) -> tuple[str, str]:
    """Make a code and return its id and its text, which is stored nowhere and shown this once.

    ``days``: it expires after that many; None: never.

    Raises:
        AccessError: the actor is no owner.
        OptionError: no such role, a name that is too long, or days out of range.
    """
    require(actor, "owner")
    name = " ".join(name.split())
    if role not in get_args(Role):
        raise OptionError(f"'{str(role)[:40]}' is no role: choose {', '.join(get_args(Role))}.")
    if len(name) > LONGEST_NAME or not name.isprintable():
        raise OptionError(f"a name has at most {LONGEST_NAME} characters that can be read: '{name[:40]}…' has not.")
    if days is not None and not 1 <= days <= MOST_DAYS:
        raise OptionError(f"a code cannot expire after {days:,} days: choose 1 to {MOST_DAYS:,}.")
    made = new_code()
    _, store = workspace()
    rows.insert_code(
        store,
        {
            "id": made.id,
            "digest": made.digest,
            "role": role,
            "name": name,
            "created": now(),
            "expires": None if days is None else time.time() + days * 86_400,
            "revoked": None,
            "used": None,
        },
    )
    return made.id, made.text


def codes(actor: Actor) -> list[PersonalCode]:
    """Return all codes, newest first, revoked and expired ones too. Raises AccessError for everybody but owners."""
    require(actor, "owner")
    _, store = workspace()
    at = time.time()
    return [
        PersonalCode(
            id=row["id"],
            role=row["role"],
            name=row["name"],
            state=state_of(row["revoked"], row["expires"], at),
            created=row["created"],
            expires=_moment(row["expires"]),
            used=_moment(row["used"]),
            studies=tuple(studies_of(store, row["id"])),
        )
        for row in rows.code_rows(store)
    ]


def revoke_code(actor: Actor, code_id: str) -> None:
    """Let a code open nothing any more, at once and in every browser; twice is once.

    Raises:
        AccessError: the actor is no owner.
        OptionError: there is no such code.
    """
    require(actor, "owner")
    _, store = workspace()
    if not rows.revoke_code_row(store, code_id, time.time()):
        raise OptionError(f"there is no code '{code_id[:40]}': `access list` shows those there are.")


def state_of(revoked: float | None, expires: float | None, at: float) -> CodeState:
    """Return what a code is worth at a time."""
    if revoked is not None:
        return "revoked"
    return "expired" if expires is not None and expires <= at else "valid"


def _moment(seconds: float | None) -> str:
    return "" if seconds is None else datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
