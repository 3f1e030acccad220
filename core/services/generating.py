"""Use case *generate*, the part before anything is asked: documents, dimensions and model become a plan."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from core.datasets.morgana_config import Described, read_config
from core.datasets.source_texts import read_texts
from core.engine.generation import model_request
from core.engine.models import LOCAL, endpoint_of
from core.engine.request import check_limits
from core.errors import InputError, OptionError
from core.generation.categories import (
    USERS,
    Categorization,
    Category,
    at_level,
)
from core.generation.plan import Plan, usable
from core.generation.prompts import PROMPT_VERSION
from core.models.llm.calls import model_spec
from core.schema import Document, content_hash
from core.services.workspace import workspace
from core.settings import Endpoint
from core.store.datasets import dataset_rows, load_dataset
from core.store.generation import create_generation, generation_rows
from core.taxonomy.bundled import BUNDLED_TREES, NESTED_TREES, level_names
from core.taxonomy.trees import Tree, nested_tree


@dataclass(frozen=True, slots=True)
class Choices:
    """What one chooses, as one would type it: ``sets``, ``drawn`` and ``users`` as DIMENSION or DIMENSION:LEVEL.

    ``config`` is a DataMorgana config file, whose categorizations are drawn besides; ``config_name`` is what its owner
    calls it. ``questions`` is the number in all where there are no sets.
    """

    sets: tuple[str, ...] = ()
    drawn: tuple[str, ...] = ()
    users: tuple[str, ...] = ()
    config: Path | None = None
    config_name: str = ""
    per_category: int = 5
    questions: int = 20
    pairs: int = 3
    attempts: int = 3
    seed: int = 0
    endpoint: str = ""
    max_calls: int | None = None
    max_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Sources:
    """Documents to ask about, under a title; ``trees`` are those of the dataset they come from, nested."""

    title: str
    documents: tuple[Document, ...]
    left_out: tuple[str, ...] = ()
    trees: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Prepared:
    """A plan over documents, ready to be estimated and begun. ``trees`` go into the card of what comes of it."""

    sources: Sources
    plan: Plan
    trees: Mapping[str, Any]
    endpoint: Endpoint
    choices: Choices

    @property
    def id(self) -> str:
        """What names the generation: equal documents, plan and model give the same, which then goes on."""
        documents = [(one.id, one.text, one.language) for one in self.sources.documents]
        return f"set-{content_hash(documents, self.plan.as_record(), self.model)[:10]}"

    @property
    def model(self) -> dict[str, Any]:
        """What identifies model and prompts."""
        return {**model_spec(self.endpoint).as_spec(), "prompts": PROMPT_VERSION}


def sources_of(paths: Sequence[Path]) -> Sources:
    """Return the documents of files and folders. Raises InputError where there is none that can be read."""
    read = read_texts(paths)
    return Sources(
        paths[0].resolve().stem if len(paths) == 1 else f"{len(paths)} sources", read.documents, read.left_out
    )


def sources_of_dataset(name: str) -> Sources:
    """Return the documents of a stored dataset. Raises OptionError where there is none of that name, or it has none."""
    _, store = workspace()
    dataset = load_dataset(store, name)
    if not dataset.documents:
        raise OptionError(f"'{name}' holds no documents: choose another dataset, or give documents.")
    return Sources(name, dataset.documents, (), dataset.card.trees)


def stored_names() -> dict[str, str]:
    """Return the names of stored datasets that have documents, each with the fingerprint of what it holds."""
    _, store = workspace()
    return {row["name"]: row["fingerprint"] for row in dataset_rows(store) if row["n_documents"]}


def offered_levels(trees: Mapping[str, Any] | None = None) -> tuple[str, ...]:
    """Return what sets and drawn dimensions can be chosen among, as DIMENSION or DIMENSION:LEVEL, users left out.

    A dataset's own tree takes the place of a bundled one of the same dimension.
    """
    offered: list[str] = []
    for dimension in dict.fromkeys((*BUNDLED_TREES, *(trees or {}))):
        if dimension not in USERS:
            levels = level_names(_tree(dimension, trees))
            offered += [f"{dimension}:{level}" if level else dimension for level in levels]
    return tuple(offered)


def offered_users() -> tuple[str, ...]:
    """Return the dimensions that describe who asks."""
    return tuple(one for one in BUNDLED_TREES if one in USERS)


def prepare(sources: Sources, choices: Choices) -> Prepared:
    """Return what would be generated; nothing is asked or stored.

    Raises:
        OptionError: no such dimension, level or endpoint, a number out of range, or no document long enough.
        InputError: the config file cannot be used.
    """
    config = read_config(choices.config, choices.config_name or None) if choices.config else None
    trees = sources.trees or {}
    drawn = [_categorization(one, trees) for one in choices.drawn]
    users = [_categorization(one, trees) for one in choices.users]
    if config:
        drawn += [_described(one) for one in config.questions]
        users += [_described(one) for one in config.users]
    plan = Plan(
        tuple(_categorization(one, trees) for one in choices.sets),
        tuple(drawn),
        tuple(users),
        per_category=choices.per_category,
        questions=0 if choices.sets else choices.questions,
        pairs=choices.pairs,
        attempts=choices.attempts,
        seed=choices.seed,
    )
    if not choices.endpoint:
        raise OptionError(f"a language model writes the questions: name one with --endpoint ('{LOCAL}' needs no key).")
    request = model_request(choices.endpoint, choices.max_calls, choices.max_tokens)
    check_limits(request)
    endpoint = endpoint_of(request)
    assert endpoint is not None
    _, short = usable(sources.documents)
    notes = tuple(f"{one} is shorter than a question: it is not asked about." for one in short)
    return Prepared(
        replace(sources, left_out=(*sources.left_out, *notes)), plan, _card_trees(plan, trees), endpoint, choices
    )


def register(prepared: Prepared) -> str:
    """Store a prepared generation, unless it is stored already, and return its id."""
    _, store = workspace()
    choices = prepared.choices
    request = {"endpoint": choices.endpoint, "max_calls": choices.max_calls, "max_tokens": choices.max_tokens}
    create_generation(
        store,
        {
            "id": prepared.id,
            "title": prepared.sources.title,
            "plan": prepared.plan.as_record(),
            "model": prepared.model,
            "request": request,
            "trees": dict(prepared.trees),
            "left_out": list(prepared.sources.left_out),
            "state": "stopped",
            "wanted": prepared.plan.wanted,
        },
        prepared.sources.documents,
    )
    return prepared.id


def is_known(prepared: Prepared) -> bool:
    """Return whether just this was begun before: it then goes on."""
    _, store = workspace()
    return any(row["id"] == prepared.id for row in generation_rows(store))


def command_of(choices: Choices, sources: Sequence[str]) -> str:
    """Return the command line that generates the same."""
    words = [".venv/bin/python", "-m", "core", "generate", *sources]
    defaults = asdict(Choices())
    for name, option in (("sets", "--set"), ("drawn", "--draw"), ("users", "--user")):
        for one in getattr(choices, name):
            words += [option, one]
    if choices.config:
        words += ["--config", choices.config_name or str(choices.config)]
    for name in ("per_category", "questions", "pairs", "attempts", "seed", "endpoint", "max_calls", "max_tokens"):
        if getattr(choices, name) != defaults[name] and not (name == "questions" and choices.sets):
            words += [f"--{name.replace('_', '-')}", str(getattr(choices, name))]
    return shlex.join(words)


def _categorization(text: str, trees: Mapping[str, Any]) -> Categorization:
    # a dimension's own name may hold a colon
    dimension, _, level = (text, "", "") if text in trees else text.rpartition(":") if ":" in text else (text, "", "")
    return at_level(_tree(dimension, trees), level)


def _tree(dimension: str, trees: Mapping[str, Any] | None) -> Tree:
    if trees and dimension in trees:
        return nested_tree(dimension, trees[dimension])
    if dimension in BUNDLED_TREES:
        return BUNDLED_TREES[dimension]
    offered = ", ".join(dict.fromkeys((*BUNDLED_TREES, *(trees or {}))))
    raise OptionError(f"'{dimension[:80]}' is no dimension here: choose among {offered}.")


def _described(one: Described) -> Categorization:
    dimension, categories = one
    return Categorization(dimension, "", tuple(Category(*category) for category in categories))


def _card_trees(plan: Plan, trees: Mapping[str, Any]) -> dict[str, Any]:
    """The trees of the plan's dimensions, nested: the dataset's own, or a bundled one that knows the names."""
    found: dict[str, Any] = {}
    for one in (*plan.sets, *plan.drawn, *plan.users):
        names = [category.name for category in one.categories]
        candidates = [trees[one.dimension]] if one.dimension in trees else []
        candidates += [NESTED_TREES[one.dimension]] if one.dimension in BUNDLED_TREES else []
        for nested in candidates:
            try:
                known = set(nested_tree(one.dimension, nested).nodes)
            except InputError:
                # a card's tree that cannot be read counts as none, as everywhere
                continue
            if known.issuperset(names):
                found[one.dimension] = nested
                break
        else:
            found[one.dimension] = names
    return found
