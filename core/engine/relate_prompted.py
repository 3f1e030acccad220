"""Stage *classify* by a language model: what it says of reference answers, of questions alone, of produced answers.

Two calls a labelled question, for the ceiling and for the ablation, stand beside one for every distinct produced answer
with its text: of a run of thirteen configurations about a sixth, without which its LRCR could not be judged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from core.engine.calls import Calls
from core.engine.contexts import Context
from core.engine.relations import Gap, Pair, Relations, ceiling, movable
from core.models.llm.calls import Completion
from core.models.llm.structured import Unparsable
from core.relations.examples import Examples
from core.relations.prompted import Case, Prompted
from core.schema import Answer, Dataset, Question, content_hash

#: the stages as progress and costs name them
ON_GOLD, ON_QUESTIONS, ON_ANSWERS = "classify reference answers", "classify questions alone", "classify"


@dataclass(frozen=True)
class _Said:
    """What the model said by item: a relation, or why there is none."""

    labels: Mapping[str, str]
    failures: Mapping[str, str]


def prompted_relations(
    classifier: Prompted,
    dataset: Dataset,
    questions: Sequence[Question],
    texts: Mapping[str, Context],
    contexts: Mapping[Pair, Context],
    answers: Mapping[Pair, Answer],
    calls: Calls,
) -> Relations:
    """Ask for the relation of every produced answer, of the reference answers and of the questions alone.

    A reply that names no relation is a failure of that answer alone, with its reason.
    """
    if len(classifier.relations) < 2:
        only = classifier.relations[0].name
        return Relations(reason=f"all questions have the relation '{only}', so there is nothing to tell apart")
    by_id = {question.id: question for question in questions if question.relation}
    examples = Examples(dataset, classifier.seed) if classifier.mode == "llm-few" else None
    gold = {q.id: Case(q.question, q.answer, handed_text(texts[q.id])) for q in by_id.values() if q.id in texts}

    def ask(purpose: str, cases: Mapping[str, tuple[str, Case]], users: Mapping[str, set[str]]) -> _Said:
        asked = {
            item: classifier.call(case, examples.beside(by_id[question], alone=not case.answer) if examples else ())
            for item, (question, case) in cases.items()
        }
        outcomes = calls.complete(purpose, asked, users=users, problem=lambda _, text: _problem(classifier, text))
        labels, failures = {}, {}
        for item, outcome in outcomes.items():
            if not isinstance(outcome, Completion):
                failures[item] = outcome.reason
            elif isinstance(label := classifier.label(outcome.text), Unparsable):
                failures[item] = label.reason
            else:
                labels[item] = label
        return _Said(labels, failures)

    seeing = ask(ON_GOLD, {id_: (id_, case) for id_, case in gold.items()}, {})
    alone = ask(ON_QUESTIONS, {id_: (id_, case.alone()) for id_, case in gold.items()}, {})

    cases: dict[Pair, tuple[str, Case]] = {
        pair: (pair[1], Case(by_id[pair[1]].question, answer.text, handed_text(contexts[pair])))
        for pair, answer in answers.items()
        if pair[1] in by_id and not answer.refused and not contexts[pair].no_relation
    }
    items = {pair: content_hash(question, case.answer, case.text) for pair, (question, case) in cases.items()}
    users: dict[str, set[str]] = {}
    for pair, item in items.items():
        users.setdefault(item, set()).add(pair[0])
    said = ask(ON_ANSWERS, {items[pair]: case for pair, case in cases.items()}, users)
    predicted = {pair: said.labels[item] for pair, item in items.items() if item in said.labels}
    gaps = {pair: Gap("failed", said.failures[item]) for pair, item in items.items() if item in said.failures}
    notes = [*_untold(seeing, len(by_id)), *(examples.notes() if examples else ())]
    diagnostics = ceiling(
        classifier.mode, list(by_id.values()), seeing.labels, alone.labels, seed=classifier.seed, notes=notes
    )
    moves = movable(list(by_id.values()), predicted, answers, gaps)
    return Relations(predicted, {}, diagnostics | {"movable": moves}, gaps=gaps, from_vectors=False)


def handed_text(context: Context) -> str:
    """Return the sentences handed to the answerer as one text, a line a document."""
    return "\n".join(
        " ".join(sentence.text for sentence in sentences)
        for _, sentences in groupby(context.sentences, key=lambda sentence: sentence.document_id)
    )


def _problem(classifier: Prompted, text: str) -> str:
    label = classifier.label(text)
    return label.reason if isinstance(label, Unparsable) else ""


def _untold(seeing: _Said, labelled: int) -> list[str]:
    """Say how many reference answers the ceiling does not count."""
    missing = labelled - len(seeing.labels)
    if not missing:
        return []
    first = next(iter(seeing.failures.values()), "no text stands behind them")
    return [f"The model named no relation for {missing} of {labelled} reference answers: {first}."]
