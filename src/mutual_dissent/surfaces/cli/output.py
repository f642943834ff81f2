"""Shows a debate: live while it runs, then in the requested format, and how it ended."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractAsyncContextManager, aclosing, nullcontext, suppress
from dataclasses import dataclass, replace
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Self

import click

from mutual_dissent.app import MutualDissent
from mutual_dissent.config.plugins import FORMATS as GROUP
from mutual_dissent.config.plugins import Plugins
from mutual_dissent.config.settings import Settings
from mutual_dissent.core.brief import Brief
from mutual_dissent.core.errors import BadConfig, BadInput, NotSaved, UnknownName, clip
from mutual_dissent.core.events import Status
from mutual_dissent.core.panel import EMBEDDED
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.core.values.terms import option
from mutual_dissent.parts import PATIENCE
from mutual_dissent.surfaces.cli.input import can_ask_user
from mutual_dissent.surfaces.process.failure import complain, say
from mutual_dissent.surfaces.process.signals import Interruption
from mutual_dissent.views.panel.names import with_names

if TYPE_CHECKING:
    from mutual_dissent.engine.limits.quote import CostQuote
    from mutual_dissent.stream import UpdateStream
    from mutual_dissent.surfaces.cli.live.seat import TerminalSeat
    from mutual_dissent.views.heading import HeadingShape

TERMINAL, ANSWER = "terminal", "answer"
SHOWN = ("output", "file", "force", "verbose", "quiet")
"""Options that format a debate."""
BY_SUFFIX = {
    ".json": "json",
    ".md": "markdown",
    ".markdown": "markdown",
    ".csv": "csv",
    ".html": "html",
    ".htm": "html",
}
OPEN_SUFFIXES = ("", ".txt")
"""Suffixes that promise no format."""

Format = Callable[[Transcript], str]


@dataclass(frozen=True, kw_only=True)
class ResultOutput:
    """Destination and format of a result, checked before any paid call."""

    form: str
    render: Format | None = None
    target: Path | None = None
    force: bool = False
    verbose: bool = False
    quiet: bool = False

    @classmethod
    def from_options(
        cls,
        md: MutualDissent,
        *,
        output: str | None,
        file: Path | None,
        force: bool,
        verbose: bool,
        quiet: bool = False,
    ) -> Self:
        """Read the options; a file's suffix decides where they leave the format open.

        Raises:
            UserError: if the format does not exist, or the file cannot be written.
        """
        form = output or suffix_format(file) or configured_format(md.settings)
        render = None if form == TERMINAL else chosen_format(form, TERMINAL)
        if file is not None:
            from mutual_dissent.store.files.export import check_output

            check_output(file, force=force)
        return cls(form=form, render=render, target=file, force=force, verbose=verbose, quiet=quiet)

    @property
    def live(self) -> bool:
        """Return whether the panelists can be drawn side by side while they answer."""
        # Where the result goes to a file, stdout is free to be drawn on.
        seen = self.form in (TERMINAL, ANSWER) or self.target is not None
        return seen and not self.quiet and _can_draw()

    def show(self, transcript: Transcript, *, saved: bool = True) -> None:
        """Print the transcript, or write it to its file."""
        if self.target is None and self.render is None:
            from mutual_dissent.surfaces.cli.live.view import show

            show(transcript, verbose=self.verbose, saved=saved, noted=not self.quiet)
        elif self.target is None:
            click.echo(self._text(transcript, saved=saved).removesuffix("\n"))
        else:
            from mutual_dissent.store.files.export import write_output

            data = self._text(transcript, saved=saved).encode("utf-8", "replace")
            write_output(self.target, data, force=self.force)
            if not self.quiet:
                say(f"written to {self.target}")

    @property
    def at_once(self) -> bool:
        """Return whether the answer is printed as soon as it is written, before the analysis."""
        return self.target is None and self.form in (TERMINAL, ANSWER)

    def quote(self, quote: CostQuote, max_cost: float | None = None) -> None:
        """Print the quote of a debate, and a warning if it exceeds the limit."""
        from mutual_dissent.surfaces.cli.quote import beyond, quote_as_json, quote_as_text

        (quote_as_json if self.form == "json" else quote_as_text)(quote)
        if warning := beyond(quote, max_cost):
            say(warning)

    def _text(self, transcript: Transcript, *, saved: bool) -> str:
        if self.render is not None:
            return self.render(transcript)
        from rich.console import Console

        from mutual_dissent.surfaces.cli.live.view import show

        page = Console(file=StringIO(), width=100, markup=False, emoji=False, highlight=False)
        with page.capture() as captured:
            noted = not self.quiet
            show(transcript, verbose=self.verbose, saved=saved, noted=noted, console=page)
        return captured.get()


def prepare(md: MutualDissent, brief: Brief, *, quiet: bool = False) -> None:
    """Print notices before the debate, and fetch a missing local model."""
    if not quiet:
        say_notices(md, brief)
    if any(p.route.vendor == EMBEDDED for p in brief.everyone):
        from mutual_dissent.surfaces.cli.local_model import fetch_if_missing

        fetch_if_missing(md, brief)


def say_notices(md: MutualDissent, brief: Brief) -> None:
    """Print what the user should know of the configuration and of the panel."""
    for notice in (*md.settings.notices, *brief.notices):
        say_note(notice)


def say_note(notice: str) -> None:
    """Print one thing that the user should know."""
    say(_wrap(f"note: {notice}"))


def _wrap(line: str) -> str:
    """Wrap a line between words, where a terminal would break it anywhere."""
    if sys.stderr is None or not sys.stderr.isatty():
        return line
    return textwrap.fill(line, max(20, shutil.get_terminal_size().columns - 1))


async def show_debate(
    md: MutualDissent,
    events: UpdateStream,
    showing: ResultOutput,
    course: Interruption,
    *,
    calls: int | None = None,
    verdict: Callable[[Transcript], int] | None = None,
) -> int:
    """Watch a debate to its end, show it, and return the exit code.

    Args:
        calls: the number of calls, if known; else it is estimated.
        verdict: the exit code of a debate that ended well, by what it says.
    """
    from mutual_dissent.surfaces.cli.live.view import show_rest, watch

    early = _Early(showing)
    async with md, _seat(md) as seat, aclosing(course.follow(events)) as followed:
        transcript = await watch(
            followed,
            seat=seat,
            live=showing.live,
            verbose=showing.verbose,
            quiet=showing.quiet,
            calls=(lambda brief: md.quote(brief).calls) if calls is None else lambda _: calls,
            on_answer=early.show if showing.at_once else None,
        )
        try:
            if early.said is None:
                showing.show(transcript, saved=course.saved)
            elif showing.form == TERMINAL:
                show_rest(
                    transcript,
                    verbose=showing.verbose,
                    saved=course.saved,
                    noted=not showing.quiet,
                    said=early.said,
                )
        except NotSaved as e:
            raise NotSaved(f"{e.sentence}{_elsewhere(transcript, course)}") from None
        transcript = await _wait_for_save(md, transcript)
    if showing.form == ANSWER and transcript.cited:
        _tell_citations(transcript)
    code = tell_ending(transcript, saved=course.saved)
    return code or (verdict(transcript) if verdict else code)


def _tell_citations(transcript: Transcript) -> None:
    """Say beside a bare answer that citations did not check out, or could not be checked."""
    from mutual_dissent.core.values.citation import SUPPORTS
    from mutual_dissent.views.remarks.citation_checks import checks_of, citations_heading

    if any(c.verdict != SUPPORTS for c in checks_of(transcript)):
        say(citations_heading(transcript))


def _seat(md: MutualDissent) -> AbstractAsyncContextManager[TerminalSeat | None]:
    """Return the user's place at this terminal; none where nobody can be asked."""
    if not can_ask_user():
        return nullcontext()
    from mutual_dissent.surfaces.cli.live.seat import take_seat

    return take_seat(md)


async def _wait_for_save(md: MutualDissent, transcript: Transcript) -> Transcript:
    """Return the transcript once it is saved, or unchanged if that takes too long."""
    if not transcript.unsaved or not md.store.owes(transcript.transcript_id):
        return transcript
    say(f"not saved yet: {transcript.unsaved}; trying again for {PATIENCE:.0f} s, Ctrl-C gives up")
    return replace(transcript, unsaved="") if await md.wait_for_record(PATIENCE) else transcript


class _Early:
    """The answer, printed as soon as it is written, before the analyst reads it.

    Attributes:
        said: what its heading said; None if it was not printed.
    """

    def __init__(self, showing: ResultOutput) -> None:
        self._showing = showing
        self.said: HeadingShape | None = None

    def show(self, transcript: Transcript) -> None:
        from mutual_dissent.surfaces.cli.live.screen import GONE
        from mutual_dissent.surfaces.cli.live.view import show_answer
        from mutual_dissent.views.heading import shape

        with suppress(*GONE):  # the paid debate must go on; the final output reports the error
            if self._showing.form == ANSWER:
                self._showing.show(transcript)
            else:
                show_answer(transcript, verbose=self._showing.verbose)
            self.said = shape(transcript)


def _elsewhere(transcript: Transcript, course: Interruption) -> str:
    """Return how to read an answer whose file could not be written."""
    if not course.saved:
        return ""
    return f"; write it elsewhere with: dissent show {transcript.transcript_id[:8]} --file PATH"


def chosen_format(name: str, *others: str) -> Format:
    """Return the named format, ours or a plugin's.

    Raises:
        UnknownName: if the format does not exist.
    """
    from mutual_dissent.views.documents.formats import FORMATS

    formats = Plugins(GROUP, FORMATS)
    if name not in formats:
        raise UnknownName("output format", name, [*others, *formats])
    chosen: Format = formats[name]
    return chosen


def suffix_format(
    file: Path | None, known: Mapping[str, str] | None = None, *, chosen: bool = True
) -> str | None:
    """Return the format that a file's suffix asks for; None where it leaves that open.

    Args:
        known: suffix -> format, where they are others than those of a debate.
        chosen: whether the format can also be chosen by an option.

    Raises:
        BadInput: if there is no such format: the file would not be what its name says.
    """
    suffix = file.suffix.lower() if file else ""
    if suffix in OPEN_SUFFIXES:
        return None
    formats = BY_SUFFIX if known is None else known
    if suffix not in formats:
        otherwise = f", or choose the format with {option('output')}" if chosen else ""
        raise BadInput(
            f"no output format is known for {clip(suffix, 20)!r}; "
            f"name the file {_or(formats)}{otherwise}"
        )
    return formats[suffix]


def _or(words: Iterable[str]) -> str:
    *most, last = words
    return f"{', '.join(most)} or {last}"


def configured_format(settings: Settings) -> str:
    """Return the default format.

    Raises:
        BadConfig: if it does not exist.
    """
    name: str = settings.defaults.output
    try:
        if name != TERMINAL:
            chosen_format(name, TERMINAL)
    except UnknownName as e:
        raise BadConfig(str(settings.home.config), "defaults.output", e.sentence) from None
    return name


def _can_draw() -> bool:
    """Return whether stdout is a terminal whose cursor can be moved."""
    if sys.stdout is None or not sys.stdout.isatty():
        return False
    return os.environ.get("TERM", "").lower() not in ("dumb", "unknown")


ORDERED = {
    "paused": "paused, as it was told to",
    "stopped": "stopped, as it was told to",
}
"""Reason for which a debate was closed, as stored -> as people say it."""

FINE, NO_ANSWER, BUDGET, NOT_SAVED, FINDINGS = 0, 3, 4, 5, 6


def exit_code(transcript: Transcript) -> int:
    """Return the exit code for a debate's end."""
    if transcript.closed_reason == "budget":
        return BUDGET
    if transcript.synthesis is None and transcript.status is not Status.COMPLETED:
        return NO_ANSWER
    if transcript.unsaved:
        return NOT_SAVED
    return FINE


def tell_ending(transcript: Transcript, *, saved: bool = True) -> int:
    """Print what is missing and how to resume, and return the exit code."""
    code = exit_code(transcript)
    if code == NOT_SAVED:
        complain(f"answered, but not saved: {transcript.unsaved}")
    elif transcript.status is not Status.COMPLETED:
        reason = transcript.closed_reason or "it was not finished"
        text = with_names(transcript, transcript.closed_text)
        why = ORDERED.get(reason) or text or reason
        more = " --max-cost USD" if code == BUDGET else ""
        on = f"; go on with: dissent resume {transcript.transcript_id[:8]}{more}"
        complain(why + (on if saved and not transcript.unsaved else ""))
    return code
