"""The values of settings: shown with their origin, changed one at a time, keys tested."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Request, Response
from pydantic import Field

from mutual_dissent.app import MutualDissent
from mutual_dissent.briefing.kinds import NameOf
from mutual_dissent.briefing.options import Where, options_for
from mutual_dissent.config.editor import set_value
from mutual_dissent.config.protection import is_guarded, refusal
from mutual_dissent.config.provenance import InForce, in_force
from mutual_dissent.config.schema import SCHEMA, setting_at
from mutual_dissent.config.settings import Settings
from mutual_dissent.core.errors import BadConfig, clip
from mutual_dissent.surfaces.facts.agents import agents
from mutual_dissent.surfaces.facts.names import known_names
from mutual_dissent.surfaces.http.backend import HostedBackend
from mutual_dissent.surfaces.http.errors import ApiError
from mutual_dissent.surfaces.rest.input.requests import Body
from mutual_dissent.surfaces.rest.session_state import as_json
from mutual_dissent.surfaces.web.research.selection import read_body

Json = dict[str, Any]
KEYS = "_api_key"
CHOOSABLE = {
    "server.mode": "mode",
    **{
        f"defaults.{o.name}": o.kind.what
        for o in options_for(Where.DEFAULTS)
        if isinstance(o.kind, NameOf)
    },
}
"""Settings with a list of choices."""


class Changing(Body):
    """A new value, written as on the command line; an empty one restores the default."""

    name: Annotated[str, Field(max_length=200)]
    value: Annotated[str, Field(max_length=100_000)]


class Testing(Body):
    """A model to ask one tiny question."""

    name: Annotated[str, Field(max_length=200)]


def add(router: APIRouter, hosted: HostedBackend) -> None:
    """Add the routes."""
    md = hosted.md

    @router.get("")
    async def everything() -> Response:
        """Return all settings; of keys only the last four characters."""
        return as_json(await asyncio.to_thread(settings_values, md))

    @router.put("/value")
    async def change(request: Request) -> Response:
        """Change one setting, for the next debate on."""
        wanted = await read_body(request, Changing)
        await asyncio.to_thread(_change, md, wanted)
        return as_json(await asyncio.to_thread(settings_values, md))

    @router.post("/test")
    async def test(request: Request) -> Response:
        """Ask a model one tiny question, which costs a fraction of a cent."""
        wanted = await read_body(request, Testing)
        return as_json(await agents(md, [wanted.name], probe=True))


def settings_values(md: MutualDissent) -> Json:
    """Return the settings in force, in the groups of the page."""
    settings = md.settings
    rows = in_force(settings, md.env)
    return {
        "file": str(settings.home.config),
        "notices": list(settings.notices),
        "anyKey": settings.any_key,
        "keys": [_key(r, md) for r in rows if r.name.endswith(KEYS)],
        "settings": [_setting(r, md) for r in rows if not r.name.endswith(KEYS)],
        "aliases": [_alias(name, settings) for name in settings.aliases],
        "personas": dict(settings.personas),
        "presets": [
            {"name": p.name, "summary": p.summary, "values": _plain(p.values)}
            for p in settings.presets.values()
        ],
        "presetFields": [
            {"name": s.path[-1], "what": s.accepts.what, "about": s.description}
            for s in SCHEMA
            if s.path[:2] == ("presets", "*")
        ],
    }


def _change(md: MutualDissent, wanted: Changing) -> None:
    if is_guarded(wanted.name):
        raise ApiError(403, "command_line_only", refusal(clip(wanted.name, 200)))
    try:
        set_value(md.home.config, wanted.name, wanted.value, _check(md, wanted.name), md.env)
    except BadConfig as e:  # elsewhere the server's fault, here the value's
        raise ApiError(422, "bad_config", e.sentence) from None
    md.reload()


def _check(md: MutualDissent, name: str) -> Callable[[Settings], None] | None:
    """Return a check of a default that runs before it is saved; None for other settings."""
    table, _, default = name.partition(".")
    return (lambda s: md.check_default(default, s)) if table == "defaults" else None


def _key(setting: InForce, md: MutualDissent) -> Json:
    vendor = setting.name.split(".")[-1].removesuffix(KEYS)
    return {
        "name": setting.name,
        "vendor": vendor,
        "ending": setting.value,
        "source": setting.source,
        "fixed": setting.source in md.env,
    }


def _setting(setting: InForce, md: MutualDissent) -> Json:
    known = setting_at(tuple(setting.name.split(".")))
    return {
        "name": setting.name,
        "value": setting.value,
        "source": setting.source,
        "fixed": setting.source in md.env or is_guarded(setting.name),
        "guarded": is_guarded(setting.name),
        "what": known.accepts.what if known else "",
        "about": known.description if known else "",
        "default": _plain(known.default) if known else None,
        "choices": _choices(setting.name, md),
    }


def _choices(name: str, md: MutualDissent) -> list[str]:
    return [n for n, _ in known_names(md, CHOOSABLE.get(name, "")) if n != "single"]


def _alias(name: str, settings: Settings) -> Json:
    alias = settings.aliases[name]
    return {
        "name": name,
        "openrouter": alias.openrouter,
        "direct": alias.direct,
        "vendor": alias.vendor,
        "routing": settings.routing.get(name, ""),
    }


def _plain(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return [_plain(v) for v in value]
    return {k: _plain(v) for k, v in value.items()} if hasattr(value, "items") else value
