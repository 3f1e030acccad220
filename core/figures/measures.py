"""The three measures of the logic lens as figures and sentences pick and name them."""

from __future__ import annotations

from typing import Literal

from core.figures.notation import beta_symbol
from core.metrics.scores import ConfigurationScores, LogicCell, LogicScores, Measure

MeasureName = Literal["opi", "bertsim", "lrcr"]

#: in the order they are offered
NAMES: dict[MeasureName, str] = {"opi": "OPI", "bertsim": "BERTSim", "lrcr": "LRCR"}


def average(configuration: ConfigurationScores, measure: MeasureName) -> Measure:
    """Return a configuration's average over relations: eq. 3 for OPI, equal-weight means for the others."""
    return {"opi": configuration.opi, "bertsim": configuration.bertsim, "lrcr": configuration.lrcr}[measure]


def of_cell(cell: LogicCell, measure: MeasureName) -> Measure:
    """Return one of a cell's three measures."""
    return {"opi": cell.opi, "bertsim": cell.bertsim, "lrcr": cell.lrcr}[measure]


def symbol_of(scores: LogicScores, measure: MeasureName) -> str:
    """Return the measure as written beside a number: "OPI(1)", "BERTSim", "LRCR"."""
    return f"OPI({beta_symbol(scores.beta)})" if measure == "opi" else NAMES[measure]


def ranked_by(scores: LogicScores) -> MeasureName:
    """Return which measure the ranking is by: OPI, or BERTSim where the dataset has no relations."""
    return "opi" if scores.ranking.measure == "opi" else "bertsim"
