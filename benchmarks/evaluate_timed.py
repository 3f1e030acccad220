"""One evaluation in a process of its own, timed with the imports left out; prints one JSON line.

python -m benchmarks.evaluate_timed SOURCE [LIMIT]     (TRILENS_HOME decides what is cached)
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from benchmarks.memory import peak_bytes


def main(source: str, limit: int | None) -> None:
    import sentence_transformers  # noqa: F401 - imports are left out of the measured time
    import sklearn.linear_model
    import sklearn.svm  # noqa: F401

    from core.engine.spec import Request
    from core.services.evaluation import plan, run
    from core.services.importing import import_source
    from core.services.workspace import workspace
    from core.store.runs import run_row

    began = time.perf_counter()
    name = import_source(Path(source)).name
    spec, dataset = plan(Request(name, scope="corpus", limit=limit))
    outcome = run(spec, dataset)
    seconds = time.perf_counter() - began
    _, store = workspace()
    stages = run_row(store, outcome.run_id)["provenance"]["seconds"]
    encoding = sum(spent for stage, spent in stages.items() if stage.startswith("encode"))
    print(
        json.dumps(
            {
                "questions": len(spec.questions),
                "configurations": len(spec.configurations) - 1,
                "seconds": round(seconds, 2),
                "questions_per_second": round(len(spec.questions) / seconds, 3),
                "encoder_seconds": round(encoding, 2),
                "share_outside_encoder": round(1 - encoding / seconds, 4),
                "peak_mb": round(peak_bytes() / 1e6),
                "stages": stages,
            }
        )
    )


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else None)
