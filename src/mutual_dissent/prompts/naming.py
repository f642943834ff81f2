"""Naming: where authors are unsigned, their names are withheld from what they wrote, too."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from mutual_dissent.core.brief import Brief
from mutual_dissent.core.panel import Panelist

WITHHELD = "[name withheld]"
_NO_NAME = frozenset({"", "local", "cli"})  # places, not makers, and words of every day
_SELF = r"\b(?:I am|I['’]m|my name is|(?:made|built|trained|signed) by) "


def withheld(text: str, brief: Brief) -> str:
    """The text without the names of the panel's models and their makers.

    A model's id is taken out wherever it stands. A name that may be a word of every day is taken
    out where it is written as a name or where somebody introduces itself by it. Names that the
    query or an attached document uses are what the debate is about, and stay.
    """
    subject = f"{brief.query}\n{''.join(a.text for a in brief.context)}"
    names = _used(frozenset(n for p in brief.panel for n in _words(p)), subject)
    ids = _used(frozenset(i for p in brief.panel for i in _ids(p)), subject)
    if ids:
        text = _any_of(ids).sub(WITHHELD, text)
    if names:
        text = _introduced(names).sub(lambda m: m[1] + WITHHELD, text)
        text = _any_of(names).sub(lambda m: m[0] if m[0].islower() else WITHHELD, text)
    return text


def _ids(panelist: Panelist) -> Iterator[str]:
    """What names one model and nothing else."""
    yield panelist.model_id
    yield panelist.model_id.rpartition("/")[2].partition(":")[0]
    if "#" in panelist.seat:
        yield panelist.seat


def _words(panelist: Panelist) -> Iterator[str]:
    """Its alias, its family and its maker."""
    yield panelist.alias
    yield panelist.route.vendor
    maker, _, model = panelist.model_id.rpartition("/")
    yield maker.partition("/")[0]
    family = re.match(r"[A-Za-z]+", model)
    yield family[0] if family else ""


@lru_cache(maxsize=64)
def _used(names: frozenset[str], subject: str) -> tuple[str, ...]:
    """The names that are to be withheld, longest first."""
    known = {n.casefold() for n in names} - _NO_NAME
    about = {n for n in known if _any_of((n,)).search(subject)}
    return tuple(sorted(known - about, key=lambda n: (-len(n), n)))


@lru_cache(maxsize=256)
def _any_of(names: tuple[str, ...]) -> re.Pattern[str]:
    listed = "|".join(map(re.escape, names))
    return re.compile(rf"(?<!\w)(?:{listed})(?!\w)", re.IGNORECASE)


@lru_cache(maxsize=64)
def _introduced(names: tuple[str, ...]) -> re.Pattern[str]:
    listed = "|".join(map(re.escape, names))
    return re.compile(
        rf"({_SELF}|^[\s*#\-]{{0,9}}(?=[^\n:]{{1,40}}:))(?:{listed})(?!\w)",
        re.IGNORECASE | re.MULTILINE,
    )
