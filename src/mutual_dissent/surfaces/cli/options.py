"""The options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakKeyDictionary

import click

from mutual_dissent.surfaces.cli import completing

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

Command = TypeVar("Command", bound=Callable[..., Any])

PATH = click.Path(path_type=Path)


def examples(*lines: str) -> str:
    """The end of a help text: commands to copy."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


def together(*decorators: Callable[[Any], Any], section: str) -> Callable[[Command], Command]:
    """Several options as one decorator, in the order given; help has them under their section."""

    def decorate(command: Command) -> Command:
        before = len(getattr(command, "__click_params__", ()))
        for decorator in reversed(decorators):
            command = decorator(command)
        for option in getattr(command, "__click_params__", ())[before:]:
            SECTIONS[option] = section
        return command

    return decorate


SECTIONS: WeakKeyDictionary[click.Parameter, str] = WeakKeyDictionary()
"""Option -> the section of the help that it stands in."""


class Sectioned(click.Command):
    """A command whose many options are listed by what they are about."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The sections in the order in which they begin; what belongs to none comes last."""
        options = [p for p in self.get_params(ctx) if isinstance(p, click.Option)]
        found: dict[str, list[tuple[str, str]]] = {}
        for option in sorted(options, key=lambda o: o not in SECTIONS):
            if (line := option.get_help_record(ctx)) is not None:
                found.setdefault(SECTIONS.get(option, "Other"), []).append(line)
        for title, lines in found.items():
            with formatter.section(title):
                formatter.write_dl(lines)


class DebateId(click.ParamType[str]):
    """The id of a stored debate, the beginning of one, or `last` for the newest."""

    name = "id"

    def convert(
        self,
        value: Any,
        param: click.Parameter | None,  # noqa: ARG002
        ctx: click.Context | None,  # noqa: ARG002
    ) -> str:
        """The id as it was given; `last` as the id that it stands for."""
        return _newest() if value == LAST else str(value)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """The newest debates."""
        return completing.debate(ctx, param, incomplete)


LAST = "last"


def _newest() -> str:
    from mutual_dissent.core.errors import NotFound
    from mutual_dissent.surfaces.cli.record import record

    with record() as md:
        for row in md.store.list(limit=1):
            return row.transcript_id
    raise NotFound("there is no last debate: none is stored yet")


DEBATE = DebateId()


shown = together(
    click.option(
        "--output", "-o", metavar="FORMAT", help="terminal, answer, json, markdown, csv, html, ..."
    ),
    click.option("--file", "-f", type=PATH, help="Write the output to this file."),
    click.option("--force", is_flag=True, help="Overwrite that file."),
    click.option("--verbose", "-v", is_flag=True, help="Also show every response in full."),
    section="Output",
)
"""How a debate is shown."""

watched = together(
    shown,
    click.option("--quiet", "-q", is_flag=True, help="No progress and no notes: only the result."),
    section="Output",
)
"""How a debate is shown that is being held."""


class OrOff(click.ParamType[Any]):
    """A number, or the word `off`."""

    name = "number or off"

    def __init__(self, kind: click.ParamType[Any]) -> None:
        """Take what `kind` takes."""
        self._kind = kind

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number, or `off` as it is."""
        if value == "off":
            return value
        try:
            return self._kind.convert(value, None, None)
        except click.BadParameter as e:
            self.fail(f"{e.message.rstrip('.')}; it may be off", param, ctx)


procedure = together(
    click.option(
        "--mode",
        "-m",
        metavar="NAME",
        help="The procedure; see: dissent modes.",
        shell_complete=completing.mode,
    ),
    click.option(
        "--rounds",
        "-r",
        metavar="N|auto",
        help="In reflection, rounds after the first answers (1); elsewhere, all rounds (3).",
    ),
    click.option(
        "--topology",
        "-t",
        metavar="NAME",
        help="Who reads whom in reflection: mesh, ring, star, ...",
        shell_complete=completing.topology,
    ),
    click.option(
        "--preset",
        metavar="NAME",
        help="A panel with mode and options; what you say here goes first.",
        shell_complete=completing.preset,
    ),
    section="Procedure",
)
"""How a debate is held."""

parts = together(
    click.option(
        "--persona",
        "personas",
        multiple=True,
        metavar="[SEAT=]NAME",
        help="A panelist's persona: analyst, skeptic, ...",
    ),
    click.option(
        "--perspectives",
        multiple=True,
        metavar="A,B|SEAT=A",
        help="What expert-panel looks at it from: technical, economic, ... or your own.",
    ),
    click.option(
        "--perspective-order",
        type=click.Choice(["round-robin", "random"]),
        help="How perspectives are dealt out (round-robin).",
    ),
    click.option(
        "--role",
        "roles",
        multiple=True,
        metavar="SEAT=ROLE",
        help="In devils-advocate: PRIMARY, OPPOSITION or EVALUATOR.",
    ),
    click.option(
        "--team",
        "teams",
        multiple=True,
        metavar="SEAT=TEAM",
        help="In red-team-blue-team: red or blue.",
    ),
    click.option(
        "--tools/--no-tools",
        default=None,
        help="Whether panelists may search the web and check facts.",
    ),
    section="Parts",
)
"""Who plays which part, and with what."""

measuring = together(
    click.option(
        "--analyst",
        metavar="MODEL",
        help="Who reads the finished debate (the cheapest who takes part).",
        shell_complete=completing.model,
    ),
    click.option(
        "--no-analyst", is_flag=True, help="Nobody reads it; the panel's own lines have to do."
    ),
    click.option(
        "--rule",
        metavar="NAME",
        help="How ballots are counted: borda, plurality, approval, copeland, ranked-pairs, "
        "schulze or kemeny.",
        shell_complete=completing.rule,
    ),
    click.option(
        "--exit-consensus",
        type=OrOff(click.FLOAT),
        metavar="X|off",
        help="Stop once agreement is at least this (0.9; in reflection off).",
    ),
    click.option(
        "--exit-convergence",
        type=OrOff(click.INT),
        metavar="N|off",
        help="Stop once nobody has moved for N rounds (2; in reflection off).",
    ),
    click.option(
        "--exit-confidence",
        type=OrOff(click.FLOAT),
        metavar="X|off",
        help="Stop once everyone is at least this sure (off: models overstate it).",
    ),
    section="Reading, voting, stopping",
)
"""Who reads the debate, how votes are counted, and when a round is the last one."""

_max_cost = click.option(
    "--max-cost", type=float, metavar="USD", help="Stop before this is exceeded."
)
_timeout = click.option("--timeout", type=float, metavar="SECONDS", help="For the whole debate.")
_grace = click.option(
    "--grace",
    type=float,
    metavar="SECONDS",
    help="For late panelists, once enough have answered; then the debate goes on without them.",
)
_call_timeout = click.option(
    "--call-timeout", type=float, metavar="SECONDS", help="For one call (120)."
)

limits_of_one = together(_max_cost, _timeout, _call_timeout, section="Limits")
"""What may be taken where one model is asked, so that nobody is late."""

limits = together(_max_cost, _timeout, _grace, _call_timeout, section="Limits")
"""What a debate may take."""

scoring = together(
    click.option(
        "--judge",
        metavar="MODEL",
        help="Who scores the answer.",
        shell_complete=completing.model,
    ),
    click.option(
        "--score",
        type=click.Choice(["synthesis", "all"]),
        default="synthesis",
        help="What is scored: the synthesis alone, or every answer.",
    ),
    click.option("--rubric", metavar="NAME", help="A [rubrics.NAME] of your configuration."),
    section="Scoring",
)
"""How answers are scored."""

truth = together(
    click.option("--ground-truth", metavar="TEXT", help="The known answer to score against."),
    click.option("--ground-truth-file", type=PATH, metavar="PATH", help="A file that has it."),
    section="Scoring",
)
"""The known answer."""


class Output(click.Option):
    """`--output`, which some commands had under the name `--format`; that is still understood."""

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """Take both spellings."""
        super().add_to_parser(parser, ctx)
        parser.add_option(obj=self, opts=["--format"], dest=self.name, action="store", nargs=1)


def written(**how: Any) -> Callable[[Command], Command]:
    """The form in which something is written out, to stdout or into a file."""
    return click.option("--output", "-o", "form", cls=Output, **how)


as_list = click.option(
    "--output",
    "-o",
    type=click.Choice(["terminal", "json", "markdown"]),
    default="terminal",
    show_default=True,
    help="How it is shown.",
)
"""For what is a table on the terminal and in Markdown, and an array in JSON."""


def ground_truth(text: str | None, path: Path | None) -> str | None:
    """The known answer, from one of the two options.

    Raises:
        BadInput: if both are given, or the file cannot be read.
    """
    from mutual_dissent.core.errors import BadInput
    from mutual_dissent.surfaces.cli.reading import text_of

    if text is not None and path is not None:
        raise BadInput("give --ground-truth or --ground-truth-file, not both")
    return text_of(path).strip() if path is not None else text
