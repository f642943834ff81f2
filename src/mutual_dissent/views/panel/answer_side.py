"""The side that the answer takes, as its writer says, where the panel is split."""

from __future__ import annotations

from mutual_dissent.core.measures import AGREE, DISAGREE, PARTLY
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.views.panel.names import in_panel_order, letters, name, names, replace_letters
from mutual_dissent.views.panel.positions import Positions
from mutual_dissent.views.phrases import clip, join_names

LONGEST = 180


def departs(t: Transcript, s: Positions) -> bool:
    """Return whether the answer's writer says that it is not that of the first group."""
    views = _views(t)
    own = [views.get(seat) for seat in s.groups[0].seats]
    return AGREE not in own and DISAGREE in own


def side(t: Transcript, s: Positions) -> str:
    """Sentence on whose side the answer takes, where the panel is split or it leaves most."""
    closing, views = t.synthesis.closing if t.synthesis else None, _views(t)
    if not s.known or not s.is_divided or t.synthesis is None or t.synthesis.chosen:
        return ""
    if not closing or not closing.bottom_line:
        return ""
    if s.has_majority and not s.is_tied:
        takes = "The answer does not follow them" if departs(t, s) else ""
    else:
        takes = _whose(t, s, views)
    if takes and not s.is_tied and all(views.get(x) == AGREE for x in s.groups[0].seats):
        return takes  # what they hold stands first in the heading
    words = clip(replace_letters(closing.bottom_line, letters(t)), LONGEST)
    return f"{takes}: {words}" if takes else ""


def _views(t: Transcript) -> dict[str, str]:
    """Seat -> its relation to the answer, as the writer of that says."""
    closing = t.synthesis.closing if t.synthesis else None
    return {v.seat: v.relation for v in closing.views} if closing else {}


def _whose(t: Transcript, s: Positions, views: dict[str, str]) -> str:
    """Start of a sentence on those whose position the answer has; its writer may be one."""
    assert t.synthesis is not None
    holders = in_panel_order(t, (seat for g in s.groups for seat in g.seats))
    whole = [seat for seat in holders if views.get(seat) == AGREE]
    part = [seat for seat in holders if views.get(seat) == PARTLY]
    writer = t.synthesis.model_alias
    if not views:
        return f"The answer, by {name(t, writer)}"
    if not whole:
        return f"The answer, by {name(t, writer)}, takes no side in full"
    marked = [f"{name(t, x)}{' (who wrote it)' if x == writer else ''}" for x in whole]
    in_part = f", and in part of {names(t, part)}" if part else ""
    return f"The answer takes the side of {join_names(marked)}{in_part}"
