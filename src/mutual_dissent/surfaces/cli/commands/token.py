"""`dissent token`: access tokens of the server, with rate limits and budgets."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import click

from mutual_dissent.app import MutualDissent
from mutual_dissent.core.errors import UnknownName
from mutual_dissent.store.viewer import SCOPES
from mutual_dissent.surfaces.cli import completion
from mutual_dissent.surfaces.cli.options import as_list, examples
from mutual_dissent.surfaces.cli.tables import dollars, echo_json, table
from mutual_dissent.surfaces.process.failure import say

if TYPE_CHECKING:
    from mutual_dissent.store.tokens import AccessToken


class Rate(click.ParamType[int]):
    """A number of requests a minute."""

    name = "rate"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number, with or without `/min`."""
        match = re.fullmatch(r"(\d{1,6})(?:/min)?", str(value))
        if match is None or not 1 <= int(match[1]) <= 100_000:
            self.fail(f"{value!r} is not a rate; give one from 1/min to 100000/min", param, ctx)
        return int(match[1])


@click.group(
    "token",
    epilog=examples(
        "dissent token new laptop",
        "dissent token new ci --budget 5 --rate 60/min --mode ranking",
        "dissent token list",
        "dissent token revoke ci",
    ),
)
def command() -> None:
    """Make, list and revoke the tokens that let programs use the server.

    As long as there is none, programs on this machine need none. A server that other machines can
    reach does not start without one.
    """


@command.command(
    "new",
    epilog=examples(
        "dissent token new laptop",
        "dissent token new ci --budget 5 --rate 60/min",
        "TOKEN=$(dissent token new script)",
    ),
)
@click.argument("name", metavar="NAME")
@click.option(
    "--budget",
    type=click.FloatRange(0, 1_000_000, min_open=True),
    metavar="USD",
    help="Dollars that it may spend in all.",
)
@click.option("--rate", type=Rate(), metavar="N/min", help="Requests that it may make a minute.")
@click.option(
    "--mode",
    metavar="NAME",
    shell_complete=completion.mode,
    help="The mode of its debates where a request names none.",
)
@click.option(
    "--scope",
    type=click.Choice(SCOPES),
    default="own",
    show_default=True,
    help="own: its own debates alone; read: sees all, changes its own; all: sees and changes all.",
)
def new(name: str, budget: float | None, rate: int | None, mode: str | None, scope: str) -> None:
    """Make a token, and print it: it is shown this once."""
    md = MutualDissent()
    if mode is not None and mode not in md.modes:
        raise UnknownName("mode", mode, md.modes)
    try:
        limits: dict[str, Any] = {"budget_usd": budget, "per_minute": rate}
        word = md.tokens.new(name, md.clock(), **limits, mode=mode, scope=scope)
    finally:
        md.close()
    click.echo(word)
    say("Keep it: it is not shown again. Send it as: Authorization: Bearer TOKEN")


@command.command("list", epilog=examples("dissent token list", "dissent token list -o json"))
@as_list
def list_(output: str) -> None:
    """List the tokens, what each may do, and what it has spent."""
    md = MutualDissent()
    try:
        tokens = md.tokens.active()
    finally:
        md.close()
    if output == "json":
        echo_json([_plain(t) for t in tokens])
    elif not tokens:
        say("There is no token; make one with: dissent token new NAME")
    else:
        headings = ("NAME", "CREATED", "SPENT", "BUDGET", "RATE", "MODE", "SCOPE")
        click.echo(table(headings, [_cells(t) for t in tokens]))


@command.command("revoke", epilog=examples("dissent token revoke laptop"))
@click.argument("name", metavar="NAME", shell_complete=completion.token)
def revoke(name: str) -> None:
    """Let nobody in by a token any more, also where a server runs already."""
    md = MutualDissent()
    try:
        md.tokens.revoke(name, md.clock())
    finally:
        md.close()
    click.echo(f"{name} is revoked; what it started goes on.")


def _plain(token: AccessToken) -> dict[str, Any]:
    return {
        "name": token.name,
        "created_at": token.created_at,
        "spent_usd": token.spent_usd,
        "budget_usd": token.budget_usd,
        "per_minute": token.per_minute,
        "mode": token.mode,
        "scope": token.scope,
    }


def _cells(token: AccessToken) -> tuple[str, ...]:
    return (
        token.name,
        f"{token.created_at:%Y-%m-%d}",
        dollars(token.spent_usd),
        "-" if token.budget_usd is None else dollars(token.budget_usd),
        "-" if token.per_minute is None else f"{token.per_minute}/min",
        token.mode or "-",
        token.scope,
    )
