"""The command ``access``: personal codes, where people sign in without an identity provider."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from core.people.roles import Actor


def add_access_command(commands: Any) -> None:
    """Add it with its own commands to the command line's subparsers."""
    access = commands.add_parser("access", help="personal codes: make, list, revoke")
    actions = access.add_subparsers(dest="action", required=True, metavar="ACTION", parser_class=type(access))

    command = actions.add_parser("create", help="make a code for one person; it is shown this once")
    command.add_argument("role", choices=("owner", "rater", "viewer"))
    command.add_argument("--name", default="", help="what owners read")
    command.add_argument("--days", type=int, metavar="N", help="it expires after that many; never when left out")
    command.add_argument("--study", metavar="STUDY", help="invite its person to this study as well")
    command.add_argument("--json", action="store_true")
    command.set_defaults(run=_create)

    command = actions.add_parser("list", help="list the codes, newest first; what they are is stored nowhere")
    command.add_argument("--json", action="store_true")
    command.set_defaults(run=_list)

    command = actions.add_parser("revoke", help="let a code open nothing any more, at once")
    command.add_argument("code", metavar="ID", help="as `access list` shows it")
    command.set_defaults(run=_revoke)


def _owner() -> Actor:
    """Whoever may run commands in this folder owns its store."""
    from core.services.sign_in import LOCAL

    return LOCAL


def _create(options: argparse.Namespace) -> int:
    from core.services import access_codes, studies

    if options.study:
        # asked first: no code is made for a study that is not there
        studies.study(options.study)
    identifier, text = access_codes.create_code(_owner(), options.role, options.name, options.days)
    if options.study:
        studies.invite(_owner(), options.study, identifier, options.name)
    if options.json:
        print(json.dumps({"id": identifier, "code": text}))
        return 0
    print(f"{text}\nThis is the code of {identifier} ({options.role}). It is stored nowhere: copy it now.")
    return 0


def _list(options: argparse.Namespace) -> int:
    from core.services.access_codes import codes

    found = codes(_owner())
    if options.json:
        print(json.dumps([asdict(one) for one in found], ensure_ascii=False, indent=2))
        return 0
    if not found:
        print("There are no codes yet: make one with `access create owner`.")
    for one in found:
        until = f" until {one.expires}" if one.expires else ""
        used = f", last used {one.used}" if one.used else ", never used"
        print(f"{one.id}  {one.role}  {one.state}{until}{used}  {one.name}".rstrip())
    return 0


def _revoke(options: argparse.Namespace) -> int:
    from core.services.access_codes import revoke_code

    revoke_code(_owner(), options.code)
    print(f"{options.code} opens nothing any more; what its person has scored stays.")
    return 0
