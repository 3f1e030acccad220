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
from core.models.llm.calls import Call, Completion
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
    gold = gold_cases(by_id, texts)

    def ask(purpose: str, cases: Mapping[str, tuple[str, Case]], users: Mapping[str, set[str]]) -> _Said:
        asked = calls_about(classifier, cases, by_id, examples)
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

    seeing = ask(ON_GOLD, gold, {})
    alone = ask(ON_QUESTIONS, {id_: (id_, case.alone()) for id_, (_, case) in gold.items()}, {})

    items, cases = answer_cases(by_id, contexts, answers)
    users: dict[str, set[str]] = {}
    for pair, item in items.items():
        users.setdefault(item, set()).add(pair[0])
    said = ask(ON_ANSWERS, cases, users)
    predicted = {pair: said.labels[item] for pair, item in items.items() if item in said.labels}
    gaps = {pair: Gap("failed", said.failures[item]) for pair, item in items.items() if item in said.failures}
    notes = [*_untold(seeing, len(by_id)), *(examples.notes() if examples else ())]
    diagnostics = ceiling(
        classifier.mode, list(by_id.values()), seeing.labels, alone.labels, seed=classifier.seed, notes=notes
    )
    moves = movable(list(by_id.values()), predicted, answers, gaps)
    return Relations(predicted, {}, diagnostics | {"movable": moves}, gaps=gaps, from_vectors=False)


def gold_cases(questions: Mapping[str, Question], texts: Mapping[str, Context]) -> dict[str, tuple[str, Case]]:
    """Return question id → (question id, its reference answer with the text behind it), where there is a text."""
    return {
        id_: (id_, Case(question.question, question.answer, handed_text(texts[id_])))
        for id_, question in questions.items()
        if id_ in texts
    }


def answer_cases(
    questions: Mapping[str, Question], contexts: Mapping[Pair, Context], answers: Mapping[Pair, Answer]
) -> tuple[dict[Pair, str], dict[str, tuple[str, Case]]]:
    """Return (configuration id, question id) → item of the answers to be judged, and item → (question id, case)."""
    items: dict[Pair, str] = {}
    cases: dict[str, tuple[str, Case]] = {}
    for pair, answer in answers.items():
        if pair[1] in questions and not answer.refused and not contexts[pair].no_relation:
            case = Case(questions[pair[1]].question, answer.text, handed_text(contexts[pair]))
            items[pair] = content_hash(pair[1], case.answer, case.text)
            cases[items[pair]] = pair[1], case
    return items, cases


def calls_about(
    classifier: Prompted,
    cases: Mapping[str, tuple[str, Case]],
    questions: Mapping[str, Question],
    examples: Examples | None,
) -> dict[str, Call]:
    """Return item → what the model is asked about its case, after ``examples`` where it gets any."""
    return {
        item: classifier.call(case, examples.beside(questions[question], alone=not case.answer) if examples else ())
        for item, (question, case) in cases.items()
    }


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
