"""What stage *classify* gives, whoever tells the relations: predictions, gaps, and how far both can be trusted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from core.engine.repeats import plain, repeat_of
from core.engine.spec import EVIDENCE
from core.engine.systems import is_system
from core.relations.diagnostics import RelationDiagnostics, agreement, movable_share
from core.relations.labelled import document_groups
from core.schema import Answer, Question

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Gap:
    """Why a single answer has no predicted relation."""

    state: Literal["failed", "not_applicable"]
    reason: str


@dataclass(frozen=True)
class Relations:
    """Predicted relations by (configuration id, question id), or ``reason`` why there are none.

    ``unpredicted`` says for single questions why none of their answers gets a prediction, ``gaps`` for single answers.
    ``from_vectors`` and ``from_text`` tell what a prediction rests on, so that it means nothing where the encoder does
    not know the language, or no text came with an answer.
    """

    predicted: Mapping[Pair, str] = field(default_factory=dict)
    unpredicted: Mapping[str, str] = field(default_factory=dict)
    diagnostics: Mapping[str, Any] = field(default_factory=dict)
    reason: str = ""
    gaps: Mapping[Pair, Gap] = field(default_factory=dict)
    from_vectors: bool = True
    from_text: bool = True


def movable(
    questions: Sequence[Question],
    predicted: Mapping[Pair, str],
    answers: Mapping[Pair, Answer],
    gaps: Mapping[Pair, Gap] | None = None,
) -> float:
    """Return how far retrieval can move LRCR at all (``movable_share``) over labelled questions.

    A refusal is a wrong relation; a question that some configuration could not answer, or whose answer has a gap,
    compares nothing. What other systems answered says nothing of retrieval.
    """
    # the first of several repeats stands for its configuration: they differ by chance, not by what was retrieved
    configurations = sorted(
        {name for name, _ in answers if plain(name) != EVIDENCE and not is_system(name) and not repeat_of(name)}
    )
    compared = [
        q for q in questions if all((c, q.id) in answers and (c, q.id) not in (gaps or {}) for c in configurations)
    ]
    table = [[predicted.get((name, q.id)) == q.relation for q in compared] for name in configurations]
    return movable_share(np.array(table, dtype=bool))


def ceiling(
    mode: str,
    labelled: Sequence[Question],
    seeing: Mapping[str, str],
    alone: Mapping[str, str],
    *,
    seed: int = 0,
    notes: Sequence[str] = (),
) -> dict[str, Any]:
    """Return as JSON-able values how good a classifier that was not fitted here is on reference answers.

    ``seeing`` and ``alone`` map question ids to what it says of the reference answer, and of the question by itself;
    questions that are missing there are not counted. Where nothing was said of any reference answer, ``accuracy`` and
    ``question_only`` are None and there is no confusion matrix.
    """
    judged = [(q, group) for q, group in zip(labelled, document_groups(labelled), strict=True) if q.id in seeing]
    if not judged:
        return {"accuracy": None, "question_only": None, "n": 0, "mode": mode, "notes": list(notes)}
    quality = agreement([q.relation or "" for q, _ in judged], [seeing[q.id] for q, _ in judged])
    both = [q for q, _ in judged if q.id in alone]
    return RelationDiagnostics(
        accuracy=quality.accuracy,
        macro_f1=quality.macro_f1,
        majority=quality.majority,
        question_only=sum(alone[q.id] == q.relation for q in both) / len(both) if both else None,
        question_only_agreement=sum(alone[q.id] == seeing[q.id] for q in both) / len(both) if both else None,
        n=len(judged),
        n_documents=len({group for _, group in judged}),
        labels=quality.labels,
        matrix=quality.matrix,
        mode=mode,
        seed=seed,
        notes=tuple(notes),
    ).as_dict()
