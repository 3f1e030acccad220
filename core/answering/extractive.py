"""Answers without a language model: the sentences of the retrieved text that best answer the question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.answering.refusal import REFUSAL
from core.schema import Answer, Citation, ContextSentence

#: counts changes of the rule that change answers
VERSION = 1


@dataclass(frozen=True, slots=True)
class Extractive:
    """The rule and its parameters; similarities are cosines of unit vectors, rounded to 1e-6.

    1. The sentence most similar to the question is taken; below ``refuse_below`` the answer is a refusal.
    2. Further sentences may join, up to ``max_sentences``, if their similarity to the question is at least
       ``join_from`` times the best one's (and at least ``refuse_below``) and below ``duplicate_from`` to each sentence
       taken. Of those the one with the largest (similarity to the question - ``redundancy`` x largest similarity to
       a sentence taken) joins: maximal marginal relevance (Carbonell and Goldstein, SIGIR 1998), unnormalised.
    3. Ties go to the earlier sentence. The answer is in document order.

    Where the best sentence clearly dominates it stays alone, and its vector is known already.

    The defaults were chosen on 1,000 questions about 20 news texts (their context: four nearest chunks of 100 words,
    all documents in one pool), so the figures here flatter them. Mean cosine of answer and reference answer: .684
    with the best sentence alone (162 distinct answers, none of which must be encoded), .716 with ``join_from`` .9
    (194 of 313 to encode), .721 with .85 (245 of 338; the default), .725 with .7 and no duplicate rule (371 of 403),
    .713 with always three sentences (460); the best single sentence chosen by the reference answer would reach .782.
    ``redundancy`` hardly matters (.7138 to .7152 from 0 to .7). ``refuse_below`` .25 refuses none of these questions,
    82 % when each is asked against another document drawn at random, 29 % against the nearest chunks of all other
    documents, and 5 of the bundled benchmark's 78 questions (which avoid their text's words) when answered from the
    gold evidence; with .2 these are 0, 64 and 8 % and 1 of 78, with .3 they are 0.1, 90 and 58 % and 8 of 78. Other
    encoders need other values.
    """

    max_sentences: int = 3
    refuse_below: float = 0.25
    join_from: float = 0.85
    redundancy: float = 0.5
    duplicate_from: float = 0.8

    def as_spec(self) -> dict[str, Any]:
        """Return what decides an answer besides question and context."""
        return {"name": "extractive", "version": VERSION, **asdict(self), "refusal": REFUSAL}

    def answer(
        self,
        question_unit: NDArray[np.floating[Any]],
        sentences: Sequence[ContextSentence],
        units: NDArray[np.floating[Any]],
    ) -> Answer:
        """Return the answer to one question from its retrieved sentences.

        Args:
            question_unit: unit vector of the question, (d,).
            sentences: what was retrieved, in document order (documents in any order).
            units: unit vectors of the sentences, (n, d).

        Raises:
            ValueError: the number of sentences and of vectors differ.
        """
        if len(sentences) != len(units):
            raise ValueError(f"{len(sentences)} sentences come with {len(units)} vectors")
        taken = self._chosen(question_unit, units)
        if not taken:
            return Answer((REFUSAL,), refused=True)
        return Answer(
            tuple(sentences[place].text for place in taken),
            tuple(
                Citation(number, sentences[place].document_id, passage)
                for number, place in enumerate(taken)
                for passage in sentences[place].passage_ids
            ),
        )

    def _chosen(self, question: NDArray[np.floating[Any]], units: NDArray[np.floating[Any]]) -> list[int]:
        """Return the places of the answer's sentences in order, [] for a refusal."""
        if not len(units):
            return []
        similarity = _cosines(units, question)
        taken = [int(np.argmax(similarity))]
        best = float(similarity[taken[0]])
        if best < self.refuse_below:
            return []
        eligible = similarity >= max(self.join_from * best, self.refuse_below)
        nearest = np.full(len(units), -np.inf)
        while len(taken) < self.max_sentences:
            nearest = np.maximum(nearest, _cosines(units, units[taken[-1]]))
            eligible[taken[-1]] = False
            eligible &= nearest < self.duplicate_from
            if not eligible.any():
                break
            merit = np.round(similarity - self.redundancy * nearest, 6)
            taken.append(int(np.argmax(np.where(eligible, merit, -np.inf))))
        return sorted(taken)


def _cosines(units: NDArray[np.floating[Any]], vector: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    """Rounded, so that the last digits, which depend on the machine and on batches, decide nothing."""
    return np.round(units.astype(np.float64) @ vector.astype(np.float64), 6)
