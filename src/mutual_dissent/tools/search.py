"""Searching the web: SearXNG, Tavily or Brave, whichever is configured."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import orjson

from mutual_dissent import __version__
from mutual_dissent.analysis.answers.citations import normalise_url
from mutual_dissent.core.values.secret import Key
from mutual_dissent.tools.addresses import NotFetched
from mutual_dissent.tools.body import whole
from mutual_dissent.tools.failures import failure_words
from mutual_dissent.tools.options import SearchOptions
from mutual_dissent.tools.plain_text import readable, tidy

if TYPE_CHECKING:  # the HTTP client is loaded with the first search, not before
    import aiohttp

MAX_ANSWER = 2_000_000
MAX_QUERY = 400
MAX_TITLE = 200
MAX_SNIPPET = 500
# Brave marks the words that were looked for: <strong>.
_MARKUP = re.compile(r"</?[a-zA-Z][^<>]{0,200}>")


class SearchFailed(Exception):
    """A search brought nothing because something is wrong; the sentence says what to change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """A page that a search found."""

    title: str
    url: str
    snippet: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest:
    """A request to a backend. `headers` hold the key."""

    url: str
    params: dict[str, str] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict, repr=False)
    post: dict[str, Any] | None = None


class Backend(Protocol):
    """One search service. Pure: it writes requests and reads answers."""

    name: str
    forbidden: str

    def query(self, words: str, most: int) -> SearchRequest:
        """The request for a search."""
        ...

    def results(self, answer: dict[str, Any]) -> Iterable[tuple[Any, Any, Any]]:
        """Title, address and snippet of each result, as they came."""
        ...


class SearXNG:
    """A SearXNG server of the user's; it may be anywhere, this machine included."""

    name = "SearXNG"
    forbidden = "does not answer in JSON; add json to search.formats in its settings.yml"

    def __init__(self, base_url: str) -> None:
        self._url = f"{base_url.rstrip('/')}/search"

    def query(self, words: str, most: int) -> SearchRequest:  # noqa: ARG002  (it has no such parameter)
        """The request for a search."""
        return SearchRequest(url=self._url, params={"q": words, "format": "json"})

    def results(self, answer: dict[str, Any]) -> Iterable[tuple[Any, Any, Any]]:
        """Title, address and snippet of each result."""
        for row in _rows(answer.get("results")):
            yield row.get("title"), row.get("url"), row.get("content")


class Tavily:
    """Tavily's search."""

    name = "Tavily"

    def __init__(self, key: Key, base_url: str = "https://api.tavily.com") -> None:
        self._key, self._url = key, f"{base_url}/search"
        self.forbidden = f"refuses the key from {key.source}"

    def query(self, words: str, most: int) -> SearchRequest:
        """The request for a search."""
        return SearchRequest(
            url=self._url,
            headers={"Authorization": f"Bearer {self._key.reveal()}"},
            post={"query": words, "max_results": most, "search_depth": "basic"},
        )

    def results(self, answer: dict[str, Any]) -> Iterable[tuple[Any, Any, Any]]:
        """Title, address and snippet of each result."""
        for row in _rows(answer.get("results")):
            yield row.get("title"), row.get("url"), row.get("content")


class Brave:
    """Brave's search."""

    name = "Brave"

    def __init__(self, key: Key, base_url: str = "https://api.search.brave.com") -> None:
        self._key, self._url = key, f"{base_url}/res/v1/web/search"
        self.forbidden = f"refuses the key from {key.source}"

    def query(self, words: str, most: int) -> SearchRequest:
        """The request for a search; Brave takes at most 50 words."""
        return SearchRequest(
            url=self._url,
            params={"q": " ".join(words.split()[:50]), "count": str(most)},
            headers={"X-Subscription-Token": self._key.reveal()},
        )

    def results(self, answer: dict[str, Any]) -> Iterable[tuple[Any, Any, Any]]:
        """Title, address and snippet of each result."""
        web = answer.get("web")
        for row in _rows(web.get("results") if isinstance(web, dict) else None):
            yield row.get("title"), row.get("url"), row.get("description")


def backends(options: SearchOptions) -> list[Backend]:
    """The backends that are configured, in the order in which they are tried."""
    found: list[Backend] = []
    if options.searxng_url:
        found.append(SearXNG(options.searxng_url))
    if options.tavily_key:
        found.append(Tavily(options.tavily_key))
    if options.brave_key:
        found.append(Brave(options.brave_key))
    return found


class Search:
    """Asks one backend after the other until one answers."""

    def __init__(
        self, backends: Sequence[Backend], *, most: int = 5, timeout: float = 10.0
    ) -> None:
        self._backends = tuple(backends)
        self._most = most
        self._timeout = timeout

    async def find(self, words: str) -> list[SearchResult]:
        """Results of a search, each page once; none of it is trusted.

        Raises:
            SearchFailed: if no backend answered.
        """
        problems = []
        for backend in self._backends:
            try:
                answer = await self._answer(backend, words[:MAX_QUERY])
            except SearchFailed as e:
                problems.append(str(e))
                continue
            return clean_results(backend.results(answer))[: self._most]
        raise SearchFailed("; ".join(problems) or "no search backend is configured")

    async def _answer(self, backend: Backend, words: str) -> dict[str, Any]:
        import aiohttp

        query = backend.query(words, self._most)
        try:
            async with (
                self._session() as session,
                session.request(
                    "GET" if query.post is None else "POST",
                    query.url,
                    params=query.params,
                    headers=query.headers,
                    json=query.post,
                    allow_redirects=False,  # neither key nor query is sent elsewhere
                ) as response,
            ):
                return await _read(backend, response)
        except TimeoutError:
            message = f"{backend.name} did not answer within {self._timeout:g} s"
            raise SearchFailed(message) from None
        except (aiohttp.ClientError, OSError, ValueError) as e:
            message = f"{backend.name} cannot be reached: {failure_words(e)}"
            raise SearchFailed(message) from None

    def _session(self) -> aiohttp.ClientSession:
        import aiohttp

        return aiohttp.ClientSession(
            timeout=aiohttp.ClientTimeout(total=self._timeout),
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            headers={
                "User-Agent": f"mutual-dissent/{__version__}",
                "Accept": "application/json",
                "Accept-Encoding": "identity",
            },
        )


async def _read(backend: Backend, response: aiohttp.ClientResponse) -> dict[str, Any]:
    status = response.status
    if status in (401, 403):
        raise SearchFailed(f"{backend.name} {backend.forbidden}")
    if status == 429:
        raise SearchFailed(f"{backend.name} has had too many searches; try again later")
    if 300 <= status < 400:
        raise SearchFailed(f"{backend.name} redirects; configure the address where it is in fact")
    if status != 200:
        raise SearchFailed(f"{backend.name} answered with status {status}")
    encoding = response.headers.get("Content-Encoding", "")
    try:
        answer = orjson.loads(await whole(response.content.iter_any(), encoding, MAX_ANSWER))
    except (NotFetched, orjson.JSONDecodeError):
        answer = None
    if not isinstance(answer, dict):
        raise SearchFailed(f"{backend.name} sent no JSON that could be read")
    return answer


def clean_results(rows: Iterable[tuple[Any, Any, Any]]) -> list[SearchResult]:
    """Results as plain text, web addresses alone, each page once."""
    found: dict[str, SearchResult] = {}
    for title, url, snippet in rows:
        key = normalise_url(url) if isinstance(url, str) else None
        if key is not None and key not in found:
            found[key] = SearchResult(
                title=_line(title, MAX_TITLE), url=url, snippet=_line(snippet, MAX_SNIPPET)
            )
    return list(found.values())


def _rows(value: object) -> list[dict[str, Any]]:
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


def _line(text: object, limit: int) -> str:
    """A text in one line, without markup."""
    if not isinstance(text, str):
        return ""
    plain = readable(_MARKUP.sub("", text[: limit * 10]))
    line = tidy(plain).replace("\n", " ")
    return line if len(line) <= limit else line[: limit - 1] + "…"
