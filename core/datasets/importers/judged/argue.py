"""Nugget banks of ARGUE and Auto-ARGUE (arXiv 2405.00982, 2509.26184) in three forms.

- Version 3: ``{query_id, nugget_bank: {question: {question_id, aggregator_type, answers: {text: {references}}}}}``,
  perhaps with a ``claim_bank``.
- ``{question: ["OR", {answer: [ids]}]}``, a file a topic or all of them under their topics.
- The oldest: ``{query_id, items: [{question_id, question_text, gold_answers, info: {importance}}]}``; an item is a
  nugget, also where several ask the same.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from core.datasets.importers.encoding import TextSource
from core.datasets.importers.fields import Fields
from core.datasets.importers.judged.found import Found, TopicText, first_of
from core.datasets.importers.judged.json_values import json_values
from core.datasets.importers.judged.naming import document_ids, importance_of, topic_name, topic_of, wording_of
from core.schema import Aggregator, Nugget, NuggetAnswer

_BEFORE_TOPIC = re.compile(r"^(nuggets?|bank)[_-]", re.IGNORECASE)
_BEHIND_TOPIC = re.compile(r"\.v\d+$", re.IGNORECASE)


def read_bank(source: TextSource, stem: str) -> Found:
    """Return the banks of a file; ``stem`` is its name, which tells the topic where nothing else does.

    Raises ``InputError`` for a nugget without a text, two banks for one topic, and whatever is no bank.
    """
    reader = _BankReader(Found())
    for place, row in json_values(source):
        fields = Fields(place, row)
        if "items" in row:
            reader.oldest(fields)
        elif "nugget_bank" in row or "claim_bank" in row:
            reader.version_3(fields)
        elif all(isinstance(value, list) for value in row.values()):
            reader.questions(fields, topic_name(place, _BEHIND_TOPIC.sub("", _BEFORE_TOPIC.sub("", stem))))
        else:
            for topic in row:
                reader.questions(fields.child(topic, row[topic]), topic_name(place, topic))
    return reader.finished()


class _BankReader:
    """Adds bank after bank, and counts what it could not use as it stood."""

    def __init__(self, found: Found) -> None:
        self.found = found
        self._odd = 0
        self._nested = 0
        self._unattested = 0
        self._repeated: list[str] = []

    def version_3(self, fields: Fields) -> None:
        topic = topic_of(fields)
        nuggets: list[Nugget] = []
        bank = Fields(fields.place, fields.mapping("nugget_bank"), "nugget_bank")
        for key in bank.values:
            one = bank.child(key, bank.values[key])
            aggregator = str(one.values.get("aggregator_type") or "OR").upper()
            if aggregator not in ("OR", "AND", "DEFAULT"):
                self.found.skip(
                    fields.place.line, one.path, f"answers are joined by {aggregator}, which no measure knows"
                )
                continue
            self._nested += len(one.items("sub_nuggets"))
            given = Fields(one.place, one.mapping("answers"), one.named("answers"))
            answers = tuple(
                NuggetAnswer(text.strip(), documents=self._references(given.child(text, given.values[text] or {})))
                for text in given.values
                if text.strip()
            )
            nuggets.append(
                self._nugget(
                    one, one.values.get("question_id") or len(nuggets) + 1, one.values.get("question") or key, answers,
                    "AND" if aggregator == "AND" else "OR",
                )
            )  # fmt: skip
        claims = Fields(fields.place, fields.mapping("claim_bank"), "claim_bank")
        for key in claims.values:
            one = claims.child(key, claims.values[key])
            identity = one.values.get("claim_id") or len(nuggets) + 1
            nuggets.append(self._nugget(one, identity, one.values.get("claim") or key, (), "OR"))
        self._add(fields, topic, nuggets)

    def questions(self, fields: Fields, topic: str) -> None:
        nuggets: list[Nugget] = []
        for question, value in fields.values.items():
            form = isinstance(value, list) and len(value) == 2 and isinstance(value[1], dict)
            if not form or str(value[0]).upper() not in ("OR", "AND"):
                raise fields.problem(question, "it is no nugget", 'write {question: ["OR", {answer: [document ids]}]}')
            one = fields.child(question, value[1])
            answers = tuple(
                NuggetAnswer(text.strip(), documents=document_ids(fields.place, one.named(text), one.items(text)))
                for text in one.values
                if text.strip()
            )
            aggregator = cast(Aggregator, str(value[0]).upper())
            about = Fields(fields.place, {}, one.path)
            nuggets.append(self._nugget(about, len(nuggets) + 1, question, answers, aggregator))
        self._add(fields, topic, nuggets)

    def oldest(self, fields: Fields) -> None:
        nuggets: list[Nugget] = []
        for item in fields.objects("items"):
            answers = tuple(NuggetAnswer(str(text).strip()) for text in item.items("gold_answers") if str(text).strip())
            importance = item.mapping("info").get("importance")
            about = Fields(item.place, {**item.values, "importance": importance}, item.path)
            identity = item.values.get("question_id") or len(nuggets) + 1
            nuggets.append(self._nugget(about, identity, item.values.get("question_text"), answers, "OR"))
        self._add(fields, topic_of(fields), nuggets)

    def finished(self) -> Found:
        said = {
            "nuggets whose importance is neither vital nor okay, taken as okay": self._odd,
            "nuggets within nuggets, which are not read": self._nested,
            "answers that name no document, which no citation can prove": self._unattested,
        }
        self.found.notes += [f"{what}: {n:,}." for what, n in said.items() if n]
        if self._repeated:
            self.found.notes.append(
                f"nuggets whose id another nugget of their topic has, which got a number: {first_of(self._repeated)}."
            )
        return self.found

    def _nugget(
        self, one: Fields, identity: Any, text: Any, answers: tuple[NuggetAnswer, ...], aggregator: Aggregator
    ) -> Nugget:
        if not isinstance(text, str) or not text.strip():
            raise one.problem("text", "the nugget has no text", "fill it in or remove the nugget")
        importance, known = importance_of(one.values.get("importance"))
        self._odd += not known
        documents = self._references(one)
        self._unattested += 0 if documents else sum(not answer.documents for answer in answers)
        return Nugget(
            str(identity), text.strip(), importance, aggregator=aggregator, answers=answers, documents=documents
        )

    def _references(self, one: Fields) -> tuple[str, ...]:
        listed = one.items("references")
        ids = [item.get("doc_id") if isinstance(item, Mapping) else item for item in listed]
        return document_ids(one.place, one.named("references"), ids)

    def _add(self, fields: Fields, topic: str, nuggets: list[Nugget]) -> None:
        self.found.n_rows += 1
        if topic in self.found.nuggets:
            raise fields.place.broken(f"topic '{topic}' has a bank further up in the file", "keep one bank a topic")
        taken: Counter[str] = Counter()
        named = []
        for nugget in nuggets:
            taken[nugget.id] += 1
            if taken[nugget.id] > 1:
                self._repeated.append(nugget.id)
                nugget = replace(nugget, id=f"{nugget.id}-{taken[nugget.id]}")
            named.append(nugget)
        self.found.nuggets[topic] = tuple(named)
        wording = wording_of(fields) or str(fields.values.get("query_text") or "").strip()
        if not wording and isinstance(full := fields.values.get("full_query"), dict):
            wording = wording_of(Fields(fields.place, full))
        if wording:
            self.found.topics[topic] = TopicText(wording)
