"""The sentences of the Coverage page, in plain words with their uncertainty. Pure: scores in, sentences out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from core.engine.systems import is_system
from core.figures.coverage_measures import PARTS, labels_of, symbol
from core.figures.grid import FEW
from core.figures.notation import count, decimal, estimate, interval, listed, measured, per_cent
from core.metrics.coverage_observations import Part
from core.metrics.coverage_scores import ConfigurationCoverage, CoverageScores, Curves, Losses
from core.metrics.scores import Measure, Ranking
from core.services.captions import TIE
from core.services.cautions import Finding

_LOST: tuple[Part, ...] = ("said_not_grounded", "retrieved_not_said", "not_retrieved", "nowhere")


def headline(scores: CoverageScores, *, verdicts: bool = True) -> Finding:
    """Return who covers most, by how much, and where its nuggets are lost; without ``verdicts`` none on noise."""
    table = scores.ranking
    if not table.rows:
        return Finding(_nothing(scores), "caution")
    name = labels_of(scores.configurations)
    what = symbol(table.measure)
    best = [row for row in table.rows if table.rows[0].value - row.value <= TIE]
    value = estimate(best[0].value, best[0].low, best[0].high)
    on = _over(table)
    if len(best) == len(table.rows) > 1 and best[0].value <= TIE:
        text = f"{on}, no configuration has any {what}: all {len(best)} have {value}."
    elif len(best) > 1:
        who = listed([name[row.id] for row in best[:4]]) if len(best) <= 4 else f"{len(best)} configurations"
        text = f"{on}, {who} share the highest {what}, {value}."
    else:
        text = f"{on}, {name[best[0].id]} has the highest {what}, {value}{_lead(table, name, verdicts)}"
    leader = next(c for c in scores.configurations if c.id == best[0].id)
    lost = losses_of(leader)
    return Finding(f"{text} {lost}".strip())


def losses_of(configuration: ConfigurationCoverage) -> str:
    """Return "Of 100 nuggets, all questions together, kNN grounds 61; …, 22, are not retrieved.", "" without any."""
    lost = configuration.losses
    if not lost.n:
        return ""
    rest = _rest(lost)
    if not rest:
        return f"{configuration.label} grounds all of its {count(lost.n, 'nugget')}."
    most = max(rest, key=lambda part: rest[part])
    of_hundred = round(100 * rest[most] / lost.n)
    return (
        f"Of 100 nuggets, all questions together, {configuration.label} grounds "
        f"{round(100 * lost.share('grounded'))}; the largest part of the others, {of_hundred}, "
        f"{'is' if of_hundred == 1 else 'are'} {_reason(most)}."
    )


def where_lost(scores: CoverageScores) -> str:
    """Return where most configurations lose most of their nuggets, and how many these do, "" with nothing to say."""
    firsts: dict[str, list[float]] = {}
    ranked = [c for c in scores.configurations if c.id not in scores.reference and c.losses.n]
    for configuration in ranked:
        rest = _rest(configuration.losses)
        if rest:
            most = max(rest, key=lambda part: rest[part])
            firsts.setdefault(most, []).append(rest[most] / configuration.losses.n)
    if not firsts:
        return ""
    part = max(firsts, key=lambda part: len(firsts[part]))
    low, high = per_cent(min(firsts[part])), per_cent(max(firsts[part]))
    return (
        f"For {len(firsts[part])} of {count(len(ranked), 'configuration')} the greatest loss is nuggets that are "
        f"{_reason(part)}: {low if low == high else f'{low} to {high}'} of all."
    )


def extreme_columns(columns: Mapping[str, float], measure: str) -> str:
    """Return on which kinds of question the mean over configurations is highest and lowest."""
    if len(columns) < 2:
        return ""
    best, worst = max(columns.values()), min(columns.values())
    if best - worst <= TIE:
        return ""
    highest = [name for name, mean in columns.items() if best - mean <= TIE]
    lowest = [name for name, mean in columns.items() if mean - worst <= TIE]
    return (
        f"On average over the ranked configurations, {symbol(measure)} is highest for {listed(highest)} "
        f"({decimal(best)}) and lowest for {listed(lowest)} ({decimal(worst)})."
    )


def column_means(scores: CoverageScores, groups: Mapping[str, Mapping[str, Measure]]) -> dict[str, float]:
    """Return the mean over the ranked configurations of every column with enough questions to be coloured."""
    found: dict[str, list[float]] = {}
    for row in scores.ranking.rows:
        for name, measure in groups.get(row.id, {}).items():
            if measure.value is not None and measure.n_scored >= FEW:
                found.setdefault(name, []).append(measure.value)
    return {name: sum(values) / len(values) for name, values in found.items()}


def growth(panels: tuple[Curves, ...], labels: Mapping[str, str], k: int) -> str:
    """Return who has the highest StRecall at k and how much further down its ranking would still help."""
    strec = next((panel for panel in panels if panel.measure == "strec" and panel.of), None)
    if strec is None:
        return ""
    at = {i: points[k - 1] for i, points in strec.of.items() if points[k - 1].value is not None}
    if not at:
        return ""
    best = max(at, key=lambda i: at[i].value or 0.0)
    last = strec.of[best][-1].value
    name = labels.get(best, best)
    text = f"{name} has the highest StRecall@{k}, {measured(at[best])}"
    return text + (f"; its first {len(strec.of[best])} passages reach {decimal(last)}." if last is not None else ".")


def notes(
    scores: CoverageScores, matcher: str, *, by_construction: bool, importance: str, k: int
) -> tuple[Finding, ...]:
    """Return what a reader of the Coverage page must know, cautions first."""
    answered = any(c.macro["said"].value is not None for c in scores.configurations)
    found = []
    if by_construction:
        found.append(
            Finding(
                "The extractive answerer copies sentences and cites where they stand, so that what it says is cited "
                "by construction, which is no virtue of a configuration. Where the citation is not the right one, the "
                "cited passages do not hold all of the nugget's evidence.",
                "caution",
            )
        )
    if answered and "offline matcher" in matcher:
        found.append(
            Finding(
                f"What an answer says was decided by: {matcher}. The matcher compares words, so paraphrase is "
                "under-counted and negation is not seen.",
                "caution",
            )
        )
    elif answered:
        found.append(Finding(f"What an answer says was decided by: {matcher}.", "note"))
    refused = {c.label: n for c in scores.configurations if (n := c.macro["grounded"].n_refused)}
    if refused:
        most = max(refused, key=lambda label: refused[label])
        found.append(
            Finding(
                f"Refusals cover nothing and count as 0: {count(refused[most], 'refusal')} of {most}"
                + (f", as many or fewer of {count(len(refused) - 1, 'other')}." if len(refused) > 1 else "."),
                "note",
            )
        )
    if unjudged := _unjudged(scores, k):
        found.append(Finding(unjudged, "caution"))
    found.append(
        Finding(
            "StRecall divides by the nuggets that something in the pool holds (denominator: supported); what is in no "
            "passage counts in coverage and InfoR only.",
            "note",
        )
    )
    above = [c.label for c in scores.configurations if (c.macro[f"alpha_ndcg@{k}"].value or 0.0) > 1]
    if above:
        found.append(
            Finding(
                f"α-nDCG@{k} is above 1 for {listed(above)}: the ideal it is divided by is found greedily and is not "
                "always the best ranking.",
                "note",
            )
        )
    if importance == "vital":
        found.append(Finding("α-nDCG and StRecall count every nugget, vital or not.", "note"))
    return tuple(sorted(found, key=lambda finding: finding.kind != "caution"))


def _unjudged(scores: CoverageScores, k: int) -> str:
    """Return how many of the first k ranks of imported systems show what was judged, "" where all do.

    Of our own passages it is known what they hold; a short ranking of theirs leaves ranks empty.
    """
    shares = {
        c.label: judged.value
        for c in scores.configurations
        if is_system(c.id) and (judged := c.macro.get(f"judged@{k}")) is not None and judged.value is not None
    }
    least = min(shares, key=lambda label: shares[label], default="")
    if not least or shares[least] > 1.0 - TIE:
        return ""
    return (
        f"Documents that nobody judged count as holding nothing: of the first {k} ranks of {least} "
        f"{per_cent(shares[least])} show a judged one"
        + (f", of the others' up to {per_cent(max(shares.values()))}." if len(shares) > 1 else ".")
    )


def _over(table: Ranking) -> str:
    if table.n_questions == table.n_total:
        return f"Over all {table.n_questions:,} questions" if table.n_questions > 1 else "On the one question"
    return f"Over the {table.n_questions:,} of {count(table.n_total, 'question')} that every configuration has scored"


def _lead(table: Ranking, name: Mapping[str, str], verdicts: bool) -> str:
    if len(table.rows) < 2 or table.lead is None:
        return "; nothing is there to compare it with."
    span = interval(table.lead_low, table.lead_high)
    second = name[table.rows[1].id]
    if not verdicts:
        return f", {decimal(table.lead)} above {second}{f' ({span})' if span else ''}."
    if not span:
        return (
            f"; its lead over {second}, {decimal(table.lead)}, has no interval, so nothing says it is more than noise."
        )
    noise = "more than" if table.lead_low is not None and table.lead_low > 0 else "within"
    return f"; its lead over {second}, {decimal(table.lead)} ({span}), is {noise} noise."


def _rest(losses: Losses) -> dict[str, int]:
    """Return how many nuggets ended in each part but the grounded ones, those nobody can place included; no zeros."""
    found: dict[str, int] = {part: losses.parts[part] for part in _LOST}
    found["unknown"] = losses.unknown
    return {part: n for part, n in found.items() if n}


def _reason(part: str) -> str:
    """Return a part as it ends "nuggets that are …"."""
    told = {
        "retrieved_not_said": "retrieved but not said",
        "nowhere": "in no passage at all",
        "unknown": "not said, where nobody knows what was retrieved",
    }
    return told.get(part) or PARTS[cast(Part, part)]


def _nothing(scores: CoverageScores) -> str:
    failed = sum(c.losses.n_failed for c in scores.configurations)
    why = f" {count(failed, 'answer')} failed." if failed else ""
    return f"Nothing can be compared: no question is scored for every configuration.{why}"
