"""From the name of a panelist to the route by which its model is reached."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from mutual_dissent.core.errors import UnknownName, Unreachable, UserError, clip
from mutual_dissent.core.panel import RECORDED, RUN_HERE, Panelist, Route
from mutual_dissent.providers.endpoints import Endpoint

OPENROUTER = "openrouter"
ELSEWHERE = frozenset({"local", RECORDED, *RUN_HERE})
"""Vendors without an endpoint: they answer on this machine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Alias:
    """A short name for a model, with its ids.

    Attributes:
        name: the name that users write.
        openrouter: its id at OpenRouter; None if it is not there.
        direct: its id at its maker; None if it is only at OpenRouter.
        vendor: its maker's row in the table of endpoints.
    """

    name: str
    openrouter: str | None
    direct: str | None
    vendor: str


def resolve(
    name: str,
    aliases: Mapping[str, Alias],
    modes: Mapping[str, str],
    endpoints: Mapping[str, Endpoint],
    others: Iterable[str] = ELSEWHERE,
) -> Route:
    """Return the route for an alias or `vendor:model`.

    Args:
        name: as the user wrote it.
        aliases: the known aliases.
        modes: alias -> `auto`, `direct` or `openrouter`; `auto` where nothing is said.
        endpoints: vendor -> endpoint, with the configured keys.
        others: vendors without an endpoint, such as `local` and those added by entry point.

    Raises:
        UnknownName: if there is no such alias or vendor.
        UserError: if there is no way to reach it; the sentence names what to set.
    """
    others = frozenset(others)
    if alias := aliases.get(name):
        return _route_of(alias, modes.get(name, "auto"), endpoints)
    vendor, colon, model = name.partition(":")
    if not colon:
        vendors = {*endpoints, *others} - {RECORDED}
        raise UnknownName("model", name, [*aliases, *(f"{v}:MODEL" for v in vendors)])
    if vendor not in endpoints and vendor not in others:
        raise UnknownName("vendor", vendor, {*endpoints, *others})
    if not model:
        raise UserError(f"{clip(name)!r} names no model; write {vendor}:MODEL")
    if vendor in endpoints and not reachable(endpoints[vendor]):
        raise Unreachable(f"{clip(name)!r} cannot be reached; {_set_key(endpoints[vendor])}")
    return Route(vendor=vendor, model_id=model, mode="direct", via_openrouter=vendor == OPENROUTER)


def check_keys(panelists: Iterable[Panelist], endpoints: Mapping[str, Endpoint]) -> None:
    """Make sure that everybody who may be asked can be called from here.

    Raises:
        Unreachable: if a key is missing; the sentence names what to set.
    """
    for panelist in panelists:
        endpoint = endpoints.get(panelist.route.vendor)
        if endpoint is not None and not reachable(endpoint):
            name = clip(f"{endpoint.vendor}:{panelist.model_id}")
            raise Unreachable(f"{name!r} cannot be reached; {_set_key(endpoint)}")


def reachable(endpoint: Endpoint | None) -> bool:
    """Return whether an endpoint can be called with what is configured."""
    return endpoint is not None and (endpoint.key is not None or not endpoint.needs_key)


def _route_of(alias: Alias, mode: str, endpoints: Mapping[str, Endpoint]) -> Route:
    direct, through = _direct(alias, mode), _through_openrouter(alias, mode)
    if mode == "direct":
        return _required(alias, mode, direct, endpoints)
    if mode == OPENROUTER:
        return _required(alias, mode, through, endpoints)
    if mode != "auto":
        raise UnknownName(f"routing mode for {alias.name}", mode, ("auto", "direct", OPENROUTER))
    for route in (direct, through):
        if route and (route.vendor in ELSEWHERE or reachable(endpoints.get(route.vendor))):
            return route
    ways = [endpoints[r.vendor] for r in (direct, through) if r and r.vendor in endpoints]
    variables = " or ".join(dict.fromkeys(w.key_env for w in ways if w.key_env))
    raise Unreachable(f"{alias.name!r} cannot be reached; set {variables or 'up its endpoint'}")


def _direct(alias: Alias, mode: str) -> Route | None:
    if alias.direct is None:
        return None
    return Route(vendor=alias.vendor, model_id=alias.direct, mode=mode)


def _through_openrouter(alias: Alias, mode: str) -> Route | None:
    if alias.openrouter is None:
        return None
    return Route(vendor=OPENROUTER, model_id=alias.openrouter, mode=mode, via_openrouter=True)


def _required(
    alias: Alias, mode: str, route: Route | None, endpoints: Mapping[str, Endpoint]
) -> Route:
    """Return the only route that the mode allows, if it can be taken."""
    if route is None:
        raise UserError(f"{alias.name!r} has no {mode} id; give it one, or route it by auto")
    if route.vendor in ELSEWHERE:
        return route
    endpoint = endpoints.get(route.vendor)
    if endpoint is None:
        raise UnknownName("vendor", route.vendor, endpoints)
    if not reachable(endpoint):
        raise Unreachable(f"{alias.name!r} is routed {mode}; {_set_key(endpoint)}")
    return route


def _set_key(endpoint: Endpoint) -> str:
    return f"set {endpoint.key_env}" if endpoint.key_env else f"give {endpoint.vendor} a key"
