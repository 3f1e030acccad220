"""Relations that other classifiers predicted for the answers of a dataset's runs: stored whole or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.errors import OptionError
from core.schema import Prediction, content_hash
from core.store.database import BATCH, Store, now


def predictions_fingerprint(predictions: Sequence[Prediction]) -> str:
    """Hash of everything a run can depend on, whatever the order of the file."""
    return content_hash(sorted([p.question, p.configuration, p.relation, p.answer] for p in predictions))


def save_predictions(store: Store, dataset: str, name: str, predictions: Sequence[Prediction], *, source: str) -> bool:
    """Store predictions in one transaction; return False when just these are stored already.

    Raises:
        OptionError: ``name`` is taken by other predictions, or the dataset is not stored (any more).
    """
    fingerprint = predictions_fingerprint(predictions)
    with store.write() as db:
        if not db.conn.execute("SELECT 1 FROM datasets WHERE name = ?", (dataset,)).fetchone():
            raise OptionError(f"no dataset named '{dataset}' is stored: import it first.")
        found = db.conn.execute(
            "SELECT fingerprint FROM predictions WHERE dataset = ? AND name = ?", (dataset, name)
        ).fetchone()
        if found:
            if found[0] == fingerprint:
                return False
            raise OptionError(
                f"other predictions named '{name}' are stored for '{dataset}' already: choose another --name."
            )
        db["predictions"].insert(
            {
                "dataset": dataset,
                "name": name,
                "source": source,
                "fingerprint": fingerprint,
                "n_predictions": len(predictions),
                "created": now(),
            }
        )
        db["predicted_relations"].insert_all(
            (
                {
                    "dataset": dataset,
                    "predictions": name,
                    "question": prediction.question,
                    "configuration": prediction.configuration,
                    "relation": prediction.relation,
                    "answer": prediction.answer,
                }
                for prediction in predictions
            ),
            batch_size=BATCH,
        )
    return True


def prediction_rows(store: Store, dataset: str | None = None) -> list[dict[str, Any]]:
    """Return a row for all predictions of a name, of one dataset or of all, by name."""
    return store.rows(
        "SELECT * FROM predictions WHERE :dataset IS NULL OR dataset = :dataset ORDER BY dataset, name",
        {"dataset": dataset},
    )


def load_predictions(store: Store, dataset: str, name: str) -> list[Prediction]:
    """Return the predictions of a name; empty when there are none."""
    rows = store.rows(
        "SELECT question, configuration, relation, answer FROM predicted_relations "
        "WHERE dataset = ? AND predictions = ? ORDER BY question, configuration",
        (dataset, name),
    )
    return [Prediction(**row) for row in rows]


def delete_predictions(store: Store, dataset: str, name: str) -> bool:
    """Delete the predictions of a name, all of them or nothing; return False when there are none."""
    with store.write() as db:
        db.conn.execute("DELETE FROM predicted_relations WHERE dataset = ? AND predictions = ?", (dataset, name))
        return bool(db.conn.execute("DELETE FROM predictions WHERE dataset = ? AND name = ?", (dataset, name)).rowcount)
