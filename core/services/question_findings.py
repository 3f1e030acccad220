"""What happened to one question, in sentences: what was found, what was said, and how that compares. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pandas as pd

from core.engine.systems import is_system
from core.figures.configurations import family
from core.figures.notation import count, decimal
from core.nuggets.evidence import Held
from core.services.passages import NuggetFound
from core.services.questions import Outcome

_HELD: dict[Held, str] = {"all": "all", "some": "part", "none": "none"}


def outcome_sentence(outcome: Outcome, relation: str | None) -> str:
    """Return what one configuration made of a question with this relation, and whether it had the evidence."""
    if not outcome.sentences:
        return f"{outcome.label} has no answer ({outcome.state})."
    found = evidence_words(outcome.evidence)
    text = f"{outcome.label} refused to answer" if outcome.refused else f"{outcome.label}'s answer"
    if not outcome.refused:
        reached = "has no BERTSim" if outcome.similarity is None else f"reaches BERTSim {decimal(outcome.similarity)}"
        text = f"{text} {reached}{_relation_words(outcome, relation)}"
    return f"{text}; its passages hold {found}." if found else f"{text}."


def comparison_sentence(outcomes: Sequence[Outcome]) -> str:
    """Return how many configurations had the evidence and the right relation, and whose BERTSim is highest.

    References are left out; "" with fewer than two configurations.
    """
    compared = [outcome for outcome in outcomes if not outcome.is_reference]
    if len(compared) < 2:
        return ""
    parts = []
    with_evidence = [outcome for outcome in compared if outcome.evidence is not None]
    if with_evidence:
        parts.append(f"{_number(o.evidence == 'all' for o in with_evidence)} retrieved all of the evidence")
    judged = [outcome for outcome in compared if outcome.verdict]
    if judged:
        parts.append(f"{_number(o.verdict == 'right' for o in judged)} got the relation right")
    scored = [outcome for outcome in compared if outcome.similarity is not None]
    best = max(scored, key=lambda o: o.similarity or 0.0, default=None)
    if best is not None and best.similarity is not None:
        sharing = sum(o.similarity == best.similarity for o in scored) - 1
        also = f" and {count(sharing, 'other')}" if sharing else ""
        parts.append(f"the highest BERTSim is {decimal(best.similarity)}, of {best.label}{also}")
    return f"Of {count(len(compared), 'configuration')}, {', '.join(parts)}." if parts else ""


def evidence_words(held: Held | None) -> str:
    """Return "all of the evidence", "part …" or "none …", "" where none is marked."""
    return "" if held is None else f"{_HELD[held]} of the evidence"


def order_words(configuration: str) -> str:
    """Return in which order a configuration's passages stand: unions and the gold evidence have no ranks."""
    if is_system(configuration):
        return "as the system gave them"
    return "in document order" if family(configuration) in ("union", "reference") else "best first"


def outcomes_table(outcomes: Sequence[Outcome], relation: str | None) -> pd.DataFrame:
    """Return a row a configuration with everything that is scored or counted."""
    return pd.DataFrame.from_records(
        [
            {
                "configuration": outcome.label,
                "BERTSim": outcome.similarity,
                "predicted relation": outcome.predicted,
                "asked relation": relation,
                "relation is": outcome.verdict,
                "evidence held": _HELD[outcome.evidence] if outcome.evidence else "",
                "passages": len(outcome.passage_ids),
                "words": outcome.words,
                "sentences": outcome.n_sentences,
                "state": outcome.state,
                "answer": " ".join(sentence for sentence, _ in outcome.sentences),
            }
            for outcome in outcomes
        ]
    ).astype({"BERTSim": float})


def nuggets_table(found: Sequence[tuple[Outcome, Sequence[NuggetFound]]]) -> pd.DataFrame:
    """Return a row a nugget: importance, whether one sentence states it, and which configuration's passages hold it."""
    if not found:
        return pd.DataFrame()
    rows = [
        {
            "nugget": one.nugget.text,
            "importance": one.nugget.importance,
            "stated": "stated" if one.nugget.stated else "to be inferred",
        }
        for one in found[0][1]
    ]
    for outcome, nuggets in found:
        for row, one in zip(rows, nuggets, strict=True):
            row[f"in {outcome.label}"] = _nugget_words(one)
    return pd.DataFrame.from_records(rows)


def _nugget_words(found: NuggetFound) -> str:
    if found.held is not None:
        return "held" if found.held else "not held"
    nugget = found.nugget
    marked = any(answer.evidence for answer in nugget.answers) if nugget.answers else bool(nugget.evidence)
    # a passage is not at hand, or stands in no document of ours
    return "cannot be told" if marked else "no evidence marked"


def _number(found: Iterable[bool]) -> str:
    return str(sum(found) or "none")


def _relation_words(outcome: Outcome, relation: str | None) -> str:
    if outcome.verdict == "right":
        return f" and has the right relation, {relation}"
    if outcome.verdict == "wrong":
        return f" and has the wrong relation, {outcome.predicted} instead of {relation}"
    return ""
