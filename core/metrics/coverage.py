"""Which of the needed facts an answer gives: said, said with a citation, said citing a document that holds it.

InfoR and nugget coverage of Samuel et al., arXiv 2603.08819; nuggets with several answers as in ARGUE (arXiv
2405.00982). All values are shares of nuggets in [0, 1], None where there is no nugget to share.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.errors import InputError
from core.schema import Aggregator, Nugget

Floats = NDArray[np.float64]

#: what a nugget weighs in weighted coverage
WEIGHTS = {"vital": 1.0, "okay": 0.5}


@dataclass(frozen=True, slots=True)
class NuggetMatch:
    """Sentence ``sentence`` (from 0) of an answer says this nugget; ``answer`` is the text of the answer matched."""

    sentence: int
    nugget: str
    answer: str = ""


@dataclass(frozen=True, slots=True)
class NuggetState:
    """One nugget in one response: the share of its answers that are said, cited and grounded, and its weight.

    The shares are 0 or 1 but for AND nuggets, of which only 1 counts as covered.
    """

    said: float
    cited: float
    grounded: float
    vital: bool = True


@dataclass(frozen=True, slots=True)
class ResponseCoverage:
    """Coverage of one response over ``n`` nuggets.

    ``info_recall`` (InfoR) asks what is said, ``cited`` whether such a sentence has any citation, ``grounded`` whether
    one of its citations holds the nugget. ``soft_*`` let an AND nugget count by the share of its answers;
    ``weighted`` is grounded coverage with vital nuggets weighing 1 and okay ones 0.5.
    """

    n: int
    info_recall: float | None
    cited: float | None
    grounded: float | None
    soft_info_recall: float | None
    soft_cited: float | None
    soft_grounded: float | None
    weighted: float | None


def share_of_answers(aggregator: Aggregator, flags: Sequence[bool]) -> float:
    """Return how much of a nugget its answers' ``flags`` give: OR any of them (0 or 1), AND their share.

    Raises ValueError for no flag: a nugget without several answers has one, for its own text.
    """
    if not flags:
        raise ValueError("a nugget needs at least one flag")
    return float(any(flags)) if aggregator == "OR" else sum(flags) / len(flags)


def check_order(said: ArrayLike, cited: ArrayLike, grounded: ArrayLike) -> None:
    """Check InfoR >= cited >= grounded, element by element. Raises ValueError naming the first place it fails at.

    It holds by definition, so a violation is a mistake of whoever decided the three.
    """
    s, c, g = (np.atleast_1d(np.asarray(part, dtype=np.float64)) for part in (said, cited, grounded))
    wrong = (c > s) | (g > c)
    if wrong.any():
        place = tuple(int(i) for i in np.argwhere(wrong)[0])
        raise ValueError(f"said {s[place]:g}, cited {c[place]:g}, grounded {g[place]:g} at {place} are not in order")


def response_coverage(nuggets: Sequence[NuggetState]) -> ResponseCoverage:
    """Return the coverage of one response, every value None where it has no nuggets.

    Raises ValueError where a nugget is not said >= cited >= grounded.
    """
    if not nuggets:
        return ResponseCoverage(0, None, None, None, None, None, None, None)
    shares = np.array([(nugget.said, nugget.cited, nugget.grounded) for nugget in nuggets])
    check_order(*shares.T)
    whole = shares >= 1.0
    info_recall, cited, grounded = (float(value) for value in whole.mean(axis=0))
    soft = [float(value) for value in shares.mean(axis=0)]
    weights = np.array([WEIGHTS["vital" if nugget.vital else "okay"] for nugget in nuggets])
    return ResponseCoverage(
        n=len(nuggets),
        info_recall=info_recall,
        cited=cited,
        grounded=grounded,
        soft_info_recall=soft[0],
        soft_cited=soft[1],
        soft_grounded=soft[2],
        weighted=float(weights @ whole[:, 2] / weights.sum()),
    )


def nugget_states(
    nuggets: Sequence[Nugget],
    matches: Iterable[NuggetMatch],
    citations: Sequence[Collection[str]],
    *,
    any_answer: bool = False,
    require_attested: bool = False,
) -> tuple[NuggetState, ...]:
    """Return the state of every nugget in a response whose sentences were matched and cite documents.

    ``citations[s]`` are the ids of the documents that sentence s cites. A match is grounded when one of them is
    among the documents of the matched answer (``any_answer``: of any answer of the nugget); ``require_attested``
    asks it of all of them. AND nuggets gather their answers over the whole response.
    Raises InputError for a match that names no such sentence, nugget or answer.
    """
    known = {nugget.id: nugget for nugget in nuggets}
    said, cited, grounded = (defaultdict[str, set[str]](set) for _ in range(3))
    for match in matches:
        nugget = known.get(match.nugget)
        if nugget is None:
            raise InputError(f"a match names nugget {match.nugget!r}, which the question does not have")
        if not 0 <= match.sentence < len(citations):
            raise InputError(f"a match names sentence {match.sentence}, but the answer has {len(citations)}")
        holding = _holding(nugget, match.answer, any_answer)
        named = citations[match.sentence]
        said[nugget.id].add(match.answer)
        if named:
            cited[nugget.id].add(match.answer)
            if (all if require_attested else any)(document in holding for document in named):
                grounded[nugget.id].add(match.answer)
    return tuple(
        NuggetState(
            said=_share(nugget, said[nugget.id]),
            cited=_share(nugget, cited[nugget.id]),
            grounded=_share(nugget, grounded[nugget.id]),
            vital=nugget.importance == "vital",
        )
        for nugget in nuggets
    )


def micro(covered: ArrayLike, total: ArrayLike) -> Floats:
    """Return covered over all nuggets of all topics: the last axis summed away, NaN where no topic has a nugget.

    Topics whose ``covered`` is NaN (not scored) are left out on both sides.
    """
    c, n = _scored(covered, total)
    return _over(c.sum(axis=-1), n.sum(axis=-1))


def macro(covered: ArrayLike, total: ArrayLike) -> Floats:
    """Return the mean over topics of their covered share: the last axis averaged away, NaN where none has a nugget.

    Topics without nuggets and those whose ``covered`` is NaN (not scored) are left out.
    """
    c, n = _scored(covered, total)
    return _over(np.where(n > 0, _over(c, n), 0.0).sum(axis=-1), (n > 0).sum(axis=-1))


def f1(precision: ArrayLike, recall: ArrayLike) -> Floats:
    """Return the harmonic mean of precision and recall, element by element, 0 where both are 0."""
    p, r = np.asarray(precision, dtype=np.float64), np.asarray(recall, dtype=np.float64)
    return np.asarray(np.where(p + r == 0, 0.0, 2 * p * r / np.where(p + r == 0, 1.0, p + r)), dtype=np.float64)


def f1_macro(precision: ArrayLike, recall: ArrayLike) -> Floats:
    """Return the mean over topics of their F1, not the F1 of the means: the last axis averaged away, NaN left out."""
    each = f1(precision, recall)
    present = ~np.isnan(each)
    return _over(np.where(present, each, 0.0).sum(axis=-1), present.sum(axis=-1))


def _holding(nugget: Nugget, answer: str, any_answer: bool) -> frozenset[str]:
    of_answers = {each.text: each.documents for each in nugget.answers}
    if answer not in (of_answers or {"": ()}):
        raise InputError(f"a match names answer {answer!r}, which nugget {nugget.id!r} does not have")
    if not of_answers:
        return frozenset(nugget.documents)
    if any_answer:
        return frozenset(nugget.documents).union(*of_answers.values())
    return frozenset(of_answers[answer])


def _share(nugget: Nugget, answers: Collection[str]) -> float:
    texts = [answer.text for answer in nugget.answers] or [""]
    return share_of_answers(nugget.aggregator, [text in answers for text in texts])


def _scored(covered: ArrayLike, total: ArrayLike) -> tuple[Floats, Floats]:
    c, n = np.broadcast_arrays(np.asarray(covered, dtype=np.float64), np.asarray(total, dtype=np.float64))
    scored = ~np.isnan(c) & ~np.isnan(n)
    return np.where(scored, c, 0.0), np.where(scored, n, 0.0)


def _over(value: ArrayLike, count: ArrayLike) -> Floats:
    v, n = np.asarray(value, dtype=np.float64), np.asarray(count, dtype=np.float64)
    return np.asarray(np.divide(v, n, out=np.full(v.shape, np.nan), where=n > 0), dtype=np.float64)
