"""The command ``generate``: a question set over category trees from one's own documents."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.errors import OptionError

if TYPE_CHECKING:
    from core.services.generating import Prepared, Sources
    from core.services.generating_run import Generation

_STOPPED, _HINDERED = 130, 1
_SHOWN = 10


def add_generate_command(commands: Any) -> None:
    """Add it to the command line's subparsers; names and defaults are those of ``core.services.generating.Choices``."""
    command = commands.add_parser("generate", help="make a question set from documents with a language model")
    command.add_argument(
        "source", nargs="*", metavar="SOURCE", help="files and folders of .txt, .md, .jsonl, .pdf, .docx, or a dataset"
    )
    command.add_argument(
        "--set", action="append", default=[], dest="sets", metavar="DIMENSION:LEVEL",
        help="questions of every category of this level, such as QC:medium; each set is independent of the others",
    )  # fmt: skip
    command.add_argument(
        "--draw", action="append", default=[], dest="drawn", metavar="DIMENSION:LEVEL",
        help="one category of it for each question, drawn by probability, such as phrasing or LV:coarse",
    )  # fmt: skip
    command.add_argument(
        "--user", action="append", default=[], dest="users", metavar="DIMENSION", help="who asks: user_expertise"
    )
    command.add_argument("--config", type=Path, metavar="FILE", help="a DataMorgana config file, JSON or YAML")
    command.add_argument("--per-category", type=int, default=5, metavar="N", help="questions a category of a set")
    command.add_argument("--questions", type=int, default=20, metavar="N", help="questions in all, without --set")
    command.add_argument("--pairs", type=int, default=3, metavar="N", help="pairs a call asks for; one of them is kept")
    command.add_argument("--attempts", type=int, default=3, metavar="N", help="calls a question at most")
    command.add_argument("--seed", type=int, default=0)
    command.add_argument(
        "--endpoint", default="", metavar="NAME", help="the language model: an endpoint of the settings, or local"
    )
    command.add_argument("--max-calls", type=int, metavar="N", help="stop when N calls were sent")
    command.add_argument("--max-tokens", type=int, metavar="N", help="stop when N tokens were used")
    command.add_argument("--name", help="the name of the dataset that comes of it")
    command.add_argument("--out", type=Path, metavar="FILE", help="write it as DataMorgana's JSON Lines too")
    command.add_argument("--estimate", action="store_true", help="only say what it would cost")
    command.add_argument(
        "--review", action="store_true", help="save nothing yet: look through the pairs in the browser"
    )
    command.add_argument("--detach", action="store_true", help="go on in a worker process and return at once")
    command.add_argument("--resume", metavar="ID", help="go on with a question set")
    command.add_argument("--stop", metavar="ID", help="stop one that is being generated")
    command.add_argument("--list", action="store_true", help="list the question sets under way")
    command.add_argument("--json", action="store_true", help="one JSON line an event")
    command.set_defaults(run=_generate)


def _generate(options: argparse.Namespace) -> int:
    ways = [bool(options.source), bool(options.resume), bool(options.stop), options.list]
    if sum(ways) != 1:
        raise OptionError("give one of SOURCE, --resume ID, --stop ID and --list: `generate --help` shows the choices.")
    if options.list:
        return _list(options.json)
    if options.stop:
        from core.services.generating_run import stop

        stop(options.stop)
        print(f"{options.stop} stops as soon as the calls under way have ended; what was accepted is kept.")
        return 0
    if options.detach and (options.name or options.out):
        raise OptionError("--detach returns before there is anything to save: leave out --name and --out.")
    if options.resume:
        return _go(options.resume, options)
    prepared = _prepared(options)
    if options.estimate:
        return _estimate(prepared, options.json)
    from core.services.generating import register

    _say_left_out(prepared.sources)
    return _go(register(prepared), options)


def _prepared(options: argparse.Namespace) -> Prepared:
    from core.services.generating import Choices, prepare, sources_of, sources_of_dataset, stored_names

    first = options.source[0]
    if len(options.source) == 1 and not Path(first).exists() and first in stored_names():
        sources = sources_of_dataset(first)
    else:
        sources = sources_of([Path(one) for one in options.source])
    chosen = {name: value for name, value in vars(options).items() if name in Choices.__dataclass_fields__}
    lists = {name: tuple(chosen[name]) for name in ("sets", "drawn", "users")}
    return prepare(sources, Choices(**{**chosen, **lists}))


def _go(identifier: str, options: argparse.Namespace) -> int:
    from core.cli_print import complain
    from core.services import generating_run

    if options.detach:
        generating_run.start(identifier)
        if options.json:
            _line({"event": "started", "generation": identifier})
        else:
            print(f"{identifier} is being generated: `generate --list` shows how far it is.")
        return 0
    ending, message = generating_run.run(identifier, _listener(options.json))
    found = generating_run.generation(identifier)
    name = ""
    if not options.review and ending == "done" and found.done:
        name = _save(found, options)
    if options.json:
        from core.services.generating_review import report_json

        said = {"message": message} if message else {}
        _line({"event": ending, **_values(found), "checks": report_json(identifier), "dataset": name or None, **said})
    else:
        _print(found, name, options)
        if message:
            complain(message)
    if ending == "done":
        return 0 if found.done == found.wanted else _HINDERED
    return _HINDERED if message else _STOPPED


def _save(found: Generation, options: argparse.Namespace) -> str:
    from core.services.generating_review import proposed_name, save, write_morgana

    name = save(found.id, options.name or f"{proposed_name(found.title)}-{found.id.removeprefix('set-')}")
    if options.out:
        write_morgana(found.id, options.out)
    return name


def _estimate(prepared: Prepared, as_json: bool) -> int:
    from dataclasses import asdict

    from core.services.generating_cost import estimate, estimate_sentences

    cost = estimate(prepared)
    if as_json:
        _line({"event": "estimate", "generation": prepared.id, **asdict(cost)})
        return 0
    _say_left_out(prepared.sources)
    for sentence in estimate_sentences(cost):
        print(sentence)
    return 0


def _say_left_out(sources: Sources) -> None:
    from core.cli_print import complain

    for line in sources.left_out[:_SHOWN]:
        complain(f"Left out: {line}")
    if len(sources.left_out) > _SHOWN:
        complain(f"Left out: {len(sources.left_out) - _SHOWN:,} more.")


def _listener(as_json: bool) -> Any:
    import sys

    from core.engine.progress import Event, Stopped

    def listen(event: Event) -> None:
        rejected = sum(event.failures.values())
        try:
            if as_json:
                _line({"event": "progress", "accepted": event.done, "wanted": event.total, "rejected": rejected})
            else:
                line = f"{event.done:,} of {event.total:,} accepted, {rejected:,} rejected"
                print(line, file=sys.stderr, flush=True)
        except OSError:
            # nobody listens any more: it ends as one that can be resumed
            raise Stopped from None

    return listen


def _list(as_json: bool) -> int:
    from core.services.generating_run import generations

    found = generations()
    if as_json:
        print(json.dumps([_values(one) for one in found], ensure_ascii=False, indent=2))
        return 0
    for one in found:
        saved = f", saved as {one.dataset}" if one.dataset else ""
        print(f"{one.id}  {one.state}  {one.done:,} of {one.wanted:,}  {one.title}{saved}")
    if not found:
        print("No question set is under way: `generate SOURCE --set QC:coarse --endpoint NAME` begins one.")
    return 0


def _values(found: Generation) -> dict[str, Any]:
    return {
        "generation": found.id,
        "title": found.title,
        "state": found.state,
        "accepted": found.done,
        "wanted": found.wanted,
        "produced": found.produced,
        "rejected": dict(found.rejected),
        "categories": [
            {"set": cell.question_set, "category": cell.category, "accepted": cell.accepted, "wanted": cell.wanted}
            for cell in found.cells
        ],
        "cost": dict(found.cost),
    }


def _print(found: Generation, name: str, options: argparse.Namespace) -> None:
    from core.services.generating_review import check_sentences, checks

    print(
        f"{found.id} is {found.state}: {found.done:,} of {found.wanted:,} questions accepted, {found.produced:,} pairs "
        "produced."
    )
    for cell in found.cells:
        if cell.category:
            print(f"  {cell.question_set:<12} {cell.category:<32} {cell.accepted:>4} of {cell.wanted}")
    for reason, number in found.rejected.items():
        print(f"  {number:,} rejected: {reason}")
    if found.cost:
        price = found.cost.get("spent")
        paid = f", spent {price:.4f}" if price is not None else ""
        print(f"  {found.cost['calls']:,} calls, {found.cost['cached']:,} of them answered before{paid}")
    for sentence in check_sentences(checks(found.id)):
        print(sentence)
    if name:
        print(f"Saved as dataset '{name}': evaluate {name}")
    if name and options.out:
        print(f"{options.out} was written.")
    if found.state == "done" and found.done < found.wanted:
        print(f"{found.wanted - found.done:,} questions are missing: more --attempts, or another model, may find them.")
    elif found.state != "done":
        print(f"Go on with: generate --resume {found.id}")


def _line(value: dict[str, Any]) -> None:
    print(json.dumps(value, ensure_ascii=False), flush=True)
