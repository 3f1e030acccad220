"""The finding of a filtered view: effects with their intervals, no verdict on noise. Pure: scores in, sentence out.

Verdicts hold for the map on the run's whole question set; whoever filters until a difference looks large would find
one in noise too.
"""

from __future__ import annotations

from collections import Counter

from core.figures.measures import MeasureName, of_cell, ranked_by, symbol_of
from core.figures.notation import count, decimal, estimate, interval, listed
from core.metrics.scores import LogicScores
from core.services.captions import TIE, in_the_ranking, names
from core.services.cautions import Finding


def effects(scores: LogicScores, measure: MeasureName) -> Finding:
    """Return who scores highest over the chosen questions, its lead with interval, and on how many relations."""
    table = scores.ranking
    if not table.rows:
        return Finding("Nothing can be compared: no chosen question is scored for every configuration.", "caution")
    name, symbol = names(scores), symbol_of(scores, ranked_by(scores))
    chosen = f"{count(table.n_questions, 'chosen question')}"
    if table.n_questions < table.n_total:
        chosen = f"the {table.n_questions:,} of {count(table.n_total, 'chosen question')} that all have scored"
    best = [row for row in table.rows if table.rows[0].value - row.value <= TIE]
    value = estimate(best[0].value, best[0].low, best[0].high)
    if len(best) > 1:
        return Finding(f"Over {chosen}, {listed([name[row.id] for row in best])} share the highest {symbol}, {value}.")
    text = f"Over {chosen}, {name[best[0].id]} has the highest {symbol}, {value}"
    if len(table.rows) > 1:
        second = table.rows[1]
        lead = table.lead if table.lead is not None else best[0].value - second.value
        span = interval(table.lead_low, table.lead_high)
        text += f", {decimal(lead)} above {name[second.id]}{f' ({span})' if span else ''}"
    return Finding(f"{text}.{_by_relation(scores, measure)}")


def _by_relation(scores: LogicScores, measure: MeasureName) -> str:
    """Return " kNN scores highest on 5 of 13 relations.", "" with fewer than two relations or configurations."""
    ranked = in_the_ranking(scores)
    if len(ranked) < 2 or len(scores.relations) < 2:
        return ""
    firsts: Counter[str] = Counter()
    compared = 0
    for relation in scores.relations:
        values = {
            c.id: value
            for c in ranked
            if relation in c.relations and (value := of_cell(c.relations[relation], measure).value) is not None
        }
        if values:
            compared += 1
            firsts.update(identifier for identifier, value in values.items() if max(values.values()) - value <= TIE)
    if not compared:
        return ""
    # the order of the ranking decides between those with equally many
    leader = max(ranked, key=lambda c: firsts[c.id])
    by = "" if measure == ranked_by(scores) else f" by {symbol_of(scores, measure)}"
    whereof = f"{firsts[leader.id]} of {count(compared, 'relation')}"
    return f" {leader.label} scores highest{by}, ties included, on {whereof}."
