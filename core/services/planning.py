"""Which run a request means: the choices, held against everything that was imported for its dataset."""

from __future__ import annotations

from core.engine.imported import system_specs
from core.engine.relate_imported import prediction_specs
from core.engine.spec import Request, RunSpec, resolve
from core.schema import Dataset
from core.services.workspace import workspace


def planned(request: Request, dataset: Dataset, fingerprint: str) -> RunSpec:
    """Return the run of a request; ``dataset`` and its ``fingerprint`` are those it names. Raises as ``resolve``."""
    _, store = workspace()
    name = request.dataset
    return resolve(request, dataset, fingerprint, system_specs(store, name), prediction_specs(store, name))
