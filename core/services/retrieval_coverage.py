"""Use case *does retrieval predict coverage?*: a ranking measure against an answer measure, in every view."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import get_args

import numpy as np
import pandas as pd

from core.errors import OptionError
from core.figures.coverage_measures import symbol
from core.figures.notation import count, decimal, estimate, interval, listed
from core.figures.scatter import Cloud
from core.metrics.coverage_observations import ANSWER, Importance
from core.services.catalogue import run as run_summary
from core.services.cautions import Finding
from core.services.coverage import observations
from core.services.question_filter import EVERYTHING, Where
from core.stats.correlation import Coefficient
from core.stats.panel import PanelCorrelations, View, ViewName, panel_correlations

#: what may stand on one axis; on the other stands one of ``ANSWER``
RETRIEVAL = ("alpha_ndcg", "strec", "ndcg_binary", "ndcg_count")
VIEWS: Mapping[ViewName, str] = {
    "pooled": "pooled over questions and configurations",
    "topic_centred": "question means removed",
    "within_topic": "within a question, across configurations",
    "within_system": "within a configuration, across questions",
    "between_systems": "between the means of configurations",
}
assert set(VIEWS) == set(get_args(ViewName))
#: what the n of a view counts
_UNITS: Mapping[ViewName, str] = {
    "pooled": "pair",
    "topic_centred": "pair",
    "within_topic": "question",
    "within_system": "configuration",
    "between_systems": "configuration",
}


@dataclass(frozen=True)
class Association:
    """Pairs of a ranking measure ``x`` and an answer measure ``y``, and how they go together.

    ``means`` are those of the configurations over the pairs. References and configurations without a ranking are left
    out. The control of partial correlations is the number of words of the answer.
    """

    x: str
    y: str
    cloud: Cloud
    means: Mapping[str, tuple[float, float]]
    labels: Mapping[str, str]
    correlations: PanelCorrelations


def association(run_id: str, x: str, y: str, importance: Importance = "all", where: Where = EVERYTHING) -> Association:
    """Return how a measure of ``RETRIEVAL`` at a cutoff goes with one of ``ANSWER``, on the questions that match.

    Raises:
        OptionError: there is no such run or measure, the run has no coverage, or no pair has both measures.
    """
    if x.partition("@")[0] not in RETRIEVAL or y not in ANSWER:
        raise OptionError(f"'{x[:40]}' against '{y[:40]}' is not offered: choose two measures that are listed.")
    seen = observations(run_summary(run_id), where)
    rows = [i for i, name in enumerate(seen.configurations) if name not in seen.reference]
    names = [seen.configurations[i] for i in rows]
    across, up, words = seen.values(x)[rows], seen.values(y, importance)[rows], seen.words()[rows]
    both = np.isfinite(across) & np.isfinite(up)
    if not both.any():
        raise OptionError(
            f"no question has both {symbol(x)} and {symbol(y)}: sets have no ranking, rankings alone no answer."
        )
    where_both = np.argwhere(both)
    return Association(
        x=x,
        y=y,
        cloud=Cloud(
            x=across[both],
            y=up[both],
            configurations=tuple(names[row] for row, _ in where_both),
            questions=tuple(seen.question_ids[column] for _, column in where_both),
        ),
        means={
            name: (float(across[row][both[row]].mean()), float(up[row][both[row]].mean()))
            for row, name in enumerate(names)
            if both[row].any()
        },
        labels={name: seen.labels.get(name, name) for name in names},
        correlations=panel_correlations(across.T, up.T, words.T, seen.clusters, f"{run_id}:{x}:{y}"),
    )


def conclusions(found: Association) -> tuple[Finding, ...]:
    """Return what may be concluded from the correlations and what may not, the main one first."""
    pooled, centred = found.correlations.view("pooled"), found.correlations.view("topic_centred")
    what = f"How {symbol(found.y)} goes with {symbol(found.x)}"
    if pooled.pearson.value is None:
        return (Finding(f"{what} cannot be told here: {pooled.pearson.reason}.", "caution"),)
    text = (
        f"{what}: Pearson's r is {_with_interval(pooled)} over {count(pooled.n_points, 'pair')} of question and "
        f"configuration"
    )
    if centred.pearson.value is not None:
        text += f", and {_with_interval(centred)} once question means are removed"
    parts = [Finding(f"{text}.")]
    between = found.correlations.view("between_systems")
    if between.pearson.value is not None:
        parts.append(
            Finding(
                f"Between the means of {count(between.n_systems, 'configuration')} r is {_with_interval(between)}: one "
                "that lies far from the others can make such an r by itself.",
                "note",
            )
        )
    if pooled.partial.value is not None:
        held = estimate(pooled.partial.value, pooled.partial_drawn.low, pooled.partial_drawn.high, 2)
        parts.append(
            Finding(
                f"With the length of the answer held fixed the pooled r is {held}: what a longer answer covers by its "
                "length alone is taken out.",
                "note",
            )
        )
    parts += [_reversal(found, view.view, view.value, view.clear) for view in found.correlations.reversals]
    parts.append(
        Finding(
            "A pooled correlation mixes easy questions, on which everything is found and said, with good retrieval; "
            "only the view within a question compares retrievers on equal terms. None of them says that better "
            "retrieval caused the coverage.",
            "caution",
        )
    )
    return tuple(parts)


def correlations_table(found: Association, matcher: str, denominator: str) -> pd.DataFrame:
    """Return a row a view: every coefficient with its intervals, its n, why one is missing, who decided the values."""
    return pd.DataFrame.from_records(
        [
            {
                "view": VIEWS[view.name],
                "retrieval": symbol(found.x),
                "coverage": symbol(found.y),
                **_columns("Pearson r", view.pearson),
                "Pearson r drawn low": view.pearson_drawn.low,
                "Pearson r drawn high": view.pearson_drawn.high,
                **_columns("Spearman", view.spearman),
                **_columns("Kendall tau-b", view.kendall),
                **_columns("Pearson r, length held fixed", view.partial),
                "n": view.pearson.n,
                "pairs": view.n_points,
                "questions": view.n_topics,
                "configurations": view.n_systems,
                "reason": view.pearson.reason,
                "matcher": matcher,
                "StRecall divides by": f"{denominator} nuggets",
            }
            for view in found.correlations.views
        ]
    )


def correlations_shown(found: Association) -> pd.DataFrame:
    """Return the same to be read: a row a view, each coefficient with its interval in words."""

    def told(coefficient: Coefficient, drawn: tuple[float | None, float | None] = (None, None)) -> str:
        if coefficient.value is None:
            return coefficient.reason or "not applicable"
        low, high = (coefficient.low, coefficient.high) if drawn[0] is None else drawn
        return estimate(coefficient.value, low, high, 2)

    return pd.DataFrame.from_records(
        [
            {
                "view": VIEWS[view.name],
                "Pearson r (95 %)": told(view.pearson),
                "drawn interval": interval(view.pearson_drawn.low, view.pearson_drawn.high, 2)
                or view.pearson_drawn.reason,
                "Spearman": told(view.spearman),
                "Kendall tau-b": told(view.kendall),
                "r, answer length held fixed": told(view.partial, (view.partial_drawn.low, view.partial_drawn.high)),
                "n": count(view.pearson.n, _UNITS[view.name]),
            }
            for view in found.correlations.views
        ]
    )


def _columns(name: str, coefficient: Coefficient) -> dict[str, float | None]:
    return {name: coefficient.value, f"{name} low": coefficient.low, f"{name} high": coefficient.high}


def _with_interval(view: View) -> str:
    """Questions are not independent points: the interval drawn over them comes first."""
    low, high = view.pearson_drawn.low, view.pearson_drawn.high
    if low is None or high is None:
        low, high = view.pearson.low, view.pearson.high
    return estimate(view.pearson.value or 0.0, low, high, 2)


def _reversal(found: Association, view: ViewName, value: float, clear: bool) -> Finding:
    pooled = found.correlations.view("pooled").pearson.value or 0.0
    verdict = "their intervals do not allow chance as a reason" if clear else "it may be chance"
    signs = listed([f"{decimal(pooled, 2)} pooled", f"{decimal(value, 2)} {VIEWS[view]}"])
    return Finding(f"The sign turns: r is {signs}; {verdict}.", "caution")
