"""The command ``study``: make, watch, close and export studies of people's ratings; sheets; a model as a rater."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.errors import InputError, OptionError

if TYPE_CHECKING:
    from core.people.records import Design, Study
    from core.people.roles import Actor

_SHOWN = 20
Run = Callable[[argparse.Namespace], int]


def add_study_command(commands: Any) -> None:
    """Add it with its own commands to the command line's subparsers."""
    study = commands.add_parser("study", help="studies of people's ratings: make, watch, close, export")
    actions = study.add_subparsers(dest="action", required=True, metavar="ACTION", parser_class=type(study))
    _add_create(actions)

    command = actions.add_parser("list", help="list the studies, newest first")
    command.add_argument("--json", action="store_true")
    command.set_defaults(run=_list)

    command = _of_study(actions, "show", "how far a study is, by rater; what would tell the best two apart", _show)
    command.add_argument("--json", action="store_true")
    for name, what in (
        ("pause", "hand out nothing until it is resumed"),
        ("resume", "open a paused or closed study again"),
        ("close", "end a study; what was scored stays"),
    ):
        _of_study(actions, name, what, _change)
    command = _of_study(actions, "delete", "delete a study with everything that was scored in it", _delete)
    command.add_argument("--yes", action="store_true", help="delete it indeed")

    for name, what in (("invite", "invite a rater"), ("remove", "remove a rater; what they scored stays")):
        command = _of_study(actions, name, what, _people)
        command.add_argument("rater", metavar="RATER", help="the e-mail address or code id they sign in with")
        if name == "invite":
            command.add_argument("--name", default="", help="what owners read")

    command = _of_study(actions, "export", "write ratings to a file", _export)
    command.add_argument("--format", choices=("csv", "json"), default="csv", help="json holds the history as well")
    command.add_argument("--history", action="store_true", help="write every press instead, as CSV")
    command.add_argument("--out", type=Path, required=True, metavar="FILE")

    command = _of_study(actions, "export-sheet", "write items for one rater to score without the page", _export_sheet)
    command.add_argument("rater", metavar="RATER")
    command.add_argument("--format", choices=("xlsx", "csv"), help="as --out ends when left out")
    command.add_argument("--items", type=int, default=100, metavar="N", help="items at most (default 100)")
    command.add_argument("--out", type=Path, required=True, metavar="FILE", help="a new file")

    command = _of_study(actions, "import-sheet", "save the scores of a filled sheet", _import_sheet)
    command.add_argument("rater", metavar="RATER")
    command.add_argument("sheet", type=Path, metavar="FILE")

    command = _of_study(actions, "llm-rate", "let a language model rate all items, apart from people", _llm_rate)
    command.add_argument("--endpoint", required=True, metavar="NAME", help="an endpoint of the settings, or local")
    command.add_argument("--max-calls", type=int, metavar="N", help="stop when N calls were sent")
    command.add_argument("--max-tokens", type=int, metavar="N", help="stop when N tokens were used")
    command.add_argument("--json", action="store_true")


def _add_create(actions: Any) -> None:
    command = actions.add_parser("create", help="make a study of the answers of runs, or of generated questions")
    command.add_argument("name", metavar="NAME")
    command.add_argument("--run", action="append", default=[], dest="runs", metavar="RUN", help="whose answers; repeat")
    command.add_argument("--configurations", default="", metavar="A,B", help="all when left out; evidence is one too")
    command.add_argument("--questions-of", default="", dest="dataset", metavar="DATASET", help="check its questions")
    command.add_argument("--dimension", default="", metavar="NAME", help="with --questions-of: ask for this category")
    command.add_argument("--questions", type=int, default=50, metavar="N", help="by relation in turn; 0 = all (50)")
    command.add_argument("--raters-per-item", type=int, default=2, metavar="N", help="ratings an item needs (2)")
    command.add_argument("--shared", type=float, default=0.0, metavar="SHARE", help="of items that all see, 0 to 1 (0)")
    command.add_argument("--scale", default="0,3,7", metavar="0,3,7", help="scores, the lowest first (0,3,7)")
    command.add_argument("--second-question", default="", metavar="TEXT", help="asked as yes or no")
    command.add_argument("--gold", type=Path, metavar="FILE", help="items with a known score, as a table")
    command.add_argument("--guidelines", type=Path, metavar="FILE", help="what raters are told, as Markdown")
    command.add_argument("--deadline", default="", metavar="DATE", help="such as 2027-03-31T18:00, in UTC")
    command.add_argument("--seed", type=int, default=0)
    command.add_argument("--estimate", action="store_true", help="only say what it would hold")
    command.add_argument("--json", action="store_true")
    command.set_defaults(run=_create)


def _of_study(actions: Any, name: str, what: str, run: Run) -> argparse.ArgumentParser:
    command: argparse.ArgumentParser = actions.add_parser(name, help=what)
    command.add_argument("study", metavar="STUDY", help="its id, as `study list` shows it")
    command.set_defaults(run=run)
    return command


def _owner() -> Actor:
    """Whoever may run commands in this folder owns its store."""
    from core.people.roles import Actor

    return Actor("local", "owner", "Command line")


def _create(options: argparse.Namespace) -> int:
    from core.services import studies

    design = _design(options)
    if options.estimate:
        found = studies.preview(design)
        if options.json:
            _print_json(asdict(found))
            return 0
        print(
            f"{found.n_questions:,} questions, {found.n_items:,} items, {found.n_ratings:,} ratings; "
            f"{found.merged:,} answers were given by several systems and are rated once."
        )
        _print_left_out(found.left_out)
        return 0
    study = studies.create(_owner(), design)
    if options.json:
        _print_json({"id": study.id, "items": study.n_items, "left_out": dict(study.left_out)})
        return 0
    print(f"{study.id} is open: {study.n_items:,} items. Invite raters with: study invite {study.id} RATER")
    _print_left_out(study.left_out)
    return 0


def _design(options: argparse.Namespace) -> Design:
    from core.people.design import scale_of
    from core.people.records import Design
    from core.services.study_files import read_gold, read_guidelines

    return Design(
        name=options.name,
        runs=tuple(options.runs),
        configurations=tuple(one.strip() for one in options.configurations.split(",") if one.strip()),
        template="questions" if options.dataset else "answers",
        dataset=options.dataset,
        dimension=options.dimension,
        n_questions=options.questions,
        raters_per_item=options.raters_per_item,
        shared=options.shared,
        scale=scale_of(options.scale),
        second_question=options.second_question,
        gold=read_gold(options.gold) if options.gold else (),
        seed=options.seed,
        deadline=options.deadline,
        guidelines=read_guidelines(options.guidelines) if options.guidelines else "",
    )


def _list(options: argparse.Namespace) -> int:
    from core.services import studies

    found = studies.studies()
    if options.json:
        _print_json([_summary(one) for one in found])
        return 0
    for one in found:
        print(f"{one.id}  {one.state:<6}  {one.n_items:,} items  {one.created[:10]}  {one.name}")
    if not found:
        print("No study is stored: study create NAME --run RUN makes one.")
    return 0


def _show(options: argparse.Namespace) -> int:
    from core.services import studies
    from core.services.study_power import ratings_needed

    found, apart = studies.progress(_owner(), options.study), ratings_needed(options.study)
    if options.json:
        _print_json(
            {
                **_summary(found.study),
                "answered": found.answered,
                "needed": found.needed,
                "short": found.short,
                "raters": [asdict(one) for one in found.raters],
                "top_two": asdict(apart),
            }
        )
        return 0
    print(f"{found.study.name} ({found.study.id}) is {found.study.state}.")
    print(
        f"{found.answered:,} of {found.needed:,} answers; {found.short:,} of {found.study.n_items:,} items lack some."
    )
    for one in found.raters:
        pace = f", {one.seconds:.0f} s an item" if one.seconds else ""
        gone = "" if one.is_active else ", removed"
        name = f" ({one.name or one.id})" if not one.is_model else ""
        print(
            f"  {one.label}{name}: {one.scored:,} scored, {one.cannot_judge:,} not judged, {one.skipped:,} skipped"
            f"{pace}{gone}"
        )
    print(apart.sentence)
    return 0


def _summary(study: Study) -> dict[str, Any]:
    return {"id": study.id, "name": study.name, "state": study.state, "items": study.n_items}


def _change(options: argparse.Namespace) -> int:
    from core.services import studies

    change = {"pause": studies.pause, "resume": studies.resume, "close": studies.close}[options.action]
    found = change(_owner(), options.study)
    print(f"{found.id} is {found.state}.")
    return 0


def _delete(options: argparse.Namespace) -> int:
    from core.services import studies

    study = studies.study(options.study)
    if not options.yes:
        raise OptionError(
            f"'{study.name}' and all that was scored in it would be gone: export it first, then add --yes."
        )
    studies.delete(_owner(), study.id)
    print(f"{study.id} was deleted.")
    return 0


def _people(options: argparse.Namespace) -> int:
    from core.services import studies

    if options.action == "invite":
        found = studies.invite(_owner(), options.study, options.rater, options.name)
        print(f"{found.id} is invited as {found.label}.")
    else:
        found = studies.remove_rater(_owner(), options.study, options.rater)
        print(f"{found.id} ({found.label}) was removed; what they scored stays.")
    return 0


def _export(options: argparse.Namespace) -> int:
    from core.services.study_exporting import export_history, export_ratings
    from core.services.written_file import written_file

    owner = _owner()
    text = (
        export_history(owner, options.study)
        if options.history
        else export_ratings(owner, options.study, options.format)
    )
    with written_file(options.out) as file:
        file.write(text)
    print(f"{options.out} was written.")
    return 0


def _export_sheet(options: argparse.Namespace) -> int:
    from core.services.study_sheets import SheetFormat, export_sheet

    if options.out.exists():
        raise InputError(f"{options.out} exists already, and may be a filled sheet: give --out another name.")
    kind: SheetFormat = options.format or ("csv" if options.out.suffix.casefold() == ".csv" else "xlsx")
    content = export_sheet(_owner(), options.study, options.rater, kind, options.items)
    options.out.write_bytes(content)
    print(f"{options.out} was written; bring it back with: study import-sheet {options.study} {options.rater} FILE")
    return 0


def _import_sheet(options: argparse.Namespace) -> int:
    from core.services.study_sheets import import_sheet

    found = import_sheet(_owner(), options.study, options.rater, options.sheet.name, options.sheet.read_bytes())
    wrong = len(found.faults)
    print(f"{found.saved:,} rows saved, {found.known:,} saved before, {found.empty:,} empty, {wrong:,} wrong.")
    for line, what in found.faults[:_SHOWN]:
        print(f"  row {line}: {what}")
    if wrong > _SHOWN:
        print(f"  and {wrong - _SHOWN:,} more rows")
    return 1 if wrong else 0


def _llm_rate(options: argparse.Namespace) -> int:
    from core.services.llm_rating import rate

    found = rate(_owner(), options.study, options.endpoint, max_calls=options.max_calls, max_tokens=options.max_tokens)
    if options.json:
        _print_json(asdict(found))
    else:
        print(f"{found.rater} rated {found.rated:,} items now and {found.known:,} before.")
        for reason, n in found.failed.items():
            print(f"  {n:,} failed: {reason}")
    return 1 if found.failed else 0


def _print_left_out(left_out: Any) -> None:
    for reason, n in left_out.items():
        print(f"  {n:,} answers are left out: {reason}")


def _print_json(value: Any) -> None:
    print(json.dumps(value, ensure_ascii=False, indent=2))
