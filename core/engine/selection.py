"""Which questions of a dataset a run evaluates: all, the first N, N at random, N a relation."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from core.errors import OptionError
from core.schema import Question

_SAMPLE = re.compile(r"(?P<balanced>balanced:)?(?P<number>\d{1,15})", re.ASCII)


def select(questions: Sequence[Question], *, sample: str = "", limit: int | None = None, seed: int = 0) -> list[str]:
    """Return ids in dataset order: first the sample is drawn, then ``limit`` cuts it.

    ``sample`` is "" (all), "N" (N at random) or "balanced:N" (N a relation, the paper's protocol with N = 100;
    a relation with fewer gives all it has).

    Raises:
        OptionError: a sample or limit below 1 or not a number, or a balanced sample of unlabelled questions.
    """
    if limit is not None and limit < 1:
        raise OptionError(f"--limit is {limit}: it must be 1 or more.")
    chosen = list(range(len(questions)))
    if sample:
        asked = _SAMPLE.fullmatch(sample)
        if asked is None or int(asked["number"]) < 1:
            raise OptionError(f"--sample is '{sample}': give a number such as 200, or balanced:100.")
        generator = np.random.default_rng(seed)
        groups = _relation_groups(questions) if asked["balanced"] else [chosen]
        chosen = sorted(index for group in groups for index in _draw(generator, group, int(asked["number"])))
    return [questions[index].id for index in chosen[:limit]]


def _draw(generator: np.random.Generator, group: list[int], size: int) -> list[int]:
    if size >= len(group):
        return group
    return [int(index) for index in generator.choice(group, size=size, replace=False)]


def _relation_groups(questions: Sequence[Question]) -> list[list[int]]:
    groups: dict[str, list[int]] = {}
    for index, question in enumerate(questions):
        if question.relation:
            groups.setdefault(question.relation, []).append(index)
    if not groups:
        raise OptionError("--sample balanced:N needs relation labels, and this dataset has none: give a plain number.")
    return [groups[name] for name in sorted(groups)]
