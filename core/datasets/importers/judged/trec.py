"""TREC's line formats: runs, relevance and diversity judgments, and the scores that Auto-ARGUE writes beside them.

A line is split at white space. A run is ordered by score, ties by document id, as trec_eval and ndeval do: the rank
column is only compared with it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import pairwise

from core.datasets.importers.encoding import TextSource
from core.datasets.importers.ids import canonical_id
from core.datasets.importers.judged.found import Found, first_of
from core.datasets.importers.place import Place, excerpt

#: characters of a line at most: a longer one is no line of these formats
_LONGEST_LINE = 100_000
_RUN, _QRELS = "topic Q0 document rank score tag", "topic subtopic document judgment"
_SCORES = "run_id request_id metric value"


def lines_of(source: TextSource) -> Iterator[tuple[Place, list[str], bool]]:
    """Yield place and fields of every line that is not blank, and whether the file ends right behind them.

    Raises ``InputError`` for a line that is longer than any of these formats has.
    """
    with source.open(newline=None) as stream:
        number = 0
        while line := stream.readline(_LONGEST_LINE):
            number += 1
            if len(line) == _LONGEST_LINE:
                raise Place(source.path, number).broken(
                    f"the line is longer than {_LONGEST_LINE:,} characters", "write one judgment or document a line"
                )
            if fields := line.split():
                yield Place(source.path, number), fields, not line.endswith("\n")


def read_run(source: TextSource) -> Found:
    """Return the rankings of a run file, one system a tag. Raises ``InputError`` at the first line that is none."""
    found, identity = Found(), _Identity()
    scored: dict[str, dict[str, list[tuple[float, int, str]]]] = {}
    for place, fields, at_end in lines_of(source):
        found.n_rows += 1
        _check_width(place, fields, 6, _RUN, at_end)
        topic, document = identity(place, "topic", fields[0]), identity(place, "document", fields[2])
        rank, score = _number(place, "rank", fields[3]), _number(place, "score", fields[4])
        tag = " ".join(fields[5:])
        scored.setdefault(tag, {}).setdefault(topic, []).append((score, int(rank), document))
    disorder, constant, repeated = [], [], []
    for tag, topics in scored.items():
        rankings = found.rankings.setdefault(tag, {})
        for topic, rows in topics.items():
            by_rank = [score for score, _, _ in sorted(rows, key=lambda row: row[1])]
            if any(later > earlier for earlier, later in pairwise(by_rank)):
                disorder.append(topic)
            if len(rows) > 1 and len(set(by_rank)) == 1:
                constant.append(topic)
            documents = [document for _, _, document in sorted(rows, key=lambda row: (-row[0], row[2]))]
            rankings[topic] = tuple(dict.fromkeys(documents))
            if extra := len(documents) - len(rankings[topic]):
                repeated.append(topic)
                found.skip(0, "document", f"topic '{topic}' ranks {extra} of its documents again further down", extra)
    if disorder:
        found.notes.append(
            f"topics whose ranks and scores disagree: {first_of(disorder)}; the score decides, as trec_eval has it."
        )
    if constant:
        found.notes.append(
            f"topics whose documents all have one score: {first_of(constant)}; their order is that of the ids, as "
            "trec_eval has it, and says nothing about the system."
        )
    if repeated:
        found.notes.append(f"topics that rank a document more than once: {first_of(repeated)}; its best rank counts.")
    return found


def read_qrels(source: TextSource, grade: int) -> Found:
    """Return relevance judgments; a document is relevant from ``grade`` on."""
    found = Found()

    def take(topic: str, _iteration: str, document: str, judgment: float) -> None:
        found.judged.setdefault(topic, []).append(document)
        relevant = found.relevant.setdefault(topic, [])
        if judgment >= grade:
            relevant.append(document)

    grades = _read_judgments(source, found, take)
    _say_grades(found, grades, grade)
    return found


def read_diversity_qrels(source: TextSource, grade: int) -> Found:
    """Return which documents hold which nugget (subtopic); a document holds it from judgment ``grade`` on."""
    found = Found()

    def take(topic: str, nugget: str, document: str, judgment: float) -> None:
        found.judged.setdefault(topic, []).append(document)
        holding = found.held.setdefault(topic, {}).setdefault(nugget, [])
        if judgment >= grade:
            holding.append(document)

    grades = _read_judgments(source, found, take)
    _say_grades(found, grades, grade)
    return found


def read_scores(source: TextSource) -> Found:
    """Return the scores of an Auto-ARGUE ``*.scores.tsv``, with or without its heading."""
    found = Found()
    for place, fields, at_end in lines_of(source):
        if fields == _SCORES.split():
            continue
        found.n_rows += 1
        _check_width(place, fields, 4, _SCORES, at_end)
        system, topic, measure = fields[0], fields[1], fields[2]
        value = _number(place, "value", fields[3])
        found.scores.setdefault(system, {}).setdefault(measure, {})[topic] = value
    return found


def _read_judgments(source: TextSource, found: Found, take: Callable[[str, str, str, float], None]) -> dict[float, int]:
    """Hand every judgment on and return how often each grade occurs."""
    identity = _Identity()
    grades: dict[float, int] = {}
    for place, fields, at_end in lines_of(source):
        found.n_rows += 1
        if len(fields) != 4:
            raise _width_problem(place, fields, 4, _QRELS, at_end)
        judgment = _number(place, "judgment", fields[3])
        grades[judgment] = grades.get(judgment, 0) + 1
        take(
            identity(place, "topic", fields[0]),
            identity(place, "subtopic", fields[1]),
            identity(place, "document", fields[2]),
            judgment,
        )
    for of_topic in (found.judged, found.relevant):
        for topic, documents in of_topic.items():
            of_topic[topic] = list(dict.fromkeys(documents))
    repeated = 0
    for nuggets in found.held.values():
        for nugget, documents in nuggets.items():
            nuggets[nugget] = list(dict.fromkeys(documents))
            repeated += len(documents) - len(nuggets[nugget])
    if repeated:
        found.skip(0, "document", f"{repeated:,} judgments are in the file more than once", repeated)
    return grades


def _say_grades(found: Found, grades: dict[float, int], grade: int) -> None:
    if len([one for one in grades if one > 0]) > 1 or grade != 1:
        counted = ", ".join(f"{value:g}: {n:,}" for value, n in sorted(grades.items()))
        found.notes.append(f"judgments by grade: {counted}; {grade} and above count as yes.")


class _Identity:
    """Canonical ids, each worked out and kept once however often a file repeats it."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def __call__(self, place: Place, field: str, raw: str) -> str:
        known = self._known.get(raw)
        if known is None:
            try:
                known = self._known[raw] = canonical_id(raw)
            except ValueError as error:  # pragma: no cover - a field between blanks is never empty
                raise place.problem(field, str(error), "give an id") from None
        return known


def _check_width(place: Place, fields: list[str], wanted: int, layout: str, at_end: bool) -> None:
    if len(fields) < wanted:
        raise _width_problem(place, fields, wanted, layout, at_end)


def _width_problem(place: Place, fields: list[str], wanted: int, layout: str, at_end: bool) -> Exception:
    if at_end and len(fields) < wanted:
        return place.broken(
            "the file ends in the middle of this line, so it was cut", "get the whole file again or remove the line"
        )
    return place.broken(f"the line has {len(fields)} fields and not {wanted} ({layout})", "correct the line")


def _number(place: Place, field: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise place.problem(field, f"{excerpt(text)} is no number", "correct the line")
    return value
