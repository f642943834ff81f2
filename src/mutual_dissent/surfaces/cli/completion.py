"""Shell completion of values: models, procedures, and stored debates."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from mutual_dissent.app import MutualDissent

MOST = 50
"""Debates offered at most: the newest."""

Source = Callable[["MutualDissent"], Iterable[tuple[str, str]]]
Completion = Callable[[click.Context, click.Parameter, str], "list[CompletionItem[str]]"]


def offering(source: Source, *, several: bool = False) -> Completion:
    """Return a completion that offers the values of a source.

    Args:
        source: gives values, each with a description.
        several: whether values are joined by commas; the last one is completed.
    """

    def complete(
        _ctx: click.Context, _param: click.Parameter, incomplete: str
    ) -> list[CompletionItem[str]]:
        from click.shell_completion import CompletionItem

        before, comma, begun = incomplete.rpartition(",") if several else ("", "", incomplete)
        return [
            CompletionItem(f"{before}{comma}{value}", help=about)
            for value, about in _values(source)
            if value.startswith(begun)
        ]

    return complete


def _values(source: Source) -> list[tuple[str, str]]:
    """Return the values of a source; none on an error, which a completing shell cannot show."""
    from mutual_dissent.app import MutualDissent

    try:
        md = MutualDissent()
        try:
            return list(source(md))
        finally:
            md.close()
    except Exception:  # noqa: BLE001 - the same error is shown when a command runs
        return []


def _models(md: MutualDissent) -> Iterable[tuple[str, str]]:
    return (
        (name, alias.direct or alias.openrouter or "")
        for name, alias in md.settings.aliases.items()
    )


def _names_of(what: str) -> Source:
    def source(md: MutualDissent) -> Iterable[tuple[str, str]]:
        from mutual_dissent.surfaces.facts.names import known_names

        return known_names(md, what)

    return source


def _prompts(md: MutualDissent) -> Iterable[tuple[str, str]]:
    return ((name, "") for name in md.library.names)


def _debates(md: MutualDissent) -> Iterable[tuple[str, str]]:
    from mutual_dissent.text.sanitize import one_line

    return ((row.transcript_id[:8], one_line(row.query, 50)) for row in md.store.list(limit=MOST))


def _tokens(md: MutualDissent) -> Iterable[tuple[str, str]]:
    return ((token.name, "") for token in md.tokens.active())


def _experiments(md: MutualDissent) -> Iterable[tuple[str, str]]:
    return ((kept.name, kept.state.value) for kept in md.experiments.every())


model, panel = offering(_models), offering(_models, several=True)
prompt = offering(_prompts)
debate, token = offering(_debates), offering(_tokens)
experiment = offering(_experiments)

NAMES = {
    what: offering(_names_of(what)) for what in ("mode", "topology", "preset", "rule", "rubric")
}
"""Kind of name that an option takes -> its completion."""
mode, preset, rule = NAMES["mode"], NAMES["preset"], NAMES["rule"]
