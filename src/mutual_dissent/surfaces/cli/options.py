"""The options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from mutual_dissent.surfaces.cli import completing

Command = TypeVar("Command", bound=Callable[..., Any])
Decorator = Callable[[Command], Command]

PATH = click.Path(path_type=Path)


def examples(*lines: str) -> str:
    """The end of a help text: commands to copy."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


def together(*decorators: Callable[[Any], Any]) -> Callable[[Command], Command]:
    """Several options as one decorator, in the order given."""

    def decorate(command: Command) -> Command:
        for decorator in reversed(decorators):
            command = decorator(command)
        return command

    return decorate


shown = together(
    click.option("--output", "-o", metavar="FORMAT", help="terminal, json, markdown, csv, ..."),
    click.option("--file", "-f", type=PATH, help="Write the output to this file."),
    click.option("--force", is_flag=True, help="Overwrite that file."),
    click.option("--verbose", "-v", is_flag=True, help="Also show every response in full."),
)  # fmt: skip
"""How a debate is shown."""

limits = together(
    click.option("--max-cost", type=float, metavar="USD", help="Stop before this is exceeded."),
    click.option("--timeout", type=float, metavar="SECONDS", help="For the whole debate."),
    click.option("--call-timeout", type=float, metavar="SECONDS", help="For one call (120)."),
)
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
)
"""How answers are scored."""

truth = together(
    click.option("--ground-truth", metavar="TEXT", help="The known answer to score against."),
    click.option("--ground-truth-file", type=PATH, metavar="PATH", help="A file that has it."),
)
"""The known answer."""

as_list = click.option(
    "--output", "-o", type=click.Choice(["terminal", "json"]), default="terminal", show_default=True
)
"""For what is a table on the terminal and an array in JSON."""


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
