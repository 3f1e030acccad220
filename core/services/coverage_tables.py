"""The tables under the Coverage page's charts, a row a configuration or a cell, each with its counts."""

from __future__ import annotations

from typing import Any

import pandas as pd

from core.figures.configurations import in_order
from core.figures.coverage_measures import PARTS, UNKNOWN, symbol
from core.metrics.coverage_scores import MEASURES, CoverageScores, Curves
from core.metrics.scores import Measure
from core.services.coverage import CoverageMap

Record = dict[str, Any]

_DIVIDES = "StRecall divides by"


def configurations_table(scores: CoverageScores, matcher: str, denominator: str) -> pd.DataFrame:
    """Return a row a configuration: every measure with its interval and n, the counts of its bar, who decided them."""
    by_id = {configuration.id: configuration for configuration in scores.configurations}
    place = {row.id: row.rank for row in scores.ranking.rows}
    records = []
    for identifier in in_order(list(by_id)):
        one = by_id[identifier]
        record: Record = {"place": place.get(identifier), "configuration": one.label}
        for name in MEASURES:
            if name in one.macro:
                record |= _measure(symbol(name), one.macro[name])
        record |= {f"{symbol(name)}, all nuggets pooled": measure.value for name, measure in one.micro.items()}
        record |= {f"nuggets {PARTS[part]}": n for part, n in one.losses.parts.items()}
        record |= {f"nuggets {UNKNOWN}": one.losses.unknown, "nuggets": one.losses.n}
        record |= {
            "n scored": one.macro["grounded"].n_scored,
            "n failed": one.macro["grounded"].n_failed,
            "n not applicable": one.macro["grounded"].n_not_applicable,
            "n refused": one.macro["grounded"].n_refused,
            "words an answer": one.words,
            **_decided_by(scores, matcher, denominator),
        }
        records.append(record)
    table = pd.DataFrame.from_records(records)
    return table.astype({"place": "Int64"}) if len(table) else table


def map_table(scores: CoverageScores, shown: CoverageMap, matcher: str, denominator: str) -> pd.DataFrame:
    """Return a row a cell of the map."""
    by_id = {configuration.id: configuration.label for configuration in scores.configurations}
    return pd.DataFrame.from_records(
        [
            {
                "configuration": by_id[identifier],
                shown.dimension: column,
                **_measure(symbol(shown.measure), measure),
                "n scored": measure.n_scored,
                "n failed": measure.n_failed,
                "n not applicable": measure.n_not_applicable,
                "reason": measure.reason,
                **_decided_by(scores, matcher, denominator),
            }
            for identifier in in_order(list(by_id))
            for column in shown.columns
            if (measure := shown.groups[identifier].get(column)) is not None
        ]
    )


def curves_table(panels: tuple[Curves, ...], scores: CoverageScores, denominator: str) -> pd.DataFrame:
    """Return a row a (configuration, k): both measures with their intervals."""
    by_id = {configuration.id: configuration.label for configuration in scores.configurations}
    there = {identifier for panel in panels for identifier in panel.of}
    return pd.DataFrame.from_records(
        [
            {"configuration": by_id[identifier], "k": k + 1}
            | {
                key: value
                for panel in panels
                if identifier in panel.of
                for key, value in _measure(symbol(panel.measure), panel.of[identifier][k]).items()
            }
            | {_DIVIDES: f"{denominator} nuggets"}
            for identifier in in_order(list(there))
            for k in range(max(len(panel.of[identifier]) for panel in panels if identifier in panel.of))
        ]
    )


def _decided_by(scores: CoverageScores, matcher: str, denominator: str) -> Record:
    return {"nuggets counted": scores.importance, "matcher": matcher, _DIVIDES: f"{denominator} nuggets"}


def _measure(name: str, measure: Measure) -> Record:
    return {name: measure.value, f"{name} low": measure.low, f"{name} high": measure.high}
