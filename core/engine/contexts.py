"""Stages *combine* and *expand*: which passages and whole sentences each configuration hands to the answerer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from core.engine.prepare import Corpus
from core.engine.spec import EVIDENCE, RunSpec
from core.retrieval.combinations import fuse, union
from core.retrieval.rankers import RankingFailure
from core.schema import ContextSentence, Question, Ranking, StateName, content_hash
from core.text.chunking import expand

Rankings = Mapping[str, Mapping[str, Ranking | RankingFailure]]


@dataclass(frozen=True)
class Context:
    """What one configuration hands on: ids of passages (best first for a ranking) and sentences in document order.

    ``no_relation`` says why the relation of an answer that was made from it cannot be told, else it is "".
    """

    passages: tuple[str, ...]
    sentences: tuple[ContextSentence, ...]
    no_relation: str = ""

    @cached_property
    def fingerprint(self) -> str:
        """Equal for equal sentences from equal passages, whatever configuration delivered them.

        Stages of several datasets are keyed by it, so the text is part of it: equal places may hold another text.
        """
        return content_hash([(s.document_id, s.start, s.end, s.text, s.passage_ids) for s in self.sentences])


@dataclass(frozen=True)
class NoContext:
    """Why a configuration has nothing to hand on: it failed, or the measure is not applicable."""

    state: StateName
    reason: str


def contexts_of(
    spec: RunSpec, corpus: Corpus, questions: Sequence[Question], rankings: Rankings
) -> dict[tuple[str, str], Context | NoContext]:
    """Return (configuration id, question id) → context; equal sets of passages share one expansion."""
    contexts: dict[tuple[str, str], Context | NoContext] = {}
    expanded: dict[frozenset[int], tuple[ContextSentence, ...]] = {}

    def context(passages: tuple[int, ...]) -> Context:
        chosen = frozenset(passages)
        if chosen not in expanded:
            expanded[chosen] = expand(
                [corpus.passages[place] for place in sorted(chosen)], corpus.documents, corpus.sentences
            )
        return Context(tuple(corpus.passages[place].id for place in passages), expanded[chosen])

    for question in questions:
        own: dict[str, Ranking] = {}
        failures: dict[str, str] = {}
        for retriever in spec.retrievers:
            ranking = rankings[retriever.id][question.id]
            if isinstance(ranking, RankingFailure):
                failures[retriever.id] = ranking.reason
                contexts[retriever.id, question.id] = NoContext("failed", ranking.reason)
            else:
                own[retriever.id] = ranking
                contexts[retriever.id, question.id] = context(ranking.passages[: spec.k])
        for combination in spec.combinations:
            broken = [member for member in combination.members if member in failures]
            if broken:
                reason = f"member {broken[0]} failed: {failures[broken[0]]}"
                contexts[combination.id, question.id] = NoContext("failed", reason)
            elif combination.kind == "A":
                contexts[combination.id, question.id] = context(fuse(combination, own, spec.k).passages)
            else:
                contexts[combination.id, question.id] = context(union(combination, own, spec.k))
        # a judged collection has no documents of ours to hold evidence
        if corpus.passages:
            contexts[EVIDENCE, question.id] = _gold_context(corpus, question)
    return contexts


def _gold_context(corpus: Corpus, question: Question) -> Context | NoContext:
    """The whole sentences that hold the question's evidence, cited by the first passage that overlaps each."""
    if not question.evidence:
        return NoContext("not_applicable", "the dataset marks no evidence for this question")
    sentences, passages = [], []
    spans = [span for group in question.evidence for span in group]
    for document_id in dict.fromkeys(span.document_id for span in spans):
        text = corpus.documents[document_id].text
        wanted = [(span.start, span.end) for span in spans if span.document_id == document_id]
        for start, end in corpus.sentences[document_id]:
            if not any(start < right and left < end for left, right in wanted):
                continue
            place = next(
                p
                for p in corpus.of_document[document_id]
                if corpus.passages[p].start < end and start < corpus.passages[p].end
            )
            passages.append(corpus.passages[place].id)
            sentences.append(ContextSentence(document_id, start, end, text[start:end], (passages[-1],)))
    if not sentences:
        return NoContext("not_applicable", "the marked evidence holds no whole sentence")
    return Context(tuple(dict.fromkeys(passages)), tuple(sentences))
