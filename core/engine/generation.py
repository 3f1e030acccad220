"""Generating a question set: draw, ask, filter, keep one, store, batch by batch until all slots are full.

Everything is decided in the order of the slots, attempt after attempt, whatever order answers come in: the same plan
over the same answers keeps the same pairs, and one that was broken off goes on where it was.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from core.answering.refusal import is_refusal
from core.engine.calls import Calls
from core.engine.fill import Workbench
from core.engine.ledger import Ledger
from core.engine.models import connected, endpoint_of, price_of
from core.engine.progress import Event, Listener, Progress, Stopped
from core.engine.request import Request
from core.errors import ModelError, OptionError
from core.generation import filters
from core.generation.categories import Category
from core.generation.plan import Draw, Plan, Slot, draw, plan_of, slots, survivor, usable
from core.generation.prompts import PROMPT_VERSION, Pair, pair_call, pairs_of
from core.models.cache import VectorCache
from core.models.embeddings import DEFAULT_ENCODER, Encoder, applicable, encoder_spec
from core.models.llm.calls import Call, CallFailure, Completion, Outcome, model_spec
from core.models.llm.structured import Unparsable
from core.schema import Document
from core.settings import Home
from core.store.database import Store
from core.store.generation import (
    StoredPair,
    generation_documents,
    generation_row,
    pairs,
    put_pairs,
    update_generation,
)

PURPOSE = "generate"
Ending = Literal["done", "stopped", "paused"]


@dataclass
class Asking(Progress):
    """Progress whose numbers a generation keeps itself; it only looks whether somebody asked to stop."""

    def advance(self, done: int) -> None:
        """Note ``done``. Raises Stopped when the generation was asked to stop."""
        self._done = done
        if self.stop.is_set():
            raise Stopped


def model_request(endpoint: str, max_calls: int | None = None, max_tokens: int | None = None) -> Request:
    """Return the request that names a language model and bounds its use."""
    return Request("", endpoint=endpoint, max_calls=max_calls, max_tokens=max_tokens)


def call_of(plan: Plan, found: Draw, document: Document) -> Call:
    """Return what is asked for a draw."""
    # the target's own description first, then those that were drawn
    described = {one.dimension: one for one in (*plan.drawn, *plan.users)}
    described |= {one.dimension: one for one in plan.sets if one.label == found.slot.group}

    def chosen(labels: Mapping[str, str]) -> list[Category]:
        return [described[dimension].category(name) for dimension, name in labels.items()]

    text = document.text[found.start : found.end]
    return pair_call(text, document.language, chosen(found.categories), chosen(found.users), plan.pairs, found.repeat)


def generate(
    store: Store, home: Home, generation: str, *, stop: threading.Event, listener: Listener | None = None
) -> tuple[Ending, str]:
    """Fill the slots of a stored generation and return how it ended, and why where something hindered it.

    Raises:
        OptionError: there is none of that id, or its prompts or its model are not what they were.
    """
    row = generation_row(store, generation)
    work = _Work(store, home, row, stop, listener)
    began = time.monotonic()
    ending: Ending = "done"
    message = ""
    try:
        work.run()
    except Stopped:
        ending = "stopped"
    except ModelError as error:
        ending, message = "paused", str(error)
    finally:
        update_generation(store, generation, seconds=row["seconds"] + time.monotonic() - began)
    update_generation(store, generation, state=ending, message=message)
    return ending, message


@dataclass
class _Work:
    store: Store
    home: Home
    row: Mapping[str, Any]
    stop: threading.Event
    listener: Listener | None
    _vectors: list[NDArray[np.float32]] = field(default_factory=list)
    _texts: set[str] = field(default_factory=set)
    _reasons: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.id: str = self.row["id"]
        self.plan = plan_of(self.row["plan"])
        self.request = model_request(**self.row["request"])
        endpoint = endpoint_of(self.request)
        if endpoint is None:
            raise OptionError("this question set names no language model: generate it anew with --endpoint.")
        self.endpoint, self.model = endpoint, model_spec(endpoint)
        if {**self.model.as_spec(), "prompts": PROMPT_VERSION} != self.row["model"]:
            raise OptionError(
                f"question set '{self.id}' was begun with another model or other prompts than there are now: generate "
                "it anew; what was accepted can still be reviewed and saved."
            )
        self.documents, _ = usable(generation_documents(self.store, self.id))
        self.by_id = {document.id: document for document in self.documents}
        self.encoder = Encoder(encoder_spec(DEFAULT_ENCODER), VectorCache(self.home.encodings))

    def run(self) -> None:
        stored = pairs(self.store, self.id)
        full = {pair.slot for pair in stored if not pair.reason}
        tried = {(pair.slot, pair.attempt) for pair in stored}
        self._reasons.update(pair.reason for pair in stored if pair.reason)
        self._remember([pair.question for pair in stored if not pair.reason])
        wanted = slots(self.plan)
        before = self.row["cost"]
        ledger = Ledger(price_of(self.request))
        progress = Asking(self.store, self.id, None, self.stop)
        self._tell(len(full), len(wanted))
        with Calls(
            Workbench(self.store, progress), self.model, lambda spent: connected(self.request, spent), ledger
        ) as calls:
            for attempt in range(self.plan.attempts):
                waiting = [slot for slot in wanted if slot.id not in full and (slot.id, attempt) not in tried]
                for batch in _batches(waiting, 2 * self.endpoint.concurrency):
                    if self.stop.is_set():
                        raise Stopped
                    found = self._judged(batch, attempt, calls)
                    put_pairs(self.store, self.id, found, _added(before, ledger.record().get("total", {})))
                    full |= {pair.slot for pair in found if not pair.reason}
                    self._reasons.update(pair.reason for pair in found if pair.reason)
                    self._tell(len(full), len(wanted))

    def _judged(self, batch: Sequence[Slot], attempt: int, calls: Calls) -> list[StoredPair]:
        """Ask for a batch of slots and decide about every pair, in the order of the slots."""
        draws = {slot.id: draw(self.plan, slot, attempt, self.documents) for slot in batch}
        asked = {name: call_of(self.plan, one, self.by_id[one.document_id]) for name, one in draws.items()}
        outcomes = calls.complete(PURPOSE, asked, problem=_problem)
        given = {name: _pairs(outcomes[name]) for name in draws}
        faults = {
            name: [self._fault(draws[name], pair) for pair in found] if not isinstance(found, str) else []
            for name, found in given.items()
        }
        self._encode(
            pair.question
            for name, found in given.items()
            if not isinstance(found, str)
            for pair, reason in zip(found, faults[name], strict=True)
            if not reason
        )
        judged: list[StoredPair] = []
        for name, one in draws.items():
            found = given[name]
            judged += (
                [_row(one, 0, Pair("", ""), found)]
                if isinstance(found, str)
                else self._chosen(one, found, faults[name])
            )
        return judged

    def _fault(self, one: Draw, pair: Pair) -> str:
        document = self.by_id[one.document_id]
        return filters.fault(pair, document.text[one.start : one.end], document.language, is_refusal)

    def _chosen(self, one: Draw, found: Sequence[Pair], faults: Sequence[str]) -> list[StoredPair]:
        """Decide which of a draw's pairs is kept: one of those that passed everything, by the plan's seed."""
        reasons = [
            reason or (filters.NEAR_DUPLICATE if self._is_known(pair.question) else "")
            for pair, reason in zip(found, faults, strict=True)
        ]
        good = [place for place, reason in enumerate(reasons) if not reason]
        kept = good[survivor(self.plan, one, len(good))] if good else -1
        for place in good:
            if place != kept:
                reasons[place] = filters.NOT_CHOSEN
        if good:
            self._remember([found[kept].question])
        document = self.by_id[one.document_id]
        shown = document.text[one.start : one.end]
        label = one.categories.get("LV", "")
        rows = []
        for number, (pair, reason) in enumerate(zip(found, reasons, strict=True)):
            agrees = (
                filters.label_agrees(label, pair.question, shown, document.language) if label and not reason else None
            )
            rows.append(_row(one, number, pair, reason, agrees))
        return rows

    def _encode(self, questions: Iterator[str]) -> None:
        """Compute the vectors of a batch at once; they are read from the cache afterwards."""
        if texts := list(questions):
            self.encoder.encode(texts)

    def _is_known(self, question: str) -> bool:
        if question.casefold() in self._texts:
            return True
        encoded = self.encoder.encode([question])
        if applicable(self.encoder.spec, int(encoded.tokens[0]), int(encoded.unknown[0]), ""):
            # the encoder cannot read it: equal texts alone count as duplicates
            return False
        return filters.nearest(encoded.unit[0], self._vectors) >= filters.DUPLICATE

    def _remember(self, questions: Sequence[str]) -> None:
        if questions:
            self._vectors.extend(self.encoder.encode(questions).unit)
            self._texts.update(question.casefold() for question in questions)

    def _tell(self, done: int, total: int) -> None:
        if self.listener:
            self.listener(Event(PURPOSE, done, total, 0, None, None, dict(self._reasons)))


def _batches(waiting: Sequence[Slot], size: int) -> Iterator[Sequence[Slot]]:
    for start in range(0, len(waiting), size):
        yield waiting[start : start + size]


def _problem(item: str, text: str) -> str:
    del item
    found = pairs_of(text)
    return found.reason if isinstance(found, Unparsable) else ""


def _pairs(outcome: Outcome) -> list[Pair] | str:
    """The pairs of a call, or why there are none."""
    if isinstance(outcome, CallFailure):
        return _kind(outcome.reason)
    assert isinstance(outcome, Completion)
    found = pairs_of(outcome.text)
    return _kind(found.reason) if isinstance(found, Unparsable) else found


#: what quotes the answer is counted under what it begins with
_QUOTING = ("the answer is no JSON", "the answer does not fit the schema")


def _kind(reason: str) -> str:
    return next(
        (f"call without a pair: {kind}" for kind in _QUOTING if reason.startswith(kind)),
        f"call without a pair: {reason}",
    )


def _row(one: Draw, number: int, pair: Pair, reason: str, agrees: bool | None = None) -> StoredPair:
    record: dict[str, Any] = {
        "categories": dict(one.categories),
        "users": dict(one.users),
        "shown": [one.start, one.end],
    }
    if agrees is not None:
        record["label_agrees"] = agrees
    return StoredPair(
        slot=one.slot.id,
        attempt=one.attempt,
        number=number,
        question_set=one.slot.group,
        category=one.slot.target,
        document=one.document_id,
        reason=reason,
        question=pair.question,
        answer=pair.answer,
        record=record,
    )


def _added(before: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, Any]:
    """Sum what earlier parts of a generation took and what this one took; a missing price stays missing."""
    total: dict[str, Any] = {}
    for name in {**before, **now}:
        values = [part[name] for part in (before, now) if name in part]
        total[name] = None if None in values else sum(values)
    return total
