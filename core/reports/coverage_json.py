"""The coverage lens as one JSON-able object, the key ``coverage`` of ``score --json`` and ``report --format json``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from core.errors import OptionError
from core.figures.coverage_measures import card_id
from core.metrics.coverage_observations import Importance
from core.metrics.coverage_scores import ConfigurationCoverage
from core.metrics.scores import Measure
from core.reports.logic_json import measure_object
from core.services.catalogue import run as run_summary
from core.services.coverage import RELATION, coverage, coverage_map, dimensions, missing
from core.services.retrieval_coverage import association

#: measures that are given by relation too, and the pairs whose correlations are given
_BY_RELATION = ("grounded", "said", "retrieved", "alpha_ndcg@10", "strec@10")
_PAIRS = (("alpha_ndcg@10", "grounded"), ("strec@10", "grounded"))


def coverage_object(run_id: str) -> dict[str, Any]:
    """Return the coverage of a finished run, all nuggets first, or ``{"missing": …}`` with the reason in words.

    Raises:
        OptionError: there is no such run.
    """
    if reason := missing(run_summary(run_id)):
        return {"missing": reason}
    lens = coverage(run_id)
    ranking = lens.scores.ranking
    return {
        "missing": "",
        "matcher": lens.matcher,
        "denominator": lens.denominator,
        "cites_by_construction": lens.by_construction,
        "configurations": _configurations(run_id, "all"),
        "vital_only": _configurations(run_id, "vital"),
        "ranking": [asdict(row) for row in ranking.rows],
        "ranked_on": {
            "measure": card_id(ranking.measure),
            "n_questions": ranking.n_questions,
            "n_total": ranking.n_total,
            "left_out": dict(ranking.left_out),
            "lead": ranking.lead,
            "lead_low": ranking.lead_low,
            "lead_high": ranking.lead_high,
        },
        "correlations": [_correlations(run_id, x, y) for x, y in _PAIRS],
    }


def _configurations(run_id: str, importance: Importance) -> list[dict[str, Any]]:
    scores = coverage(run_id, importance).scores
    relations: dict[str, dict[str, dict[str, Measure]]] = {c.id: {} for c in scores.configurations}
    if RELATION in dimensions(run_id):
        there = {name for c in scores.configurations for name in c.macro}
        for measure in _BY_RELATION:
            if measure not in there:
                continue
            for identifier, groups in coverage_map(run_id, measure, RELATION, importance).groups.items():
                for relation, found in groups.items():
                    relations[identifier].setdefault(relation, {})[measure] = found
    return [_configuration(c, relations[c.id]) for c in scores.configurations]


def _configuration(scores: ConfigurationCoverage, relations: Mapping[str, Mapping[str, Measure]]) -> dict[str, Any]:
    losses = scores.losses
    return {
        "id": scores.id,
        "label": scores.label,
        **{card_id(name): measure_object(measure) for name, measure in scores.macro.items()},
        "micro": {card_id(name): measure_object(measure) for name, measure in scores.micro.items()},
        "losses": {"n_nuggets": losses.n, **losses.parts, "unknown": losses.unknown},
        "answer_words": scores.words,
        "relations": {
            relation: {card_id(name): measure_object(measure) for name, measure in measures.items()}
            for relation, measures in relations.items()
        },
    }


def _correlations(run_id: str, x: str, y: str) -> dict[str, Any]:
    try:
        found = association(run_id, x, y)
    except OptionError as nothing:
        return {"x": card_id(x), "y": card_id(y), "missing": str(nothing)}
    return {
        "x": card_id(x),
        "y": card_id(y),
        "missing": "",
        "control": "answer_words",
        "views": {
            view.name: {k: v for k, v in asdict(view).items() if k != "name"} for view in found.correlations.views
        },
        "reversals": [asdict(reversal) for reversal in found.correlations.reversals],
    }
