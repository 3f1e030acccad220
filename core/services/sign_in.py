"""Use case *sign in*: who somebody is, by a personal code or by what an identity provider says, and what they may."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import cast

from core.errors import TrilensError
from core.people.codes import PREFIX, digest, matches, new_token, parsed, seconds_to_wait
from core.people.roles import AccessError, Actor, Role
from core.services.access_codes import state_of
from core.services.workspace import workspace
from core.settings import trilens_settings
from core.store import identities as rows
from core.store.people import standing, studies_of

#: how long a browser stays signed in with a code
SIGN_IN_SECONDS = 30 * 86_400
#: who works at the machine itself
LOCAL = Actor("local", "owner")


@dataclass(frozen=True, slots=True)
class SignedIn:
    """``token`` is what the browser keeps and shows again, for ``seconds``; the code itself is kept nowhere."""

    token: str
    seconds: int


@dataclass(frozen=True, slots=True)
class Known:
    """``actor`` is None for somebody who may nothing; ``reason`` says in one sentence why, "" where nobody asked."""

    actor: Actor | None
    reason: str = ""


def sign_in(text: str, address: str) -> SignedIn:
    """Take a code as somebody typed it. ``address`` is where they are: failed attempts slow it down.

    Raises:
        AccessError: the code is wrong, revoked or expired, or it is too early for another attempt.
    """
    _, store = workspace()
    at = time.time()
    wait = seconds_to_wait(*rows.failures(store, address), at)
    if wait:
        raise AccessError(f"Too many wrong codes came from where you are: try again in {int(wait) + 1} seconds.")
    identifier, secret = parsed(text) or (PREFIX, "")
    row = rows.code_row(store, identifier)
    if not matches(secret, row["digest"] if row else None) or row is None:
        rows.put_failure(store, address, at)
        raise AccessError("No such code is known: copy it whole, or ask the owner of this server for another one.")
    if refused := _refusal(row["revoked"], row["expires"], at):
        raise AccessError(refused)
    token = new_token()
    until = min(at + SIGN_IN_SECONDS, row["expires"] or float("inf"))
    rows.put_sign_in(store, digest(token), identifier, until, at)
    rows.drop_failures(store, address)
    return SignedIn(token, int(until - at))


def signed_in(token: str) -> Known:
    """Return who a browser's token stands for now: a code that was revoked meanwhile opens nothing."""
    _, store = workspace()
    row = rows.sign_in_row(store, digest(token))
    at = time.time()
    if row is None or row["until"] <= at:
        return Known(None)
    if refused := _refusal(row["revoked"], row["expires"], at):
        return Known(None, refused)
    return Known(Actor(row["id"], cast(Role, row["role"]), row["name"]))


def sign_out(token: str) -> None:
    """End what ``sign_in`` began, in every tab that has the token."""
    _, store = workspace()
    rows.drop_sign_in(store, digest(token))


def member(email: str, name: str, *, is_verified: bool, session: str) -> Known:
    """Return who somebody is whom the identity provider has named, by the settings and by invitations to studies.

    ``session`` is all that the provider said at this sign-in, which no other sign-in is equal to.
    """
    email = email.strip().casefold()
    if not email:
        return Known(None, "The provider you signed in with gave no e-mail address, by which people are known here.")
    try:
        roles = trilens_settings().roles
    except TrilensError:
        # the file's path and what is wrong in it are for the owner's eyes
        return Known(None, "The settings of this server cannot be read: `.venv/bin/python -m core doctor` says why.")
    if not is_verified and not roles.trusts_unverified:
        return Known(None, f"The provider has not verified that {email} is yours: verify it there and sign in again.")
    _, store = workspace()
    if rows.has_ended(store, digest(session)):
        return Known(None)
    role = roles.by_email.get(email)
    if role != "owner" and studies_of(store, email):
        role = "rater"
    if role is None:
        return Known(
            None,
            f"You are signed in as {email}, whom nobody has given access: ask the owner of this server to add you "
            "to its settings or to invite you to a study.",
        )
    return Known(Actor(email, cast(Role, role), name))


def end_session(session: str) -> None:
    """Let a sign-in with the provider open nothing any more, also in tabs that keep its cookie."""
    _, store = workspace()
    rows.end_sign_in(store, digest(session), time.time())


def rates_blind(actor: Actor) -> bool:
    """Return whether somebody is a rater in a study that is not closed: they must not see scores yet."""
    if actor.role != "rater":
        return False
    _, store = workspace()
    found = (standing(store, study, actor.id) for study in studies_of(store, actor.id))
    return any(one is not None and one["state"] != "closed" for one in found)


def _refusal(revoked: float | None, expires: float | None, at: float) -> str:
    state = state_of(revoked, expires, at)
    return "" if state == "valid" else f"This code is {state}: ask the owner of this server for another one."
