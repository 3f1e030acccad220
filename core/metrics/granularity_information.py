"""What a question's category says about its score: mutual information with score bins, and how much of it is chance."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from core.metrics.granularity_groups import Grouped
from core.stats.bootstrap import DRAWS
from core.stats.clustering import Floats, Ints
from core.stats.permutation import flipped_means, permuted_tables, upper_p

#: equal-width bins of the scores
BINS = 5


def bin_edges(scores: ArrayLike, bins: int = BINS) -> Floats:
    """Return the ``bins`` + 1 edges of equal-width bins over the scores' range, NaN left out: shared by all levels.

    Raises ValueError for no score or fewer than one bin.
    """
    values = np.asarray(scores, dtype=np.float64)
    values = values[~np.isnan(values)]
    if bins < 1 or not values.size:
        raise ValueError("bins need at least one score and one bin")
    return np.linspace(values.min(), values.max(), bins + 1)


def information_content(
    labels: Sequence[Hashable], scores: ArrayLike, bins: int = BINS, edges: ArrayLike | None = None
) -> float:
    """Return mutual information of category and score bin over the entropy of the category, 0 to 1.

    An uncertainty coefficient; Fensore et al., arXiv 2606.12789, call it NMI. ``labels`` and ``scores`` are (n,);
    questions with a NaN score or no label (None) are left out. ``edges`` are those of the bins, else ``bins`` of equal
    width over these scores; a score outside counts in the outermost bin. 0 where there is one category only, or
    nothing. Raises ValueError when lengths differ or edges do not rise.
    """
    table = _cross_table(labels, scores, bins, edges)
    entropy = _entropy(table.sum(axis=1)) if table.size else 0.0
    return float(min(max(_mutual_information(table) / entropy, 0.0), 1.0)) if entropy > 0 else 0.0


def adjusted_information(
    labels: Sequence[Hashable], scores: ArrayLike, bins: int = BINS, edges: ArrayLike | None = None
) -> float:
    """Return adjusted mutual information of category and score bin: about 0 by chance, 1 where one gives the other.

    (MI - E MI) / (mean of both entropies - E MI), E MI with both margins fixed (Vinh, Epps and Bailey, JMLR 2010,
    eq. 24a and 32). Arguments and errors are those of ``information_content``; 0 where either side is constant.
    """
    table = _cross_table(labels, scores, bins, edges)
    return _adjusted(table) if table.size else 0.0


def level_information(
    grouped: Grouped, edges: Floats, seed_text: str, draws: int = DRAWS
) -> tuple[float, float, float]:
    """Return information content, AMI and the p value of a level's categories telling nothing about the bin.

    The p value permutes labels, the statistic being mutual information. Where questions share documents, Pearson's
    chi-square, to which 2 n MI is close, is taken with signs turned by document.
    """
    bins = _binned(grouped.scores, edges)
    table = np.zeros((grouped.k, len(edges) - 1))
    np.add.at(table, (grouped.codes, bins), 1.0)
    table = table[:, table.any(axis=0)]
    if table.shape[1] < 2:
        return 0.0, 0.0, 1.0
    content = _mutual_information(table) / _entropy(table.sum(axis=1))
    if grouped.clustered:
        p = _clustered_p(grouped, bins, seed_text, draws)
    else:
        rows, columns = (table.sum(axis=axis).astype(np.int64) for axis in (1, 0))
        drawn = _mutual_informations(permuted_tables(rows, columns, draws, seed_text))
        p = upper_p(_mutual_information(table), drawn)
    return float(min(max(content, 0.0), 1.0)), _adjusted(table), p


def _clustered_p(grouped: Grouped, bins: Ints, seed_text: str, draws: int) -> float:
    present = np.unique(bins)
    indicator = (bins == present[:, None]).astype(np.float64)
    shares = indicator.mean(axis=1, keepdims=True)
    deviations = indicator - shares
    drawn = flipped_means(deviations, grouped.codes, grouped.clusters, draws, seed_text)
    seen = np.stack([np.bincount(grouped.codes, row, grouped.k) for row in deviations]) / grouped.counts
    weight = grouped.counts / shares
    return upper_p(float((seen**2 * weight).sum()), (drawn**2 * weight[:, None, :]).sum(axis=(0, 2)))


def _cross_table(labels: Sequence[Hashable], scores: ArrayLike, bins: int, edges: ArrayLike | None) -> Floats:
    """Return counts (categories, bins), without empty rows and columns."""
    values = np.asarray(scores, dtype=np.float64)
    if values.shape != (len(labels),):
        raise ValueError(f"{len(labels)} labels but scores of the shape {values.shape}")
    kept = [i for i, label in enumerate(labels) if label is not None and not np.isnan(values[i])]
    if not kept:
        return np.zeros((0, 0))
    number: dict[Hashable, int] = {}
    codes = np.array([number.setdefault(labels[i], len(number)) for i in kept])
    borders = bin_edges(values[kept], bins) if edges is None else np.asarray(edges, dtype=np.float64)
    # edges of one single score are all alike
    if borders.ndim != 1 or borders.size < 2 or (np.diff(borders) < 0).any():
        raise ValueError("edges must rise, at least two of them")
    table = np.zeros((len(number), borders.size - 1))
    np.add.at(table, (codes, _binned(values[kept], borders)), 1.0)
    return table[:, table.any(axis=0)]


def _binned(scores: Floats, edges: Floats) -> Ints:
    """Return each score's bin, 0 … len(edges) - 2; a bin holds its lower edge, the last one both."""
    return np.clip(np.searchsorted(edges, scores, side="right") - 1, 0, len(edges) - 2).astype(np.int64)


def _entropy(counts: Floats) -> float:
    shares = counts[counts > 0] / counts.sum()
    return float(-(shares * np.log(shares)).sum())


def _mutual_information(table: Floats) -> float:
    return float(_mutual_informations(table[None])[0]) if table.size else 0.0


def _mutual_informations(tables: Floats) -> Floats:
    """Return the mutual information (natural logarithm) of each of (D, R, C) tables that share their margins."""
    total = tables[0].sum()
    expected = tables[0].sum(axis=1, keepdims=True) * tables[0].sum(axis=0, keepdims=True) / total
    ratio = np.where(tables > 0, tables, 1.0) / np.where(expected > 0, expected, 1.0)
    return np.asarray(np.where(tables > 0, tables * np.log(ratio), 0.0).sum(axis=(1, 2)) / total, dtype=np.float64)


def _adjusted(table: Floats) -> float:
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    if len(rows) < 2 or len(columns) < 2:
        return 0.0
    expected = _expected_information(rows, columns)
    upper = (_entropy(rows) + _entropy(columns)) / 2.0
    # every question a category and a bin of its own: chance explains all there is
    return (_mutual_information(table) - expected) / (upper - expected) if upper - expected > 1e-12 else 0.0


def _expected_information(rows: Floats, columns: Floats) -> float:
    """Return the mean mutual information of tables with these margins: cells are hypergeometric."""
    from scipy.special import gammaln

    n = float(rows.sum())
    # ln 0! … ln n!: scipy's own hypergeometric pmf is a hundred times slower
    log_factorial = gammaln(np.arange(n + 1.0) + 1.0)
    total = 0.0
    for a in rows.astype(np.int64):
        for b in columns.astype(np.int64):
            cell = np.arange(max(1, a + b - int(n)), min(a, b) + 1)
            chance = (
                log_factorial[a] + log_factorial[b] + log_factorial[int(n) - a] + log_factorial[int(n) - b]
                - log_factorial[int(n)] - log_factorial[cell] - log_factorial[a - cell] - log_factorial[b - cell]
                - log_factorial[int(n) - a - b + cell]
            )  # fmt: skip
            total += float((cell / n * np.log(n * cell / (float(a) * float(b))) * np.exp(chance)).sum())
    return total
