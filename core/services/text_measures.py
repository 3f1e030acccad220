"""Use case *measure the wording*, on demand: ROUGE-1, ROUGE-L, BLEU and token F1 beside BERTSim."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache

import numpy as np

from core.metrics.logic_scores import summarise
from core.metrics.scores import SCORED, Measure
from core.metrics.similarity import TextMeasures, text_measures
from core.services.catalogue import run as run_summary
from core.services.lenses import observations
from core.services.workspace import workspace

NAMES = TextMeasures._fields


def measure_texts(run_id: str) -> dict[str, dict[str, Measure]]:
    """Return configuration id → measure name → mean over relations with its interval, as BERTSim is averaged.

    Needs no encoder, so a language the encoder does not cover is scored too. Equal pairs of answers are measured once.

    Raises:
        OptionError: there is no such run.
    """
    run_summary(run_id)
    _, store = workspace()
    seen = observations(store, run_id)
    column = {name: i for i, name in enumerate(seen.question_ids)}
    line = {name: i for i, name in enumerate(seen.configurations)}
    values = np.full((len(NAMES), *seen.similarity.shape), np.nan)
    state = seen.similarity_state.copy()
    measured = cache(text_measures)
    for row in store.rows(
        """
        SELECT i.configuration, i.question, i.answer, q.answer AS reference, d.language
        FROM run_items i
        JOIN runs r ON r.id = i.run
        JOIN questions q ON q.dataset = r.dataset AND q.id = i.question
        JOIN documents d ON d.dataset = r.dataset AND d.id = json_extract(q.record, '$.document_ids[0]')
        WHERE i.run = ? AND i.answer <> '{}'
        """,
        (run_id,),
    ):
        at = line[row["configuration"]], column[row["question"]]
        answer = json.loads(row["answer"])
        # repeats of a sampled answer are averaged within their question; one that failed says why there is none
        produced = [one.get("sentences") for one in answer.get("repeats", [answer])]
        if all(sentences is not None for sentences in produced):
            each = [measured(row["reference"], " ".join(some), row["language"]) for some in produced]
            values[:, *at] = np.mean(each, axis=0)
            state[at] = SCORED
    found: dict[str, dict[str, Measure]] = {configuration: {} for configuration in seen.configurations}
    for name, matrix in zip(NAMES, values, strict=True):
        scores = summarise(replace(seen, similarity=matrix, similarity_state=state), seed=run_id).at(1.0, "formula")
        for configuration in scores.configurations:
            found[configuration.id][name] = _within_range(configuration.bertsim)
    return found


def _within_range(measure: Measure) -> Measure:
    """Cut an interval at 0: these measures are never negative, but a t interval of few documents can be."""
    return measure if measure.low is None else replace(measure, low=max(0.0, measure.low))
