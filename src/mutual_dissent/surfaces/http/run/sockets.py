"""The address that the server listens at: this machine's own, unless another one is asked for."""

from __future__ import annotations

import errno
import os
import socket

from mutual_dissent.core.errors import BadInput, clip
from mutual_dissent.store.tokens import Tokens
from mutual_dissent.surfaces.http.request_head import in_url, is_loopback

FURTHER = 20
"""Ports that are tried after the one that was asked for."""


def bind_socket(host: str, port: int, tokens: Tokens) -> socket.socket:
    """Return a socket at an address, with the next free port if that one is taken.

    Raises:
        BadInput: if the address is not this machine's, has no free port, or lacks a token.
    """
    family, address = _resolved(host)
    if not is_loopback(address) and not tokens.active():
        raise BadInput(
            f"{host} can be reached from other machines, and there is no token to keep them out; "
            "make one first: dissent token new NAME"
        )
    for candidate in range(port, min(port + FURTHER, 65_535) + 1):
        try:
            return _listening(family, address, candidate)
        except OSError as e:
            if e.errno not in (errno.EADDRINUSE, errno.EACCES):
                raise BadInput(
                    f"{clip(host)} is no address of this machine; use --host 127.0.0.1"
                ) from e
            refused = e
    why = "taken" if refused.errno == errno.EADDRINUSE else "not allowed"
    raise BadInput(f"port {port} and those after it are {why}; choose another: --port NUMBER")


def address_of(sock: socket.socket) -> str:
    """Return the URL at which a browser on this machine reaches a listening socket."""
    host, port = sock.getsockname()[:2]
    anywhere = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - compared, not bound
    return f"http://{in_url(anywhere.get(host, host))}:{port}"


def _resolved(host: str) -> tuple[socket.AddressFamily, str]:
    try:
        rows = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise BadInput(f"{clip(host)!r} is no address; use --host 127.0.0.1") from None
    four = [row for row in rows if row[0] == socket.AF_INET]
    family, _, _, _, address = (four or rows)[0]
    return family, str(address[0])


def _listening(family: socket.AddressFamily, address: str, port: int) -> socket.socket:
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        if os.name == "posix":  # elsewhere it would let two programs have one port
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((address, port))
        sock.listen(128)
    except OSError:
        sock.close()
        raise
    return sock
