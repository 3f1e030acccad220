"""The logic lens as one JSON-able object: what ``score --json`` prints and ``report --format json`` writes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from core.metrics.scores import ConfigurationScores, Measure
from core.services.lenses import LogicLens


def score_object(lens: LogicLens, texts: Mapping[str, Mapping[str, Measure]] | None = None) -> dict[str, Any]:
    """Return ``{run, dataset, spec, logic}``, with ``text_measures`` where they were asked for.

    ``cost`` is there where the run asked a language model: what its calls took, see ``Ledger.record``.

    Later lenses add keys beside ``logic``.
    """
    scores = lens.scores
    ranking = scores.ranking
    found = {
        "run": lens.run.id,
        "dataset": lens.run.dataset,
        "spec": lens.provenance["spec"],
        "logic": {
            # JSON has no infinity
            "beta": "inf" if math.isinf(scores.beta) else scores.beta,
            "convention": scores.convention,
            "relations": list(scores.relations),
            "configurations": [_configuration(configuration) for configuration in scores.configurations],
            "ranking": [asdict(row) for row in ranking.rows],
            "ranked_on": {
                "measure": ranking.measure,
                "n_questions": ranking.n_questions,
                "n_total": ranking.n_total,
                "left_out": dict(ranking.left_out),
                "lead": ranking.lead,
                "lead_low": ranking.lead_low,
                "lead_high": ranking.lead_high,
            },
            "classifier": lens.classifier,
            "missing": lens.missing,
        },
    }
    if cost := lens.provenance.get("cost"):
        found["cost"] = cost
    if texts is None:
        return found
    return found | {
        "text_measures": {
            configuration: {name: measure_object(measure) for name, measure in measures.items()}
            for configuration, measures in texts.items()
        }
    }


def measure_object(measure: Measure) -> dict[str, Any]:
    """Return value, interval and counts; ``reason`` is there only when the value is not."""
    found = asdict(measure)
    reason = found.pop("reason")
    return found if measure.value is not None else {**found, "reason": reason}


def _configuration(scores: ConfigurationScores) -> dict[str, Any]:
    return {
        "id": scores.id,
        "label": scores.label,
        "bertsim": measure_object(scores.bertsim),
        "lrcr": measure_object(scores.lrcr),
        "opi": measure_object(scores.opi),
        "opi_mean_of_relations": measure_object(scores.opi_mean_of_relations),
        "bertsim_answered": measure_object(scores.bertsim_answered),
        "lrcr_answered": measure_object(scores.lrcr_answered),
        "words_per_question": scores.words_per_question,
        "sentences_per_question": scores.sentences_per_question,
        "relations": {
            name: {
                "bertsim": measure_object(cell.bertsim),
                "lrcr": measure_object(cell.lrcr),
                "opi": measure_object(cell.opi),
            }
            for name, cell in scores.relations.items()
        },
    }
