"""From a request to a brief: the options that were said, the caller's limits, the default mode."""

from __future__ import annotations

from typing import Any

from mutual_dissent.config.programs import check_remote
from mutual_dissent.config.settings import Defaults, Settings
from mutual_dissent.core.brief import Brief
from mutual_dissent.core.errors import Held, OverBudget
from mutual_dissent.surfaces.api.wanted import Debate
from mutual_dissent.surfaces.server.hosted import Caller, Hosted

USUAL_MODE = "ranking"


async def brief_of(hosted: Hosted, wanted: Debate, caller: Caller) -> Brief:
    """The brief of what a client asks for; nobody is asked anything yet.

    Raises:
        UserError: if it cannot be.
        OverBudget: if its cost cannot be kept within the caller's limit.
        Held: if it goes on from a debate that is not over.
    """
    if wanted.conversation_id:
        _check_over(hosted, wanted.conversation_id)
    brief = await hosted.md.brief(wanted.message, **options_of(wanted, caller, hosted.md.settings))
    check_remote(brief, hosted.md.settings.programs)
    return brief


def options_of(wanted: Debate, caller: Caller, settings: Settings) -> dict[str, Any]:
    """The options of a debate, as the app takes them."""
    limit = limit_of(caller, wanted.max_cost_usd)
    if caller.max_cost is not None and wanted.allow_unpriced:
        raise OverBudget(
            "this token has a budget, so that models without a known price cannot be asked; "
            "leave out allowUnpriced"
        )
    mode = wanted.mode or _default_mode(wanted, caller, settings)
    return {**wanted.options, "mode": mode, "max_cost": limit}


def limit_of(caller: Caller, wanted: float | None) -> float | None:
    """The dollars that may be spent now.

    Raises:
        OverBudget: if the caller has none left.
    """
    limit = caller.limit(wanted)
    if limit is not None and limit <= 0:
        raise OverBudget("the budget of this token is spent; ask whoever runs this server for more")
    return limit


def usual_mode(caller: Caller, settings: Settings) -> str:
    """The mode of a debate of which nothing is said: the token's, else the configured one."""
    defaults = settings.defaults
    configured = defaults.mode if defaults.mode != Defaults().mode else None
    return caller.mode or settings.server.mode or configured or USUAL_MODE


def _default_mode(wanted: Debate, caller: Caller, settings: Settings) -> str | None:
    """The mode where the request names none; None where preset or conversation decide."""
    if wanted.conversation_id and not wanted.preset:
        return None
    preset = settings.presets.get(wanted.preset or settings.defaults.preset or "")
    if preset and "mode" in preset.values:
        return None
    return usual_mode(caller, settings)


def _check_over(hosted: Hosted, name: str) -> None:
    """Nobody goes on from a debate that has no answer yet, also where it only waits its turn."""
    store = hosted.md.store
    last = store.conversation(store.find(name))[-1]
    if last in hosted.sessions.live:
        raise Held(last, "this very process")
