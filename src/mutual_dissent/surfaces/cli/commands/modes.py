"""`dissent modes`: the modes with their options, the topologies and the presets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import click

from mutual_dissent.app import MutualDissent
from mutual_dissent.briefing.presets import Preset
from mutual_dissent.core.codec.camel import Shape
from mutual_dissent.core.errors import UnknownName
from mutual_dissent.modes.outline import Outline
from mutual_dissent.surfaces.cli import completion
from mutual_dissent.surfaces.cli.options import as_list, examples
from mutual_dissent.surfaces.cli.tables import echo_json, table, terminal_width, wrap_words
from mutual_dissent.surfaces.facts.modes import (
    Explained,
    ReadingOrder,
    known_preset,
    personas,
    reading_orders,
)
from mutual_dissent.surfaces.terms import COMMAND_LINE
from mutual_dissent.text.sanitize import plain

NARROW = 90
"""Columns of a terminal below which a list shows only names and summaries."""

INDENT = 9
"""Column at which the facts of a mode start, right of their labels."""


@click.command(
    "modes",
    epilog=examples(
        "dissent modes",
        "dissent modes delphi",
        "dissent modes quick",
        "dissent modes --output json",
    ),
)
@click.argument("name", required=False, shell_complete=completion.mode)
@as_list
def command(name: str | None, output: str) -> None:
    """Explain the procedures, topologies and presets of a debate.

    With the name of a mode: its stages, what it can be told, and the prompts that it asks with.
    With that of a topology or a preset: what it stands for.
    """
    md = MutualDissent()
    if name is None:
        _list(md, output)
        return
    entry, lines = _look_up(md, name)
    if output == "json":
        echo_json(entry)
    else:
        width = terminal_width()
        click.echo("\n".join(wrap_words(plain(line), width, INDENT) for line in lines))


def _look_up(md: MutualDissent, name: str) -> tuple[Shape, Iterable[str]]:
    """Return a named mode, topology or other entry, as JSON and as lines of text."""
    if name in md.modes:
        about = _Explained(md, md.modes[name], COMMAND_LINE.spell)
        return about.facts(), about.lines()
    if name in md.topologies:
        topology = md.topologies[name]
        entry = ReadingOrder(name=topology.name, summary=topology.summary)
        return entry, [f"{topology.name} (a topology): {topology.summary}"]
    if preset := md.settings.presets.get(name):
        head = f"{preset.name} (a preset)" + (f": {preset.summary}" if preset.summary else "")
        stands_for = [f"{n} = {_word(v)}" for n, v in preset.values.items()]
        told = ["", *preset.task_text(md.library.text).splitlines()] if preset.task else []
        return known_preset(preset), [head, "", *stands_for, *told]
    known = (*md.modes, *md.topologies, *md.settings.presets)
    raise UnknownName("mode, topology or preset", name, known)


def _list(md: MutualDissent, output: str) -> None:
    modes = [_Explained(md, md.modes[name], COMMAND_LINE.spell) for name in md.modes]
    topologies = [md.topologies[name] for name in md.topologies]
    presets = list(md.settings.presets.values())
    if output == "json":
        echo_json(
            {
                "modes": [m.facts() for m in modes],
                "topologies": reading_orders(md),
                "presets": [known_preset(p) for p in presets],
                "personas": personas(md),
            }
        )
        return
    width = terminal_width()
    rows = [
        (m.mode.name, m.rounds, str(m.mode.min_panel), m.outline.order or "alone", m.mode.summary)
        for m in modes
    ]
    head = ("MODE", "ROUNDS", "PANEL", "ASKED", "WHAT IT DOES")
    narrow = {1, 2, 3} if width and width < NARROW else set[int]()
    click.echo(table(head, rows, width=width, without=narrow, whole=True))
    click.echo()
    reads = [(t.name, t.summary) for t in topologies]
    click.echo(table(("TOPOLOGY", "WHO READS WHOM"), reads, width=width, whole=True))
    click.echo()
    narrow = {1} if width and width < NARROW else set()
    click.echo(table(*preset_rows(presets), width=width, without=narrow, whole=True))
    after = [m.mode.name for m in modes if m.mode.rounds and not m.mode.first_counts]
    click.echo()
    first = f"The first answers are the first round; {_exception(after)}"
    for line in (first, f"Personas: {', '.join(md.settings.personas)}."):
        click.echo(wrap_words(plain(line), width))


def preset_rows(presets: Iterable[Preset]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Head and rows of a table of presets."""
    rows: list[tuple[str, ...]] = [
        (p.name, p.values.get("mode", "-"), p.summary or _values(p)) for p in presets
    ]
    return ("PRESET", "MODE", "WHAT IT IS FOR"), rows


class _Explained(Explained):
    """A mode in words."""

    def lines(self) -> Iterator[str]:
        """Yield the whole description, for people."""
        yield f"{self.mode.name}: {self.mode.summary}"
        yield ""
        yield f"rounds   {self._rounds_in_words()}"
        yield f"panel    {self._panel_in_words()}"
        yield f"asked    {self.outline.order or 'one model, alone'}"
        yield f"answers  {_answers(self.outline)}"
        partly = [f"{name} {value}" for name, values in self.only.items() for value in values]
        if typed := [*self.options, *partly]:
            yield f"options  {' '.join(typed)}"
        if self.topologies:
            yield f"topology {', '.join(self.topologies)}"
        yield ""
        yield from _stages(self.outline)
        yield ""
        yield "prompts"
        yield from (f"  {name}" for name in self.prompts)

    def _panel_in_words(self) -> str:
        least, most = self.mode.min_panel, self.mode.max_panel
        return str(most) if least == most else f"at least {least}, at most {most}"

    def _rounds_in_words(self) -> str:
        mode = self.mode
        if mode.rounds is None:
            return "fixed stages; --rounds is refused"
        if mode.first_counts:
            return f"{mode.rounds}, at most {mode.max_rounds}; the first answers are the first one"
        return f"{mode.rounds} after the first answers, at most {mode.max_rounds}; or auto"


def _stages(seen: Outline) -> Iterator[str]:
    for stage in seen.stages:
        where = "at the end" if stage.round_number < 0 else f"round {stage.round_number}"
        yield f"{where:<10}  {stage.role}, {stage.order}: {', '.join(stage.prompts)}"


def _answers(seen: Outline) -> str:
    if not seen.structured:
        return "plain text"
    return "in a form, with a ranking of the others" if seen.ballots else "in a form"


def _exception(names: list[str]) -> str:
    return f"in {', '.join(names)} the rounds follow them." if names else "in every mode."


def _values(preset: Preset) -> str:
    return ", ".join(f"{k} = {_word(v)}" for k, v in preset.values.items())


def _word(value: Any) -> str:
    if isinstance(value, dict):
        return " ".join(f"{k}={v}" for k, v in value.items())
    return " ".join(map(str, value)) if isinstance(value, tuple) else str(value)
