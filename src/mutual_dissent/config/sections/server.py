"""Settings of [server]."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerOptions:
    """The limits of a server, and the names it goes by.

    Attributes:
        mode: the mode of what is asked by `POST /api/chat`; None if it was not set.
        names: hosts that it answers for besides those of this machine, each with a port or not.
        running: debates at once.
        waiting: debates that may wait for their turn.
        max_body: megabytes of a request's body.
        max_headers: fields in a request's head.
        max_head: kilobytes of a request's head.
        body_timeout: seconds until a request's body must be there.
        idle_timeout: seconds until a request's head must be there, or the next request.
        connections: connections at once.
        streams: answers at once that go on as long as somebody listens.
    """

    mode: str | None = None
    names: tuple[str, ...] = ()
    running: int = 64
    waiting: int = 1000
    max_body: float = 10.0
    max_headers: int = 100
    max_head: int = 64
    body_timeout: float = 60.0
    idle_timeout: float = 15.0
    connections: int = 2000
    streams: int = 1000

    @property
    def max_body_bytes(self) -> int:
        """The most bytes of a request's body."""
        return int(self.max_body * 1_000_000)

    @property
    def max_head_bytes(self) -> int:
        """The most bytes of a request's head."""
        return self.max_head * 1024
