"""The first visit: the models to ask, a key that is tried before it is saved, a sample."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from functools import cache
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Request, Response
from pydantic import Field

from mutual_dissent.app import MutualDissent
from mutual_dissent.config.editor import set_value
from mutual_dissent.config.settings import Settings
from mutual_dissent.core.codec.camel import camel
from mutual_dissent.core.errors import BadConfig, DissentError, UserError
from mutual_dissent.core.events import event_to_plain
from mutual_dissent.core.transcript import fold
from mutual_dissent.providers.endpoints import SERVERS
from mutual_dissent.providers.local import weights
from mutual_dissent.providers.local.servers import running_models
from mutual_dissent.surfaces.facts.accounts import debate_account
from mutual_dissent.surfaces.facts.sample import sample
from mutual_dissent.surfaces.http.backend import HostedBackend
from mutual_dissent.surfaces.http.errors import ApiError
from mutual_dissent.surfaces.rest.input.requests import Body
from mutual_dissent.surfaces.rest.session_state import as_json
from mutual_dissent.surfaces.terms import PAGE
from mutual_dissent.surfaces.web.research.selection import read_body
from mutual_dissent.surfaces.web.settings import owner
from mutual_dissent.text.sanitize import one_line
from mutual_dissent.views.documents.json import transcript_to_json

PREFIX = "/ui/start"
FIRST_WORDS = 60
"""Characters shown of a model's answer when its key is tried."""

Json = dict[str, Any]


class NewKey(Body):
    """A key to try and save if it works; `anyway` saves it untried."""

    vendor: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]{0,40}$")]
    key: Annotated[str, Field(min_length=8, max_length=1000)]
    anyway: bool = False


class NewModel(Body):
    """An embedded model to fetch."""

    model: Literal["qwen", "smollm2"] = "qwen"


@dataclass
class Fetch:
    """The download of an embedded model."""

    name: str = weights.BETTER
    here: int = 0
    problem: str = ""
    stopped: bool = False
    task: asyncio.Task[None] | None = field(default=None, repr=False)

    def begin(self, md: MutualDissent, name: str) -> None:
        """Start the download, unless one is running."""
        if self.task is None or self.task.done():
            self.name, self.here, self.problem = name, 0, ""
            self.task = asyncio.create_task(self._fetch(md))

    async def _fetch(self, md: MutualDissent) -> None:
        try:
            models = md.home.ensure() / "models"
            await asyncio.to_thread(weights.pull, models, self._progress, self.name)
        except DissentError as e:
            self.problem = e.in_terms(PAGE)
        except asyncio.CancelledError:
            self.stopped = True
            raise

    def _progress(self, here: int, _: int) -> None:
        """Note the progress. An error ends the download: it must not outlive the server."""
        if self.stopped:
            raise DissentError("the server stops")
        self.here = here

    @property
    def plain(self) -> Json:
        """Progress of the download."""
        running = self.task is not None and not self.task.done()
        return {
            "running": running,
            "fetched": self.here,
            "total": weights.TABLE[self.name].fetched,
            "models": {row.name: row.fetched for row in weights.TABLE.values()},
            "problem": self.problem,
        }


def router(hosted: HostedBackend) -> APIRouter:
    """Return all of these routes; changes are reserved for the user who started the server."""
    md, fetch = hosted.md, Fetch()
    routes = APIRouter(prefix=PREFIX, include_in_schema=False)
    own = [Depends(owner)]

    @routes.get("")
    async def state() -> Response:
        """Return what a first visit can run on."""
        return as_json(await _state(md, fetch))

    @routes.post("/key", dependencies=own)
    async def key(request: Request) -> Response:
        """Try a key by one tiny question, and save it if there is an answer."""
        wanted = await read_body(request, NewKey)
        model, words = ("", "") if wanted.anyway else await _try_key(md, wanted)
        await asyncio.to_thread(_keep, md, wanted)
        return as_json({"model": model, "said": words, **await _state(md, fetch)})

    @routes.post("/local", dependencies=own)
    async def local(request: Request) -> Response:
        """Fetch an embedded model."""
        fetch.begin(md, (await read_body(request, NewModel)).model)
        return as_json(await _state(md, fetch))

    @routes.get("/sample")
    async def look() -> Response:
        """Return a sample debate, in the shape of any other."""
        return as_json(await asyncio.to_thread(_sample))

    return routes


async def _state(md: MutualDissent, fetch: Fetch) -> Json:
    settings = md.settings
    here = await asyncio.to_thread(_embedded, md)
    running = [] if settings.any_key else await running_models(settings.endpoints())
    server, _, _ = running[0].partition(":") if running else ("", "", "")
    return {
        "mode": _usual_mode(settings),
        "anyKey": settings.any_key,
        "ready": settings.any_key or bool(running) or here.ready or bool(settings.defaults.panel),
        "vendors": {
            name: vendor.key_prefix
            for name, vendor in settings.vendors.items()
            if _has_key_setting(name)
        },
        "server": SERVERS.get(server, ""),
        "running": [name.partition(":")[2] for name in running[:12]],
        "local": {"here": here.path is not None, "runtime": here.runtime, **fetch.plain},
    }


def _embedded(md: MutualDissent) -> weights.WeightsStatus:
    """Return the status of the embedded model that a panel would use."""
    models = md.home.models
    return weights.status(models, weights.usual(models), verify=False)


def _usual_mode(settings: Settings) -> str:
    """Return the default mode, as everywhere but under /api/chat."""
    preset = settings.presets.get(settings.defaults.preset or "")
    return str(preset.values.get("mode") if preset else "") or settings.defaults.mode


def _has_key_setting(vendor: str) -> bool:
    from mutual_dissent.config.schema import setting_at

    return setting_at(("providers", f"{vendor}_api_key")) is not None


async def _try_key(md: MutualDissent, wanted: NewKey) -> tuple[str, str]:
    """Return the model that answered with this key, and its first words.

    Raises:
        Refused: with the vendor's reason, if no model did.
    """
    name = _model_of(md.settings, wanted.vendor)
    if not name:
        raise ApiError(422, "untested", f"no alias names a model of {wanted.vendor}: not tried")
    env = {**md.env, f"{wanted.vendor.upper()}_API_KEY": wanted.key.strip()}
    # An app of its own: debates that begin meanwhile do not get an untried key.
    async with MutualDissent(env=env) as trial:
        try:
            reached = (await trial.reach([name]))[0]
        except UserError as e:
            raise ApiError(422, "untested", e.sentence) from None
    if not reached.ok:
        # Some vendors quote the key that they refuse.
        reason = reached.problem.replace(wanted.key.strip(), "…")
        raise ApiError(422, "key_refused", f"{name} did not answer with this key: {reason[:300]}")
    words = reached.response.content if reached.response else ""
    return name, one_line(words.replace(wanted.key.strip(), "…"), FIRST_WORDS)


def _model_of(settings: Settings, vendor: str) -> str:
    """Return a model to try a vendor's key with; empty if no alias has one."""
    for alias in settings.aliases.values():
        if vendor == "openrouter" and alias.openrouter:
            return f"openrouter:{alias.openrouter}"
        if alias.vendor == vendor and alias.direct:
            return f"{vendor}:{alias.direct}"
    return ""


def _keep(md: MutualDissent, wanted: NewKey) -> None:
    try:
        name = f"providers.{wanted.vendor}_api_key"
        set_value(md.home.config, name, wanted.key.strip(), None, md.env)
    except BadConfig as e:
        raise ApiError(422, "bad_config", e.sentence) from None
    md.reload()


@cache
def _sample() -> Json:
    events = sample()
    t = fold(events)
    return {
        "events": [event_to_plain(e) for e in events],
        "view": transcript_to_json(t),
        "said": camel(debate_account(t)),
    }
