"""How numbers are written, on pages, in figures and in sentences: one way everywhere.

Shares and indices lie in [0, 1] or [-1, 1] and carry three digits without the leading zero (.742); intervals follow in
parentheses with "to" (.711 to .773), because a dash would read as a minus.
"""

from __future__ import annotations

from core.metrics.scores import Measure

MINUS = "−"


def decimal(value: float, digits: int = 3) -> str:
    """Return ``value`` with ``digits`` decimals: 0.742 is ".742", -0.05 is "−.050", 1.0 is "1.000"."""
    text = f"{abs(value):.{digits}f}"
    if float(text) == 0.0:
        return text[1:]
    if text.startswith("0"):
        text = text[1:]
    return MINUS + text if value < 0 else text


def interval(low: float | None, high: float | None, digits: int = 3) -> str:
    """Return ".711 to .773", or "" where no interval exists."""
    return "" if low is None or high is None else f"{decimal(low, digits)} to {decimal(high, digits)}"


def estimate(value: float, low: float | None, high: float | None, digits: int = 3) -> str:
    """Return ".742 (.711 to .773)", or the value alone where no interval exists."""
    span = interval(low, high, digits)
    return f"{decimal(value, digits)} ({span})" if span else decimal(value, digits)


def measured(measure: Measure, digits: int = 3) -> str:
    """Return a measure as text: its estimate, or in words why there is none."""
    if measure.value is not None:
        return estimate(measure.value, measure.low, measure.high, digits)
    if measure.reason:
        return measure.reason
    return "failed" if measure.n_failed else "not applicable"


def per_cent(share: float) -> str:
    """Return a share of 1 as whole per cent: 0.714 is "71 %"."""
    return f"{round(100 * share)} %"


def count(number: int, singular: str, plural: str = "") -> str:
    """Return "1 question", "1,200 questions"."""
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


def beta_symbol(beta: float) -> str:
    """Return beta as the slider shows it: "0", "0.4", "1", "∞"."""
    return "∞" if beta == float("inf") else f"{beta:g}"


def listed(names: list[str]) -> str:
    """Return "a", "a and b", "a, b and c"."""
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1] if names else ""
