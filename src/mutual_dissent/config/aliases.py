"""The names that models go by, and how the user's own are read."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import MappingProxyType

from mutual_dissent.config.file import ConfigFile
from mutual_dissent.core.errors import UnknownName
from mutual_dissent.providers.endpoints import TABLE
from mutual_dissent.providers.routes import ELSEWHERE, OPENROUTER, Alias

DEFAULT_ALIASES: Mapping[str, Alias] = MappingProxyType(
    {
        name: Alias(name=name, openrouter=openrouter, direct=direct, vendor=vendor)
        for name, openrouter, direct, vendor in (
            ("claude", "anthropic/claude-sonnet-5.5", "claude-sonnet-5-5", "anthropic"),
            ("gpt", "openai/gpt-6.1-sol", "gpt-6.1-sol", "openai"),
            ("gemini", "google/gemini-4-argon", "gemini-4-argon", "google"),
            ("grok", "x-ai/grok-4.7", "grok-4.7", "xai"),
            ("perplexity", "perplexity/sonar-pro", "sonar-pro", "perplexity"),
        )
    }
)


def read_aliases(document: ConfigFile, vendors: Collection[str]) -> Mapping[str, Alias]:
    """Our aliases and the user's.

    An alias of the user's replaces ours of that name whole, so that a route never leads to another
    model than the one that was written down; only the vendor is kept where none is given.
    """
    written = {name: dict(ids) for name, ids in document.under("model_aliases").items()}
    for place, value in document.values.items():
        if place[0] == "model_aliases" and len(place) == 2:
            written[place[1]] = _of_one_word(document, place, value, vendors)
    own = {name: _alias(document, name, ids, vendors) for name, ids in written.items()}
    return MappingProxyType({**DEFAULT_ALIASES, **own})


def _of_one_word(
    document: ConfigFile, place: tuple[str, ...], value: str, vendors: Collection[str]
) -> dict[str, str]:
    """Model behind an alias of one word: `vendor:model` as on a panel, or OpenRouter's id.

    An id of OpenRouter's begins with its maker and a slash: text that is meant for a model on this
    machine must not leave it for a colon that was taken for a part of one.
    """
    vendor, colon, model = value.partition(":")
    if not colon or "/" in vendor:
        return {"openrouter": value}
    if vendor not in {*vendors, *ELSEWHERE}:
        raise document.refusal(place, str(UnknownName("vendor", vendor, {*vendors, *ELSEWHERE})))
    if not model:
        raise document.refusal(place, f"names no model; write {vendor}:MODEL")
    return {"openrouter": model} if vendor == OPENROUTER else {"direct": model, "vendor": vendor}


def _alias(
    document: ConfigFile, name: str, ids: Mapping[str, str], vendors: Collection[str]
) -> Alias:
    place = ("model_aliases", name)
    openrouter, direct = ids.get("openrouter"), ids.get("direct")
    if not openrouter and not direct:
        raise document.refusal(place, "needs the id of a model: openrouter, direct or both")
    if openrouter and openrouter.partition(":")[0] in {*vendors, *ELSEWHERE}:
        raise document.refusal((*place, "openrouter"), f'is no id; write {name} = "{openrouter}"')
    vendor = ids.get("vendor") or _likely_vendor(name, openrouter)
    if vendor and vendor not in {*vendors, *ELSEWHERE}:
        problem = UnknownName("vendor", vendor, vendors)
        raise document.refusal((*place, "vendor"), str(problem))
    if direct and not vendor:
        raise document.refusal(place, "a direct id needs the vendor that knows it")
    return Alias(name=name, openrouter=openrouter, direct=direct, vendor=vendor or "openrouter")


def _likely_vendor(name: str, openrouter: str | None) -> str | None:
    if name in DEFAULT_ALIASES:
        return DEFAULT_ALIASES[name].vendor
    maker = (openrouter or "").partition("/")[0]
    return next((v for v, row in TABLE.items() if maker in (v, row.price_id)), None)
