"""Stage *cover*: what became of every nugget in every configuration, and how early its ranking shows the nuggets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from core.engine.answer import Answers
from core.engine.averaging import one_coverage
from core.engine.contexts import Context, NoContext
from core.engine.holdings import Holdings, QuestionHoldings
from core.engine.match import Matches
from core.engine.progress import Progress
from core.engine.ranked import Ranked
from core.engine.repeats import nth, plain
from core.engine.spec import RunSpec
from core.engine.systems import is_system
from core.metrics.coverage_observations import CUTOFFS, PARTS
from core.metrics.curves import DEPTH, RankingCurves, ranking_curves
from core.metrics.judgments import JudgedTopic
from core.nuggets.holding import Item
from core.nuggets.matching import Match
from core.nuggets.outcomes import NuggetOutcome, outcomes_of
from core.schema import NOT_MATCHABLE, Answer, Question, StateName
from core.store.coverage import CoverageRow, Numbers
from core.text.tokens import count_words

Pair = tuple[str, str]

#: counts of a question's nuggets, each for its vital and its okay ones
COUNTS = (
    "n",
    "supported",
    "retrieved",
    "said",
    "cited",
    "grounded",
    "partial",
    "said_share",
    *(part for part in PARTS if part != "grounded"),
)
#: the columns of the stored arrays, in order
COLUMNS = (
    *(f"{name}_{importance}" for name in COUNTS for importance in ("vital", "okay")),
    *(f"{name}@{k}" for name in ("alpha_ndcg", "strec") for k in range(1, DEPTH + 1)),
    *(f"{name}@{k}" for name in ("ndcg_binary", "ndcg_count", "judged") for k in CUTOFFS),
    "map",
    "mrr",
    "answer_words",
)
#: questions between two reports of progress
_BATCH = 25
_COLUMN = {name: place for place, name in enumerate(COLUMNS)}


@dataclass(frozen=True)
class Coverage:
    """A run's rows, and its numbers by configuration: (questions, ``COLUMNS``), NaN where one is not scored."""

    rows: tuple[CoverageRow, ...]
    numbers: Mapping[str, Numbers]


def coverage_of(
    spec: RunSpec,
    questions: Sequence[Question],
    holdings: Holdings,
    ranked: Ranked,
    contexts: Mapping[Pair, Context | NoContext],
    answers: Answers,
    matches: Mapping[Pair, Matches],
    progress: Progress,
) -> Coverage:
    """Return the coverage of every configuration on every question; ``answers`` are those of all configurations.

    Raises Stopped where the run was asked to stop.
    """
    progress.begin("cover", len(questions))
    arrays = {name: np.full((len(questions), len(COLUMNS)), np.nan, dtype=np.float32) for name in spec.configurations}
    rows: list[CoverageRow] = []
    for place, question in enumerate(questions):
        if not question.nuggets:
            rows += [
                CoverageRow(name, question.id, "not_applicable", "this question has no nuggets", {})
                for name in spec.configurations
            ]
            continue
        asked = _Asked(question, holdings.of(question), ranked, spec.configurations)
        for name in spec.configurations:
            pairs = [(nth(name, number), question.id) for number in range(1 if is_system(name) else spec.repeats)]
            given = [
                asked.row(pair, contexts[pair], answers.given.get(pair), answers.failed.get(pair, ""), matches)
                for pair in pairs
            ]
            row, arrays[name][place] = one_coverage([(one.stored, one.numbers) for one in given])
            rows.append(row)
        if place % _BATCH == 0:
            progress.advance(place)
    progress.advance(len(questions))
    return Coverage(tuple(rows), {name: (COLUMNS, array) for name, array in arrays.items()})


@dataclass(frozen=True)
class _Row:
    stored: CoverageRow
    numbers: np.ndarray[Any, np.dtype[np.float32]]


class _Asked:
    """One question, against which every configuration is held."""

    def __init__(
        self, question: Question, holdings: QuestionHoldings, ranked: Ranked, configurations: Sequence[str]
    ) -> None:
        self._question, self._holdings, self._ranked = question, holdings, ranked
        self._unsaid = tuple(Match(said=False) for _ in holdings.support.claims)
        self._rankings = {name: ranked.ranking(name, question.id) for name in configurations}

    def row(
        self,
        pair: Pair,
        context: Context | NoContext,
        answer: Answer | None,
        failure: str,
        matches: Mapping[Pair, Matches],
    ) -> _Row:
        name = plain(pair[0])
        question, numbers = self._question, np.full(len(COLUMNS), np.nan, dtype=np.float32)
        given = context if isinstance(context, Context) else None
        ranking = self._rankings[name]
        handed_on = self._ranked.handed_on(name, question.id, given)
        state, reason = _state(context, answer, failure)
        found: Matches = self._unsaid
        cited: Mapping[int, Sequence[Item]] = {}
        if answer is not None and given is not None:
            found = matches[pair]
            cited = self._ranked.cited_by(name, question.id, given, answer)
        if isinstance(found, str):
            state, reason, found = "failed", found, self._unsaid
        if state == "scored" and NOT_MATCHABLE in question.meta:
            state, reason, found = "not_applicable", str(question.meta[NOT_MATCHABLE]), self._unsaid
        texts = (*(handed_on or ()), *(item for items in cited.values() for item in items))
        provable = not self._holdings.unknown or any(item.text for item in texts)
        if not provable:
            handed_on = None
        outcomes = outcomes_of(
            question.nuggets, self._holdings.support, self._holdings.pool, handed_on, found, cited, provable=provable
        )
        self._count(numbers, outcomes, known=handed_on is not None, said=state == "scored", provable=provable)
        if state == "scored" and answer is not None:
            numbers[_COLUMN["answer_words"]] = count_words(answer.text)
        if isinstance(ranking, str):
            record: dict[str, Any] = {"ranking": [], "no_ranking": ranking}
        else:
            record = {"ranking": [item.id for item in ranking], "no_ranking": self._rank(numbers, name, ranking)}
        named = self._ranked.named(name, question.id)
        seen = {item.id: item for item in (*(() if isinstance(ranking, str) else ranking), *(handed_on or ()), *named)}
        held = {id_: sorted(nuggets) for id_, item in seen.items() if (nuggets := self._holds(item))}
        record |= {
            "nuggets": [outcome.as_record() for outcome in outcomes],
            "held": held,
            "refused": bool(answer and answer.refused),
        }
        return _Row(CoverageRow(name, question.id, state, reason, record), numbers)

    def _holds(self, item: Item) -> frozenset[int]:
        if item.id in self._holdings.passages:
            return self._holdings.passages[item.id]
        return self._holdings.support.holds(item)

    def _count(
        self,
        numbers: np.ndarray[Any, np.dtype[np.float32]],
        outcomes: Sequence[NuggetOutcome],
        *,
        known: bool,
        said: bool,
        provable: bool,
    ) -> None:
        """Enter the counts that are scored.

        What was retrieved needs to be ``known``, the rest an answer (``said``), and what is grounded needs that
        somebody knows what holds the nuggets (``provable``).
        """
        for importance in ("vital", "okay"):
            some = [
                outcome
                for outcome, nugget in zip(outcomes, self._question.nuggets, strict=True)
                if nugget.importance == importance
            ]
            counts: dict[str, float] = {"n": len(some), "supported": sum(outcome.supported for outcome in some)}
            if known:
                counts["retrieved"] = sum(bool(outcome.retrieved) for outcome in some)
            if said:
                for name in ("said", "cited", "partial"):
                    counts[name] = sum(getattr(outcome, name) for outcome in some)
                counts["said_share"] = sum(outcome.share_of_answers for outcome in some)
            if said and provable:
                counts["grounded"] = sum(bool(outcome.grounded) for outcome in some)
                counts["said_not_grounded"] = counts["said"] - counts["grounded"]
            if said and known:
                for part in ("retrieved_not_said", "not_retrieved", "nowhere"):
                    counts[part] = sum(outcome.part == part for outcome in some)
            for name, count in counts.items():
                numbers[_COLUMN[f"{name}_{importance}"]] = count

    def _rank(self, numbers: np.ndarray[Any, np.dtype[np.float32]], name: str, ranking: Sequence[Item]) -> str:
        """Enter the measures of a ranking, or return why there are none."""
        topic = self._topic(ranking) if is_system(name) else self._own_topic
        if not topic.n_supported:
            return "nothing that could be retrieved holds a nugget of this question"
        curves: RankingCurves = ranking_curves(topic, [item.id for item in ranking], DEPTH)
        for name, values in (("alpha_ndcg", curves.alpha_ndcg), ("strec", curves.subtopic_recall)):
            first = _COLUMN[f"{name}@1"]
            numbers[first : first + DEPTH] = values
        for name in ("ndcg_binary", "ndcg_count", "judged"):
            for k in CUTOFFS:
                numbers[_COLUMN[f"{name}@{k}"]] = getattr(curves, name)[k - 1]
        numbers[_COLUMN["map"]] = curves.average_precision
        numbers[_COLUMN["mrr"]] = curves.reciprocal_rank
        return ""

    @cached_property
    def _own_topic(self) -> JudgedTopic:
        """One for all our configurations, so that what one of them ranks changes nothing for another."""
        rankings = [ranking for name, ranking in self._rankings.items() if not is_system(name)]
        return self._topic([item for ranking in rankings if not isinstance(ranking, str) for item in ranking])

    def _topic(self, ranked: Sequence[Item]) -> JudgedTopic:
        """The judgments that rankings are held against: of passages, or of whole documents where they rank those.

        Whatever they rank has a judgment of its own, but for documents that nobody judged.
        """
        held: dict[str, frozenset[int]] = {}
        # an empty ranking, which a system's run gives by leaving a topic out, is one of documents
        if not ranked or any(item.id == item.document_id for item in ranked):
            held |= self._holdings.documents
        if any(item.id != item.document_id for item in ranked):
            held |= self._holdings.passages
        for item in ranked:
            if item.id not in held and ((nuggets := self._holds(item)) or self._is_judged(item)):
                held[item.id] = nuggets
        names = [nugget.id for nugget in self._question.nuggets]
        return JudgedTopic({id_: {names[place] for place in nuggets} for id_, nuggets in held.items()})

    def _is_judged(self, item: Item) -> bool:
        """Whether it is known of an item that it holds nothing: its document was judged, or evidence or text tell."""
        if item.document_id in self._question.judged:
            return True
        return all(claim.basis != "judged" for claim in self._holdings.support.claims) and bool(item.text)


def _state(context: Context | NoContext, answer: Answer | None, failure: str) -> tuple[StateName, str]:
    if isinstance(context, NoContext):
        return context.state, context.reason
    return ("failed", failure) if answer is None else ("scored", "")
