"""The keys of the Annotate page. A press belongs to the item on screen: its widget key names assignment and token."""

from __future__ import annotations

from collections.abc import Sequence

UNDO, SKIP, NOTE, GUIDELINES = "u", "s", "n", "g"


def score_key(score: float, scale: Sequence[float]) -> str | None:
    """Return the key that gives a score: its digit where every score of the scale is a single digit, else None."""
    if all(float(one).is_integer() and 0 <= one <= 9 for one in scale):
        return str(int(score))
    return None


def as_score(score: float) -> str:
    """Return a score as a button shows it: 3 rather than 3.0."""
    return f"{score:g}"


def widget_key(action: str, assignment: str, token: str) -> str:
    """Return a key that no other item, and no second showing of this item, has.

    A press that was made on an earlier item then names a widget which is gone, and does nothing, instead of landing
    on the item that has come in the meantime.
    """
    return f"annotate-{action}-{assignment}-{token}"
