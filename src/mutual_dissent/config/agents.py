"""Agent programs in the configuration: which there are, and who may seat them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from mutual_dissent.config.file import ConfigFile
from mutual_dissent.core.brief import Brief
from mutual_dissent.core.errors import UserError, clip
from mutual_dissent.core.panel import RECORDED, RUN_HERE, Route
from mutual_dissent.providers.agents.table import DEPTH, PROGRAMS, Program, ProgramOptions

TABLE = "programs"


def read_programs(
    document: ConfigFile, env: Mapping[str, str], withheld: Iterable[str]
) -> ProgramOptions:
    """Our programs and the user's; `withheld` are the variables that hold keys of ours.

    Raises:
        BadConfig: if one has no command, or is to be given a key of ours.
    """
    keys = frozenset(withheld)
    own = {n: _program(document, n, row, keys) for n, row in document.under(TABLE).items()}
    return ProgramOptions(
        known={**PROGRAMS, **own},
        remote=document.get(f"{TABLE}.remote", False),
        concurrency=document.get(f"{TABLE}.concurrency", 4),
        withheld=keys,
        path=env.get("PATH", ""),
        nested=env.get(DEPTH, "0").strip() not in ("", "0"),
    )


def check_remote(brief: Brief, programs: ProgramOptions) -> None:
    """Make sure that a surface which others reach may run a debate.

    Vendors are called by the addresses and keys of the configuration alone, so their models and
    aliases may be seated by anyone who may start debates. A program acts in the user's name, and
    recorded answers are files of the user's.

    A folder that panelists may look into is named where the debate begins, never from elsewhere.

    Raises:
        UserError: if they may look into one, a recording sits there, or a program does that the
            configuration does not allow.
    """
    if brief.workspace:
        raise UserError(
            "its panel may look into a folder of whoever began it; only there can it go on"
        )
    for panelist in brief.everyone:
        _check_seat(panelist.route, programs)


def remote_routes(find: Callable[[str], Route], programs: ProgramOptions) -> Callable[[str], Route]:
    """Routes of names on a surface that clients reach: those of `find`, as far as allowed."""

    def found(name: str) -> Route:
        route = find(name)
        _check_seat(route, programs)
        return route

    return found


def _check_seat(route: Route, programs: ProgramOptions) -> None:
    if route.vendor == RECORDED:
        raise UserError("recorded answers are files here; no remote surface may seat them")
    if route.vendor in RUN_HERE and not programs.remote:
        raise UserError(
            f"{route.vendor}:{clip(route.model_id)} may not be seated from a remote surface; "
            f"whoever runs this server may set {TABLE}.remote = true in config.toml to allow it"
        )


def shown_programs(programs: ProgramOptions) -> dict[str, Any]:
    """The options as plain values; commands may hold what is nobody's business."""
    return {
        "remote": programs.remote,
        "concurrency": programs.concurrency,
        "known": sorted(programs.known),
    }


def _program(
    document: ConfigFile, name: str, row: Mapping[str, Any], keys: frozenset[str]
) -> Program:
    if taken := sorted(keys & set(row.get("env", ()))):
        problem = f"{taken[0]} holds a key of this program's own, which no other is given"
        raise document.refusal((TABLE, name, "env"), problem)
    base = PROGRAMS.get(name)
    if base is None and "command" not in row:
        raise document.refusal((TABLE, name), "needs a command")
    base = base or Program(name=name, command=())
    return replace(
        base,
        command=row.get("command", base.command),
        output=row.get("output", base.output),
        passes=(*base.passes, *row.get("env", ())),
    )
