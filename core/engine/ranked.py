"""Which ranking each configuration of a run has for a question, and what it handed on and cites, as items."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from core.engine.contexts import Context, Rankings
from core.engine.holdings import Holdings, passage_item
from core.engine.imported import given_items
from core.engine.prepare import Corpus
from core.engine.spec import EVIDENCE, RunSpec
from core.engine.systems import is_system
from core.nuggets.holding import Item
from core.retrieval.combinations import fuse
from core.retrieval.rankers import RankingFailure
from core.schema import Answer, Ranking, SystemAnswer

Given = Mapping[str, Mapping[str, SystemAnswer]]


class Ranked:
    """What a run's configurations ranked, handed on and cite; ``given`` is what its systems gave."""

    def __init__(self, spec: RunSpec, corpus: Corpus, holdings: Holdings, rankings: Rankings, given: Given) -> None:
        self._spec, self._corpus, self._holdings = spec, corpus, holdings
        self._rankings, self._given = rankings, given
        self._combinations = {combination.id: combination for combination in spec.combinations}

    def ranking(self, configuration: str, question: str) -> list[Item] | str:
        """Return the ranking to the stored depth, best first, or why there is none.

        A fused one goes to that depth too: its members' rankings are fused whole, not their first k.
        """
        if configuration == EVIDENCE:
            return "gold evidence is a set and has no ranking"
        if is_system(configuration):
            return self._system_ranking(configuration, question)
        combination = self._combinations.get(configuration)
        if combination is None:
            found = self._rankings[configuration][question]
            return found.reason if isinstance(found, RankingFailure) else self._items(found)
        if combination.kind == "S":
            return "a united set has no ranking"
        own: dict[str, Ranking] = {}
        for member in combination.members:
            found = self._rankings[member][question]
            if isinstance(found, RankingFailure):
                return f"member {member} failed: {found.reason}"
            own[member] = found
        return self._items(fuse(combination, own, self._spec.depth))

    def handed_on(self, configuration: str, question: str, context: Context | None) -> list[Item] | None:
        """Return what the answer was made from; of a ranking without answers its first k; None where nobody knows."""
        if is_system(configuration):
            given = self._given[configuration].get(question)
            if given is None:
                return None
            if given.contexts and not given.cited_only:
                return list(self._system_items(configuration, given).values())
            return [self._resolved(name) for name in given.ranking[: self._spec.k]] or None
        if context is None:
            return None
        items = [item for name in context.passages if (item := self._holdings.passage(name))]
        return items + self._gold_sentences(configuration, context)

    def cited_by(self, configuration: str, question: str, context: Context, answer: Answer) -> dict[int, list[Item]]:
        """Return what each sentence of an answer (from 0) cites."""
        if is_system(configuration):
            there = self._system_items(configuration, self._given[configuration][question])
            cited = {name: [item] for name, item in there.items()}
        else:
            cited = {}
            for name in context.passages:
                item = self._holdings.passage(name)
                cited[name] = [item] if item else []
            for item in self._gold_sentences(configuration, context):
                cited[item.id].append(item)
        found: dict[int, list[Item]] = {}
        for citation in answer.citations:
            found.setdefault(citation.sentence, []).extend(cited.get(citation.passage_id, ()))
        return found

    def named(self, configuration: str, question: str) -> list[Item]:
        """Return what a system handed on or cites, as rankings call it: what is known by its document alone as that.

        Empty for configurations of ours.
        """
        given = self._given[configuration].get(question) if is_system(configuration) else None
        if given is None:
            return []
        raw = given_items(configuration, given)
        items = self._system_items(configuration, given)
        return [item if raw[name].text else replace(item, id=item.document_id) for name, item in items.items()]

    def _items(self, ranking: Ranking) -> list[Item]:
        return [passage_item(self._corpus.passages[place]) for place in ranking.passages]

    def _gold_sentences(self, configuration: str, context: Context) -> list[Item]:
        """Gold evidence is handed on as sentences, whose passages need not hold them to their ends."""
        if configuration != EVIDENCE:
            return []
        return [
            Item(name, sentence.document_id, sentence.start, sentence.end, sentence.text)
            for sentence in context.sentences
            for name in sentence.passage_ids
        ]

    def _system_ranking(self, configuration: str, question: str) -> list[Item] | str:
        given = self._given[configuration].get(question)
        if given is None:
            return "no answer of this system was imported for this question"
        if given.ranking:
            return [self._resolved(name) for name in given.ranking[: self._spec.depth]]
        items = {} if given.cited_only else given_items(configuration, given)
        if not items and not given.sentences and self._ranks(configuration):
            # its run leaves the topic out, which counts as an empty ranking
            return []
        if given.cited_only:
            return "no ranking of this system was imported, only what its answers cite"
        if not items:
            return "the system gave neither a ranking nor contexts"
        return self.named(configuration, question)[: self._spec.depth]

    def _ranks(self, configuration: str) -> bool:
        return any(one.ranking for one in self._given[configuration].values())

    def _system_items(self, configuration: str, given: SystemAnswer) -> dict[str, Item]:
        """A document of ours that a system names without a text was given as a whole."""
        found = given_items(configuration, given)
        for name, item in found.items():
            whole = None if item.text else self._holdings.document(item.document_id)
            if whole:
                found[name] = replace(whole, id=name)
        return found

    def _resolved(self, name: str) -> Item:
        """A document of ours, a passage as this run cuts them, or else a document of the collection by its id."""
        return self._holdings.document(name) or self._holdings.passage(name) or Item(name, name)
