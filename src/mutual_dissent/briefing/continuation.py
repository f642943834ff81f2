"""The brief under which a stored debate goes on: continued, replayed, written anew, looked at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from secrets import token_hex
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from mutual_dissent.analysis.ledger.analyst import is_readable
from mutual_dissent.briefing.brief import analyzing_brief, checked_limits, clean_text, scoring_brief
from mutual_dissent.briefing.keywords import check_whole
from mutual_dissent.briefing.options import LIMITS, Options
from mutual_dissent.briefing.seating import FindRoute, stand_ins
from mutual_dissent.core.brief import SYNTHESIZE, Brief
from mutual_dissent.core.errors import BadInput, NotFound, UnknownName, clip
from mutual_dissent.core.events import Status
from mutual_dissent.core.panel import Panelist
from mutual_dissent.core.ports import Prices
from mutual_dissent.core.step import Mode
from mutual_dissent.core.transcript import PANEL_ROLES, VERDICTS, Transcript
from mutual_dissent.core.values.terms import command, option

if TYPE_CHECKING:
    from mutual_dissent.config.settings import Settings

Modes = Mapping[str, Mode]
MOST_OUTCOME = 300
"""Characters of an outcome: the value of an answer, not a text."""


def count_rounds(past: Transcript) -> int:
    """Count the rounds on record after the initial one."""
    return max((r.round_number for r in past.rounds), default=0)


def check_finished(past: Transcript) -> None:
    """Make sure that a debate came to its end.

    Raises:
        BadInput: if it did not.
    """
    if past.status is not Status.COMPLETED:
        short = past.transcript_id[:8]
        raise BadInput(
            f"debate {short} is {past.status.value}; finish it first: {command('resume', short)}"
        )


def checked_outcome(outcome: str) -> str:
    """The outcome of a debate as it goes on record.

    Raises:
        BadInput: if it is empty, or too long to be the value of an answer.
    """
    told = " ".join(clean_text("the outcome", outcome).split())
    if not 0 < len(told) <= MOST_OUTCOME:
        raise BadInput(
            f"an outcome is right, wrong, or the true value in 1 to {MOST_OUTCOME} characters, "
            f"not {len(told)}"
        )
    return told.casefold() if told.casefold() in VERDICTS else told


def check_fits_forecast(past: Transcript, outcome: str) -> None:
    """Make sure that an outcome resolves a forecast, if the debate is one.

    Raises:
        BadInput: if it is not of the kind that was forecast.
    """
    from mutual_dissent.analysis.scores.forecasts import panel_forecast, true_value

    pooled = panel_forecast(past)
    if pooled is None or true_value(pooled, outcome) is not None:
        return
    wanted = "yes or no" if pooled.is_probability else "the true figure, such as 75"
    raise BadInput(
        f"debate {past.transcript_id[:8]} is a forecast: its outcome is {wanted}, "
        f"not {clip(outcome)!r}"
    )


def check_turn(past: Transcript, key: str) -> None:
    """Make sure that a key names the turn of a panelist.

    Raises:
        NotFound: if nothing was answered under it.
        BadInput: if what was answered is no turn.
    """
    short = past.transcript_id[:8]
    if key not in past.answered:
        raise NotFound(f"debate {short} has no answer of the key {clip(key)!r}")
    if past.answered[key].role not in PANEL_ROLES:
        raise BadInput(f"only a panelist's turn can be taken again, and {clip(key)!r} is none")


def brief_to_continue(past: Transcript, rounds: int, modes: Modes) -> Brief:
    """The brief of a finished debate with so many further rounds.

    Raises:
        BadInput: if it cannot have them.
    """
    mode = modes[past.brief.mode]
    check_whole("rounds", rounds)
    check_finished(past)
    if mode.rounds is None:
        raise BadInput(f"{mode.name} has fixed stages; it cannot be continued")
    # In some modes the initial answers are a round, too.
    there = count_rounds(past) + mode.first_counts
    if rounds < 1 or there + rounds > mode.max_rounds:
        raise BadInput(_too_many(mode, there))
    return replace(past.brief, rounds=there + rounds)


def _too_many(mode: Mode, there: int) -> str:
    """The reason why so many further rounds cannot be held, and how many can."""
    left = mode.max_rounds - there
    if left <= 0:
        return f"{mode.name} takes at most {mode.max_rounds} rounds, and all were held"
    how_many = "1" if left == 1 else f"1 to {left}"
    return (
        f"{mode.name} takes at most {mode.max_rounds} rounds in all; {there} are recorded, "
        f"so add {how_many}"
    )


def brief_to_replay(
    past: Transcript, rounds: int, modes: Modes, changes: Mapping[str, Any]
) -> Brief:
    """The brief of a new debate that reuses the answers of an earlier one.

    Raises:
        BadInput: if it cannot have so many rounds.
    """
    check_whole("rounds", rounds)
    if rounds < 0:
        raise BadInput(f"a replay adds 0 or more rounds, not {rounds}")
    mode = modes[past.brief.mode]
    if rounds and mode.rounds is None:
        raise BadInput(f"{mode.name} has fixed stages; leave out {option('rounds')}")
    there = count_rounds(past) + mode.first_counts
    total = there + rounds
    if rounds and total > mode.max_rounds:
        raise BadInput(_too_many(mode, there))
    limits = checked_limits({k: v for k, v in changes.items() if k in LIMITS})
    others = {k: v for k, v in changes.items() if v is not None and k not in LIMITS}
    # A score costs a call: `score` is there for whoever wants one.
    unscored: dict[str, Any] = {"ground_truth": None, "judge": None}
    brief = replace(past.brief, **{**unscored, **limits, **others})
    return replace(
        brief,
        transcript_id=str(uuid4()),
        rounds=total,
        replay_of=past.transcript_id,
        nonce=token_hex(8),  # whoever wrote an imported record knows the fences of its own
    )


def with_synthesizer(brief: Brief, synthesizer: str | None, find: FindRoute, modes: Modes) -> Brief:
    """The brief with another synthesizer, if one is named.

    Raises:
        BadInput: if the mode has no synthesis that another one could write.
    """
    if synthesizer is None:
        return brief
    if modes[brief.mode].max_panel == 1:
        raise BadInput(
            f"{brief.mode} is one model's own answer, which nobody else writes; ask anew with "
            f"{option('panel', clip(synthesizer))}"
        )
    writer = Panelist(seat=synthesizer, route=find(synthesizer))
    return replace(
        brief, synthesizer=writer, fallbacks=stand_ins(brief.panel, writer), answer=SYNTHESIZE
    )


def brief_to_score(
    past: Transcript, options: Options, modes: Modes, settings: Settings, find: FindRoute
) -> Brief:
    """The brief under which a finished debate is scored.

    Raises:
        UserError: if it cannot be.
    """
    check_finished(past)
    if past.brief.mode not in modes:
        raise UnknownName("mode", past.brief.mode, modes)
    return scoring_brief(past.brief, options, settings, find)


def brief_to_analyze(
    past: Transcript,
    analyst: str | None,
    settings: Settings,
    find: FindRoute,
    prices: Prices | None,
) -> Brief:
    """The brief under which an analyst reads a finished debate.

    Raises:
        UserError: if there is nothing to read, or nobody to read it.
    """
    check_finished(past)
    short = past.transcript_id[:8]
    if past.synthesis is None:
        raise BadInput(
            f"debate {short} has no synthesis, and without one there is no telling what became of "
            f"dissent; have one written: {command('replay', short)}"
        )
    if not is_readable(past):
        raise BadInput(f"debate {short} has fewer than two answers; there is nothing to compare")
    return analyzing_brief(past.brief, analyst, settings, find, prices)
