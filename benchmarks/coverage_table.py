"""How often the 95 % intervals hold the truth: simulated, and published in benchmarks/results/interval_coverage.md.

The population is the target of the specification: B ~ Beta with mean .65 and standard deviation .2, L a 0/1 variable,
correlation .3 (Gaussian copula). Samples stand in for configurations in the product's own functions.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.metrics.logic_ranking import contest
from core.metrics.logic_table import LogicTable, mean_over_relations, tabulate
from core.metrics.opi import opi
from core.metrics.scores import LogicObservations
from core.stats.bootstrap import cluster_weights, stratum_mean_draws
from core.stats.clustering import ClusterDesign
from core.stats.intervals import Bounds

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

SIZES = (20, 50, 200)
SHARES = (0.05, 0.1, 0.3, 0.5, 0.75, 0.9, 0.95)
BETAS = (0.3, 1.0, 3.0)
MEAN, DEVIATION, CORRELATION = 0.65, 0.2, 0.3
RESULT = Path(__file__).parent / "results" / "interval_coverage.md"


@dataclass(frozen=True)
class Design:
    """R relations of n questions each; ``documents`` = 0 gives every question its own document."""

    relations: int
    n: int
    documents: int = 0
    intraclass: float = 0.0

    @property
    def shares(self) -> Floats:
        """True L of each relation: the target's values in turn, .3 where there is one relation only."""
        return np.resize(np.array(SHARES), self.relations) if self.relations > 1 else np.array([0.3])

    @property
    def strata(self) -> Ints:
        return np.repeat(np.arange(self.relations), self.n)

    def clusters(self) -> Ints:
        """Documents of the questions: each relation deals its questions out over all documents in turn."""
        if not self.documents:
            return np.arange(self.relations * self.n)
        generator = np.random.default_rng(0)
        return np.concatenate(
            [generator.permutation(self.documents)[np.arange(self.n) % self.documents] for _ in range(self.relations)]
        )


@dataclass(frozen=True)
class Coverage:
    """Share of samples whose interval holds the truth, lies above it, lies below it; bias of the estimate."""

    covered: float
    above: float
    below: float
    bias: float = 0.0


def covers(bounds: Bounds, truth: float, bias: float = 0.0) -> Coverage:
    low, high = bounds
    assert not np.isnan(low).any(), "a simulated interval is missing"
    return Coverage(
        float(((low <= truth) & (truth <= high)).mean()),
        float((truth < low).mean()),
        float((truth > high).mean()),
        bias,
    )


def sample(design: Design, shares: Floats, samples: int, seed: int) -> tuple[Floats, Floats]:
    """Draw (samples, Q) similarities and 0/1 correctness; ``shares`` (R,) are the relations' true L."""
    from scipy.special import ndtri

    generator = np.random.default_rng(seed)
    clusters, strata = design.clusters(), design.strata
    groups = int(clusters.max()) + 1

    def normal() -> Floats:
        own = generator.standard_normal((samples, len(clusters)))
        if not design.intraclass:
            return own
        common = generator.standard_normal((samples, groups))[:, clusters]
        return np.sqrt(design.intraclass) * common + np.sqrt(1 - design.intraclass) * own

    first = normal()
    latent = np.array([_latent_correlation(float(share)) for share in shares])[strata]
    second = latent * first + np.sqrt(1 - latent**2) * normal()
    grid, quantiles = _similarity_quantiles()
    return np.asarray(np.interp(first, grid, quantiles)), (second >= -ndtri(shares)[strata]).astype(np.float64)


def table_of(design: Design, similarity: Floats, correct: Floats) -> LogicTable:
    scored = np.ones(similarity.shape, np.bool_)
    return tabulate(ClusterDesign(design.clusters(), design.strata), similarity, scored, correct, scored)


def cell_coverage(
    n: int, share: float, betas: Iterable[float] = BETAS, samples: int = 20_000, seed: int = 1
) -> dict[str, Coverage]:
    """Coverage of B, L and OPI at each beta in one cell of n questions."""
    design = Design(1, n)
    table = table_of(design, *sample(design, np.array([share]), samples, seed))
    result = {"B": covers(table.bertsim.bounds, MEAN), "L": covers(table.lrcr.bounds, share)}
    for beta in betas:
        result[f"OPI({beta:g})"] = covers(table.cells(beta, "formula")[1], opi(MEAN, share, beta))
    return result


def overall_coverage(
    design: Design, beta: float = 1.0, samples: int = 4_000, seed: int = 2, draws: int = 0
) -> dict[str, Coverage]:
    """Coverage of the means over relations; with ``draws``, that of the percentile bootstrap beside it."""
    shares = design.shares
    similarity, correct = sample(design, shares, samples, seed)
    table = table_of(design, similarity, correct)
    eq3, mean = opi(MEAN, float(shares.mean()), beta), float(np.mean(opi(MEAN, shares, beta)))
    value, limits = table.mean_of_relations(beta, "formula")
    result = {
        "B": covers(table.bertsim.overall_bounds, MEAN),
        "L": covers(table.lrcr.overall_bounds, float(shares.mean())),
        "eq. 3": covers(table.overall(beta, "formula")[1], eq3),
        "mean of OPIs": covers(limits, mean, float(value.mean()) - mean),
    }
    if draws:
        result["eq. 3, bootstrap"], result["mean of OPIs, bootstrap"] = _bootstrapped(
            design, similarity, correct, beta, draws, (eq3, mean)
        )
    return result


def lead_coverage(design: Design, agreement: float, beta: float = 1.0, samples: int = 1_000, seed: int = 3) -> Coverage:
    """Coverage of the lead of one of two equally good configurations; ``agreement`` of their answers are the same."""
    first = sample(design, design.shares, samples, seed)
    other = sample(design, design.shares, samples, seed + 1)
    same = np.random.default_rng(seed + 2).random(first[0].shape) < agreement
    similarity = np.stack([first[0], np.where(same, first[0], other[0])], axis=1)
    correct = np.stack([first[1], np.where(same, first[1], other[1])], axis=1)
    shape, n = (2, len(design.strata)), len(design.strata)
    states = np.zeros(shape, np.int8)
    leads = []
    for b, l in zip(similarity, correct, strict=True):  # noqa: E741
        observations = LogicObservations(
            configurations=("first", "second"),
            labels={},
            question_ids=tuple(map(str, range(n))),
            relations=tuple(f"relation {r}" for r in design.strata),
            clusters=design.clusters(),
            similarity=b,
            similarity_state=states,
            correct=l,
            correct_state=states,
            refused=np.zeros(shape, np.bool_),
            words=np.zeros(shape),
            sentences=np.zeros(shape),
        )
        ranking = contest(observations, design.strata, labelled=True, seed="").ranking(beta, "formula")
        leads.append((ranking.lead_low, ranking.lead_high))
    return covers(Bounds(*np.array(leads, dtype=np.float64).T), 0.0)


def main(cell_samples: int = 20_000, overall_samples: int = 4_000, draws: int = 500) -> dict[str, object]:
    """Simulate everything and write the table; returns the extremes and the seconds it took."""
    started = time.perf_counter()
    cells = {(n, share): cell_coverage(n, share, samples=cell_samples) for n in SIZES for share in SHARES}
    clustered = [Design(1, 20, 5, 0.3), Design(1, 20, 10, 0.3), Design(1, 50, 10, 0.3), Design(1, 200, 20, 0.2)]
    overall = [
        Design(13, 6), Design(13, 6, 12, 0.2), Design(13, 20), Design(13, 40, 20, 0.2), Design(3, 6), Design(5, 50),
    ]  # fmt: skip
    lines = [*_heading(cell_samples, overall_samples, draws), *_cell_lines(cells)]
    lines += _overall_lines([*overall, *clustered], overall_samples, draws)
    lines += _lead_lines([Design(13, 6), Design(13, 6, 12, 0.2), Design(13, 20), Design(13, 40, 20, 0.2), Design(3, 6)])
    RESULT.parent.mkdir(exist_ok=True)
    RESULT.write_text("\n".join(lines) + "\n", encoding="utf-8")
    opis = {key: [c.covered for name, c in row.items() if name.startswith("OPI")] for key, row in cells.items()}
    return {
        "lowest at n = 20 and 50": min(min(v) for (n, _), v in opis.items() if n < 200),
        "lowest at n = 200": min(min(v) for (n, _), v in opis.items() if n == 200),
        "highest at n = 200": max(max(v) for (n, _), v in opis.items() if n == 200),
        "seconds": round(time.perf_counter() - started, 1),
    }


def _bootstrapped(
    design: Design, similarity: Floats, correct: Floats, beta: float, draws: int, truths: tuple[float, float]
) -> tuple[Coverage, Coverage]:
    few = min(len(similarity), 1_000)
    scored = np.ones((few, similarity.shape[1]), np.bool_)
    grouped = ClusterDesign(design.clusters(), design.strata)
    weights = cluster_weights(design.clusters(), draws, "coverage table")
    b, l = (  # noqa: E741
        np.moveaxis(stratum_mean_draws(grouped, values[:few], scored, weights), 0, -1)
        for values in (similarity, correct)
    )
    eq3 = opi(mean_over_relations(b), mean_over_relations(l), beta)
    mean = mean_over_relations(np.asarray(opi(b, l, beta)))
    first, second = (
        covers(Bounds(*np.quantile(statistic, (0.025, 0.975), axis=0)), truth)
        for statistic, truth in zip((eq3, mean), truths, strict=True)
    )
    return first, second


@cache
def _similarity_quantiles() -> tuple[Floats, Floats]:
    from scipy.special import betaincinv, ndtr

    precision = MEAN * (1 - MEAN) / DEVIATION**2 - 1
    grid = np.linspace(-6, 6, 4001)
    return grid, betaincinv(MEAN * precision, (1 - MEAN) * precision, ndtr(grid))


@cache
def _latent_correlation(share: float) -> float:
    """The copula's correlation that gives B and L Pearson's correlation CORRELATION."""
    from scipy.optimize import brentq
    from scipy.special import ndtr, ndtri

    nodes, weights = np.polynomial.hermite_e.hermegauss(200)
    weights = weights / weights.sum()
    similarity = np.interp(nodes, *_similarity_quantiles())

    def excess(latent: float) -> float:
        chance = ndtr((latent * nodes + ndtri(share)) / np.sqrt(1 - latent**2))
        covariance = weights @ (similarity * chance) - (weights @ similarity) * share
        return float(covariance / (DEVIATION * np.sqrt(share * (1 - share))) - CORRELATION)

    return float(brentq(excess, 0.0, 0.99))


def _heading(cell_samples: int, overall_samples: int, draws: int) -> list[str]:
    return [
        "# Coverage of the 95 % intervals",
        "",
        "Written by `python -m benchmarks.coverage_table`. B ~ Beta(mean .65, sd .2), correlation of B and L .3.",
        f"Closed forms: {cell_samples:,} samples a cell, {overall_samples:,} over relations. Bootstrap (percentile):",
        f"{draws} draws of 1,000 samples. In brackets: interval wholly above / wholly below the truth.",
        "Target for OPI in a cell: at least .92 at n = 20 and 50, .93 to .975 at n = 200.",
    ]


def _cell_lines(cells: dict[tuple[int, float], dict[str, Coverage]]) -> list[str]:
    names = list(next(iter(cells.values())))
    lines = ["", "## One cell, every question its own document", ""]
    lines += ["| n | L | " + " | ".join(names) + " |", "| --- | --- |" + " --- |" * len(names)]
    for (n, share), row in cells.items():
        lines.append(f"| {n} | {share:g} | " + " | ".join(_shown(row[name]) for name in names) + " |")
    return lines


def _lead_lines(designs: list[Design]) -> list[str]:
    agreements = (0.0, 0.5, 0.9)
    lines = ["", "## Lead over the runner-up, beta = 1: two equally good configurations, 1,000 samples", ""]
    lines += [
        "| relations | n each | documents | intraclass | " + " | ".join(f"{a:.0%} same answers" for a in agreements)
    ]
    lines[-1] += " |"
    lines += ["|" + " --- |" * (4 + len(agreements))]
    for design in designs:
        cells = " | ".join(_shown(lead_coverage(design, agreement)) for agreement in agreements)
        lines.append(f"| {_setting(design)} | {cells} |")
    return lines


def _overall_lines(designs: list[Design], samples: int, draws: int) -> list[str]:
    order = ("B", "L", "eq. 3", "eq. 3, bootstrap", "mean of OPIs", "mean of OPIs, bootstrap")
    lines = ["", "## Over relations: L in turn .05, .1, .3, .5, .75, .9, .95; one relation: .3", ""]
    names = ("relations", "n each", "documents", "intraclass", "beta", *order, "bias of the mean of OPIs")
    lines += ["| " + " | ".join(names) + " |", "|" + " --- |" * len(names)]
    for beta in (1.0, 0.3):
        for design in designs:
            row = overall_coverage(design, beta, samples, draws=draws)
            cells = " | ".join(_shown(row[name]) for name in order)
            lines.append(f"| {_setting(design)} | {beta:g} | {cells} | {row['mean of OPIs'].bias:+.3f} |")
    return lines


def _setting(design: Design) -> str:
    return f"{design.relations} | {design.n} | {design.documents or 'one a question'} | {design.intraclass:g}"


def _shown(coverage: Coverage) -> str:
    return f"{coverage.covered:.3f} ({coverage.above:.3f} / {coverage.below:.3f})"


if __name__ == "__main__":
    print(main())
