"""Stage *retrieve*: for every retriever and question the first 20 passages, in corpus or document scope."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.engine.encode import Encodings
from core.engine.fill import Workbench
from core.engine.prepare import Corpus
from core.engine.spec import VERSIONS, RunSpec
from core.retrieval.names import RetrieverSpec, needs_vectors
from core.retrieval.pool import Pool
from core.retrieval.rankers import RankingFailure, rank
from core.schema import Question, Ranking, content_hash
from core.store.database import Store
from core.store.stage_results import StageKey, StageResult, get_results

_BATCH = 200


@dataclass(frozen=True)
class Searchable:
    """A pool and the corpus places of its passages."""

    pool: Pool
    places: tuple[int, ...]


class Retrieval:
    """Ranks questions with any retriever; pools are built once, on first need."""

    def __init__(self, spec: RunSpec, corpus: Corpus, encodings: Encodings, bench: Workbench) -> None:
        self._spec, self._corpus, self._encodings, self._bench = spec, corpus, encodings, bench
        self._pools: dict[tuple[tuple[str, ...], bool], Searchable] = {}

    def rankings(
        self, retriever: RetrieverSpec, questions: Sequence[Question], done_before: int = 0
    ) -> dict[str, Ranking | RankingFailure]:
        """Return question id → ranking over corpus places, or why there is none."""
        scopes = {q.id: _scope_of(self._spec, q) for q in questions}
        items = {q.id: _item(q, scopes[q.id]) for q in questions}
        inputs = {items[q.id]: (q.question, scopes[q.id]) for q in sorted(questions, key=lambda q: scopes[q.id])}
        results = self._bench.fill(
            _key(self._spec, retriever),
            inputs,
            lambda batch: self._compute(retriever, batch),
            # one of the user's own may take seconds a question: what it found is stored at once
            batch=1 if retriever.factory else _BATCH,
            done_before=done_before,
        )
        return {question_id: _ranking(results[item]) for question_id, item in items.items()}

    def _compute(
        self, retriever: RetrieverSpec, batch: Sequence[tuple[str, tuple[str, tuple[str, ...]]]]
    ) -> list[StageResult]:
        results = []
        groups: dict[tuple[str, ...], list[tuple[str, str]]] = {}
        for item, (text, scope) in batch:
            groups.setdefault(scope, []).append((item, text))
        for scope, members in groups.items():
            searchable = self._searchable(scope, needs_vectors(retriever))
            texts = [text for _, text in members]
            vectors = self._encodings.raw(texts) if needs_vectors(retriever) else None
            ranked = rank(retriever, searchable.pool, texts, vectors, self._spec.depth, self._spec.seed)
            for (item, _), outcome in zip(members, ranked, strict=True):
                results.append(_result(item, outcome, searchable.places))
        return results

    def _searchable(self, scope: tuple[str, ...], dense: bool) -> Searchable:
        """Return the pool of a scope; passages are encoded only where a dense retriever takes part in the run."""
        if (scope, dense) not in self._pools:
            corpus = self._corpus
            places = (
                # document order is the corpus's: ties and questions without a match go by it
                tuple(sorted(place for document in scope for place in corpus.of_document[document]))
                if scope
                else tuple(range(len(corpus.passages)))
            )
            passages = [corpus.passages[place] for place in places]
            vectors = self._encodings.raw([p.text for p in passages]) if dense else None
            self._pools[scope, dense] = Searchable(Pool(passages, vectors), places)
        return self._pools[scope, dense]


def stored_rankings(
    store: Store, spec: RunSpec, retriever: RetrieverSpec, questions: Sequence[Question]
) -> dict[str, Ranking | RankingFailure]:
    """Return question id → ranking, as ``Retrieval.rankings`` does, for those that are stored already."""
    items = {q.id: _item(q, _scope_of(spec, q)) for q in questions}
    results = get_results(store, _key(spec, retriever), list(set(items.values())))
    return {question_id: _ranking(results[item]) for question_id, item in items.items() if item in results}


def _scope_of(spec: RunSpec, question: Question) -> tuple[str, ...]:
    return () if spec.scope == "corpus" else tuple(sorted(question.document_ids))


def _item(question: Question, scope: tuple[str, ...]) -> str:
    return content_hash(question.question, scope)


def _key(spec: RunSpec, retriever: RetrieverSpec) -> StageKey:
    return StageKey(
        "retrieve",
        content_hash(
            VERSIONS["retrieve"],
            spec.corpus_fingerprint,
            spec.chunking.as_spec(),
            retriever.as_spec(),
            spec.factories.get(retriever.factory or "", ""),
            spec.retrieval_encoder.as_spec() if needs_vectors(retriever) else None,
            spec.depth,
            # the only one that draws anything
            spec.seed if retriever.name == "svm" else None,
        ),
    )


def _result(item: str, outcome: Ranking | RankingFailure, places: Sequence[int]) -> StageResult:
    if isinstance(outcome, RankingFailure):
        return StageResult(item, None, "failed", outcome.reason)
    return StageResult(
        item,
        {"p": [places[p] for p in outcome.passages], "s": list(outcome.scores), "n": outcome.no_match},
    )


def _ranking(result: StageResult) -> Ranking | RankingFailure:
    if result.state == "failed":
        return RankingFailure(result.reason)
    value: Mapping[str, list[int]] = result.value
    return Ranking(tuple(value["p"]), tuple(value["s"]), bool(value["n"]))
