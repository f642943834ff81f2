"""Directives: what a user asks of a debate under way, from this process or another."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Action(StrEnum):
    """An order of the user."""

    PAUSE = "pause"  # after the answers that are being written
    STOP = "stop"  # at once
    HURRY = "hurry"  # go on without those who have not answered, once there are enough
    REMARK = "remark"  # the panel is told something before its next step


@dataclass(frozen=True, slots=True, kw_only=True)
class Directive:
    """One directive; `text` is what a remark says."""

    action: Action
    text: str = ""
