"""The options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakKeyDictionary

import click

from mutual_dissent.briefing import kinds
from mutual_dissent.briefing.options import OPTIONS, Option, Where, options_for
from mutual_dissent.surfaces.cli import completion

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

Command = TypeVar("Command", bound=Callable[..., Any])


class NamedPath(click.Path):
    """A path that is not empty, which would mean the current folder."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Turn the words of the command line into a path."""
        if isinstance(value, str) and not value.strip():
            self.fail("the name is empty; a dot means the current folder", param, ctx)
        return super().convert(value, param, ctx)


PATH = NamedPath(path_type=Path)


def examples(*lines: str) -> str:
    """Format the examples at the end of a help text."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


def together(*decorators: Callable[[Any], Any], section: str) -> Callable[[Command], Command]:
    """Combine options into one decorator, in this order, under a section of the help."""

    def decorate(command: Command) -> Command:
        before = len(getattr(command, "__click_params__", ()))
        for decorator in reversed(decorators):
            command = decorator(command)
        for option in getattr(command, "__click_params__", ())[before:]:
            SECTIONS[option] = section
        return command

    return decorate


SECTIONS: WeakKeyDictionary[click.Parameter, str] = WeakKeyDictionary()
"""Option -> its section of the help."""


class Sectioned(click.Command):
    """A command that lists its many options by section."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the sections in their order of appearance; other options come last."""
        options = [p for p in self.get_params(ctx) if isinstance(p, click.Option)]
        sections: dict[str, list[tuple[str, str]]] = {}
        for option in sorted(options, key=lambda o: o not in SECTIONS):
            if (line := option.get_help_record(ctx)) is not None:
                sections.setdefault(SECTIONS.get(option, "Other"), []).append(line)
        for title, lines in sections.items():
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
        """Return the given id; for `last`, the newest debate's."""
        return _newest() if value == LAST else str(value)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Offer the newest debates."""
        return completion.debate(ctx, param, incomplete)


LAST = "last"


def _newest() -> str:
    from mutual_dissent.core.errors import NotFound
    from mutual_dissent.surfaces.cli.read_only import record

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
"""Options that format a debate."""

watched = together(
    shown,
    click.option("--quiet", "-q", is_flag=True, help="No progress and no notes: only the result."),
    section="Output",
)
"""Options that format a running debate."""


class NumberOrWord(click.ParamType[Any]):
    """A number, or one word that stands for something else."""

    name = "number or word"

    def __init__(self, number: click.ParamType[Any], word: str) -> None:
        """Accept `word` and the values of `number`."""
        self._number, self._word = number, word

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number, or the word."""
        if value == self._word:
            return value
        try:
            return self._number.convert(value, None, None)
        except click.BadParameter:
            self.fail(f"it takes a number or {self._word!r}, not {value[:20]!r}", param, ctx)


def options(*names: str, section: str = "") -> Callable[[Command], Command]:
    """The options of a debate of these names, or else all of a section, as the table has them."""
    chosen = [OPTIONS[name] for name in names] or [
        o for o in options_for(Where.SHELL) if o.section == section
    ]
    return together(*map(_click_option, chosen), section=section or chosen[0].section)


def _click_option(option: Option) -> Callable[[Command], Command]:
    names = [option.flag or option.in_shell, *filter(None, [option.short]), option.name]
    words = (option.cli or option.help).format(usual=_default_text(option.usual))
    if isinstance(option.kind, kinds.YesNo):
        # None is an absent flag: a preset or the configuration decides then.
        return click.option(*names, is_flag=True, default=option.default, help=words)
    return click.option(
        *names,
        type=_click_type(option.kind),
        metavar=option.metavar or _metavar(option.kind),
        multiple=isinstance(option.kind, kinds.SeatWords | kinds.SeatParts | kinds.Attachments),
        default=option.default or None,
        help=words,
        shell_complete=_completion(option.kind),
    )


def _default_text(usual: Any) -> str:
    return f"{usual:g}" if isinstance(usual, float) else str(usual)


def _click_type(kind: kinds.ValueKind) -> click.ParamType[Any] | None:
    match kind:
        case kinds.WholeNumber():
            return click.INT
        case kinds.RealNumber():
            return click.FLOAT
        case kinds.OrWord(number, word):
            return NumberOrWord(_click_type(number) or click.STRING, word)
        case kinds.OneOf(words):
            return click.Choice(words)
        case kinds.StoredDebate():
            return DEBATE
        case kinds.FolderPath():
            return PATH
        case _:
            return None


def _metavar(kind: kinds.ValueKind) -> str | None:
    match kind:
        case kinds.WholeNumber():
            return "N"
        case kinds.RealNumber():
            return "X"
        case kinds.OrWord(number, word):
            return f"{_metavar(number)}|{word}"
        case kinds.NameOf():
            return "NAME"
        case kinds.ModelName():
            return "MODEL"
        case _:
            return None


def _completion(kind: kinds.ValueKind) -> completion.Completion | None:
    match kind:
        case kinds.ModelName():
            return completion.model
        case kinds.ModelNames():
            return completion.panel
        case kinds.NameOf(what):
            return completion.NAMES.get(what)
        case kinds.Attachments():
            return PATH.shell_complete
        case _:
            return None


limits_of_one = options("max_cost", "timeout", "call_timeout")
"""Limits of a single model, which never waits for late panelists: no `grace`."""

limits = options("max_cost", "timeout", "grace", "call_timeout")
"""Limits of a debate."""

scoring = together(
    options("ground_truth"),
    click.option("--ground-truth-file", type=PATH, metavar="PATH", help="A file that has it."),
    options("judge", "score", "rubric"),
    section="Scoring",
)
"""The known answer, and the scoring against it."""


class Output(click.Option):
    """`--output`, whose former name `--format` still works."""

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """Accept both spellings."""
        super().add_to_parser(parser, ctx)
        parser.add_option(obj=self, opts=["--format"], dest=self.name, action="store", nargs=1)


def format_option(**how: Any) -> Callable[[Command], Command]:
    """Return the option for the output format, to stdout or into a file."""
    return click.option("--output", "-o", "form", cls=Output, **how)


as_list = click.option(
    "--output",
    "-o",
    type=click.Choice(["terminal", "json", "markdown"]),
    default="terminal",
    show_default=True,
    help="How it is shown.",
)
"""Output option of lists: a table on the terminal and in Markdown, an array in JSON."""


def ground_truth(text: str | None, path: Path | None) -> str | None:
    """Return the known answer, from one of the two options.

    Raises:
        BadInput: if both are given, or the file cannot be read.
    """
    from mutual_dissent.core.errors import BadInput
    from mutual_dissent.surfaces.cli.input import text_of

    if text is not None and path is not None:
        raise BadInput("give --ground-truth or --ground-truth-file, not both")
    return text_of(path).strip() if path is not None else text
