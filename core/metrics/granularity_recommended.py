"""Which level to report at: ours from the tests of each split, and beside it the paper's largest power."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.metrics.granularity_added import Added
from core.stats.correction import ALPHA


@dataclass(frozen=True, slots=True)
class Recommendation:
    """The recommended ``level``, None where none separates or nothing could be tested; ``sentence`` says why."""

    level: int | None
    name: str
    sentence: str


@dataclass(frozen=True, slots=True)
class PaperChoice:
    """The level of the largest discriminative power, the paper's rule; None where no level has one."""

    level: int | None
    name: str
    power: float | None
    sentence: str


def recommendation(names: Sequence[str], added: Sequence[Added]) -> Recommendation:
    """Return the coarsest level below which no split adds anything distinguishable (Holm over levels, 5 %).

    Both are by level, coarsest first. A split that adds something counts although the one above it did not: what
    differs at the fine level only may vanish in the averages above.
    """
    tested = [level for level, one in enumerate(added) if one.p_adjusted is not None]
    if not tested:
        return Recommendation(None, "", "No level can be recommended: no level has enough questions to be tested.")
    p = {level: _p(added[level]) for level in tested}
    telling = [level for level in tested if _adjusted(added[level]) <= ALPHA]
    if len(names) == 1:
        differ = (
            "Report by category: the categories differ" if telling else "The categories differ no more than by chance"
        )
        return Recommendation(0 if telling else None, names[0] if telling else "", f"{differ} ({p[0]}).")
    if not telling:
        least = min(tested, key=lambda level: _adjusted(added[level]))
        return Recommendation(
            None,
            "",
            f"No level separates: the split into {names[least]} adds no more than chance would ({p[least]}).",
        )
    chosen = telling[-1]
    deeper = [level for level in tested if level > chosen]
    if deeper:
        rest = f"splitting on into {names[deeper[0]]} adds nothing distinguishable ({p[deeper[0]]})"
    elif chosen + 1 < len(names):
        rest = f"whether splitting on helps cannot be said: {added[chosen + 1].reason}"
    else:
        rest = "it is the finest there is"
    return Recommendation(
        chosen, names[chosen], f"Report at {names[chosen]}: its split adds something ({p[chosen]}), and {rest}."
    )


def paper_choice(powers: Sequence[tuple[int, str, float | None]]) -> PaperChoice:
    """Return the level (number, name, power) of the largest discriminative power, the coarsest of equal ones."""
    known = [(power, -level, name) for level, name, power in powers if power is not None]
    if not known:
        return PaperChoice(None, "", None, "The paper's rule names no level: none has a discriminative power.")
    power, place, name = max(known)
    if len(powers) == 1:
        return PaperChoice(-place, name, power, f"There is one level, of discriminative power {power:.4f}.")
    return PaperChoice(
        -place,
        name,
        power,
        f"The paper's rule, the largest discriminative power, names {name} ({power:.4f}); noise alone makes it grow "
        "with the number of categories.",
    )


def _adjusted(one: Added) -> float:
    return 1.0 if one.p_adjusted is None else one.p_adjusted


def _p(one: Added) -> str:
    p = _adjusted(one)
    return "adjusted p < 0.001" if p < 0.001 else f"adjusted p = {p:.3f}"
