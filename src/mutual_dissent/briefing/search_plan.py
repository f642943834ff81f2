"""Plan of a search: who has which way to the web, by its vendor or by a service set up for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import urlsplit

from mutual_dissent.core.panel import EMBEDDED, Panelist
from mutual_dissent.core.tool import MOST_USES, SearchWay
from mutual_dissent.core.values.terms import command, option
from mutual_dissent.providers.endpoints import Endpoint
from mutual_dissent.providers.prices.own_search import BACKEND_USD, own_search
from mutual_dissent.tools.options import SearchOptions

NO_SEARCH = "nobody on this panel can search, and no search is set up"
SEARCHES_A_USE = 2
"""A check of a fact searches for the claim and for its opposite."""


def plan_search(
    panel: Iterable[Panelist],
    vendors: Mapping[str, Endpoint],
    search: SearchOptions,
    *,
    beside: bool = False,
) -> dict[str, SearchWay]:
    """Seat -> how it searches; who cannot is left out.

    Args:
        beside: whether other tools are offered, too: some vendors search only without any.
    """
    ways = {p.seat: _way(p, vendors, search, beside) for p in panel if not p.route.is_human}
    return {seat: way for seat, way in ways.items() if way}


def why_no_search(
    panel: Sequence[Panelist], vendors: Mapping[str, Endpoint], search: SearchOptions
) -> str:
    """Reason why nobody on a panel can search."""
    asked = [p for p in panel if not p.route.is_human]
    if not asked or any(takes_tools(p, vendors) for p in asked):
        return NO_SEARCH
    embedded = all(p.route.vendor == EMBEDDED for p in asked)
    who = "the embedded model cannot" if embedded else "nobody on this panel can"
    there = f", though a search is set up ({_backend(search).by})" if search.any_backend else ""
    return f"{who} use tools, and so nobody can search{there}"


def no_search(
    panel: Sequence[Panelist], vendors: Mapping[str, Endpoint], search: SearchOptions
) -> str:
    """The reason with the ways to get a search: another model, or a service."""
    why = why_no_search(panel, vendors, search)
    off = "" if search.native or search.any_backend else " after setting search.native to true"
    if why != NO_SEARCH:
        other = command("ask", '"What is new in Python?"', panel="claude,gemini", tools=True)
        return f"{why}. Leave out {option('tools')}, or seat other models{off}, such as: {other}"
    return (
        f"{why}. Leave out {option('tools')}, or take one of three ways: seat a model whose vendor "
        "searches by itself (ANTHROPIC_API_KEY, GOOGLE_API_KEY, OPENAI_API_KEY, XAI_API_KEY, "
        f"PERPLEXITY_API_KEY, or OPENROUTER_API_KEY for any model){off}; set search.tavily_api_key "
        "or search.brave_api_key; or run a SearXNG server and name it: "
        f"{command('config set', 'search.searxng_url', 'http://127.0.0.1:8080')}"
    )


def not_searching(
    panel: Sequence[Panelist], plan: Mapping[str, SearchWay], *, set_up: bool = False
) -> str:
    """Notice about those who cannot search though others can; empty if there are none.

    Args:
        set_up: whether a service is: who does not use that cannot use tools.
    """
    left = [p.seat for p in panel if p.seat not in plan and not p.route.is_human]
    if not left or not plan:
        return ""
    if set_up:
        return (
            f"{', '.join(left)} cannot search: {'they' if len(left) > 1 else 'it'} can use no tools"
        )
    their = "their vendors have" if len(left) > 1 else "its vendor has"
    return (
        f"{', '.join(left)} cannot search: {their} no search that could be used here, and none is "
        "set up"
    )


def _way(
    panelist: Panelist, vendors: Mapping[str, Endpoint], search: SearchOptions, beside: bool
) -> SearchWay | None:
    endpoint, own = vendors.get(panelist.route.vendor), own_search(panelist.route)
    if endpoint is None:  # programs, recordings and the embedded model are offered no tools
        return None
    if own and (own.unasked or (search.native and not (beside and own.alone))):
        return own.way
    return _backend(search) if endpoint.takes_tools and search.any_backend else None


def takes_tools(panelist: Panelist, vendors: Mapping[str, Endpoint]) -> bool:
    """Return whether a panelist can be offered tools of ours."""
    endpoint, own = vendors.get(panelist.route.vendor), own_search(panelist.route)
    return endpoint is not None and endpoint.takes_tools and not (own and own.unasked)


def _backend(search: SearchOptions) -> SearchWay:
    """The services that are set up; the price is that of the dearest, for any may be asked."""
    names = []
    if search.searxng_url:
        names.append(f"SearXNG at {urlsplit(search.searxng_url).netloc}")
    names += ["Tavily"] if search.tavily_key else []
    names += ["Brave"] if search.brave_key else []
    usd, as_of = max(BACKEND_USD[n.partition(" ")[0]] for n in names)
    return SearchWay(
        by=", then ".join(names), most=MOST_USES * SEARCHES_A_USE, usd=usd, as_of=as_of
    )
