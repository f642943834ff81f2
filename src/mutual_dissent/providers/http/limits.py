"""The limits of calls: time, size and attempts of one, and the open files of all of them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """The limits of a call. The total time is the ask's own.

    Attributes:
        connect: seconds to reach the vendor.
        first_byte: seconds until the answer begins; None for as long as the call may take.
        idle: seconds of silence within an answer.
        farewell: seconds of silence after the vendor's finish reason.
        text: bytes of text that are kept of an answer.
        body: bytes of a body that is read as a whole, or of a stream that carries no event.
        event: bytes of one event of a stream.
        stream: bytes of a whole stream: a token may cost some hundred bytes of wrapping.
        attempts: the most attempts of a call.
        backoff: seconds before the second attempt, doubled for the third, where none are asked for.
    """

    connect: float = 10.0
    first_byte: float | None = None
    idle: float = 60.0
    farewell: float = 3.0
    text: int = 2_000_000
    body: int = 11_000_000
    event: int = 1_500_000
    stream: int = 128_000_000
    attempts: int = 3
    backoff: float = 0.5


PLENTY = 8192


def most_open() -> int:
    """The system's limit for this process, or as many as anyone should need."""
    try:
        import resource
    except ImportError:  # Windows has no such limit worth keeping to
        return PLENTY
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return PLENTY if soft in (resource.RLIM_INFINITY, -1) else max(16, min(PLENTY, soft))
