"""Use case *calibrate*: at which threshold the offline matcher agrees best with people's labels, and how well."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from core.datasets.importers import Skip
from core.datasets.importers.nugget_labels import read_nugget_labels
from core.datasets.importers.source import text_name
from core.nuggets.calibration import WANTED, Agreement, Calibration, Labelled, calibrate
from core.text.sentences import sentence_spans


@dataclass(frozen=True, slots=True)
class Calibrated:
    """What a calibration gave. ``choice`` is what ``--matcher`` takes; ``cautions`` say what weakens the numbers."""

    source: str
    n_rows: int
    n_labels: int
    n_topics: int
    choice: str
    calibration: Calibration
    cautions: tuple[str, ...]
    skipped: tuple[Skip, ...]
    notes: tuple[str, ...]


def calibrate_on(source: Path, mapping: Mapping[str, str] | None = None) -> Calibrated:
    """Calibrate the offline matcher on the labels of a file; ``mapping`` is field → column.

    Raises:
        InputError: the file cannot be read or holds a problem.
        OptionError: an unknown field, or labels that choose no threshold.
    """
    reading = read_nugget_labels(source, mapping)
    labels = [
        Labelled(
            row.topic,
            row.nugget,
            tuple(row.answer[start:end] for start, end in sentence_spans(row.answer, row.language or "en")),
            row.said,
            row.language or "en",
        )
        for row in reading.labels
    ]
    found = calibrate(labels)
    return Calibrated(
        source=text_name(source),
        n_rows=reading.n_rows,
        n_labels=len(labels),
        n_topics=len({label.topic for label in labels}),
        choice=f"offline:{found.chosen.threshold:g}",
        calibration=found,
        cautions=tuple(_cautions(found, len(labels), reading.n_split)),
        skipped=reading.skipped,
        notes=reading.notes,
    )


def _cautions(found: Calibration, n_labels: int, n_split: int) -> list[str]:
    cautions = []
    if n_labels < WANTED:
        cautions.append(f"{n_labels} labels are few: from {WANTED} on the choice of a threshold can be relied on.")
    if not found.split:
        cautions.append("all labels are of one topic, so the kappa is of the labels the threshold was chosen on.")
    if found.tested.low is None:
        cautions.append("kappa has no interval: that takes labels of two topics or more on the side that tests.")
    if _worse(found.tested, found.default):
        cautions.append("the default profile agrees as well on the topics that test: keep it.")
    if n_split:
        cautions.append(f"people were split on {n_split} pairs, which were left out.")
    return cautions


def _worse(tested: Agreement, default: Agreement) -> bool:
    return tested.kappa is None or (default.kappa is not None and tested.kappa <= default.kappa)
