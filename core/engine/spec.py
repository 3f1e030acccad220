"""What a run is: everything the choices somebody made (``Request``) resolve to.

A run's id is the hash of its resolved spec: the same choices on the same data are the same run, so the same
command again does only what is missing.
"""

from __future__ import annotations

import hashlib
import inspect
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from core.answering.extractive import Extractive
from core.answering.generated import Generated
from core.engine.classifiers import Classifier, classifier_of
from core.engine.matchers import matcher_of
from core.engine.models import answerer_of
from core.engine.repeats import check_repeats
from core.engine.request import Request, check_limits
from core.engine.selection import select
from core.engine.systems import SystemSpec, choice_of, chosen_systems
from core.errors import OptionError
from core.models.embeddings import DEFAULT_ENCODER, EncoderSpec, encoder_spec
from core.models.llm.calls import ModelSpec
from core.nuggets.judge import Judge
from core.nuggets.matching import Matcher
from core.relations.predictions import ImportedPredictions
from core.retrieval.names import (
    CombinationSpec,
    RetrieverSpec,
    parse_combinations,
    parse_retrievers,
)
from core.schema import Dataset, content_hash
from core.text.chunking import Chunking

__all__ = ["DEPTH", "EVIDENCE", "SCOPES", "VERSIONS", "Request", "RunSpec", "resolve"]

#: passages every ranker stores; k is at most this
DEPTH = 20
SCOPES = ("corpus", "document")
#: the reference row: the answer made from the gold evidence, no retrieval
EVIDENCE = "evidence"
#: raised when a stage computes something else from the same inputs: part of its key, and of every run's id
VERSIONS: Mapping[str, int] = {"chunk": 1, "retrieve": 1, "answer": 1, "classify": 1, "score": 1}
#: the same of the stage that only runs with nuggets have
MATCH_VERSION = 1


@dataclass(frozen=True)
class RunSpec:
    """Everything a run depends on. ``questions`` are the ids it evaluates, in dataset order."""

    request: Request
    dataset_fingerprint: str
    corpus_fingerprint: str
    questions: tuple[str, ...]
    scope: str
    k: int
    depth: int
    chunking: Chunking
    retrievers: tuple[RetrieverSpec, ...]
    combinations: tuple[CombinationSpec, ...]
    factories: Mapping[str, str]
    retrieval_encoder: EncoderSpec
    similarity_encoder: EncoderSpec
    answerer: Extractive | Generated
    classifier: Classifier | None
    seed: int
    systems: tuple[SystemSpec, ...] = ()
    #: None where no question of the run has nuggets
    matcher: Matcher | Judge | None = None
    repeats: int = 1

    @property
    def model(self) -> ModelSpec | None:
        """The language model that answers or judges, None where none takes part."""
        parts = (self.answerer, self.classifier, self.matcher)
        found: ModelSpec | None = next((model for part in parts if (model := getattr(part, "model", None))), None)
        return found

    @property
    def configurations(self) -> tuple[str, ...]:
        """Ids in the order of every page: retrievers, combinations, the reference row, imported systems."""
        return (
            *(r.id for r in self.retrievers),
            *(c.id for c in self.combinations),
            # a judged collection has no documents of ours to make it from
            *((EVIDENCE,) if self.retrievers else ()),
            *(system.id for system in self.systems),
        )

    @property
    def labels(self) -> dict[str, str]:
        """Configuration id to the name people read; no two are alike."""
        ours = {
            **{r.id: r.label for r in self.retrievers},
            **{c.id: c.label for c in self.combinations},
            **({EVIDENCE: "Gold evidence"} if self.retrievers else {}),
        }
        taken = set(ours.values())
        return ours | {s.id: f"{s.name} (imported)" if s.name in taken else s.name for s in self.systems}

    def resolved(self) -> dict[str, Any]:
        """Return the parts as JSON-able values; equal dictionaries mean equal runs."""
        parts: dict[str, Any] = {
            "dataset_fingerprint": self.dataset_fingerprint,
            "questions": list(self.questions),
            "scope": self.scope,
            "k": self.k,
            "depth": self.depth,
            "chunking": self.chunking.as_spec(),
            "retrievers": [r.as_spec() for r in self.retrievers],
            "combinations": [c.as_spec() for c in self.combinations],
            "factories": dict(self.factories),
            "retrieval_encoder": self.retrieval_encoder.as_spec(),
            # the languages decide where BERTSim is applicable
            "similarity_encoder": {
                **self.similarity_encoder.as_spec(),
                "languages": list(self.similarity_encoder.languages),
            },
            "answerer": self.answerer.as_spec(),
            "classifier": self.classifier.as_spec() if self.classifier else None,
            "seed": self.seed,
            "versions": dict(VERSIONS),
        }
        # runs without any keep the ids they had before there were systems, and before nuggets were matched
        if self.systems:
            parts["systems"] = [system.as_spec() for system in self.systems]
        if self.repeats > 1:
            parts["repeats"] = self.repeats
        if self.matcher:
            parts["matcher"] = self.matcher.as_spec()
            parts["versions"]["match"] = MATCH_VERSION
        return parts

    def stored(self) -> dict[str, Any]:
        """Return what the store keeps: the request, what it resolved to, and the configurations' names."""
        return {
            "request": asdict(self.request),
            "resolved": self.resolved(),
            "configurations": list(self.configurations),
            "labels": self.labels,
        }

    @property
    def run_id(self) -> str:
        """``<dataset>-<10 hex digits>``."""
        return f"{self.request.dataset}-{content_hash(self.resolved())[:10]}"


def resolve(
    request: Request,
    dataset: Dataset,
    dataset_fingerprint: str,
    systems: Sequence[SystemSpec] = (),
    predictions: Sequence[ImportedPredictions] = (),
) -> RunSpec:
    """Check every choice and return the run it means.

    ``systems`` and ``predictions`` are those that were imported for the dataset.

    Raises:
        OptionError: a choice outside its range or naming something that does not exist.
        InputError: the settings that name the endpoints cannot be used.
        ModelError: the local model is not installed.
    """
    if not 1 <= request.k <= DEPTH:
        raise OptionError(f"--k is {request.k}: it must be from 1 to {DEPTH}, the passages every retriever stores.")
    if request.scope not in ("", *SCOPES):
        raise OptionError(f"--scope is '{request.scope}': it must be 'corpus' or 'document'.")
    check_limits(request)
    if request.seed < 0:
        raise OptionError(f"--seed is {request.seed}: it must be 0 or more.")
    retrievers = parse_retrievers(request.retrievers) if dataset.documents else ()
    combinations = _usable_combinations(request, retrievers) if dataset.documents else ()
    retrieval_encoder, similarity_encoder = _encoder(request.encoder), _encoder(request.similarity_encoder)
    chosen = chosen_systems(request.systems, systems)
    if not dataset.documents and not chosen:
        raise OptionError(
            f"dataset '{request.dataset}' has no documents to retrieve from: import rankings or responses of other "
            "systems for it, and choose at least one of them."
        )
    # the run is resumed and reproduced from other folders too, and when other systems were imported since
    request = replace(
        request,
        encoder=_findable(request.encoder, retrieval_encoder),
        similarity_encoder=_findable(request.similarity_encoder, similarity_encoder),
        systems=choice_of(chosen) if chosen else request.systems,
    )
    answerer = answerer_of(request)
    check_repeats(request, answerer)
    questions = tuple(
        select(dataset.questions, sample=request.sample, split=request.split, limit=request.limit, seed=request.seed)
    )
    return RunSpec(
        request=request,
        dataset_fingerprint=dataset_fingerprint,
        corpus_fingerprint=dataset.corpus_fingerprint,
        questions=questions,
        scope=request.scope or ("corpus" if len(dataset.documents) > 1 else "document"),
        k=request.k,
        depth=DEPTH,
        chunking=Chunking(mode=_chunking_mode(request.chunking), size=request.chunk_words),
        retrievers=retrievers,
        combinations=combinations,
        factories={r.factory: _source_hash(r.factory) for r in retrievers if r.factory},
        retrieval_encoder=retrieval_encoder,
        similarity_encoder=similarity_encoder,
        answerer=answerer,
        classifier=classifier_of(request, dataset, questions, predictions),
        seed=request.seed,
        systems=chosen,
        matcher=matcher_of(request, dataset, questions),
        repeats=request.repeats,
    )


def _encoder(name: str) -> EncoderSpec:
    """As ``encoder_spec``, but weights are not hashed again, which takes a while, until a file of theirs changes."""
    if name == DEFAULT_ENCODER or not (folder := Path(name).expanduser()).is_dir():
        return encoder_spec(name)
    files = [path for pattern in ("*", "*/*") for path in folder.glob(pattern) if path.is_file()]
    return _hashed_encoder(name, tuple((str(path), path.stat().st_mtime_ns, path.stat().st_size) for path in files))


@lru_cache(maxsize=8)
def _hashed_encoder(name: str, files: tuple[tuple[str, int, int], ...]) -> EncoderSpec:
    del files
    return encoder_spec(name)


def _findable(name: str, encoder: EncoderSpec) -> str:
    """The bundled encoder's name, or the whole path of a folder."""
    return name if name == DEFAULT_ENCODER else encoder.path


def _chunking_mode(name: str) -> Any:
    if name not in ("exact", "langchain"):
        raise OptionError(f"--chunking is '{name}': it must be 'exact' or 'langchain'.")
    return name


def _usable_combinations(request: Request, retrievers: tuple[RetrieverSpec, ...]) -> tuple[CombinationSpec, ...]:
    """``all`` means those whose members are evaluated; a combination named by the user must have all of them."""
    available = {retriever.id for retriever in retrievers}
    chosen = parse_combinations(request.combinations)
    if request.combinations.strip().casefold() == "all":
        return tuple(c for c in chosen if available.issuperset(c.members))
    for combination in chosen:
        missing = [member for member in combination.members if member not in available]
        if missing:
            raise OptionError(f"combination '{combination.id}' needs {', '.join(missing)}: add it to --retrievers.")
    return chosen


def _source_hash(factory: str) -> str:
    """Hash a factory's source file, so that an edited retriever is not answered from stored rankings."""
    from core.retrieval.external import load_factory

    made_by = load_factory(factory)
    source = None
    # an object that can be called, one that is built in, wrappers that wrap each other: inspect refuses them
    with suppress(TypeError, ValueError, OSError):
        source = inspect.getsourcefile(inspect.unwrap(made_by))
    if source is None or not Path(source).is_file():  # code made by exec has no file either
        # the module that offers it stands for it
        source = getattr(sys.modules[factory.partition(":")[0]], "__file__", None)
    return hashlib.sha256(Path(source).read_bytes()).hexdigest()[:32] if source else ""
