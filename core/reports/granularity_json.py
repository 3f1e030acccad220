"""The granularity lens as one JSON-able object, the key ``granularity`` of ``score --json`` and ``report``."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

from core.services import granularity, trees
from core.services.catalogue import RunSummary
from core.services.catalogue import run as run_summary
from core.services.granularity import Choice, GranularityLens
from core.services.granularity_companions import companions
from core.services.granularity_crossed import crossed, default_crossing
from core.services.granularity_scores import configurations, qualities
from core.services.lenses import logic


def granularity_object(run_id: str) -> dict[str, Any]:
    """Return the granularity of a finished run by its primary measure, or ``{"missing": …}`` with the reason in words.

    Level and split tables are those of the leading configuration; what every configuration makes of the levels stands
    under ``configurations`` of each tree.

    Raises:
        OptionError: there is no such run.
    """
    run = run_summary(run_id)
    if reason := granularity.missing(run):
        return {"missing": reason}
    choice = first_choice(run)
    found = {name: _tree(run, replace(choice, dimension=name)) for name in trees.dimensions(run_id)}
    crossing = default_crossing(run_id)
    return {
        "missing": "",
        "measure": choice.quality,
        "configuration": choice.configuration,
        "trees": found,
        "comparison": asdict(granularity.compared_dimensions(choice)),
        "interaction": None
        if crossing is None
        else {"first": crossing.first, "second": crossing.second, **asdict(crossed(choice, crossing))},
    }


def first_choice(run: RunSummary) -> Choice:
    """Return what the page shows of a run at first: the leading configuration, the first measure and tree."""
    names = configurations(run)
    ranked = [row.id for row in logic(run.id).scores.ranking.rows]
    leading = next((name for name in ranked if name in names), next(iter(names)))
    return Choice(run.id, next(iter(trees.dimensions(run.id))), leading, next(iter(qualities(run))))


def _tree(run: RunSummary, choice: Choice) -> dict[str, Any]:
    there = companions(run, trees.dimension(run.id, choice.dimension))
    lens = granularity.granularity(replace(choice, companion=there[0].run.id if there else ""))
    by_configuration = granularity.by_configuration(choice)
    return {
        "tree": dict(lens.dimension.tree.parents),
        "labels": lens.dimension.labels,
        "from": lens.dimension.origin,
        "companion": lens.companion.run.id if lens.companion else None,
        "categories": [asdict(node) for node in lens.nodes],
        "levels": asdict(lens.table),
        "splits": asdict(lens.splits),
        "configurations": {
            "recommended": {name: asdict(table.recommended) for name, table in by_configuration.tables.items()},
            "corrected_power": {
                name: [asdict(row.corrected) for row in table.rows] for name, table in by_configuration.tables.items()
            },
            "tests": [asdict(test) for test in by_configuration.tests],
            "n_shared": by_configuration.n_shared,
            "sentence": by_configuration.sentence,
        },
        **_labels(lens),
    }


def _labels(lens: GranularityLens) -> dict[str, Any]:
    """Return what was decided about labels."""
    placed = lens.placed
    return {
        "mapped": [asdict(one) for one in placed.mapped],
        "set_aside": [asdict(one) for one in placed.set_aside],
        "n_in_two_branches": len(placed.conflicts),
    }
