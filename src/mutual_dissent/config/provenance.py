"""The settings in force with where each came from, as `config show` lists them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from mutual_dissent.config.file import ConfigFile, read_document
from mutual_dissent.config.schema import SCHEMA, Setting, setting_at
from mutual_dissent.config.settings import Settings
from mutual_dissent.core.values.secret import Key

DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class InForce:
    """A setting, its value (of a key only the end), and where it came from."""

    name: str
    value: Any
    source: str


def in_force(settings: Settings, env: Mapping[str, str]) -> list[InForce]:
    """Every setting with a name of its own, then what the user's file adds under names."""
    document = read_document(settings.home.config)
    known = [s for s in SCHEMA if "*" not in s.path and not s.secret]
    return [
        *_keys(settings),
        *(_setting(s, settings, document, env) for s in known),
        *_named(document),
    ]


def _keys(settings: Settings) -> Iterator[InForce]:
    for vendor, endpoint in settings.vendors.items():
        if endpoint.key is not None:
            yield InForce(
                f"providers.{vendor}_api_key", endpoint.key.last_four, endpoint.key.source
            )
        elif endpoint.needs_key:
            yield InForce(f"providers.{vendor}_api_key", None, DEFAULT)
    search = settings.search
    secrets = {
        "search.tavily_api_key": search.tavily_key,
        "search.brave_api_key": search.brave_key,
        "telemetry.headers": settings.telemetry.headers,
        "webhook.url": settings.webhook.url,
        "webhook.secret": settings.webhook.secret,
    }
    for name, key in secrets.items():
        yield InForce(name, key.last_four if key else None, key.source if key else DEFAULT)


def _setting(
    setting: Setting, settings: Settings, document: ConfigFile, env: Mapping[str, str]
) -> InForce:
    table, name = setting.path[0], setting.path[-1]
    if table == "providers":
        endpoint = settings.vendors[name.removesuffix("_base_url")]
        if env.get(endpoint.base_url_env, "").strip():
            return InForce(setting.name, endpoint.base_url, endpoint.base_url_env)
    written = document.get(setting.name)
    if written is not None:
        return InForce(setting.name, _plain(written), settings.home.config.name)
    return InForce(setting.name, setting.default, DEFAULT)


def _named(document: ConfigFile) -> Iterator[InForce]:
    for place, value in document.values.items():
        setting = setting_at(place)
        if setting is None or "*" not in setting.path:
            continue
        shown = Key(str(value), "").last_four if setting.secret else _plain(value)
        yield InForce(".".join(place), shown, "config.toml")


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
