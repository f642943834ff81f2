"""Viewers of pictures, and those who tell the others what is on them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace

from mutual_dissent.core.brief import Attachment, Brief
from mutual_dissent.core.errors import BadInput
from mutual_dissent.core.panel import RECORDED, Panelist
from mutual_dissent.core.step import Mode
from mutual_dissent.core.values.picture import byte_words

MOST_PICTURES = 20
"""Pictures of a debate: with more of them, some vendors take only small ones."""

MOST_BYTES = 12_000_000
"""Bytes of all of them: written for the wire, what the vendor with the narrowest door takes."""

MOST_DESCRIBERS = 3

Sees = Callable[[Panelist], bool]


def check_pictures(context: tuple[Attachment, ...], mode: Mode) -> None:
    """Refuse more pictures than vendors take, and any where only text is read.

    Raises:
        BadInput: if there are too many, or the mode has no use for them.
    """
    shown = [a for a in context if a.picture]
    if not shown:
        return
    if mode.by_parts:
        raise BadInput(
            f"{mode.name} goes through text, and {shown[0].name} is a picture; leave it out, or "
            "ask about it in another mode"
        )
    if len(shown) > MOST_PICTURES:
        raise BadInput(
            f"{len(shown)} pictures are attached, and a debate takes {MOST_PICTURES}; attach fewer"
        )
    size = sum(a.picture.size for a in shown if a.picture)
    if size > MOST_BYTES:
        raise BadInput(
            f"the attached pictures have {byte_words(size)}, and a debate takes "
            f"{byte_words(MOST_BYTES)}; attach fewer, or save them smaller"
        )


def with_viewers(brief: Brief, sees: Sees) -> Brief:
    """The brief with those who see no pictures, and those who may describe them.

    Raises:
        BadInput: if nobody could say what is on them.
    """
    if not brief.pictures:
        return brief
    others = [p for p in (brief.synthesizer, *brief.fallbacks, brief.judge) if p]
    shown = {p.seat: p for p in (*brief.panel, *others)}
    blind = tuple(seat for seat, p in shown.items() if not sees(p))
    able = (p for p in shown.values() if p.seat not in blind and _is_model(p))
    describers = _spread({p.model_id: p for p in able}.values())[:MOST_DESCRIBERS]
    if blind and not describers:
        names = ", ".join(blind)
        raise BadInput(
            f"nobody on this panel can see pictures, as far as is known ({names}); seat a model "
            "that can, leave the pictures out, or name one that can see in the setting "
            "pictures.seen_by"
        )
    return replace(brief, blind=blind, describers=describers if blind else ())


def _spread(able: Iterable[Panelist]) -> tuple[Panelist, ...]:
    """Those who may describe, one of each vendor first: where one is away, all of its are."""
    before: Counter[str] = Counter()
    places = []
    for panelist in able:
        places.append((before[panelist.route.vendor], panelist))
        before[panelist.route.vendor] += 1
    return tuple(p for _, p in sorted(places, key=lambda place: place[0]))


def _is_model(panelist: Panelist) -> bool:
    """Return whether it can be asked: neither the user nor a record writes descriptions."""
    return not panelist.route.is_human and panelist.route.vendor != RECORDED


def without_bytes(brief: Brief) -> tuple[Brief, dict[str, bytes]]:
    """The brief as it goes on record, and hash -> bytes of the pictures that came with it."""
    raw = {p.sha256: p.raw for p in brief.pictures if p.raw is not None}
    if not raw:
        return brief, {}
    context = tuple(
        replace(a, picture=a.picture.with_bytes(None)) if a.picture else a for a in brief.context
    )
    return replace(brief, context=context), raw
