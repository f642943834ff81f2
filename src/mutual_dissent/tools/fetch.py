"""Pages from the public web: the address that was checked is the one that is connected to."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mutual_dissent import __version__
from mutual_dissent.core.errors import clip
from mutual_dissent.tools import plain_text
from mutual_dissent.tools.addresses import AddressRules, NotFetched
from mutual_dissent.tools.body import MAX_BODY, whole
from mutual_dissent.tools.failures import failure_words

if TYPE_CHECKING:  # the HTTP client is loaded with the first page, not before
    import aiohttp

MAX_REDIRECTS = 3
REDIRECTS = (301, 302, 303, 307, 308)
KINDS = ("text/html", "text/plain", "application/xhtml+xml")
Resolve = Callable[[str], Awaitable[list[str]]]
"""From the name of a host to its IP addresses."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchedPage:
    """Text of a page, and its final address."""

    url: str
    title: str
    text: str


class Pages:
    """Fetches pages, one connection each; without cookies, credentials or proxies.

    A proxy would look up names by itself, and so undo every check.
    """

    def __init__(
        self,
        *,
        timeout: float = 10.0,
        reach: AddressRules | None = None,
        resolve: Resolve | None = None,
    ) -> None:
        self._timeout = timeout
        self._reach = reach or AddressRules()
        self._resolve = resolve or _addresses

    async def page(self, url: str) -> FetchedPage:
        """The page at an address.

        Raises:
            NotFetched: if it cannot or must not be had.
        """
        import aiohttp

        try:
            async with asyncio.timeout(self._timeout), self._session() as session:
                return await self._follow(session, url)
        except TimeoutError:
            raise NotFetched(f"it did not answer within {self._timeout:g} s") from None
        except (aiohttp.ClientError, OSError, ValueError) as e:
            raise NotFetched(failure_words(e)) from None

    async def _follow(self, session: aiohttp.ClientSession, url: str) -> FetchedPage:
        for _ in range(MAX_REDIRECTS + 1):
            checked = self._reach.url(url)
            async with session.get(checked, allow_redirects=False) as response:
                if response.status not in REDIRECTS:
                    return await _read(response)
                target = response.headers.get("Location", "")
                response.close()
            url = _joined(checked, target)
        raise NotFetched(f"it redirects more than {MAX_REDIRECTS} times")

    def _session(self) -> aiohttp.ClientSession:
        import aiohttp

        connector = aiohttp.TCPConnector(
            resolver=_resolver(self._resolve, self._reach),
            # A name that is kept, or a connection that stays open, would go past the check.
            use_dns_cache=False,
            force_close=True,
            socket_factory=self._socket,
        )
        return aiohttp.ClientSession(
            connector=connector,
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,  # bodies are inflated under our own limits
            trust_env=False,
            headers={
                "User-Agent": f"mutual-dissent/{__version__}",
                "Accept": "text/html, text/plain;q=0.9",
                "Accept-Encoding": "gzip, deflate",
            },
        )

    def _socket(self, info: tuple[Any, ...]) -> socket.socket:
        """The last gate: a socket is made only for an address that may be connected to."""
        family, kind, protocol, _, address = info
        if not self._reach.allows(address[0]):
            raise PermissionError("not on the public web")
        return socket.socket(family=family, type=kind, proto=protocol)


def _resolver(resolve: Resolve, reach: AddressRules) -> aiohttp.abc.AbstractResolver:
    """Resolver for the connector: the addresses that were checked, and no others.

    A name that has one address too private is refused as a whole.
    """
    from aiohttp.abc import AbstractResolver, ResolveResult

    class Checked(AbstractResolver):
        async def resolve(
            self,
            host: str,
            port: int = 0,
            family: socket.AddressFamily = socket.AF_UNSPEC,  # noqa: ARG002  (aiohttp's signature)
        ) -> list[ResolveResult]:
            found = await resolve(host)
            for address in found:
                reach.check(address, host)
            return [_result(host, address, port) for address in found]

        async def close(self) -> None:
            """There is nothing to close."""

    def _result(host: str, address: str, port: int) -> ResolveResult:
        return ResolveResult(
            hostname=host,
            host=address,
            port=port,
            family=socket.AF_INET6 if ":" in address else socket.AF_INET,
            proto=0,
            flags=socket.AI_NUMERICHOST,
        )

    return Checked()


async def _addresses(host: str) -> list[str]:
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


def _joined(base: Any, target: str) -> str:
    from yarl import URL

    if not target:
        raise NotFetched("it redirects to nowhere")
    try:
        return str(base.join(URL(target)))
    except ValueError:
        raise NotFetched(f"it redirects to {clip(target)!r}, which is no address") from None


async def _read(response: aiohttp.ClientResponse) -> FetchedPage:
    if response.status != 200:
        response.close()
        raise NotFetched(f"it answered with status {response.status}")
    kind = response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    if kind not in KINDS:
        response.close()
        raise NotFetched(f"it is {clip(kind) or 'of no known kind'}; only html and text are read")
    if (response.content_length or 0) > MAX_BODY:
        response.close()
        raise NotFetched(f"its body is larger than {MAX_BODY / 1_000_000:g} MB")
    encoding = response.headers.get("Content-Encoding", "")
    try:
        body = await whole(response.content.iter_any(), encoding)
    except NotFetched:
        response.close()
        raise
    return await asyncio.to_thread(_page, str(response.url), body, _charset(response), kind)


def _charset(response: aiohttp.ClientResponse) -> str | None:
    try:
        return response.charset
    except (ValueError, LookupError):
        return None


def _page(url: str, body: bytes, charset: str | None, kind: str) -> FetchedPage:
    content = plain_text.decode_page(body, charset)
    if kind == "text/plain":
        return FetchedPage(url=url, title="", text=plain_text.tidy(content))
    return FetchedPage(
        url=url, title=plain_text.title_of(content), text=plain_text.text_of(content)
    )
