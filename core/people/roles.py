"""Who does something, and what they may: roles from the least to the most, checked on every write."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from core.errors import TrilensError

Role = Literal["viewer", "rater", "owner"]
_ORDER: tuple[Role, ...] = get_args(Role)


class AccessError(TrilensError):
    """Somebody without the role that an action needs."""


@dataclass(frozen=True, slots=True)
class Actor:
    """Who acts: ``id`` is what they signed in with, ``name`` what owners read."""

    id: str
    role: Role
    name: str = ""


def require(actor: Actor, needed: Role) -> None:
    """Return where the actor's role reaches ``needed``. Raises AccessError where it does not."""
    if actor.role not in _ORDER or _ORDER.index(actor.role) < _ORDER.index(needed):
        raise AccessError(f"this needs the role {needed}, and yours is {actor.role}: ask an owner to do it.")
