"""A follow-up: before it writes, the synthesizer may ask one panelist one question."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mutual_dissent.core.response import Response
from mutual_dissent.core.values.citation import CITATIONS

if TYPE_CHECKING:  # what a reader sees may hold a follow-up
    from mutual_dissent.core.panel import Panelist
    from mutual_dissent.core.sight import Seen, Sight
    from mutual_dissent.core.transcript import Transcript

INQUIRY = "inquiry"
"""The role of the synthesizer's word on whether it wants to ask anybody anything."""

REPLY = "follow_up"
"""The role of the panelist's reply."""

ENDING_ROLES = frozenset({INQUIRY, REPLY, "synthesis", "analysis", CITATIONS})
"""Roles of what is asked to end a debate; all of it is asked anew when the answer is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowUp:
    """A question between panelists; `reply` is None until there is one, or where it failed."""

    asker: str
    seat: str
    question: str
    reply: Response | None = None


def follow_up(so_far: Transcript) -> FollowUp | None:
    """The follow-up of a debate, if its synthesizer wanted one."""
    inquiry = next((a for a in reversed(so_far.asides) if a.role == INQUIRY), None)
    wanted = inquiry.analysis.get(REPLY) if inquiry and inquiry.usable else None
    if inquiry is None or not isinstance(wanted, dict):
        return None
    seat, question = str(wanted.get("seat")), str(wanted.get("question"))
    replies = (a for a in so_far.asides if a.role == REPLY and a.model_alias == seat and a.usable)
    reply = next(replies, None)
    return FollowUp(asker=inquiry.model_alias, seat=seat, question=question, reply=reply)


def with_follow_up(sight: Sight) -> Sight:
    """The same, and what came of the follow-up."""

    def more(so_far: Transcript, reader: Panelist) -> Seen:
        return replace(sight(so_far, reader), follow_up=follow_up(so_far))

    return more


def question_of(found: FollowUp, sight: Sight) -> Sight:
    """Its own last answer and the question, by the names that the asker knows the panel by."""

    def asked(so_far: Transcript, reader: Panelist) -> Seen:
        seen = sight(so_far, reader)
        own = so_far.latest_of(reader.seat)
        seen = replace(seen, rounds=(), others=(), critiques=(), whole=False, reader=reader.seat)
        return replace(seen, own=own, question=found.question)

    return asked
