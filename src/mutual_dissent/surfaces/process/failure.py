"""Errors that end a command, as one line on stderr and an exit code. Never a traceback."""

from __future__ import annotations

import errno
import os
import sys
from contextlib import suppress
from difflib import get_close_matches

import click

from mutual_dissent.core.errors import DissentError, UnknownName
from mutual_dissent.surfaces.terms import COMMAND_LINE
from mutual_dissent.text.sanitize import plain

# As shells say it: 128 + 2, ended by SIGINT.
INTERRUPTED = 130
CLICK_WORDS = {
    "is not a valid float": "is not a number",
    "is not a valid integer range": "is not a whole number",
    "is not a valid integer": "is not a whole number",
}
CLOSE = 0.75
"""Similarity from which an existing option is suggested."""
MEANT = {"get": "show"}
"""A command of other tools -> its name here."""
BROKEN_PIPE = 141  # what a shell reports of a program that SIGPIPE ended


class Interrupted(Exception):
    """A signal ended the command; the sentence says how to resume."""

    def __init__(self, number: int, sentence: str) -> None:
        super().__init__(sentence)
        self.exit_code = 128 + number


def report_failure(error: BaseException) -> int:
    """Print what ended the command, and return its exit code."""
    match error:
        case SystemExit():
            return error.code if isinstance(error.code, int) else 0
        case DissentError():
            complain(error.sentence)
            return error.exit_code
        case Interrupted():
            say(str(error))
            return error.exit_code
        case click.Abort() | KeyboardInterrupt() | EOFError():
            say("interrupted")
            return INTERRUPTED
        case _ if isinstance(error.__cause__, KeyboardInterrupt):  # while a class was being made
            say("interrupted")
            return INTERRUPTED
        case click.exceptions.NoArgsIsHelpError():
            say(error.format_message())
            return error.exit_code
        case click.ClickException():
            complain(_usage(error))
            return error.exit_code
        case OSError() if _is_gone(error):
            mute()
            return BROKEN_PIPE
        # Without a file's name it was stdout: `dissent list > /dev/full`.
        case OSError() if error.filename is None and error.errno in (errno.ENOSPC, errno.EIO):
            mute()
            complain(f"the output could not be written: {error.strerror}")
            return 1
        case _:
            return _bug(error)


def complain(sentence: str) -> None:
    """Print an error in one line."""
    say(f"dissent: {_one_line(sentence)}")


def say(line: str) -> None:
    """Print a line on stderr, in the command line's terms and without control codes.

    A closed terminal is not an error.
    """
    with suppress(OSError, ValueError):
        click.echo(plain(COMMAND_LINE.resolve(line)), err=True)


def mute() -> None:
    """Discard the rest of stdout's buffer, or the interpreter complains at exit."""
    with suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def _is_gone(error: OSError) -> bool:
    return isinstance(error, BrokenPipeError) or error.errno == errno.EPIPE


def _usage(error: click.ClickException) -> str:
    """Explain a usage error, with the next step."""
    if isinstance(error, click.NoSuchOption):
        near = get_close_matches(error.option_name, error.possibilities or (), n=1, cutoff=CLOSE)
        if near:
            return f"there is no option {error.option_name[:60]}; did you mean {near[0]}?"
    context = getattr(error, "ctx", None)
    if context is None:
        return _sentence(error)
    if error.message.startswith("No such command") and isinstance(context.command, click.Group):
        # "No such command 'x'."
        return _no_command(error.message.split("'")[1], context.command.list_commands(context))
    if "unexpected extra argument" in error.message and context.info_name == "ask":
        return "the query is one argument; put it in quotes"
    return f"{_sentence(error).rstrip('.')}; try: {context.command_path} --help"


def _no_command(name: str, known: list[str]) -> str:
    """Return that a group has no such command, with a suggestion."""
    if (meant := MEANT.get(name)) in known:
        return f"no command is called {name!r}; did you mean {meant!r}?"
    return str(UnknownName("command", name, known))


def _sentence(error: click.ClickException) -> str:
    """Return Click's sentence, in our words."""
    match error:
        case click.NoSuchOption():
            return f"there is no option {error.option_name[:60]}"
        case click.BadOptionUsage() if "requires an argument" in error.message:
            return f"{error.option_name} needs a value"
    sentence = error.format_message().strip()
    for theirs, ours in CLICK_WORDS.items():
        sentence = sentence.replace(theirs, ours)
    return sentence[:1].lower() + sentence[1:]


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _bug(error: BaseException) -> int:
    from mutual_dissent.surfaces.process.crash_report import write_report

    where = write_report(error)
    place = f"its log is {where}" if where else "its log could not be written"
    complain(f"this is a bug ({type(error).__name__}); {place}, please report it")
    return 1
