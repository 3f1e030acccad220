"""Commands about nuggets: calibrate the offline matcher on people's labels, make nuggets where a dataset has none."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.errors import OptionError

if TYPE_CHECKING:
    from core.nuggets.calibration import Agreement
    from core.services.calibrating import Calibrated

#: rows left out, and questions without facts, that are printed one by one
_SHOWN = 10


def add_nugget_commands(commands: Any) -> None:
    """Add them to the command line's subparsers."""
    command = commands.add_parser("calibrate", help="choose the offline matcher's threshold by people's labels")
    command.add_argument(
        "labels", type=Path, metavar="LABELS", help="any table with columns topic, nugget, answer and label"
    )
    command.add_argument(
        "--map", action="append", default=[], metavar="FIELD=COLUMN", help="which column is which field"
    )
    command.add_argument("--json", action="store_true")
    command.set_defaults(run=_calibrate)

    command = commands.add_parser(
        "nuggets", help="propose nuggets from reference answers as a table, then use the table once it is reviewed"
    )
    command.add_argument("dataset", metavar="DATASET", help="a stored name or a path")
    command.add_argument("--out", type=Path, metavar="TABLE", help="write proposals to this CSV file")
    command.add_argument("--endpoint", default="", metavar="NAME", help="a language model proposes, not surface rules")
    command.add_argument(
        "--reviewed", type=Path, metavar="TABLE", help="store the dataset anew with the nuggets of this table"
    )
    command.add_argument("--name", help="the new dataset's name, with --reviewed")
    command.set_defaults(run=_nuggets)


def _calibrate(options: argparse.Namespace) -> int:
    from core.services.calibrating import calibrate_on
    from core.services.importing import parse_mapping

    found = calibrate_on(options.labels, parse_mapping(options.map))
    if options.json:
        json.dump(asdict(found), sys.stdout, ensure_ascii=False, indent=2)
        print()
    else:
        _print_calibration(found)
    return 0


def _print_calibration(found: Calibrated) -> None:
    calibration = found.calibration
    print(f"{found.n_labels:,} labels of {found.n_topics:,} topics; the threshold is {calibration.chosen.threshold:g}.")
    rows = [("chosen on", calibration.chosen), ("tested on", calibration.tested), ("default", calibration.default)]
    for name, agreement in rows:
        print(f"  {name:<10} {_agreement(agreement)}")
    for line in (*found.cautions, *found.notes):
        print(f"  note: {line}")
    for skip in found.skipped[:_SHOWN]:
        print(f"  skipped line {skip.line}: {skip.field}: {skip.reason}")
    if len(found.skipped) > _SHOWN:
        print(f"  and {len(found.skipped) - _SHOWN:,} more lines (--json lists all)")
    print(f"To use it: evaluate DATASET --matcher {found.choice}")


def _agreement(found: Agreement) -> str:
    kappa = "kappa is not defined" if found.kappa is None else f"kappa {found.kappa:.2f}"
    if found.low is not None and found.high is not None:
        kappa += f" ({found.low:.2f} to {found.high:.2f})"
    where = f"{found.n:,} labels of {found.n_topics:,} topics"
    return f"threshold {found.threshold:.2f}: {kappa}, bias {found.bias:+.3f}, {where}"


def _nuggets(options: argparse.Namespace) -> int:
    from core.services.importing import dataset_named
    from core.services.nugget_creating import adopt_nuggets, propose_nuggets

    if bool(options.out) == bool(options.reviewed):
        raise OptionError("give either --out TABLE to propose nuggets, or --reviewed TABLE to use them.")
    if options.reviewed and options.endpoint:
        raise OptionError("--endpoint proposes nuggets: leave it out with --reviewed.")
    if options.out and options.name:
        raise OptionError("--name is for the dataset that --reviewed makes: leave it out with --out.")
    dataset = dataset_named(options.dataset)
    if options.reviewed:
        made = adopt_nuggets(dataset, options.reviewed, called=options.name)
        print(
            f"{made.name} was stored with {made.n_nuggets:,} derived nuggets on {made.n_questions:,} questions; "
            f"{made.n_dropped:,} were dropped."
        )
        return 0
    proposed = propose_nuggets(dataset, options.out, endpoint=options.endpoint)
    print(
        f"{proposed.path} holds {proposed.n_nuggets:,} proposed nuggets for {proposed.n_questions:,} questions; "
        f"{proposed.n_passed_over:,} have nuggets already or no reference answer."
    )
    for question, reason in list(proposed.failed.items())[:_SHOWN]:
        print(f"  no nuggets for question '{question}': {reason}")
    if len(proposed.failed) > _SHOWN:
        print(f"  and for {len(proposed.failed) - _SHOWN:,} more")
    print(f"Review it, write no in column keep where one is wrong, then: nuggets {dataset} --reviewed {proposed.path}")
    return 1 if proposed.failed or not proposed.n_nuggets else 0
