"""The settings in force: environment over file over default, checked whole before any is used."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from types import MappingProxyType
from typing import Any, cast

from mutual_dissent.briefing.presets import DEFAULT_PERSONAS, Preset, read_presets
from mutual_dissent.config.addresses import (
    base_url,
    may_carry_a_key,
    read_base_url,
    read_ollama_host,
)
from mutual_dissent.config.agents import read_programs, shown_programs
from mutual_dissent.config.aliases import read_aliases
from mutual_dissent.config.file import ConfigFile, Place, read_document
from mutual_dissent.config.paths import Home
from mutual_dissent.config.schema import SCHEMA
from mutual_dissent.config.sections import (
    DATABASE_VARIABLE,
    ENGINE_KEY_VARIABLE,
    HEADERS_VARIABLE,
    SECRET_VARIABLE,
    DesktopOptions,
    ServerOptions,
    TelemetryOptions,
    WebhookOptions,
    read_telemetry,
    read_webhook,
)
from mutual_dissent.config.values import NotAccepted, key
from mutual_dissent.core.brief import STANDARD_RUBRIC
from mutual_dissent.core.errors import BadConfig, UnknownName, clip
from mutual_dissent.core.panel import RUN_HERE
from mutual_dissent.core.values.secret import Key
from mutual_dissent.providers.agents.table import ProgramOptions
from mutual_dissent.providers.endpoints import TABLE, Endpoint
from mutual_dissent.providers.local.options import LocalOptions
from mutual_dissent.providers.routes import Alias
from mutual_dissent.tools.options import SearchOptions

# Google's own libraries read either name.
SECOND_NAMES = {"GOOGLE_API_KEY": "GEMINI_API_KEY"}
RESERVED = frozenset({*TABLE, "local", *RUN_HERE}) - {"lmstudio", "llamacpp", "vllm"}
"""Names that no endpoint of the user's may have; users have long had their own servers."""
SEARCH_KEYS = ("TAVILY_API_KEY", "BRAVE_API_KEY")


class Defaults(Mapping[str, Any]):
    """Values that hold where a command says nothing: the user's, else those of the schema.

    None: decided when the debate is set up. Each is an attribute, too.
    """

    __slots__ = ("_values",)

    def __init__(self, written: Mapping[str, Any] = MappingProxyType({})) -> None:
        """Take the values that the user's file has."""
        self._values = {**_USUAL, **written}

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __getattr__(self, name: str) -> Any:
        if name not in _USUAL:
            raise AttributeError(name)
        return self._values[name]

    def is_usual(self, name: str) -> bool:
        """Tell whether a value is the one of the schema."""
        return bool(self[name] == _USUAL[name])

    def only(self, names: Collection[str]) -> Defaults:
        """The defaults with these of the user's values and no others."""
        return Defaults({name: self[name] for name in names})


_USUAL = {s.path[-1]: s.default for s in SCHEMA if s.path[0] == "defaults"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The configuration in force. Keys are wrapped; `snapshot` has none.

    Attributes:
        routing: alias -> auto, direct or openrouter, for every alias.
        vendors: every endpoint that can be called, with its key, base URL and limits.
        personas: name -> instructions, ours and the user's.
        presets: name -> options of a debate, ours and the user's.
        rubrics: name -> dimension -> what its scores mean.
        pictures: alias, `vendor:model` or vendor -> whether it can be shown pictures.
        notices: what the user should know about the configuration.
    """

    home: Home
    defaults: Defaults = field(default_factory=Defaults)
    default_mode: str = "auto"
    routing: Mapping[str, str] = field(default_factory=dict)
    aliases: Mapping[str, Alias] = field(default_factory=dict)
    vendors: Mapping[str, Endpoint] = field(default_factory=dict, repr=False)
    personas: Mapping[str, str] = field(default_factory=dict)
    presets: Mapping[str, Preset] = field(default_factory=dict)
    rubrics: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    local: LocalOptions = field(default_factory=LocalOptions)
    search: SearchOptions = field(default_factory=SearchOptions)
    programs: ProgramOptions = field(default_factory=ProgramOptions)
    server: ServerOptions = field(default_factory=ServerOptions)
    desktop: DesktopOptions = field(default_factory=DesktopOptions)
    telemetry: TelemetryOptions = field(default_factory=TelemetryOptions)
    webhook: WebhookOptions = field(default_factory=WebhookOptions)
    pictures: Mapping[str, bool] = field(default_factory=dict)
    refresh_prices: bool = True
    notices: tuple[str, ...] = ()

    def endpoints(self) -> dict[str, Endpoint]:
        """Every endpoint by the name that routes call it, with its key, base URL and limits."""
        return dict(self.vendors)

    @property
    def any_key(self) -> bool:
        """Return whether there is a key for any vendor or endpoint."""
        return any(e.key for e in self.vendors.values())

    def snapshot(self) -> dict[str, Any]:
        """The effective configuration as plain values, without any secret."""
        return {
            "defaults": {k: _plain(v) for k, v in self.defaults.items()},
            "routing": {"default_mode": self.default_mode, **self.routing},
            "model_aliases": {name: asdict(a) for name, a in self.aliases.items()},
            "providers": {name: _shown(e) for name, e in self.vendors.items()},
            "personas": dict(self.personas),
            "rubrics": {name: dict(r) for name, r in self.rubrics.items()},
            "pictures": dict(self.pictures),
            "search": _shown_search(self.search),
            "local": asdict(self.local),
            "server": {k: _plain(v) for k, v in asdict(self.server).items()},
            "desktop": asdict(self.desktop),
            "programs": shown_programs(self.programs),
            "telemetry": {
                "endpoint": self.telemetry.endpoint,
                "headers_from": self.telemetry.headers and self.telemetry.headers.source,
                "content": self.telemetry.content,
            },
            "webhook": {
                "is_set": self.webhook.url is not None,
                "secret_from": self.webhook.secret and self.webhook.secret.source,
            },
            "prices": {"refresh": self.refresh_prices},
        }


def load_settings(env: Mapping[str, str] | None = None, home: Home | None = None) -> Settings:
    """The settings from the user's file and the environment.

    Raises:
        BadConfig: one line with the file or variable, the line, the key and what is accepted.
        BadInput: if there is no home folder.
    """
    env = os.environ if env is None else env
    home = home or Home.from_env(env)
    return settings_from(read_document(home.config), env, home)


def settings_from(document: ConfigFile, env: Mapping[str, str], home: Home) -> Settings:
    """The settings that a checked document and an environment make together."""
    search = _search(document, env)
    # The user's own go over ours: a server called vllm may be somewhere else.
    vendors = _limited(document, {**_table(document, env), **_custom(document, env)})
    for endpoint in vendors.values():
        _check_key_is_safe(document, endpoint, env)
    aliases = read_aliases(document, vendors)
    personas = {n: p["instructions"] for n, p in document.under("personas").items()}
    return Settings(
        home=home,
        defaults=Defaults(_section(document, "defaults")),
        default_mode=document.get("routing.default_mode", "auto"),
        routing=_routing(document, aliases),
        aliases=aliases,
        vendors=vendors,
        personas={**DEFAULT_PERSONAS, **personas},
        presets=read_presets(document),
        rubrics={STANDARD_RUBRIC.name: STANDARD_RUBRIC.dimensions, **document.under("rubrics")},
        search=search,
        local=LocalOptions(**_section(document, "local")),
        programs=read_programs(document, env, _key_names(vendors)),
        server=ServerOptions(**_section(document, "server")),
        desktop=DesktopOptions(**_section(document, "desktop")),
        telemetry=read_telemetry(document, env),
        webhook=read_webhook(document, env),
        pictures=_pictures(document, {*aliases, *vendors}),
        refresh_prices=document.get("prices.refresh", True),
        notices=document.notices,
    )


def _table(document: ConfigFile, env: Mapping[str, str]) -> dict[str, Endpoint]:
    return {
        vendor: replace(row, key=_key(document, env, row), base_url=_base_url(document, env, row))
        for vendor, row in TABLE.items()
    }


def _key(document: ConfigFile, env: Mapping[str, str], row: Endpoint) -> Key | None:
    for variable in filter(None, (row.key_env, SECOND_NAMES.get(row.key_env))):
        if found := _from_env(env, variable):
            return found
    # The long name goes before the short one; `api_key` alone is of files of earlier versions.
    names = [f"providers.{row.vendor}_api_key", f"providers.{row.vendor}"]
    for name in [*names, "api_key"] if row.vendor == "openrouter" else names:
        if text := document.get(name):
            return Key(text, f"{name} in {_name(document)}")
    return None


def _key_names(vendors: Mapping[str, Endpoint]) -> set[str]:
    """The variables that may hold keys of ours."""
    names = {e.key_env for e in vendors.values() if e.key_env}
    ours = (DATABASE_VARIABLE, ENGINE_KEY_VARIABLE, HEADERS_VARIABLE, SECRET_VARIABLE)
    return {*names, *SECOND_NAMES.values(), *SEARCH_KEYS, *ours}


def _name(document: ConfigFile) -> str:
    """The file's own name: its folder need not stand in a transcript."""
    return os.path.basename(document.file)  # noqa: PTH119 - a label, not a path to open


def _from_env(env: Mapping[str, str], variable: str) -> Key | None:
    """The key in a variable; nothing of it is repeated if it cannot be one."""
    kind = key()
    try:
        text = kind.read(env.get(variable, ""))
    except NotAccepted:
        raise BadConfig("environment", variable, f"must be {kind.what}") from None
    return Key(text, variable) if text else None


def _base_url(document: ConfigFile, env: Mapping[str, str], row: Endpoint) -> str:
    if not (given := env.get(row.base_url_env, "").strip()):
        return str(document.get(f"providers.{row.vendor}_base_url", row.base_url))
    try:
        return read_ollama_host(given) if row.vendor == "ollama" else read_base_url(given)
    except NotAccepted:
        sentence = f"must be {base_url().what}"
        raise BadConfig("environment", row.base_url_env, sentence) from None


def _custom(document: ConfigFile, env: Mapping[str, str]) -> dict[str, Endpoint]:
    found = document.under("endpoints")
    return {name: _endpoint(document, env, name, row) for name, row in found.items()}


def _endpoint(
    document: ConfigFile, env: Mapping[str, str], name: str, row: Mapping[str, Any]
) -> Endpoint:
    if name in RESERVED:
        raise document.refusal(("endpoints", name), "is the name of a vendor; choose another name")
    if "base_url" not in row:
        raise document.refusal(("endpoints", name), "needs a base_url")
    variable = row.get("key_env", "")
    key = _from_env(env, variable) if variable else None
    if key is None and row.get("api_key"):
        key = Key(row["api_key"], f"endpoints.{name}.api_key in {_name(document)}")
    return Endpoint(
        vendor=name,
        dialect=row.get("dialect", "openai-chat"),
        base_url=row["base_url"],
        key=key,
        key_env=variable,
        needs_key=row.get("needs_key", bool(variable or key)),
    )


def _limited(document: ConfigFile, vendors: dict[str, Endpoint]) -> dict[str, Endpoint]:
    for name, limits in document.under("limits").items():
        _check_known(document, ("limits", name), "vendor", vendors)
        vendors[name] = replace(vendors[name], **limits)
    return vendors


def _check_key_is_safe(document: ConfigFile, endpoint: Endpoint, env: Mapping[str, str]) -> None:
    """A key is never sent over plain http, except to this machine or the user's own network."""
    if endpoint.key is None or may_carry_a_key(endpoint.base_url):
        return
    sentence = "must be https: a key is not sent over plain http beyond the own network"
    if env.get(endpoint.base_url_env, "").strip():
        raise BadConfig("environment", endpoint.base_url_env, sentence)
    custom = ("endpoints", endpoint.vendor, "base_url")
    known = ("providers", f"{endpoint.vendor}_base_url")
    raise document.refusal(
        custom if endpoint.vendor in document.under("endpoints") else known, sentence
    )


def _routing(document: ConfigFile, aliases: Mapping[str, Alias]) -> dict[str, str]:
    written = {p[1]: v for p, v in document.values.items() if p[0] == "routing"}
    default = written.pop("default_mode", "auto")
    for name in written:
        _check_known(document, ("routing", name), "alias", aliases)
    return {name: written.get(name, default) for name in aliases}


def _check_known(document: ConfigFile, place: Place, kind: str, known: Collection[str]) -> None:
    if place[-1] not in known:
        raise document.refusal(place, str(UnknownName(kind, place[-1], known)))


def _pictures(document: ConfigFile, known: Collection[str]) -> dict[str, bool]:
    """Sight of pictures by name, as it is written; `known` are the aliases and vendors."""
    written = _section(document, "pictures")
    told: dict[str, bool] = {}
    for which, sees in (("seen_by", True), ("unseen_by", False)):
        for name in written.get(which, ()):
            place = ("pictures", which)
            # Of a vendor any model may be named: only the vendor has the list of them.
            if name not in known and name.partition(":")[0] not in known:
                raise document.refusal(place, str(UnknownName("alias or vendor", name, known)))
            if told.setdefault(name, sees) is not sees:
                raise document.refusal(place, f"{clip(name)!r} is in seen_by, too; leave out one")
    return told


def _search(document: ConfigFile, env: Mapping[str, str]) -> SearchOptions:
    """The search backends, with the keys that are there."""
    written = _section(document, "search")
    for service in ("tavily", "brave"):
        name = f"{service}_api_key"
        text = written.pop(name, None)
        in_file = Key(text, f"search.{name} in {_name(document)}") if text else None
        written[f"{service}_key"] = _from_env(env, name.upper()) or in_file
    return SearchOptions(**written)


def _section(document: ConfigFile, table: str) -> dict[str, Any]:
    """The values of a table whose settings are all known by name."""
    names = [s.name for s in SCHEMA if s.path[0] == table]
    found = {name: document.get(name) for name in names}
    return {name.partition(".")[2]: v for name, v in found.items() if v is not None}


def _shown(endpoint: Endpoint) -> dict[str, Any]:
    return {
        "base_url": endpoint.base_url,
        "dialect": endpoint.dialect,
        "key_from": endpoint.key.source if endpoint.key else None,
        "concurrency": endpoint.concurrency,
        "per_minute": endpoint.per_minute,
    }


def _shown_search(search: SearchOptions) -> dict[str, Any]:
    return {
        "searxng_url": search.searxng_url,
        "tavily_key_from": search.tavily_key.source if search.tavily_key else None,
        "brave_key_from": search.brave_key.source if search.brave_key else None,
        "max_results": search.max_results,
        "timeout": search.timeout,
        "native": search.native,
    }


def _plain(value: Any) -> Any:
    return list(cast("tuple[str, ...]", value)) if isinstance(value, tuple) else value
