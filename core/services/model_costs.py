"""Use case *see the cost first*, the part of the language model: calls, tokens, price and time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil

from core.answering.generated import Generated, numbered
from core.engine.calls import mean_output
from core.engine.forecast import forecast
from core.engine.models import endpoint_of, price_of
from core.engine.spec import RunSpec
from core.models.llm.calls import Call, ModelSpec
from core.models.llm.tokens import TokenCounter
from core.nuggets.judge import Judge
from core.nuggets.matching import statements_of
from core.relations.examples import Examples
from core.relations.prompted import Case, Prompted
from core.schema import ContextSentence, Dataset, Question
from core.services.workspace import workspace
from core.settings import Endpoint
from core.store.database import Store
from core.store.runs import finished_costs
from core.text.chunking import chunk

#: calls whose tokens are counted; those of more are judged by so many from all over them
_SAMPLE = 200
#: questions whose prompts are made up where nothing has been retrieved yet
_EXAMPLES = 20
#: seconds a call: of the local model on two processors, idle or busy, and of a hosted one; rules of thumb until a run
#: has finished
_LOCAL, _HOSTED = (2.0, 10.0), (0.5, 5.0)
#: how far a run may be from the speed that was measured, both ways
_SPREAD = 1.6
#: tokens of an answer until the model has given some
_ANSWER_TOKENS = 80
#: tokens of a relation's name in its braces
_RELATION_TOKENS = 12
#: calls that must have been measured for their speed to count
_ENOUGH = 10


@dataclass(frozen=True, slots=True)
class ModelCost:
    """What one run asks of its language model, called ``model``.

    ``calls`` will be sent, at most where not ``exact`` (what is asked depends on what is retrieved, and the same is
    asked once); ``cached`` more were answered before. Tokens are counted with the model's tokenizer where ``counted``,
    else estimated by a rule. ``price`` is None where the settings name none. ``seconds`` is a range; ``measured`` says
    whether it rests on finished runs with this model.
    """

    model: str
    calls: int
    cached: int
    exact: bool
    input_tokens: int
    output_tokens: int
    counted: bool
    price: float | None
    seconds: tuple[float, float]
    measured: bool


def model_cost(spec: RunSpec, dataset: Dataset) -> ModelCost | None:
    """Return what a run will ask of its language model, None where it has none; nothing is sent and nothing stored.

    Raises:
        ModelError: the tokenizer that the settings name cannot be read.
    """
    endpoint = endpoint_of(spec.request)
    if spec.model is None or endpoint is None:
        return None
    _, store = workspace()
    counter = TokenCounter(endpoint)
    found = forecast(store, spec, dataset)
    answers = _Part(
        len(found.calls) + found.open,
        _mean_prompt(counter, found.calls or _answer_prompts(spec, dataset)),
        mean_output(store, spec.model) or min(_ANSWER_TOKENS, endpoint.answer_tokens),
    )
    judging = (_relations(spec, dataset, counter), _nuggets(spec, dataset, counter))
    parts = (answers, *judging)
    calls = sum(part.calls for part in parts)
    input_tokens, output_tokens = sum(part.input_tokens for part in parts), sum(part.output_tokens for part in parts)
    seconds, measured = _seconds(store, spec.model, endpoint, calls)
    return ModelCost(
        model=endpoint.model,
        calls=calls,
        cached=found.stored,
        exact=not found.open and not any(part.calls for part in judging),
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        counted=not counter.estimated,
        price=price_of(spec.request).of(input_tokens, output_tokens),
        seconds=seconds,
        measured=measured,
    )


@dataclass(frozen=True, slots=True)
class _Part:
    """So many calls with so many tokens each."""

    calls: int
    prompt: float
    output: float

    @property
    def input_tokens(self) -> int:
        return round(self.calls * self.prompt)

    @property
    def output_tokens(self) -> int:
        return round(self.calls * self.output)


def _relations(spec: RunSpec, dataset: Dataset, counter: TokenCounter) -> _Part:
    """Two calls a labelled question, which tell how good the model is at it, and at most one an answer."""
    classifier = spec.classifier
    if not isinstance(classifier, Prompted):
        return _Part(0, 0.0, 0.0)
    labelled = sum(bool(question.relation) for question in _chosen(spec, dataset))
    examples = Examples(dataset, classifier.seed) if classifier.mode == "llm-few" else None
    prompts = [
        classifier.call(
            Case(question.question, question.answer, "\n".join(passages)),
            examples.beside(question) if examples else (),
        )
        for question, passages in _examples(spec, dataset)
    ]
    return _Part(labelled * (2 + len(spec.configurations)), _mean_prompt(counter, prompts), _RELATION_TOKENS)


def _nuggets(spec: RunSpec, dataset: Dataset, counter: TokenCounter) -> _Part:
    """At most a call for every answer and every batch of its question's nuggets; answers are about as long as ours."""
    judge = spec.matcher
    if not isinstance(judge, Judge):
        return _Part(0, 0.0, 0.0)
    prompts: list[Call] = []
    for question in _chosen(spec, dataset):
        statements = [statement.text for statement in statements_of(question.nuggets)]
        prompts += judge.calls(question.question, statements, [question.answer or question.question])
    reply = sum(call.max_tokens for call in prompts) / len(prompts) / 2
    return _Part(len(prompts) * len(spec.configurations), _mean_prompt(counter, prompts), reply)


def _answer_prompts(spec: RunSpec, dataset: Dataset) -> list[Call]:
    """Questions with passages of their documents, for want of what is retrieved: about what will be asked."""
    if not isinstance(spec.answerer, Generated):
        return []
    prompts = []
    for question, passages in _examples(spec, dataset):
        names = tuple(str(place) for place in range(len(passages)))
        sentences = tuple(
            ContextSentence("", 0, len(text), text, (name,)) for name, text in zip(names, passages, strict=True)
        )
        prompts.append(
            spec.answerer.call(question.question, numbered(names, sentences), dataset.language_of[question.id])
        )
    return prompts


def _examples(spec: RunSpec, dataset: Dataset) -> Iterator[tuple[Question, list[str]]]:
    """Yield some of the questions with so many passages as are handed on, the first of their documents."""
    documents = {document.id: document for document in dataset.documents}
    questions = _chosen(spec, dataset)
    for question in questions[:: ceil(len(questions) / _EXAMPLES)]:
        texts = [documents[name] for name in question.document_ids if name in documents]
        yield question, [passage.text for document in texts for passage in chunk(document, spec.chunking)][: spec.k]


def _chosen(spec: RunSpec, dataset: Dataset) -> list[Question]:
    wanted = frozenset(spec.questions)
    return [question for question in dataset.questions if question.id in wanted]


def _mean_prompt(counter: TokenCounter, calls: Sequence[Call]) -> float:
    some = calls[:: ceil(len(calls) / _SAMPLE)] if calls else ()
    return counter.prompts(some) / len(some) if some else 0.0


def _seconds(store: Store, model: ModelSpec, endpoint: Endpoint, calls: int) -> tuple[tuple[float, float], bool]:
    """How long so many calls take, and whether that was measured."""
    costs = [run["cost"] for run in finished_costs(store) if run["cost"]]
    speeds = [cost["speed"] for cost in costs if cost["model"] == model.as_spec()]
    sent = sum(speed["calls"] for speed in speeds)
    if sent >= _ENOUGH:
        expected = calls * sum(speed["seconds"] for speed in speeds) / sent
        return (expected / _SPREAD, expected * _SPREAD), True
    low, high = _LOCAL if endpoint.identity else _HOSTED
    at_once = 1 if endpoint.identity else endpoint.concurrency
    return (calls * low / at_once, calls * high / at_once), False
