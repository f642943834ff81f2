"""From a request to a brief: the client's options, the caller's limits, the default mode."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mutual_dissent.briefing.presets import AUTO
from mutual_dissent.config.agents import check_remote, remote_routes
from mutual_dissent.config.settings import Settings
from mutual_dissent.core.brief import Brief
from mutual_dissent.core.errors import Held, OverBudget
from mutual_dissent.core.figures.stats import stats
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.surfaces.http.backend import Caller, HostedBackend
from mutual_dissent.surfaces.rest.input.requests import Debate, Limits
from mutual_dissent.views.readiness import has_answer

# Of /api/chat alone; everywhere else it is reflection.
USUAL_MODE = "ranking"


async def brief_of(hosted: HostedBackend, wanted: Debate, caller: Caller) -> Brief:
    """Return the brief of a client's request; only preset auto has a model called for it.

    Raises:
        UserError: if an option is invalid.
        OverBudget: if its cost cannot be kept within the caller's limit.
        Held: if it continues a debate that is still running.
    """
    options = options_of(wanted, caller, hosted.md.settings)
    if last := options.get("conversation"):
        _check_over(hosted, last)
    brief = await hosted.sessions.brief(wanted.message, owner=caller.name, **options)
    check_remote(brief, hosted.md.settings.programs)
    return brief


def options_of(wanted: Debate, caller: Caller, settings: Settings) -> dict[str, Any]:
    """Return the app's options for a request."""
    options = wanted.options
    mode = options.get("mode") or _default_mode(options, caller, settings)
    return {**options, "mode": mode, "max_cost": limit_of(options, caller)}


def limit_of(options: Mapping[str, Any], caller: Caller) -> float | None:
    """Return the dollars that a debate may cost; None without a limit.

    Raises:
        OverBudget: if the caller has nothing left, or allows models of unknown price.
    """
    if caller.max_cost is not None and options.get("allow_unpriced"):
        raise OverBudget(
            "this token has a budget, so that models without a known price cannot be asked; "
            "leave out allowUnpriced"
        )
    return caller.limit(options.get("max_cost"))


def limits_of(past: Transcript, wanted: Limits, caller: Caller) -> dict[str, float]:
    """The limits of a continued debate: its earlier cost counts, but not against the token.

    Raises:
        OverBudget: if the token has nothing left.
    """
    limits = wanted.limits
    if (left := caller.limit(None)) is not None:
        total = left + (stats(past).total.cost_usd or 0.0)
        limits["max_cost"] = min(total, limits.get("max_cost", total))
    return limits


def check_seats(hosted: HostedBackend, past: Transcript, *names: str | None) -> None:
    """Check that a remote client may continue a stored debate, also with these models.

    Raises:
        UserError: if a model is needed that the configuration denies to remote clients.
    """
    programs = hosted.md.settings.programs
    check_remote(past.brief, programs)
    find = remote_routes(hosted.md.find_route, programs)
    for name in filter(None, names):
        find(name)


def usual_mode(caller: Caller, settings: Settings) -> str:
    """Return the default mode: the token's, else the configured one."""
    defaults = settings.defaults
    configured = None if defaults.is_usual("mode") else defaults.mode
    return caller.mode or settings.server.mode or configured or USUAL_MODE


def _default_mode(options: Mapping[str, Any], caller: Caller, settings: Settings) -> str | None:
    """Return the mode of a request that names none; None if preset or conversation decide."""
    if options.get("conversation") and not options.get("preset"):
        return None
    if options.get("preset") == AUTO:
        return None
    preset = settings.presets.get(options.get("preset") or settings.defaults.preset or "")
    if preset and "mode" in preset.values:
        return None
    return usual_mode(caller, settings)


def _check_over(hosted: HostedBackend, name: str) -> None:
    """Refuse to continue a debate without an answer, also while it waits in the queue."""
    store = hosted.md.store
    last = store.conversation(store.find(name))[-1]
    sessions = hosted.sessions
    if sessions.is_here(last) and not has_answer(sessions.transcript(last)):
        raise Held(last, sessions.whose(last))
