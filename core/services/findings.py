"""What a run shows, in plain sentences with their uncertainty. Pure: scores in, sentences out.

A lead is *within noise* when its interval holds 0. Over all relations that interval is the ranking's paired bootstrap.
Relation by relation it is built from the two cells' own intervals (MOVER with covariance 0, Zou and Donner 2008), which
is wider than the paired one because two configurations answer the same questions, and widened further to hold for all
comparisons of the map at once (Bonferroni); it errs towards "noise".
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, Protocol

from core.figures.measures import MeasureName, of_cell, ranked_by, symbol_of
from core.figures.notation import count, decimal, estimate, interval, listed
from core.metrics.scores import ConfigurationScores, LogicScores, Measure, RankedConfiguration
from core.services.captions import TIE, in_the_ranking, names
from core.services.cautions import (
    Finding,
    budget,
    classifier_finding,
    head_room,
    refusals,
    shortest_chunks,
    written_differently,
)

_BERTSIM = (
    "BERTSim hardly punishes extra information: an answer that adds to the reference, rightly or not, scores high."
)


class Comparable(Protocol):
    """The part of ``core.metrics.comparability.Comparability`` that sentences use."""

    @property
    def n_per_relation_min(self) -> int: ...  # noqa: D102
    @property
    def n_per_relation_max(self) -> int: ...  # noqa: D102
    @property
    def needed(self) -> int: ...  # noqa: D102
    @property
    def family(self) -> int: ...  # noqa: D102
    @property
    def any_cell_possible(self) -> bool: ...  # noqa: D102


class Readable(Protocol):
    """The part of ``core.services.lenses.LogicLens`` that sentences use."""

    @property
    def scores(self) -> LogicScores: ...  # noqa: D102
    @property
    def classifier(self) -> Mapping[str, Any] | None: ...  # noqa: D102
    @property
    def comparability(self) -> Comparable: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class Leads:
    """Who leads relation by relation: ``leader`` on ``wins`` relations of ``compared``, ``noise`` of them within noise.

    ``shared`` of the wins are ties for the first place, which are within noise.
    ``beyond`` names the relations whose lead is not noise; ``unequal`` counts relations set aside because not all
    configurations have scores on the same questions there.
    """

    leader: ConfigurationScores
    wins: int
    shared: int
    compared: int
    noise: int
    beyond: tuple[str, ...]
    unequal: int


def headline(lens: Readable, measure: MeasureName = "opi") -> Finding:
    """Return the sentence under the page's title: relation by relation if that can be decided, then over all."""
    scores = lens.scores
    whole = overall(scores)
    if not scores.relations:
        return whole
    enough = lens.comparability
    if not enough.any_cell_possible and len(in_the_ranking(scores)) > 1:
        return Finding(f"{_too_few(enough)} {whole.text}", "caution")
    leads = relation_leads(scores, measure, enough.family)
    if leads is None:
        return whole
    return Finding(f"{_leads_sentence(leads, scores, measure)} {whole.text}")


def overall(scores: LogicScores) -> Finding:
    """Return who leads over all questions, by how much, and whether that is more than noise."""
    table = scores.ranking
    if not table.rows:
        return Finding(_nothing(scores), "caution")
    name = names(scores)
    symbol = symbol_of(scores, ranked_by(scores))
    on = f"all {count(table.n_questions, 'question')}" if table.n_questions > 1 else "the one question"
    if table.n_questions < table.n_total:
        on = f"the {table.n_questions:,} of {count(table.n_total, 'question')} that every configuration has scored"
    best = [row for row in table.rows if abs(row.value - table.rows[0].value) <= TIE]
    first = best[0]
    value = estimate(first.value, first.low, first.high)
    if len(table.rows) == 1:
        return Finding(f"{name[first.id]} reaches {symbol} {value} over {on}; nothing is there to compare it with.")
    if len(best) == len(table.rows):
        return Finding(f"All {len(best)} configurations score the same over {on}: {symbol} {value}.", "caution")
    if len(best) > 1:
        sharing = listed([name[row.id] for row in best])
        return Finding(f"{sharing} share the lead over {on}, {symbol} {value}.", "caution")
    lead = _lead(scores, table.rows[1], name)
    return Finding(f"Over {on}, {name[first.id]} has the highest {symbol}, {value}; {lead}")


def relation_leads(scores: LogicScores, measure: MeasureName, comparisons: int) -> Leads | None:
    """Return who leads on most relations; None where fewer than two configurations can be compared on any.

    A relation counts only if all ranked configurations have scored the same number of its questions, none failed.
    ``comparisons`` is the family the noise verdict is corrected for, at least the number of relations compared.
    A shared lead counts for each of those who share it, as a lead within noise.
    """
    ranked = in_the_ranking(scores)
    if len(ranked) < 2:
        return None
    wins: dict[str, list[str]] = {c.id: [] for c in ranked}
    clear: dict[str, list[str]] = {c.id: [] for c in ranked}
    ties: set[str] = set()
    compared = unequal = 0
    for relation in scores.relations:
        line = [(c, of_cell(c.relations[relation], measure)) for c in ranked if relation in c.relations]
        scored = [(c, m) for c, m in line if m.value is not None]
        if not scored:
            continue
        if len(scored) < len(ranked) or len({m.n_scored for _, m in scored}) > 1:
            unequal += 1
            continue
        compared += 1
        scored.sort(key=lambda pair: -(pair[1].value or 0.0))
        top = scored[0][1]
        first = [c.id for c, m in scored if (top.value or 0.0) - (m.value or 0.0) <= TIE]
        for identifier in first:
            wins[identifier].append(relation)
        if len(first) > 1:
            ties.add(relation)
        if not within_noise(top, scored[1][1], max(comparisons, compared)):
            clear[scored[0][0].id].append(relation)
    if not compared:
        return None
    order = {c.id: place for place, c in enumerate(ranked)}
    leader = max(ranked, key=lambda c: (len(wins[c.id]), len(clear[c.id]), -order[c.id]))
    won, beyond = wins[leader.id], tuple(clear[leader.id])
    return Leads(leader, len(won), len(ties.intersection(won)), compared, len(won) - len(beyond), beyond, unequal)


def within_noise(one: Measure, other: Measure, comparisons: int) -> bool:
    """Return whether 0 lies in the interval of ``one - other``, corrected for ``comparisons``.

    Without intervals (one question, one document) every difference is noise.
    """
    if one.value is None or other.value is None or one.low is None or other.high is None:
        return True
    normal = NormalDist()
    wider = normal.inv_cdf(1 - 0.025 / max(comparisons, 1)) / normal.inv_cdf(0.975)
    reach = wider * math.hypot(one.value - one.low, other.high - other.value)
    return one.value - other.value - reach <= 0


def home_findings(lens: Readable) -> tuple[Finding, ...]:
    """Return at most three findings for Home: over all, relation by relation, and what limits the conclusion."""
    scores = lens.scores
    found = [overall(scores)]
    if scores.ranking.rows and scores.relations:
        leads = relation_leads(scores, "opi", lens.comparability.family)
        if len(in_the_ranking(scores)) > 1 and not lens.comparability.any_cell_possible:
            found.append(Finding(_too_few(lens.comparability), "caution"))
        elif leads is not None:
            found.append(Finding(_leads_sentence(leads, scores, "opi")))
    warning = classifier_finding(lens.classifier)
    if warning is not None and warning.kind == "caution":
        found.append(warning)
    for extra in (head_room(scores), warning, budget(scores)):
        if extra is not None and extra not in found and len(found) < 3:
            found.append(extra)
    return tuple(found[:3])


def notes(lens: Readable, *, verdicts: bool = True) -> tuple[Finding, ...]:
    """Return what a reader of the Logic page must know besides the headline, cautions first.

    Without ``verdicts`` (a filtered view) nothing that weighs a difference against noise: the head-room is left out.
    """
    scores = lens.scores
    abouts = (head_room, budget, shortest_chunks, refusals) if verdicts else (budget, shortest_chunks, refusals)
    found = [
        classifier_finding(lens.classifier),
        written_differently(scores, lens.classifier),
        *(about(scores) for about in abouts),
    ]
    found.append(Finding(_BERTSIM, "note"))
    clamped = sum(cell.clamped for c in scores.configurations for cell in c.relations.values())
    if clamped:
        found.append(Finding(f"In {count(clamped, 'cell')} the mean BERTSim is below 0 and enters OPI as 0.", "note"))
    return tuple(sorted((f for f in found if f is not None), key=lambda f: f.kind != "caution"))


def _nothing(scores: LogicScores) -> str:
    failed = sum(c.bertsim.n_failed for c in scores.configurations)
    why = f" {count(failed, 'answer')} failed." if failed else ""
    return f"Nothing can be compared: no question is scored for every configuration.{why}"


def _lead(scores: LogicScores, second: RankedConfiguration, name: Mapping[str, str]) -> str:
    table = scores.ranking
    lead = table.lead if table.lead is not None else table.rows[0].value - second.value
    span = interval(table.lead_low, table.lead_high)
    by = f"its lead over {name[second.id]}, {decimal(lead)}"
    if not span:
        return f"{by}, has no interval, so nothing says it is more than noise."
    if table.lead_low is not None and table.lead_low > 0:
        return f"{by} ({span}), is more than noise."
    return f"{by} ({span}), is within noise."


def _too_few(enough: Comparable) -> str:
    low, high = enough.n_per_relation_min, enough.n_per_relation_max
    there = f"{low}" if low == high else f"{low} to {high}"
    return (
        f"Too few questions to compare retrievers relation by relation: {there} a relation, and below {enough.needed} "
        f"not even a clean sweep would stand out among {count(enough.family, 'comparison')}."
    )


def _leads_sentence(leads: Leads, scores: LogicScores, measure: MeasureName) -> str:
    where = f"{leads.wins} of {count(leads.compared, 'relation')}"
    symbol = "" if measure == "opi" else f" by {symbol_of(scores, measure)}"
    if leads.noise not in (0, leads.wins):
        verdict = f"on {leads.noise} of them the lead is within noise"
    else:
        whereof = "there" if leads.wins == 1 else f"on all {leads.wins} of them"
        verdict = f"{whereof} the lead is {'within' if leads.noise else 'more than'} noise"
    aside = (
        f" {count(leads.unequal, 'relation')} {'is' if leads.unequal == 1 else 'are'} left out, because not every "
        f"configuration has scored the same questions there."
        if leads.unequal
        else ""
    )
    verb = "shares the lead" if leads.shared == leads.wins else "leads or shares the lead" if leads.shared else "leads"
    return f"{leads.leader.label} {verb}{symbol} on {where}; {verdict}.{aside}"
