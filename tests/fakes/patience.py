"""Limits that say "not for ever" and never mind how busy the machine is."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager

LONG = 120.0
"""Seconds that only what never ends takes, even on a machine that does ten other things."""


def not_for_ever(seconds: float = LONG) -> asyncio.Timeout:
    """Work that ends by itself; only what hangs is cut off."""
    return asyncio.timeout(seconds)


@contextmanager
def in_proportion(seconds: float = 30.0) -> Iterator[None]:
    """Work that takes a fraction of a second if its time grows with its size, else minutes.

    The processor's time is counted: what others do on the machine is no part of it.
    """
    begun = time.process_time()
    yield
    assert time.process_time() - begun < seconds
