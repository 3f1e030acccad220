"""Who holds what in a run's pool: for every question its nuggets against the passages it could be answered from."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property

from core.engine.prepare import Corpus
from core.nuggets.derived import said_by
from core.nuggets.evidence import held_by
from core.nuggets.holding import Claim, Item, Says, Support, claims_of, said_by_text
from core.nuggets.matching import Matcher, Statement
from core.nuggets.outcomes import Pool
from core.schema import Document, Passage, Question

Holders = Mapping[str, frozenset[int]]


class Holdings:
    """What holds the nuggets of a run's questions; ``languages`` are the questions' by id."""

    def __init__(
        self,
        corpus: Corpus,
        questions: Sequence[Question],
        languages: Mapping[str, str],
        scope: str,
        matcher: Matcher,
    ) -> None:
        self._corpus, self._matcher, self._scope = corpus, matcher, scope
        self._questions = questions
        self._languages = languages
        self._place = {passage.id: place for place, passage in enumerate(corpus.passages)}

    def passage(self, identifier: str) -> Item | None:
        """Return a passage of the pool by its id."""
        place = self._place.get(identifier)
        return None if place is None else passage_item(self._corpus.passages[place])

    def document(self, identifier: str) -> Item | None:
        """Return a whole document of ours by its id."""
        document = self._corpus.documents.get(identifier)
        return Item(identifier, identifier, 0, len(document.text), document.text) if document else None

    def of(self, question: Question) -> QuestionHoldings:
        """Return what holds one question's nuggets."""
        return QuestionHoldings(self, question)

    def scope_of(self, question: Question) -> Collection[str]:
        """Return the ids of the documents whose passages the question is asked against."""
        return self._corpus.documents.keys() if self._scope == "corpus" else question.document_ids

    def says(self, question: Question) -> Says:
        """Return how an item's text decides: a passage of the pool by what was found before, others by the matcher."""
        by_text = said_by_text(self._matcher, self._languages[question.id] or "en")

        def says(statement: Statement, item: Item) -> bool:
            if item.id in self._place:
                return item.id in self._derived.get((question.id, statement), ())
            return by_text(statement, item)

        return says

    def holders(self, question: Question, claim: Claim) -> list[str]:
        """Return the ids of the pool's passages that hold a statement by themselves."""
        corpus, scope = self._corpus, self.scope_of(question)
        if claim.basis == "derived":
            return sorted(self._derived.get((question.id, claim.statement), ()))
        if claim.basis == "judged":
            return [
                corpus.passages[place].id
                for document in sorted(claim.documents)
                if document in scope
                for place in corpus.of_document.get(document, ())
            ]
        found: dict[str, None] = {}
        for group in claim.evidence:
            documents = {span.document_id for span in group}
            if len(documents) > 1 or not all(document in scope for document in documents):
                continue
            for place in corpus.of_document[documents.pop()]:
                passage = corpus.passages[place]
                if held_by((group,), [passage], corpus.documents) == "all":
                    found[passage.id] = None
        return list(found)

    def reachable(self, question: Question, claim: Claim) -> bool:
        """Return whether all that the question could be answered from holds a statement together.

        Passages together hold every word of their document, so evidence is reachable where its documents are.
        """
        scope = self.scope_of(question)
        if claim.basis == "judged":
            return any(not self.has_passages or document in scope for document in claim.documents)
        if claim.basis == "evidence":
            return any(all(span.document_id in scope for span in group) for group in claim.evidence)
        return bool(self._derived.get((question.id, claim.statement)))

    @cached_property
    def _derived(self) -> Mapping[tuple[str, Statement], frozenset[str]]:
        """Passages of the pool by whose text a statement without judgments and evidence is held."""
        wanted: dict[str, list[tuple[Question, Statement]]] = {}
        for question in self._questions:
            for claim in claims_of(question):
                if claim.basis == "derived":
                    language = self._languages[question.id] or "en"
                    wanted.setdefault(language, []).append((question, claim.statement))
        found: dict[tuple[str, Statement], frozenset[str]] = {}
        for language, asked in wanted.items():
            groups: dict[tuple[str, ...], list[tuple[Question, Statement]]] = {}
            for question, statement in asked:
                scope = () if self._scope == "corpus" else tuple(sorted(question.document_ids))
                groups.setdefault(scope, []).append((question, statement))
            for scope, members in groups.items():
                found |= self._said_in(scope, members, language)
        return found

    def _said_in(
        self, scope: Sequence[str], asked: Sequence[tuple[Question, Statement]], language: str
    ) -> dict[tuple[str, Statement], frozenset[str]]:
        corpus = self._corpus
        places = [place for document in scope for place in corpus.of_document.get(document, ())]
        passages = [corpus.passages[place] for place in places] if scope else list(corpus.passages)
        texts = [self._sentences(passage) for passage in passages]
        holders: dict[tuple[str, Statement], set[str]] = {}
        for row, column in said_by(self._matcher, [statement.text for _, statement in asked], texts, language):
            question, statement = asked[row]
            holders.setdefault((question.id, statement), set()).add(passages[column].id)
        return {key: frozenset(ids) for key, ids in holders.items()}

    def _sentences(self, passage: Passage) -> list[str]:
        """A passage's sentences, those at its ends cut where it is."""
        text = self._corpus.documents[passage.document_id].text
        return [
            text[max(start, passage.start) : min(end, passage.end)]
            for start, end in self._corpus.sentences[passage.document_id]
            if start < passage.end and passage.start < end
        ]

    @property
    def documents(self) -> Mapping[str, Document]:
        """Our documents by id."""
        return self._corpus.documents

    @property
    def has_passages(self) -> bool:
        """Whether there are documents of ours at all: a judged collection knows its documents by their ids."""
        return bool(self._corpus.passages)


class QuestionHoldings:
    """One question's nuggets: ``support`` decides about any item, ``pool`` says what all of them come to."""

    def __init__(self, holdings: Holdings, question: Question) -> None:
        self._holdings, self._question = holdings, question
        self.support = Support(question, holdings.documents, holdings.says(question))

    @property
    def unknown(self) -> bool:
        """Whether nobody knows what holds its nuggets: nothing was judged or marked, and there are no texts of ours."""
        return not self._holdings.has_passages and all(claim.basis == "derived" for claim in self.support.claims)

    @cached_property
    def pool(self) -> Pool:
        """What the question could be answered from: the pool's passages, or the judged documents where we have none."""
        claims = self.support.claims
        together = frozenset(p for p, claim in enumerate(claims) if self._holdings.reachable(self._question, claim))
        if not self._holdings.has_passages:
            return Pool(together, together)
        return Pool(frozenset(place for places in self._alone.values() for place in places), together)

    @cached_property
    def passages(self) -> Holders:
        """Nuggets by the id of each passage of the pool that holds one or more by itself."""
        return {name: self._nuggets(places) for name, places in self._alone.items()}

    @cached_property
    def documents(self) -> Holders:
        """Nuggets by the id of each whole document: those that were judged, and those of ours that hold some."""
        found = dict.fromkeys(self._question.judged, frozenset[int]())
        for claim in self.support.claims:
            for document in claim.documents:
                found[document] = found.get(document, frozenset()) | {claim.statement.nugget}
        for name in self._holdings.scope_of(self._question):
            item = self._holdings.document(name)
            if item and name not in found and (held := self.support.holds(item)):
                found[name] = held
        return found

    @cached_property
    def _alone(self) -> Mapping[str, frozenset[int]]:
        found: dict[str, set[int]] = {}
        for place, claim in enumerate(self.support.claims):
            for name in self._holdings.holders(self._question, claim):
                found.setdefault(name, set()).add(place)
        return {name: frozenset(places) for name, places in found.items()}

    def _nuggets(self, places: Collection[int]) -> frozenset[int]:
        return frozenset(self.support.claims[place].statement.nugget for place in places)


def passage_item(passage: Passage) -> Item:
    """Return a passage of ours as an item of rankings and citations."""
    return Item(passage.id, passage.document_id, passage.start, passage.end, passage.text)
