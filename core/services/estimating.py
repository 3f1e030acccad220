"""Use case *see the cost first*: how much a sweep computes, encodes and takes, before anything is started."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil
from pathlib import Path

from core.engine.spec import Request, RunSpec
from core.models.cache import VectorCache
from core.models.encoders import EncoderSpec
from core.retrieval.names import needs_vectors
from core.schema import Dataset, Question
from core.services.catalogue import RunState, n_under_way, states_of
from core.services.corpus_part import corpus_part
from core.services.model_costs import ModelCost, model_cost
from core.services.offers import content
from core.services.planning import planned
from core.services.workspace import workspace
from core.settings import settings_file
from core.store.database import Store
from core.store.runs import finished_costs
from core.text.chunking import Chunking

#: produced answers a question that have not been encoded before: one or two on the bundled benchmark, seldom three
_ANSWERS, _MOST_ANSWERS = 1, 3
#: sentences that an imported answer and its contexts come with, at most as a rule
_IMPORTED = 40
#: seconds a passage, a shorter text and an answer on a machine with two cores: a rule of thumb until a run has finished
_RULE = {"passage": 0.03, "text": 0.012, "answer": 0.0012}
#: items that a stage must have computed for its speed to count
_ENOUGH = 50
#: seconds to begin a worker, and to load an encoder
_BEGIN, _LOAD = 2.0, 6.0
#: how far a run may be from the expectation, both ways: texts differ in length, machines have other work
_SPREAD = 1.6


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """``state`` is that of the run where it is there already, else None; ``command`` makes just this run."""

    run_id: str
    dataset: str
    n_questions: int
    n_configurations: int
    state: RunState | None
    command: str

    @property
    def is_done(self) -> bool:
        """Whether nothing is left to compute."""
        return self.state == "done"

    @property
    def is_going(self) -> bool:
        """Whether somebody evaluates it, or it waits for its turn."""
        return self.state in ("running", "queued")


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a sweep costs, the runs that are there already left out.

    ``answers`` are questions times configurations, ``texts`` those known to need encoding (counted when ``exact``,
    else extrapolated from a part of the corpus), ``further`` how many sentences and answers may come on top,
    depending on what is retrieved. ``seconds`` is a range; ``measured`` says how many finished runs of this machine
    it rests on (0: a rule of thumb). ``asked`` is what language models are asked, () where none takes part.
    """

    runs: tuple[PlannedRun, ...]
    answers: int
    texts: int
    exact: bool
    further: int
    seconds: tuple[float, float]
    measured: int
    asked: tuple[ModelCost, ...] = ()

    @property
    def calls(self) -> int:
        """The calls to language models, at most."""
        return sum(one.calls for one in self.asked)

    @property
    def tokens(self) -> int:
        """The tokens of those calls and of what comes back."""
        return sum(one.input_tokens + one.output_tokens for one in self.asked)


@dataclass(frozen=True)
class _Todo:
    """A run that is not complete yet."""

    spec: RunSpec
    dataset: Dataset
    questions: tuple[Question, ...]

    @property
    def encoders(self) -> dict[str, EncoderSpec]:
        """The run's one or two encoders by their keys."""
        return {encoder.cache_key: encoder for encoder in (self.spec.retrieval_encoder, self.spec.similarity_encoder)}


def estimate(requests: Sequence[Request]) -> Estimate:
    """Return what the runs of these requests cost; nothing is stored.

    Raises:
        OptionError, ModelError: a choice cannot be used.
    """
    home, store = workspace()
    specs = {}
    for request in requests:
        dataset, fingerprint = content(request.dataset)
        spec = planned(request, dataset, fingerprint)
        specs[spec.run_id] = (spec, dataset)
    states = states_of(list(specs))
    runs = tuple(
        PlannedRun(
            run_id,
            spec.request.dataset,
            len(spec.questions),
            len(spec.configurations),
            states.get(run_id),
            spec.request.command(),
        )
        for run_id, (spec, _) in specs.items()
    )
    todo = [_todo(*specs[run.run_id]) for run in runs if not run.is_done]
    answers = sum(len(one.questions) * len(one.spec.configurations) for one in todo)
    cache = _Cached(home.encodings)
    passages, sentences, exact = _corpus_texts(cache, todo)
    texts = _question_texts(cache, todo)
    produced = sum(len(one.questions) for one in todo)
    measured, cost = _costs(store)
    expected = passages * cost["passage"] + texts * cost["text"] + answers * cost["answer"]
    imported = sum(len(one.questions) * len(one.spec.systems) for one in todo)
    further = sentences + produced * _MOST_ANSWERS + imported * _IMPORTED
    asked = tuple(found for one in todo if (found := model_cost(one.spec, one.dataset)) is not None)
    low = (expected + produced * _ANSWERS * cost["text"]) / _SPREAD + _BEGIN * len(todo)
    high = (expected + further * cost["text"]) * _SPREAD + _BEGIN * len(todo) + _LOAD
    low, high = low + sum(one.seconds[0] for one in asked), high + sum(one.seconds[1] for one in asked)
    seconds = (low, high) if todo else (0.0, 0.0)
    return Estimate(runs, answers, passages + texts, exact, further, seconds, measured, asked)


def basis() -> tuple[int, ...]:
    """Return what estimates rest on besides their choices, as numbers that change with it: store, encodings, settings.

    While a run goes on, which writes all the time, they change once a minute.
    """
    home, _ = workspace()
    files = [path.with_name(path.name + end) for path in (home.store, home.encodings) for end in ("", "-wal")]
    times = [file.stat().st_mtime_ns if file.exists() else 0 for file in (*files, settings_file())]
    coarse = 60 * 10**9 if n_under_way() else 1
    return tuple(time // coarse for time in times)


def _todo(spec: RunSpec, dataset: Dataset) -> _Todo:
    chosen = frozenset(spec.questions)
    return _Todo(spec, dataset, tuple(question for question in dataset.questions if question.id in chosen))


def _corpus_texts(cache: _Cached, todo: Iterable[_Todo]) -> tuple[int, int, bool]:
    """How many passages and, at most, sentences need encoding, and whether they were all looked at."""
    passages: dict[tuple[str, str, Chunking], float] = {}
    sentences: dict[tuple[str, str], float] = {}
    exact = True
    for one in todo:
        spec = one.spec
        part = corpus_part(spec.request.dataset, spec.dataset_fingerprint, spec.chunking)
        exact &= part.factor == 1
        if _encodes_passages(one):
            encoder = spec.retrieval_encoder
            place = (encoder.cache_key, spec.corpus_fingerprint, spec.chunking)
            passages[place] = part.factor * cache.missing(encoder, part.passages)
        # each retriever hands on k passages a question, of so many sentences each
        a_passage = ceil(len(part.sentences) / max(len(part.passages), 1))
        most = len(one.questions) * len(spec.retrievers) * spec.k * a_passage
        for key, encoder in one.encoders.items():
            missing = min(part.factor * cache.missing(encoder, part.sentences), most)
            sentences[key, spec.corpus_fingerprint] = max(sentences.get((key, spec.corpus_fingerprint), 0.0), missing)
    return round(sum(passages.values())), round(sum(sentences.values())), exact


def _question_texts(cache: _Cached, todo: Iterable[_Todo]) -> int:
    """How many questions and reference answers need encoding; runs of a sweep share them."""
    missing = {}
    for one in todo:
        asked = tuple(question.question for question in one.questions)
        both = (*asked, *(question.answer for question in one.questions))
        for key, encoder in one.encoders.items():
            texts = both if key == one.spec.similarity_encoder.cache_key else asked
            missing[key, one.spec.dataset_fingerprint, one.spec.questions] = cache.missing(encoder, texts)
    return sum(missing.values())


def _encodes_passages(one: _Todo) -> bool:
    """Whether a dense retriever takes part, or kNN has to find texts for the relation classifier."""
    if any(needs_vectors(retriever) for retriever in one.spec.retrievers):
        return True
    return one.spec.classifier is not None and any(q.relation and not q.evidence for q in one.questions)


class _Cached:
    """Which texts are encoded already, as long as the file of the encodings stays as it is."""

    def __init__(self, path: Path) -> None:
        self._path = path
        files = (path, path.with_name(path.name + "-wal"))
        self._version = tuple(file.stat().st_mtime_ns if file.exists() else 0 for file in files)

    def missing(self, encoder: EncoderSpec, texts: tuple[str, ...]) -> int:
        """Return how many of the texts, each counted once, need encoding."""
        return _missing(self._path, self._version, encoder.cache_key, texts)


@lru_cache(maxsize=64)
def _missing(path: Path, version: tuple[int, ...], encoder: str, texts: tuple[str, ...]) -> int:
    del version
    return len(set(texts)) - VectorCache(path).count(encoder, texts)


def _costs(store: Store) -> tuple[int, dict[str, float]]:
    """How many finished runs tell this machine's speed, and seconds a passage, text and answer."""
    runs = finished_costs(store)
    seconds, items = dict.fromkeys(_RULE, 0.0), dict.fromkeys(_RULE, 0)
    for run in runs:
        for stage, spent in run["seconds"].items():
            if run["cost"] and stage in run["cost"]["purposes"]:
                continue  # that is the language model's speed
            kind = "passage" if stage == "encode passages" else "text" if stage.startswith("encode ") else "answer"
            seconds[kind] += spent
            # every other stage works for the answers, which are as many as rows are scored
            items[kind] += run["items"].get(stage, 0) if kind != "answer" or stage == "score" else 0
    found = {kind: seconds[kind] / items[kind] if items[kind] >= _ENOUGH else rule for kind, rule in _RULE.items()}
    return (len(runs) if any(items[kind] >= _ENOUGH for kind in _RULE) else 0), found
