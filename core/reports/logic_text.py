"""The logic lens as a plain-text table for a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.figures.notation import count
from core.metrics.scores import Measure
from core.services.lenses import LogicLens


def logic_table(lens: LogicLens) -> str:
    """Return the ranking with both averages, what stands behind it and what it does not say."""
    scores = lens.scores
    rank = {row.id: str(row.rank) for row in scores.ranking.rows}
    measures = ("OPI (eq. 3)", "mean of OPIs", "BERTSim", "LRCR")
    header = ("rank", "configuration", *measures, "words", "n BERTSim", "n OPI", "failed")
    order = [row.id for row in scores.ranking.rows]
    ordered = sorted(scores.configurations, key=lambda c: order.index(c.id) if c.id in order else len(order))
    rows = [
        (
            rank.get(c.id, "–"),
            c.label,
            cell(c.opi),
            cell(c.opi_mean_of_relations),
            cell(c.bertsim),
            cell(c.lrcr),
            "–" if c.words_per_question is None else f"{c.words_per_question:.0f}",
            str(c.bertsim.n_scored),
            str(c.opi.n_scored),
            str(c.bertsim.n_failed),
        )
        for c in ordered
    ]
    notes = [
        f"Run {lens.run.id} · {count(lens.run.n_questions, 'question')} · {lens.run.scope} scope · "
        f"beta {scores.beta:g}{' as the prose has it' if scores.convention == 'prose' else ''} · ranked on the "
        f"{count(scores.ranking.n_questions, 'question')} that all configurations have scored",
        *([lens.missing] if lens.missing else []),
        *lens.warnings,
    ]
    return "\n".join([aligned([header, *rows], left=1), "", *notes])


def text_table(lens: LogicLens, texts: Mapping[str, Mapping[str, Measure]]) -> str:
    """Return ROUGE-1, ROUGE-L, BLEU and token F1 of every configuration, in the order of the run."""
    header = ("configuration", "ROUGE-1", "ROUGE-L", "BLEU", "token F1")
    rows = [(c.label, *(cell(measure) for measure in texts[c.id].values())) for c in lens.scores.configurations]
    return aligned([header, *rows], left=0)


def aligned(rows: Sequence[Sequence[str]], left: int) -> str:
    """Lay out rows in columns, all to the right but column ``left``."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            text.ljust(width) if i == left else text.rjust(width)
            for i, (text, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )


def cell(measure: Measure) -> str:
    """Return a measure as ".742 (.711–.773)" with its leading zeros, "n/a" where nothing is scored."""
    if measure.value is None:
        return "n/a"
    if measure.low is None or measure.high is None:
        return _number(measure.value)
    return f"{_number(measure.value)} ({_number(measure.low)}–{_number(measure.high)})"


def _number(value: float) -> str:
    """Three decimals, and no minus before what rounds to 0."""
    return f"{round(value, 3) + 0.0:.3f}"
