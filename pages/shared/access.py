"""Who is looking, and what they may do: roles from the least to the most."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from typing import Literal

import streamlit as st

Role = Literal["viewer", "rater", "owner"]
_ORDER: tuple[Role, ...] = ("viewer", "rater", "owner")


@dataclass(frozen=True, slots=True)
class Visitor:
    """``role`` is None for a stranger; ``reason`` says in one sentence why."""

    role: Role | None
    reason: str = ""

    def may(self, needed: Role) -> bool:
        """Return whether this visitor's role reaches ``needed``."""
        return self.role is not None and _ORDER.index(self.role) >= _ORDER.index(needed)


def visitor() -> Visitor:
    """Return who is looking, judged anew on every rerun.

    There is no sign-in, so everybody who reaches the port is the local user, who owns the store. That holds only while
    nobody else can reach it: the server must be bound to a loopback address.
    """
    return local_user(st.get_option("server.address"))


def local_user(address: str | None) -> Visitor:
    """Return the owner where ``address`` (the server's, None for all interfaces) is loopback, else a stranger."""
    if address and is_loopback(address):
        return Visitor("owner")
    where = f"bound to {address}" if address else "bound to every network interface"
    return Visitor(
        None,
        f"This server is {where}, where others can reach it, and it has no sign-in: start it with "
        f"--server.address 127.0.0.1 (as `make run` does) and open it on the machine it runs on.",
    )


def is_loopback(address: str) -> bool:
    """Return whether an address means this machine only: 127.0.0.0/8, ::1, or the reserved name "localhost"."""
    bare = address.strip().strip("[]")
    if bare.casefold() == "localhost":
        return True
    try:
        return ipaddress.ip_address(bare).is_loopback
    except ValueError:
        return False
