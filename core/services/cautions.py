"""What limits the conclusions from a run: the classifier's ceiling, the evidence's, unequal amounts of text. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median
from typing import Any, Literal

from core.engine.systems import is_system
from core.figures.configurations import family
from core.figures.measures import average, ranked_by, symbol_of
from core.figures.notation import count, decimal, estimate, per_cent
from core.metrics.scores import LogicScores

#: the question-only classifier counts as nearly as good when it is at most this much less accurate
NEARLY = 0.05


@dataclass(frozen=True, slots=True)
class Finding:
    """One sentence or two in plain text. A "caution" limits what may be concluded, a "note" explains."""

    text: str
    kind: Literal["result", "caution", "note"] = "result"


def classifier_finding(classifier: Mapping[str, Any] | None) -> Finding | None:
    """Return what the relation classifier's diagnostics mean for LRCR; None without a classifier.

    A "caution" where a classifier that sees the question alone is nearly as good, so that LRCR hardly moves, and where
    nothing is known of the classifier.
    """
    if not classifier:
        return None
    if classifier["accuracy"] is None:
        return Finding(
            "Nobody knows how high LRCR could be at best, so a low one may be the classifier's fault. "
            f"{' '.join(classifier['notes'])}",
            "caution",
        )
    accuracy, blind = classifier["accuracy"], classifier["question_only"]
    if blind is not None and blind >= accuracy - NEARLY:
        parts = []
        if (agreement := classifier.get("question_only_agreement")) is not None:
            parts.append(f"the question alone decides {per_cent(agreement)} of predictions")
        if (movable := classifier.get("movable")) is not None:
            parts.append(f"LRCR can move by at most {decimal(movable)}")
        why = f": {'; '.join(parts)}" if parts else ""
        return Finding(
            f"LRCR hardly depends on the retriever here{why}. A classifier that sees only the question is right for "
            f"{per_cent(blind)} of gold answers, one that also sees answer and text for {per_cent(accuracy)}.",
            "caution",
        )
    against = []
    if blind is not None:
        against.append(f"with the question alone {per_cent(blind)}")
    if (majority := classifier.get("majority")) is not None:
        against.append(f"always naming the commonest relation {per_cent(majority)}")
    compared = f" ({'; '.join(against)})" if against else ""
    return Finding(
        f"LRCR has a ceiling: the classifier finds the right relation for {per_cent(accuracy)} of "
        f"{count(classifier['n'], 'gold answer')}{compared}.",
        "note",
    )


def written_differently(scores: LogicScores, classifier: Mapping[str, Any] | None) -> Finding | None:
    """Return the caution that LRCR stays far below its ceiling even for answers made from the gold evidence."""
    gold = next((c.lrcr for c in scores.configurations if family(c.id) == "reference"), None)
    best = classifier["accuracy"] if classifier else None
    if not classifier or best is None or gold is None or gold.value is None or gold.high is None or gold.high >= best:
        return None
    learns = classifier.get("mode") not in ("llm", "llm-few", "imported")
    how = "learns from reference answers" if learns else "is tested on reference answers"
    return Finding(
        f"LRCR is low for a reason besides retrieval: even answers made from the gold evidence get the right relation "
        f"in {per_cent(gold.value)} of questions, where reference answers reach {per_cent(best)}. The "
        f"classifier {how}, and answers made of whole sentences are written differently.",
        "caution",
    )


def head_room(scores: LogicScores) -> Finding | None:
    """Return how far the best retriever stays below answers made from the gold evidence."""
    rows = scores.ranking.rows
    gold = next((c for c in scores.configurations if family(c.id) == "reference"), None)
    if gold is None or not rows:
        return None
    measure = ranked_by(scores)
    top = average(gold, measure)
    if top.value is None:
        return None
    # what an imported system gains from better retrieval is not ours to say
    own = [row for row in rows if not is_system(row.id)]
    if not own:
        return None
    best = own[0]
    name = next(c.label for c in scores.configurations if c.id == best.id)
    reached = estimate(top.value, top.low, top.high)
    if top.value <= best.value + 1e-9:
        return Finding(
            f"Answers made from the gold evidence reach {symbol_of(scores, measure)} {reached}, no more than {name}: "
            f"nothing here says that better retrieval would raise it."
        )
    inside = top.low is not None and top.low <= best.value
    hedge = ", less than its own uncertainty" if inside else ""
    return Finding(
        f"Answers made from the gold evidence alone, the reference, reach {symbol_of(scores, measure)} {reached}: on "
        f"average better retrieval could gain {decimal(top.value - best.value)} over {name}{hedge}."
    )


def budget(scores: LogicScores) -> Finding | None:
    """Return the warning that S- configurations hand over more text than A- ones, where both are there and differ."""
    words: dict[str, dict[str, float]] = {"fused": {}, "union": {}}
    for c in scores.configurations:
        if family(c.id) in words and c.words_per_question:
            words[family(c.id)][c.label] = c.words_per_question
    if not words["fused"] or not words["union"]:
        return None
    a, s = max(words["fused"].values()), max(words["union"].values())
    if s < 1.1 * a:
        return None
    most_a, most_s = (max(some, key=some.__getitem__) for some in (words["fused"], words["union"]))
    return Finding(
        f"{most_s} hands the answerer {s:,.0f} words a question, {most_a} {a:,.0f}: differences between S- and A- "
        f"combinations mix the method with the amount of text.",
        "note",
    )


def shortest_chunks(scores: LogicScores) -> Finding | None:
    """Return the note on EDI, which ranks by distance of word counts, where it did pick shorter chunks than others."""
    edi = next((c for c in scores.configurations if c.id.casefold().split("-")[0] == "edi"), None)
    if edi is None:
        return None
    others = [
        c.words_per_question
        for c in scores.configurations
        if c.id != edi.id and family(c.id) in ("dense", "lexical") and c.words_per_question
    ]
    if not edi.words_per_question or not others or edi.words_per_question > 0.9 * median(others):
        return None
    mine, theirs = edi.words_per_question, median(others)
    return Finding(
        f"{edi.label} ranks by Euclidean distance of word counts, so it mostly picks the shortest chunks "
        f"({mine:,.0f} words a question here, the other retrievers' median is {theirs:,.0f}).",
        "note",
    )


def cut_off(cost: Mapping[str, Any] | None, bound: int | None) -> str:
    """Return what to know of answers that were cut off at the ``bound`` of tokens, "" where none was."""
    answers = cost["purposes"].get("answer", {}) if cost else {}
    cut = answers.get("cut", 0)
    if not cut:
        return ""
    # the local model's bound is ours
    raised = "" if cost and cost["model"].get("identity") else "; answer_tokens in the endpoint's settings raises it"
    return (
        f"{cut:,} of {answers['calls']:,} different answers {'was' if cut == 1 else 'were'} cut off at the bound of "
        f"{bound:,} tokens, so they may miss their end and its citations{raised}."
    )


def refusals(scores: LogicScores) -> Finding | None:
    """Return how many answers were refusals and whose; refusals count in every mean."""
    total = sum(c.bertsim.n_refused for c in scores.configurations)
    if not total:
        return None
    most = max(scores.configurations, key=lambda c: c.bertsim.n_refused)
    answers = sum(c.bertsim.n_scored for c in scores.configurations)
    without = ""
    if most.bertsim.value is not None and most.bertsim_answered.value is not None:
        alone, all_of_them = most.bertsim_answered.value, most.bertsim.value
        without = f"; without them its BERTSim is {decimal(alone)} instead of {decimal(all_of_them)}"
    are = "is a refusal" if total == 1 else "are refusals"
    whose = f"from {most.label}" if total == most.bertsim.n_refused else f"most of them from {most.label}"
    return Finding(
        f"{count(total, 'answer')} of {answers:,} {are} and counted as such, {whose} "
        f"({most.bertsim.n_refused}){without}.",
        "note",
    )
