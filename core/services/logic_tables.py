"""The logic lens as frames for the browser and CSV: numbers as numbers, missing ones with their reason. Pure."""

from __future__ import annotations

from typing import Any

import pandas as pd

from core.figures.configurations import in_order
from core.metrics.scores import ConfigurationScores, LogicScores, Measure
from core.services.spreadsheet import neutral

Record = dict[str, Any]


def ranking_table(scores: LogicScores) -> pd.DataFrame:
    """Return a row a configuration, ranked ones first; what is not ranked has no place and says why."""
    by_id = {configuration.id: configuration for configuration in scores.configurations}
    ranked = {row.id: row for row in scores.ranking.rows}
    table = pd.DataFrame.from_records(
        [
            {
                "place": ranked[identifier].rank if identifier in ranked else None,
                "configuration": by_id[identifier].label,
                **_measures(by_id[identifier]),
                "best in resamples": ranked[identifier].probability_best if identifier in ranked else None,
                "not ranked because": ""
                if identifier in ranked
                else scores.ranking.left_out.get(identifier, "it has no score"),
            }
            for identifier in (*ranked, *in_order([i for i in by_id if i not in ranked]))
        ]
    )
    # places are whole numbers, or missing
    return table.astype({"place": "Int64"}) if len(table) else table


def cell_table(scores: LogicScores) -> pd.DataFrame:
    """Return a row a (configuration, relation): the three measures with intervals and counts."""
    by_id = {configuration.id: configuration for configuration in scores.configurations}
    return pd.DataFrame.from_records(
        [
            {
                "configuration": by_id[identifier].label,
                "relation": relation,
                **_measure("OPI", cell.opi),
                **_measure("BERTSim", cell.bertsim),
                **_measure("LRCR", cell.lrcr),
                **_counts(cell.bertsim),
                "reason": cell.opi.reason or cell.lrcr.reason or cell.bertsim.reason,
            }
            for identifier in in_order(list(by_id))
            for relation in scores.relations
            if (cell := by_id[identifier].relations.get(relation)) is not None
        ]
    )


def as_csv(table: pd.DataFrame) -> str:
    """Return a table as CSV with a header; missing values are empty, text that a spreadsheet would run is not."""
    return table.map(neutral).to_csv(index=False, lineterminator="\n")


def _measures(c: ConfigurationScores) -> Record:
    return {
        **_measure("OPI", c.opi),
        "mean of the relations' OPIs": c.opi_mean_of_relations.value,
        **_measure("BERTSim", c.bertsim),
        **_measure("LRCR", c.lrcr),
        "BERTSim without refusals": c.bertsim_answered.value,
        "LRCR without refusals": c.lrcr_answered.value,
        **_counts(c.bertsim),
        "words a question": c.words_per_question,
        "sentences a question": c.sentences_per_question,
    }


def _measure(name: str, measure: Measure) -> Record:
    return {name: measure.value, f"{name} low": measure.low, f"{name} high": measure.high}


def _counts(measure: Measure) -> Record:
    return {
        "n scored": measure.n_scored,
        "n failed": measure.n_failed,
        "n not applicable": measure.n_not_applicable,
        "n refused": measure.n_refused,
    }
