"""Idempotency keys: a request repeated under the same `Idempotency-Key` runs once.

Keys are stored for 24 hours, so that they survive a restart. A stored request that did not run,
because the server died in between, runs when it is repeated.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from mutual_dissent.core.codec.plain import to_bytes
from mutual_dissent.core.errors import DissentError
from mutual_dissent.surfaces.http.backend import caller_of
from mutual_dissent.surfaces.http.errors import ApiError

if TYPE_CHECKING:
    from pydantic import BaseModel
    from starlette.requests import Request

    from mutual_dissent.app import MutualDissent


@dataclass(frozen=True, slots=True)
class SessionPlan:
    """An action, and the id of its debate."""

    transcript_id: str
    do: Callable[[], Awaitable[str]]


@dataclass(frozen=True, slots=True)
class Done:
    """The debate of a request; `before` if it ran already under the same key."""

    name: str
    before: bool = False


Planned = Callable[[], Awaitable[SessionPlan]]
"""Makes a plan, or raises why it is impossible."""


class Repeats:
    """Runs each request once per idempotency key."""

    def __init__(self, md: MutualDissent) -> None:
        """Remember keys in the store of `md`."""
        self._md = md
        # A lock lives as long as a request holds it or waits for it.
        self._turns: WeakValueDictionary[tuple[str, str], asyncio.Lock] = WeakValueDictionary()

    async def once(
        self, request: Request, key: str | None, body: BaseModel, planned: Planned
    ) -> Done:
        """Run the plan, unless it ran under this idempotency key before.

        Raises:
            Refused: if the key was used for a different request.
        """
        if key is None:
            return Done(await (await planned()).do())
        owner, asked = caller_of(request).name, _fingerprint(request, body)
        async with self._turns.setdefault((owner, key), asyncio.Lock()):
            known = self._md.store.find_repeat(owner, key, self._md.clock())
            if known and known.fingerprint != asked:
                raise ApiError(
                    409, "key_reused",
                    "something else was asked for under this Idempotency-Key; choose another one",
                )  # fmt: skip
            if known and known.obeyed:
                return Done(known.transcript_id, before=True)
            return Done(await self._do(owner, key, asked, await planned()))

    async def _do(self, owner: str, key: str, asked: str, plan: SessionPlan) -> str:
        store = self._md.store
        # First the key, then the debate: after a crash, the record tells whether it was begun.
        store.remember(owner, key, (asked, plan.transcript_id), self._md.clock())
        try:
            return await plan.do()
        except DissentError:  # a failed request may be retried under its key
            store.forget(owner, key)
            raise


def _fingerprint(request: Request, body: BaseModel) -> str:
    """Return a hash of the request's method, path and body."""
    plain = body.model_dump(mode="json", exclude_unset=True)
    content = to_bytes([request.method, request.url.path, sorted(plain.items())])
    return hashlib.sha256(content).hexdigest()
