"""The command ``evaluate``: a run here, in a worker process, or what is missing of stored ones."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING

from core.cli_runs import resume
from core.errors import OptionError

if TYPE_CHECKING:
    from core.engine.spec import RunSpec


def evaluate(options: argparse.Namespace) -> int:
    """Run what the options say and return the exit status."""
    from core.cli_progress import evaluate_and_print
    from core.engine.spec import Request
    from core.services.evaluation import plan, run

    if bool(options.dataset) == bool(options.resume):
        raise OptionError("give either a DATASET or --resume RUN: `evaluate --help` shows the choices.")
    if options.detach and (options.resume or options.retry_failed):
        raise OptionError("--detach starts a DATASET: leave out --resume and --retry-failed.")
    retry = options.retry_failed
    chosen = {name: value for name, value in vars(options).items() if name in Request.__dataclass_fields__}
    if options.resume:
        # all that may change on the way: it decides no answer
        limits = {name: chosen.pop(name) for name in ("max_calls", "max_tokens")}
        other = [f"--{name.replace('_', '-')}" for name, value in chosen.items() if value != getattr(Request(""), name)]
        if other:
            raise OptionError(
                f"--resume goes on with the choices of its run: leave out {', '.join(other)}, or evaluate anew without "
                "--resume."
            )
        return resume(options.resume, retry, options.json, limits)
    spec, dataset = plan(Request(**chosen))
    if options.detach:
        return _detach(spec, options.json)
    return evaluate_and_print(lambda listen: run(spec, dataset, listener=listen, retry_failed=retry), options.json)


def _detach(spec: RunSpec, as_json: bool) -> int:
    from core.services.queueing import start

    started = start(spec)
    if as_json:
        json.dump({"event": "started" if started else "done", "run": spec.run_id}, sys.stdout, indent=2)
        print()
    elif started:
        print(
            f"{spec.run_id} is being evaluated, or waits until the run before it has ended: `runs` shows how far it "
            f"is, `stop {spec.run_id}` stops it."
        )
    else:
        print(f"{spec.run_id} was complete already; nothing was computed.")
    return 0
