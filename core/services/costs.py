"""What a finished run's calls to its language model took, as pages and ``score --json`` show it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from core.figures.notation import count
from core.services.catalogue import RunSummary
from core.services.lenses import LogicLens

#: the row of all configurations: what they share is counted once
_ALL = "All, each call once"
SHARED = "Configurations that hand on the same passages share a call, so their rows add up to more than the last."


def cost_table(lens: LogicLens) -> pd.DataFrame:
    """Return a row a configuration and one for all of them, empty where no model was asked.

    ``price`` and ``median seconds`` are there where they are known.
    """
    cost = lens.provenance.get("cost")
    if not cost:
        return pd.DataFrame()
    labels = {configuration.id: configuration.label for configuration in lens.scores.configurations}
    rows = [(label, cost["configurations"][name]) for name, label in labels.items() if name in cost["configurations"]]
    table = pd.DataFrame([_row(label, counts) for label, counts in [*rows, (_ALL, cost["total"])]])
    return table.dropna(axis="columns", how="all")


def cost_sentence(lens: LogicLens) -> str:
    """Return in words what the run asked of which model, "" where it asked none."""
    return cost_words(lens.provenance.get("cost"))


def cost_so_far(run: RunSummary) -> str:
    """Return in words what a run without results has asked of its model so far, "" where it asked nothing."""
    words = cost_words(run.cost)
    return f"So far {words}" if words else ""


def cost_words(cost: Mapping[str, Any] | None) -> str:
    """Return a run's cost (see ``Ledger.record``) in words, "" where there is none."""
    if not cost:
        return ""
    total: Mapping[str, Any] = cost["total"]
    cached = f", {total['cached']:,} of them answered in earlier runs" if total["cached"] else ""
    failed = f"; {count(total['failed'], 'call')} brought no answer" if total["failed"] else ""
    cut = total.get("cut", 0)
    bound = f"; {count(cut, 'text')} {'was' if cut == 1 else 'were'} cut off at the bound of tokens" if cut else ""
    tokens = f"{total['input_tokens']:,} tokens in, {total['output_tokens']:,} out"
    spent = total["spent"]
    price = "" if spent is None else f" By the prices in the settings the new ones cost {spent:,.4g}."
    return (
        f"{count(total['calls'], 'different call')} to {cost['model']['model']}{cached}: "
        f"{tokens}{failed}{bound}.{price}"
    )


def _row(label: str, counts: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "configuration": label,
        "calls": counts["calls"],
        "answered before": counts["cached"],
        "failed": counts["failed"],
        # runs of earlier versions did not count it
        "cut off": counts.get("cut"),
        "tokens in": counts["input_tokens"],
        "tokens out": counts["output_tokens"],
        "seconds of calls": counts["seconds"],
        "median seconds": counts.get("median_seconds"),
        "price": counts["price"],
    }
