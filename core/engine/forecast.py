"""What a run will ask its language model, as far as that can be told before it: from passages that are ranked already.

What a model is asked depends on what was retrieved. Where the same retrieval was done before (by a run with extractive
answers, or by this one before it was stopped), the calls are known to the letter, and so is which of them are stored.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.answering.generated import Generated
from core.engine.calls import stored_keys
from core.engine.contexts import Context, NoContext, contexts_of
from core.engine.generate import asked
from core.engine.prepare import Corpus, prepared
from core.engine.retrieve import stored_rankings
from core.engine.spec import EVIDENCE, RunSpec
from core.models.llm.calls import Call, call_key
from core.schema import Dataset, Question
from core.store.database import Store


@dataclass(frozen=True)
class Forecast:
    """The answers a run asks for: ``calls`` will be sent, ``stored`` more were answered before.

    ``open`` counts the (configuration, question) pairs whose passages are not known yet: at most so many calls more.
    """

    calls: tuple[Call, ...]
    stored: int
    open: int


def forecast(store: Store, spec: RunSpec, dataset: Dataset) -> Forecast:
    """Return what the answers of a run ask for; nothing is ranked or encoded, and nothing stored."""
    answerer = spec.answerer
    if not isinstance(answerer, Generated):
        return Forecast((), 0, 0)
    chosen = frozenset(spec.questions)
    questions = [question for question in dataset.questions if question.id in chosen]
    corpus = prepared(store, spec, dataset)
    contexts = _known(store, spec, corpus, questions) if corpus else {}
    usable = {pair: context for pair, context in contexts.items() if isinstance(context, Context)}
    _, inquiries = asked(answerer, {q.id: q for q in questions}, dataset.language_of, usable)
    calls = {call_key(answerer.model, one.call): one.call for one in inquiries.values()}
    stored = stored_keys(store, answerer.model, list(calls))
    ranked = len({question for configuration, question in contexts if configuration != EVIDENCE})
    rankable = len(spec.retrievers) + len(spec.combinations)
    # without a corpus that is cut up, the gold evidence is not cut up either
    marked = 0 if corpus else sum(bool(question.evidence) for question in questions)
    missing = tuple(call for key, call in calls.items() if key not in stored)
    return Forecast(missing, len(stored), (len(questions) - ranked) * rankable + marked)


def _known(
    store: Store, spec: RunSpec, corpus: Corpus, questions: Sequence[Question]
) -> dict[tuple[str, str], Context | NoContext]:
    """The contexts of the questions that every retriever has ranked; the gold evidence of all."""
    rankings = {retriever.id: stored_rankings(store, spec, retriever, questions) for retriever in spec.retrievers}
    ranked = [q for q in questions if all(q.id in found for found in rankings.values())]
    gold = contexts_of(replace(spec, retrievers=(), combinations=()), corpus, questions, {})
    return gold | contexts_of(spec, corpus, ranked, rankings)
