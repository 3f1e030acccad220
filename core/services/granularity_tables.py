"""The tables of the Granularity page: as people read them on the page, and as numbers for a file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from core.figures.configurations import in_order
from core.figures.notation import decimal, estimate
from core.metrics.granularity import (
    ConfigurationLevels,
    DimensionTable,
    Effect,
    Estimate,
    Interaction,
    LevelRow,
    NodeMean,
    SplitRow,
    level_label,
)
from core.services.granularity import GranularityLens

Record = dict[str, Any]
_STATES = {"inconclusive": "inconclusive", "not_applicable": "not applicable"}


def told(one: Estimate, missing: str = "–") -> str:
    """Return ".051 (.029 to .072)", or ``missing`` where there is no number."""
    return missing if one.value is None else estimate(one.value, one.low, one.high)


def p_value(p: float | None) -> str:
    """Return a p value as text: ".043", "< .001", or "–" where nothing was tested."""
    return "–" if p is None else "< .001" if p < 0.001 else decimal(p)


def without_power(row: LevelRow) -> str:
    """Return what stands in the place of a level's corrected power where it has none."""
    if not row.reason:
        return "–"
    if row.k < 2 <= sum(bool(one.n) for one in row.categories):
        return "too few"
    return "no labels" if not any(one.n or one.n_not_scored for one in row.categories) else "not measured"


def number(value: float | None) -> str:
    """Return a number with three digits, "–" where there is none."""
    return "–" if value is None else decimal(value)


def levels_shown(lens: GranularityLens) -> pd.DataFrame:
    """Return a row a level, coarsest first, as text for the page."""
    return pd.DataFrame.from_records([_level_shown(lens, row) for row in lens.table.rows])


def levels_table(lens: GranularityLens) -> pd.DataFrame:
    """Return the level table as numbers, with what each split adds and why a number is missing."""
    return pd.DataFrame.from_records([_level_record(lens, row) for row in lens.table.rows])


def splits_shown(lens: GranularityLens) -> pd.DataFrame:
    """Return a row a split, as text for the page."""
    return pd.DataFrame.from_records(
        [
            {
                "category": row.parent,
                "levels": row.level_name,
                "σ between children": told(row.sigma),
                "δ to the parent": told(row.delta),
                "ρ": told(row.rho) if row.state == "shown" else _STATES[row.state],
                "n of the parent": row.n_parent,
                "n of children": row.n_children,
                "parent's questions": _parent_questions(row),
                "why": row.reason,
            }
            for row in lens.splits.rows
        ]
    )


def splits_table(lens: GranularityLens) -> pd.DataFrame:
    """Return the split table as numbers; the ratio of an inconclusive split is there, without an interval."""
    return pd.DataFrame.from_records(
        [
            {
                "category": row.parent,
                "levels": row.level_name,
                "children": ", ".join(row.children),
                **_numbers("sigma", row.sigma),
                **_numbers("delta", row.delta),
                **_numbers("rho", row.rho),
                "state": row.state.replace("_", " "),
                "n of the parent": row.n_parent,
                "n of children": row.n_children,
                "parent's questions": _parent_questions(row),
                "children's questions": "rolled up" if row.rolled_up_children else "own",
                "reason": row.reason,
            }
            for row in lens.splits.rows
        ]
    )


def nodes_table(lens: GranularityLens, gaps: tuple[NodeMean, ...] = (), second: str = "") -> pd.DataFrame:
    """Return a row a category with its mean and n; ``gaps`` are the differences from the configuration ``second``."""
    symbol, levels = lens.quality.symbol, lens.table.rows
    records = []
    for place, node in enumerate(lens.nodes):
        record: Record = {
            "category": node.name,
            "below": node.parent or "",
            "level": level_label(node.level, levels[node.level].name),
            **_numbers(symbol, node.mean),
            "n": node.n,
            "n labelled here": node.n_own,
            "n not scored": node.n_not_scored,
            "too few": "yes" if node.too_small else "",
        }
        if gaps:
            gap = gaps[place]
            record |= {**_numbers(f"difference from {second}", gap.mean), "n of the difference": gap.n}
        records.append(record)
    return pd.DataFrame.from_records(records)


def dimensions_shown(found: DimensionTable, titles: Mapping[str, str]) -> pd.DataFrame:
    """Return a row a tree as text, the one that separates most first; ``titles`` are the trees' full names."""
    return pd.DataFrame.from_records(
        [
            {
                "tree": titles.get(row.dimension, row.dimension),
                "level": "–" if row.level is None else level_label(row.level, row.level_name),
                "recommended": "yes" if row.recommended else "no level separates" if not row.reason else "too few",
                "K": row.k,
                "n": row.n,
                "range": number(row.range),
                "corrected power": told(row.corrected),
                "power (paper)": number(row.power),
                "p, adjusted": p_value(row.p_adjusted),
                "why": row.reason,
            }
            for row in found.rows
        ]
    )


def dimensions_table(found: DimensionTable) -> pd.DataFrame:
    """Return the same as numbers."""
    return pd.DataFrame.from_records(
        [
            {
                "tree": row.dimension,
                "level": row.level_name,
                "recommended": row.recommended,
                "K": row.k,
                "n": row.n,
                "range": row.range,
                **_numbers("corrected power", row.corrected),
                "power (paper)": row.power,
                "p": row.p,
                "p adjusted": row.p_adjusted,
                "reason": row.reason,
            }
            for row in found.rows
        ]
    )


def configurations_shown(found: ConfigurationLevels, labels: Mapping[str, str]) -> pd.DataFrame:
    """Return a row a configuration as text: its recommended level, and corrected power level by level."""
    records = []
    for name in in_order(list(found.tables)):
        table = found.tables[name]
        best = table.recommended
        record: Record = {
            "configuration": labels.get(name, name),
            "recommended level": "none" if best.level is None else level_label(best.level, best.name),
        }
        for row in table.rows:
            record[f"corrected power, {level_label(row.level, row.name)}"] = told(row.corrected, without_power(row))
        records.append({**record, "n": table.n_questions})
    return pd.DataFrame.from_records(records)


def tests_shown(found: ConfigurationLevels) -> pd.DataFrame:
    """Return a row a level: whether categories differ otherwise for one configuration than for another."""
    return pd.DataFrame.from_records(
        [
            {
                "level": level_label(one.level, one.name),
                "spread of category by configuration": number(one.spread),
                "p, adjusted": p_value(one.p_adjusted),
                "n": one.n,
                "why": one.reason,
            }
            for one in found.tests
        ]
    )


def effects_shown(found: Interaction, names: tuple[str, str]) -> pd.DataFrame:
    """Return the two effects and the contrast as text; ``names`` are those of the two trees."""
    (a, b), (c, d) = found.first_pair, found.second_pair
    return pd.DataFrame.from_records(
        [
            _effect(f"{names[0]}: {a} minus {b}", found.first_effect),
            _effect(f"{names[1]}: {c} minus {d}", found.second_effect),
            _effect(f"interaction: ({c} minus {d}) for {a}, minus the same for {b}", found.contrast),
        ]
    )


def cells_shown(found: Interaction, names: tuple[str, str]) -> pd.DataFrame:
    """Return the four cell means as text, with their questions and documents."""
    return pd.DataFrame.from_records(
        [
            {
                names[0]: cell.first,
                names[1]: cell.second,
                "mean": told(cell.mean),
                "n": cell.n,
                "documents": cell.n_documents,
            }
            for cell in found.cells
        ]
    )


def _level_shown(lens: GranularityLens, row: LevelRow) -> Record:
    best, paper = lens.table.recommended.level, lens.table.paper.level
    marks = [text for level, text in ((best, "recommended"), (paper, "the paper's rule")) if level == row.level]
    return {
        "level": level_label(row.level, row.name),
        "verdict": " · ".join(marks),
        "K": row.k,
        "n": row.n,
        "corrected power": told(row.corrected, without_power(row)),
        "noise floor": number(row.noise_floor),
        "power (paper)": number(row.power),
        "p": p_value(row.p),
        "its split adds, p": p_value(row.added.p_adjusted),
        "information content": number(row.information),
        "AMI": number(row.ami),
        "p of AMI": p_value(row.ami_p),
        "questions": "own" if lens.table.independent else "rolled up",
        "why": row.reason or row.note,
    }


def _level_record(lens: GranularityLens, row: LevelRow) -> Record:
    added = row.added
    return {
        "level": row.level + 1,
        "name": row.name,
        "recommended": lens.table.recommended.level == row.level,
        "paper's rule": lens.table.paper.level == row.level,
        "K": row.k,
        "n": row.n,
        "n not scored": row.n_not_scored,
        "range": row.range,
        "power (paper)": row.power,
        **_numbers("corrected power", row.corrected),
        "noise floor": row.noise_floor,
        "p": row.p,
        "omega squared": row.omega_squared,
        "information content": row.information,
        "AMI": row.ami,
        "p of AMI": row.ami_p,
        "variance added": added.value,
        "variance added low": added.low,
        "variance added high": added.high,
        "p of what is added": added.p,
        "p of what is added, adjusted": added.p_adjusted,
        "questions": "own" if lens.table.independent else "rolled up",
        "reason": row.reason or row.note,
    }


def _parent_questions(row: SplitRow) -> str:
    return "own" if row.independent_parent else "rolled up" if not row.n_parent else "own, too few"


def _effect(name: str, effect: Effect) -> Record:
    one = Estimate(effect.value, effect.low, effect.high)
    return {
        "effect": name,
        "size": told(one),
        "p (wild bootstrap)": p_value(effect.p_wild),
        "p (t)": p_value(effect.p_t),
        "t": "–" if effect.t is None else f"{effect.t:.2f}".replace("-", "−"),
        "df": "–" if effect.df is None else str(effect.df),
        "why": effect.reason,
    }


def _numbers(name: str, one: Estimate) -> Record:
    return {name: one.value, f"{name} low": one.low, f"{name} high": one.high}
