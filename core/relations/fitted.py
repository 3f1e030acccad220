"""A fitted relation classifier: it predicts, tells how good it is, and can be stored so that a run can resume."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from core.errors import ModelError
from core.relations.cross_fitting import predict
from core.relations.diagnostics import RelationDiagnostics
from core.relations.features import features

#: rows whose features are in memory at once (about 14 KB a row)
_BATCH = 2_048


@dataclass(frozen=True, eq=False)
class FittedRelations:
    """One linear model a fold, and the fold of each of the n questions it was fitted on.

    ``folds`` (n,) is the model that judges each question's answers; ``reasons`` (n) is "" or why a question gets no
    prediction. ``weights`` (F, p, k) and ``intercepts`` (F, k) belong to ``labels`` (k).
    """

    labels: tuple[str, ...]
    folds: NDArray[np.int64]
    weights: NDArray[np.float32]
    intercepts: NDArray[np.float64]
    reasons: tuple[str, ...]
    diagnostics: RelationDiagnostics

    def predict(
        self,
        index: NDArray[np.integer[Any]],
        question: NDArray[np.floating[Any]],
        answer: NDArray[np.floating[Any]],
        text: NDArray[np.floating[Any]],
        cues: NDArray[np.floating[Any]],
    ) -> list[str]:
        """Return the relation of m produced answers, "" where the question gets no prediction (see ``reasons``).

        Args:
            index: which question of ``fit`` each row belongs to, (m,).
            question: unit vectors, (m, d).
            answer: unit vectors of the produced answers, (m, d).
            text: mean unit vectors of the sentences handed to the answerer, (m, d).
            cues: lexical cues of question and produced answer, (m, N_CUES).
        """
        found: list[str] = []
        for start in range(0, len(index), _BATCH):
            part = slice(start, start + _BATCH)
            rows = features(question[part], answer[part], text[part], cues[part])
            classes = predict(self.weights, self.intercepts, rows, self.folds[index[part]])
            found += [
                "" if self.reasons[place] else self.labels[c] for place, c in zip(index[part], classes, strict=True)
            ]
        return found

    def save(self) -> bytes:
        """Return everything as the bytes of an ``.npz`` file with one JSON header; no pickles."""
        header = {
            "labels": self.labels,
            "reasons": self.reasons,
            "diagnostics": self.diagnostics.as_dict(),
        }
        buffer = io.BytesIO()
        np.savez(
            buffer,
            header=np.frombuffer(json.dumps(header, ensure_ascii=False).encode(), dtype=np.uint8),
            folds=self.folds,
            weights=self.weights,
            intercepts=self.intercepts,
        )
        return buffer.getvalue()

    @classmethod
    def load(cls, stored: bytes) -> FittedRelations:
        """Return what ``save`` was called on.

        Raises:
            ModelError: these bytes are no saved classifier.
        """
        try:
            with np.load(io.BytesIO(stored), allow_pickle=False) as arrays:
                header = json.loads(arrays["header"].tobytes())
                return cls(
                    labels=tuple(header["labels"]),
                    folds=arrays["folds"],
                    weights=arrays["weights"],
                    intercepts=arrays["intercepts"],
                    reasons=tuple(header["reasons"]),
                    diagnostics=RelationDiagnostics.from_dict(header["diagnostics"]),
                )
        except (BadZipFile, OSError, ValueError, KeyError, EOFError, TypeError) as error:
            raise ModelError(
                f"The stored relation classifier cannot be read ({error}): run the evaluation again under another seed "
                "or in a new store."
            ) from error
