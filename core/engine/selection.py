"""Which questions of a dataset a run evaluates: all, those of a split, the first N, N at random, N a relation."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import get_args

import numpy as np

from core.errors import OptionError
from core.schema import Question, Split

_SAMPLE = re.compile(r"(?P<balanced>balanced:)?(?P<number>\d{1,15})", re.ASCII)


def select(
    questions: Sequence[Question], *, sample: str = "", split: str = "", limit: int | None = None, seed: int = 0
) -> list[str]:
    """Return ids in dataset order: of the split, first the sample is drawn, then ``limit`` cuts it.

    ``sample`` is "" (all), "N" (N at random) or "balanced:N" (N a relation, the paper's protocol with N = 100;
    a relation with fewer gives all it has); ``split`` is "" (all questions), "train" or "test".

    Raises:
        OptionError: a sample or limit below 1 or not a number, a balanced sample of unlabelled questions, or a split
            that no question carries.
    """
    if limit is not None and limit < 1:
        raise OptionError(f"--limit is {limit}: it must be 1 or more.")
    chosen = _of_split(questions, split)
    if sample:
        asked = _SAMPLE.fullmatch(sample)
        if asked is None or int(asked["number"]) < 1:
            raise OptionError(f"--sample is '{sample}': give a number such as 200, or balanced:100.")
        generator = np.random.default_rng(seed)
        groups = _relation_groups(questions, chosen) if asked["balanced"] else [chosen]
        chosen = sorted(index for group in groups for index in _draw(generator, group, int(asked["number"])))
    return [questions[index].id for index in chosen[:limit]]


def _of_split(questions: Sequence[Question], split: str) -> list[int]:
    if not split:
        return list(range(len(questions)))
    if split not in get_args(Split):
        raise OptionError(f"--split is '{split}': it must be 'train' or 'test'.")
    chosen = [index for index, question in enumerate(questions) if question.split == split]
    if not chosen:
        raise OptionError(f"--split {split}: no question of this dataset is marked as {split}: leave out --split.")
    return chosen


def _draw(generator: np.random.Generator, group: list[int], size: int) -> list[int]:
    if size >= len(group):
        return group
    return [int(index) for index in generator.choice(group, size=size, replace=False)]


def _relation_groups(questions: Sequence[Question], chosen: Sequence[int]) -> list[list[int]]:
    groups: dict[str, list[int]] = {}
    for index in chosen:
        relation = questions[index].relation
        if relation:
            groups.setdefault(relation, []).append(index)
    if not groups:
        raise OptionError("--sample balanced:N needs relation labels, and this dataset has none: give a plain number.")
    return [groups[name] for name in sorted(groups)]
