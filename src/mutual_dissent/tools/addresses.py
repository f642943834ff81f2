"""Addresses that a page may be fetched from: the public web, and nothing behind it.

What a model asks for may have been put into its mouth. So nothing on this machine, in its network
or of its cloud can be reached: neither by a name that leads there, nor by any way of writing it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from yarl import URL

from mutual_dissent.core.errors import clip

MAX_URL = 2_000
SCHEMES = ("http", "https")
_NAME = re.compile(r"(?=.{1,253}$)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z0-9-]{2,63}")
_AUTHORITY = re.compile(r"[/?#]")
_LOCAL = (".localhost", ".local", ".internal", ".lan", ".home.arpa", ".intranet", ".onion")
# The one block of IPv6 that public addresses are given out from.
_GLOBAL_V6 = ip_network("2000::/3")
_REFUSED = tuple(
    ip_network(n)
    for n in (
        "192.0.0.0/24",
        "192.88.99.0/24",  # 6to4 relays
        "168.63.129.16/32",  # the host of a machine at Azure: public by its looks only
        "2001::/23",  # Teredo and other protocol assignments
        "2001:db8::/32",
        "2002::/16",  # 6to4: an IPv4 address is inside
        "2620:4f:8000::/48",
        "3fff::/20",
    )
)


class NotFetched(Exception):
    """A page cannot or must not be had; the sentence says why."""


def is_public(address: str) -> bool:
    """Return whether an address is one of the public web; what is no address is not.

    IPv6 addresses that carry an IPv4 address (mapped, compatible, 6to4, NAT64, Teredo) are none.
    """
    try:
        parsed: IPv4Address | IPv6Address = ip_address(address)
    except ValueError:
        return False
    if isinstance(parsed, IPv6Address) and (parsed.scope_id or parsed not in _GLOBAL_V6):
        return False
    odd = parsed.is_multicast or parsed.is_reserved or parsed.is_unspecified or parsed.is_loopback
    if odd or parsed.is_link_local or parsed.is_private or not parsed.is_global:
        return False
    return not any(parsed in network for network in _REFUSED)


@dataclass(frozen=True, slots=True, kw_only=True)
class AddressRules:
    """Rules for addresses.

    Attributes:
        allows: whether an IP address may be connected to.
        ports: the ports that may be connected to.
    """

    allows: Callable[[str], bool] = is_public
    ports: frozenset[int] = frozenset({80, 443})

    def url(self, text: str) -> URL:
        """The address of a page, if it may be fetched as far as can be told without the network.

        Raises:
            NotFetched: if it may not.
        """
        if len(text) > MAX_URL or any(not c.isprintable() or c in " \\" for c in text):
            raise NotFetched("the address is too long or has characters that none may have")
        try:
            url = URL(text)
            port = url.port
        except ValueError:
            raise NotFetched(f"{clip(text)!r} is no address of a page") from None
        if url.scheme not in SCHEMES:
            raise NotFetched("only http and https pages are fetched")
        # What stands before the @ is no host: http://good.example@10.0.0.1 leads to the latter.
        if "@" in _AUTHORITY.split(text.partition("://")[2], 1)[0]:
            raise NotFetched("addresses with a user or password are not fetched")
        if port not in self.ports:
            raise NotFetched(f"pages are not fetched from port {port}")
        self._check_host(url.raw_host or "")
        return url.with_fragment(None)

    def check(self, address: str, host: str) -> None:
        """Refuse an IP address that a host turned out to have.

        Raises:
            NotFetched: if it must not be connected to.
        """
        if not self.allows(address):
            raise NotFetched(f"{clip(host)!r} is not on the public web")

    def _check_host(self, host: str) -> None:
        bare = host.lower().rstrip(".")
        try:
            ip_address(bare)
        except ValueError:
            pass
        else:
            self.check(bare, host)
            return
        # A last part of digits, or 0x..., is an IPv4 address in disguise: 127.1, 0x7f.0.0.1.
        last = bare.rpartition(".")[2]
        disguised = last[:1].isdigit()
        if disguised or bare.endswith(_LOCAL) or not _NAME.fullmatch(bare):
            raise NotFetched(f"{clip(host)!r} is not on the public web")
