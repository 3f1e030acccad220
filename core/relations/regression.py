"""Multinomial logistic regression with an L2 penalty, fast where there are fewer questions than features.

The penalised solution lies in the span of the centred training rows (the intercept is free), so n rows of p > n
features are first written exactly in at most n coordinates: the fit there is the fit in the full space.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
#: an eigendecomposition larger than this costs more than it saves
_LARGEST = 2_000
#: eigenvalues below this share of the largest are rounding errors, not directions
_RANK = 1e-12
#: a tenth of scikit-learn's default; labels did not change down to 1e-6
_TOLERANCE = 1e-5
_ITERATIONS = 1_000


@dataclass(frozen=True, eq=False)
class Coordinates:
    """Rows in an orthonormal basis of their span: ``rows = mean + z @ basis.T``.

    ``z`` (n, r); ``basis`` (p, r), or None where the rows were only centred; ``mean`` (p,).
    """

    z: Floats
    basis: Floats | None
    mean: Floats

    def weights(self, reduced: Floats, intercepts: Floats) -> tuple[Floats, Floats]:
        """Return weights (p, k) and intercepts (k,) for the features as they come, from those (r, k) of ``z``."""
        full = reduced if self.basis is None else self.basis @ reduced
        return full, intercepts - self.mean @ full


def reduce(rows: NDArray[np.floating[Any]]) -> Coordinates:
    """Return ``rows`` (n, p) in at most min(n, p) coordinates, by the eigenvectors of the smaller Gram matrix."""
    x = rows.astype(np.float64)
    mean = x.mean(axis=0)
    x -= mean
    n, p = x.shape
    if min(n, p) > _LARGEST:
        return Coordinates(x, None, mean)
    squares, vectors = np.linalg.eigh(x.T @ x if p <= n else x @ x.T)
    kept = squares > _RANK * squares[-1]
    basis = vectors[:, kept] if p <= n else x.T @ (vectors[:, kept] / np.sqrt(squares[kept]))
    return Coordinates(x @ basis, basis, mean)


def fit_softmax(z: Floats, classes: NDArray[np.int64], n_classes: int, c: float) -> tuple[Floats, Floats]:
    """Return weights (r, k) and intercepts (k,) that minimise c * (sum of log losses) + |weights|^2 / 2.

    A class without a row gets weights 0 and intercept -inf: it is never predicted.

    Args:
        z: rows, (n, r).
        classes: class of each row, (n,), in [0, n_classes); at least two different ones.
        n_classes: k.
        c: inverse strength of the penalty, > 0.
    """
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=c, tol=_TOLERANCE, max_iter=_ITERATIONS).fit(z, classes)
    weights = np.zeros((z.shape[1], n_classes))
    intercepts = np.full(n_classes, -np.inf)
    if len(model.classes_) == 2:
        # of two classes scikit-learn fits the second against the first
        weights[:, model.classes_[1]] = model.coef_[0]
        intercepts[model.classes_] = (0.0, model.intercept_[0])
    else:
        weights[:, model.classes_] = model.coef_.T
        intercepts[model.classes_] = model.intercept_
    return weights, intercepts
