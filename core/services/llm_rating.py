"""Use case *let a language model rate*: every item of a study, blind, stored apart from what people say."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.engine.calls import Calls
from core.engine.fill import Workbench
from core.engine.generation import Asking, model_request
from core.engine.ledger import Ledger
from core.engine.models import connected, model_of, price_of
from core.engine.progress import Stopped
from core.errors import OptionError
from core.models.llm.calls import CallFailure, Completion
from core.models.llm.structured import Unparsable
from core.people.llm_rater import ModelAnswer, answer_of, rating_call
from core.people.records import Study
from core.people.roles import Actor, require
from core.people.rows import item_of, study_of
from core.services.studies import MODEL, guidelines
from core.services.workspace import workspace
from core.store import people as rows
from core.store.people_models import ModelRow, model_rated, put_model_rows

PURPOSE = "rate"
_BATCH = 50


@dataclass(frozen=True, slots=True)
class ModelRated:
    """What a model did: ``rated`` items now, ``known`` before, ``failed`` by reason. ``cost`` sums calls and tokens."""

    rater: str
    rated: int
    known: int
    failed: Mapping[str, int]
    cost: Mapping[str, Any]
    stopped: bool


def rate(
    actor: Actor,
    study_id: str,
    endpoint: str,
    *,
    max_calls: int | None = None,
    max_tokens: int | None = None,
    stop: threading.Event | None = None,
) -> ModelRated:
    """Ask a language model about every item of a study that it has not answered, batch by batch, and store each.

    An item whose call failed or whose reply does not fit is left out with its reason; the same again asks for it anew.

    Raises:
        AccessError: the actor is no owner.
        OptionError: no such study or endpoint.
        ModelError: the endpoint cannot be reached, refuses, or its limit is used up; what was answered is kept.
    """
    require(actor, "owner")
    _, store = workspace()
    study = study_of(rows.study_row(store, study_id))
    request = model_request(endpoint, max_calls, max_tokens)
    model = model_of(request)
    if model is None:
        raise OptionError("no language model is named: give --endpoint.")
    rater = f"{MODEL}{model.model}"
    rows.put_rater(store, study_id, rater, "", is_model=True)
    known = model_rated(store, study_id, rater)
    items = [item for row in rows.item_rows(store, study_id) if (item := item_of(row)).id not in known]
    asked = {item.id: rating_call(study, guidelines(study), item) for item in items}
    ledger = Ledger(price_of(request))
    failed: dict[str, int] = {}
    rated, stopped = 0, False
    progress = Asking(store, f"{study_id}-llm", None, stop or threading.Event())
    bench = Workbench(store, progress, retry=True)
    with Calls(bench, model, lambda spent: connected(request, spent), ledger) as calls:
        names = list(asked)
        for start in range(0, len(names), _BATCH):
            batch = {name: asked[name] for name in names[start : start + _BATCH]}
            try:
                outcomes = calls.complete(PURPOSE, batch, problem=lambda _, text: _problem(study, text))
            except Stopped:
                stopped = True
                break
            answers = []
            for name, outcome in outcomes.items():
                found = _answer(study, outcome)
                if isinstance(found, str):
                    failed[found] = failed.get(found, 0) + 1
                else:
                    answers.append(ModelRow(name, found.status, found.value, found.second, found.further, found.reason))
            put_model_rows(store, study_id, rater, answers, time.time())
            rated += len(answers)
    return ModelRated(rater, rated, len(known), failed, ledger.record().get("total", {}), stopped)


def _problem(study: Study, text: str) -> str:
    found = answer_of(study, text)
    return found.reason if isinstance(found, Unparsable) else ""


def _answer(study: Study, outcome: Completion | CallFailure) -> ModelAnswer | str:
    if isinstance(outcome, CallFailure):
        return outcome.reason
    found = answer_of(study, outcome.text)
    return found.reason if isinstance(found, Unparsable) else found
