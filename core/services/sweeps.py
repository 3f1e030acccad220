"""Use case *choose what to evaluate*: choices by name, each of them checked, that make one run or a sweep of runs.

From a browser one may choose and never name: a dataset that is stored or bundled, a retriever or an encoder that the
product brings along or the settings list. Paths and factories are for the command line.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from core.engine.classifiers import IMPORTED, PROMPTED, RELATION_MODES
from core.engine.matchers import LLM
from core.engine.models import LOCAL
from core.engine.repeats import MOST_REPEATS
from core.engine.spec import DEPTH, SCOPES, Request
from core.errors import OptionError
from core.models.encoders import DEFAULT_ENCODER
from core.retrieval.names import COMBINATIONS, RETRIEVERS, parse_combination
from core.services.endpoints import endpoint_choices, endpoint_names
from core.services.importing import dataset_named
from core.services.offers import Offer, content, offers
from core.services.planning import planned
from core.services.queueing import Started, start_all
from core.settings import trilens_settings

#: runs that one press of a button may start; each holds an open lock file
MOST_RUNS = 100
QUESTIONS = ("all", "random", "balanced")
SPLITS = ("", "train", "test")
CHUNKINGS = ("exact", "langchain")
ANSWERS = ("extractive", "model")
MATCHERS = ("offline", LLM)
VARIANTS = ("bm25/langchain", "tfidf/paper", "tfidf/langchain")
LARGEST_CHUNK = 10_000
_LARGEST_NUMBER = 10**9


@dataclass(frozen=True, slots=True)
class Sweep:
    """What a form holds. Several datasets, k, chunk sizes or encoders mean a run for each combination of them.

    ``questions`` is "all", "random" (``n`` of them) or "balanced" (``n`` a relation), of the ``split`` if one is named.
    ``systems`` are the imported systems that stand beside the retrievers where a dataset has them; None for all.
    ``answers`` is "extractive" or "model"; the ``endpoint`` (the settings' name of it, or "local") is asked where
    answers, relations or the ``matcher`` of nuggets ("offline" or "llm") need a language model, for at most
    ``max_calls`` calls a run. ``repeats`` says how often a model's answer is asked for.
    """

    datasets: tuple[str, ...]
    questions: str = "all"
    n: int = 100
    split: str = ""
    scope: str = "corpus"
    retrievers: tuple[str, ...] = RETRIEVERS
    combinations: tuple[str, ...] = COMBINATIONS
    ks: tuple[int, ...] = (4,)
    chunking: str = "exact"
    chunk_words: tuple[int, ...] = (100,)
    encoders: tuple[str, ...] = (DEFAULT_ENCODER,)
    relations: str = "local"
    seed: int = 0
    systems: tuple[str, ...] | None = None
    answers: str = "extractive"
    endpoint: str = LOCAL
    max_calls: int | None = None
    matcher: str = MATCHERS[0]
    repeats: int = 1

    @property
    def asks_a_model(self) -> bool:
        """Whether a language model takes part."""
        return self.answers == "model" or self.relations in PROMPTED or self.matcher == LLM


def retriever_names() -> tuple[str, ...]:
    """Return what may be chosen: the seven, their variants, and those registered in the settings.

    Raises:
        InputError: the settings file cannot be used.
    """
    return tuple(dict.fromkeys((*RETRIEVERS, *VARIANTS, *trilens_settings().retrievers)))


def encoder_names() -> tuple[str, ...]:
    """Return what may be chosen: the bundled one and those listed in the settings.

    Raises:
        InputError: the settings file cannot be used.
    """
    return tuple(dict.fromkeys((DEFAULT_ENCODER, *trilens_settings().encoders)))


def combination_label(name: str) -> str:
    """Return the name people read: "A-Four"."""
    return parse_combination(name).label


def usable_combinations(retrievers: Collection[str], combinations: Iterable[str]) -> tuple[str, ...]:
    """Return those of the named combinations all of whose members are among the retrievers."""
    return tuple(name for name in combinations if set(parse_combination(name).members) <= set(retrievers))


def requests_of(sweep: Sweep) -> tuple[Request, ...]:
    """Return the request of every run, in the order in which they are to be evaluated.

    Raises:
        OptionError: a choice that is not offered or outside its range; the first one found.
        InputError: the settings file cannot be used.
    """
    offered = {offer.name: offer for offer in offers()}
    _check_datasets(sweep.datasets, offered)
    systems = {name: [system.name for system in offered[name].systems] for name in sweep.datasets}
    _check_systems(sweep.systems or (), {one for names in systems.values() for one in names})
    _one_of("questions", sweep.questions, QUESTIONS)
    _one_of("split", sweep.split, SPLITS)
    _one_of("scope", sweep.scope, SCOPES)
    _one_of("chunking", sweep.chunking, CHUNKINGS)
    _one_of("kind of answers", sweep.answers, ANSWERS)
    _one_of("matcher", sweep.matcher, MATCHERS)
    _one_of("relation classifier", sweep.relations, (*RELATION_MODES, *imported_relations(offered, sweep.datasets)))
    _several("retriever", sweep.retrievers, retriever_names())
    _several("encoder", sweep.encoders, encoder_names())
    for name in sweep.combinations:
        _one_of("combination", name, COMBINATIONS)
    _numbers("k", sweep.ks, 1, DEPTH)
    _numbers("chunk size", sweep.chunk_words, 1, LARGEST_CHUNK)
    if sweep.questions != "all":
        _numbers("number of questions", (sweep.n,), 1, _LARGEST_NUMBER)
    _numbers("seed", (sweep.seed,), 0, _LARGEST_NUMBER)
    folders = trilens_settings().encoders
    found = tuple(
        Request(
            dataset,
            # what is the default anyway stays unsaid, so that commands are short and runs found again
            scope="" if sweep.scope == "corpus" else sweep.scope,
            retrievers=_retrievers(sweep.retrievers),
            combinations=_combinations(sweep),
            k=k,
            chunking=sweep.chunking,
            chunk_words=words,
            encoder=encoder if encoder == DEFAULT_ENCODER else str(folders[encoder]),
            relations=sweep.relations,
            sample={"all": "", "random": str(sweep.n), "balanced": f"balanced:{sweep.n}"}[sweep.questions],
            split=sweep.split,
            seed=sweep.seed,
            systems=_systems(sweep.systems, systems[dataset]),
            matcher=sweep.matcher,
            **_model(sweep),
        )
        for dataset, encoder, words, k in product(
            dict.fromkeys(sweep.datasets),
            dict.fromkeys(sweep.encoders),
            dict.fromkeys(sweep.chunk_words),
            dict.fromkeys(sweep.ks),
        )
    )
    if len(found) > MOST_RUNS:
        raise OptionError(f"These choices make {len(found):,} runs: choose fewer, at most {MOST_RUNS} at once.")
    return found


def start_sweep(sweep: Sweep) -> Started:
    """Import bundled datasets that are not stored yet, queue what is not complete and start a worker.

    Raises:
        OptionError, InputError: a choice cannot be used; nothing was started.
        TrilensError: the worker ended before it began.
    """
    requests = requests_of(sweep)
    stored = {name: dataset_named(name) for name in sweep.datasets}
    return start_all(
        [
            planned(replace(request, dataset=name), *content(name))
            for request in requests
            for name in (stored[request.dataset],)
        ]
    )


def imported_relations(offered: Mapping[str, Offer], datasets: Iterable[str]) -> tuple[str, ...]:
    """Return the choices of relations that were imported for every one of the datasets."""
    names = [offered[name].predictions for name in datasets]
    return tuple(IMPORTED + name for name in (names[0] if names else ()) if all(name in others for others in names))


def _model(sweep: Sweep) -> dict[str, Any]:
    """Return what a request says of the language model, nothing where none takes part."""
    if not sweep.asks_a_model:
        return {}
    choices, names = {choice.name: choice for choice in endpoint_choices()}, endpoint_names()
    if not names:
        raise OptionError(f"There is no language model to ask. {choices[LOCAL].problem}")
    _one_of("language model", sweep.endpoint, names)
    if sweep.max_calls is not None:
        _numbers("most calls", (sweep.max_calls,), 1, _LARGEST_NUMBER)
    answerer = choices[sweep.endpoint].kind if sweep.answers == "model" else "extractive"
    _numbers("number of repeats", (sweep.repeats,), 1, MOST_REPEATS)
    return {
        "answerer": answerer,
        "endpoint": "" if answerer == LOCAL else sweep.endpoint,
        "max_calls": sweep.max_calls,
        # what judges is asked once: it does not sample
        "repeats": sweep.repeats if sweep.answers == "model" else 1,
    }


def _retrievers(names: Sequence[str]) -> str:
    own = trilens_settings().retrievers
    # in the order in which they are offered: clicks in another order are the same run
    chosen = [name if name in (*RETRIEVERS, *VARIANTS) else own[name] for name in retriever_names() if name in names]
    return "all" if tuple(chosen) == RETRIEVERS else ",".join(chosen)


def _combinations(sweep: Sweep) -> str:
    if set(sweep.combinations) == set(COMBINATIONS):
        return "all"
    chosen = [name for name in COMBINATIONS if name in sweep.combinations]
    return ",".join(usable_combinations(sweep.retrievers, chosen)) or "none"


def _systems(chosen: Collection[str] | None, there: Sequence[str]) -> str:
    """Return the choice among the systems that a dataset has."""
    if chosen is None or set(there) <= set(chosen):
        return ""
    return ",".join(name for name in there if name in chosen) or "none"


def _check_datasets(chosen: Sequence[str], known: Collection[str]) -> None:
    if not chosen:
        raise OptionError("Choose at least one dataset.")
    for name in chosen:
        if name not in known:
            raise OptionError(f"There is no dataset '{name[:80]}' here (any more): choose one that is offered.")


def _check_systems(chosen: Iterable[str], known: Collection[str]) -> None:
    for name in chosen:
        if name not in known:
            raise OptionError(f"The chosen datasets have no imported system '{name[:80]}' (any more): choose anew.")


def _several(what: str, chosen: Sequence[str], offered: Sequence[str]) -> None:
    if not chosen:
        raise OptionError(f"Choose at least one {what}.")
    for name in chosen:
        _one_of(what, name, offered)


def _one_of(what: str, chosen: str, offered: Sequence[str]) -> None:
    if chosen not in offered:
        raise OptionError(f"There is no {what} '{str(chosen)[:80]}': choose {', '.join(filter(None, offered))}.")


def _numbers(what: str, chosen: Sequence[int], lowest: int, highest: int) -> None:
    if not chosen:
        raise OptionError(f"Choose at least one {what}.")
    for number in chosen:
        if isinstance(number, bool) or not isinstance(number, int) or not lowest <= number <= highest:
            raise OptionError(
                f"The {what} '{str(number)[:20]}' cannot be used: give a whole number from {lowest:,} to {highest:,}."
            )
