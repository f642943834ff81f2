"""Access tokens of clients: named, stored as hashes, each with its own limits and spending."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from hmac import compare_digest
from secrets import token_urlsafe

from mutual_dissent.core.errors import BadInput, OverBudget, UnknownName, clip
from mutual_dissent.core.ports import Bid, Rest, spread
from mutual_dissent.core.values.terms import command
from mutual_dissent.store.access import Access, Place
from mutual_dissent.store.database import Database, Row, Violation
from mutual_dissent.store.debates.row import at_tick, ticks
from mutual_dissent.store.viewer import SCOPES
from mutual_dissent.text.numbers import figure

MARK = "dissent_"
"""The prefix of every token, so that a leaked one is recognised by its look."""

MOST = 1_000_000
"""The highest budget of a token, in dollars."""

UNLIMITED = float("inf")
"""The allowance of a token without a budget."""

SLACK = timedelta(minutes=1)
"""Time after its deadline in which a call may still be on its way into the books."""

NOTHING = Rest()
_AMOUNTS = ("least", "fair", "most")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessToken:
    """A token as it is on record; the word itself is not.

    Attributes:
        hash: of the word.
        budget_usd: dollars that it may spend in all; None if there is no limit.
        per_minute: requests that it may make in a minute; None if there is no limit.
        mode: the mode of its debates where a request names none.
        scope: what it may see and change: `own`, `read` or `all` (see `viewer.py`).
        spent_usd: dollars that it has spent.
        revoked: whether it is not accepted any more.
    """

    name: str
    hash: str
    created_at: datetime
    budget_usd: float | None = None
    per_minute: int | None = None
    mode: str | None = None
    scope: str = "own"
    spent_usd: float = 0.0
    revoked: bool = False


class Tokens:
    """All tokens, in the database of the debates; nothing is opened before it is needed."""

    def __init__(self, path: Place) -> None:
        self.path = path
        self._access = Access(path)

    def new(
        self,
        name: str,
        now: datetime,
        *,
        budget_usd: float | None = None,
        per_minute: int | None = None,
        mode: str | None = None,
        scope: str = "own",
    ) -> str:
        """Make a token; the word is returned, and stored nowhere.

        Raises:
            BadInput: if the name exists already, or a name or budget cannot be used.
        """
        if not _NAME.fullmatch(name):
            raise BadInput(
                f"{clip(name)!r} cannot be a token's name; use up to 64 letters, digits, . _ and -"
            )
        if budget_usd is not None and not 0 < budget_usd <= MOST:  # NaN fails this, too
            raise BadInput(f"a budget must be above 0 and up to {MOST:,} dollars")
        if scope not in SCOPES:
            raise UnknownName("scope", scope, SCOPES)
        word = MARK + token_urlsafe(32)
        row = {"hash": hash_token(word), "name": name, "now": ticks(now), "scope": scope}
        row |= {"budget_usd": budget_usd, "per_minute": per_minute, "mode": mode}
        with self._access.to_write() as db:
            try:
                db.execute(_INSERT, **row)
            except Violation:
                raise BadInput(
                    f"there is a token called {name!r}; "
                    f"choose another name, or: {command('token revoke', name)}"
                ) from None
        return word

    def revoke(self, name: str, now: datetime) -> None:
        """Stop accepting the token of that name.

        Raises:
            UnknownName: if there is no such token.
        """
        known = [t.name for t in self.active()]
        if name not in known:
            if not known:
                raise BadInput(f"there is no token; make one with: {command('token new', 'NAME')}")
            raise UnknownName("token", name, known)
        with self._access.to_write() as db:
            db.execute(_REVOKE, now=ticks(now), name=name)

    def active(self) -> list[AccessToken]:
        """Return the tokens that are accepted, oldest first."""
        return [t for t in self.every() if not t.revoked]

    def every(self) -> list[AccessToken]:
        """Return all tokens, also revoked ones, oldest first."""
        return [_token(row) for row in self._access.rows(f"{_SELECT} ORDER BY created_at")]

    def charge(self, spent: Mapping[str, float]) -> None:
        """Add dollars to what tokens have spent, by their names."""
        self.settle((name, "", usd) for name, usd in spent.items())

    def settle(self, paid: Iterable[tuple[str, str, float]]) -> None:
        """Book what was spent: name of the token, id of the reservation that it ends, dollars."""
        with self._access.transaction() as db:
            for name, reserved, usd in sorted(paid):  # one order for all, so that no two deadlock
                db.execute(_CHARGE, usd=usd, name=name)
                db.execute("DELETE FROM reservations WHERE id = :id", id=reserved)

    def reserve(
        self,
        name: str,
        bids: Mapping[str, Bid],
        now: datetime,
        seconds: float,
        rest: Rest = NOTHING,
    ) -> dict[str, float] | None:
        """Reserve money for calls of a token, by ids, for as long as they may take.

        Args:
            rest: what their debate will about need to its end.

        Returns:
            Dollars for each; None where so much is reserved that it is better to wait.

        Raises:
            OverBudget: if the money left does not pay for them, whatever reservations are released.
        """
        least, fair, most = (sum(getattr(b, n) for b in bids.values()) for n in _AMOUNTS)
        with self._access.transaction() as db:
            token, held = self._state(db, name, rest, now)
            if token.budget_usd is None:
                return dict.fromkeys(bids, UNLIMITED)
            left = token.budget_usd - token.spent_usd
            free = left - held
            if left < least or left <= 0:
                raise OverBudget(
                    f"what is left of the budget of the token {name!r} does not pay for the next "
                    f"calls (${figure(round(max(0.0, left), 4))} of ${figure(token.budget_usd)})"
                )
            needed = fair if rest.begun else max(fair, rest.dollars)
            # While others hold money, more may come free: wait for enough. Else the least will do.
            if free <= 0 or free < (needed if held else least):
                return None
            ample = most if most == UNLIMITED else min(most, free / 2)
            granted = spread(bids, min(free, max(fair, ample)))
            until = ticks(now + timedelta(seconds=seconds) + SLACK)
            rows = [{"id": i, "usd": usd, "rest": 0} for i, usd in granted.items()]
            if rest.dollars > 0:
                rows.append({"id": rest.name, "usd": rest.dollars, "rest": 1})
            db.executemany(_RESERVE, [r | {"token": token.hash, "until": until} for r in rows])
            return granted

    def _state(
        self, db: Database, name: str, rest: Rest, now: datetime
    ) -> tuple[AccessToken, float]:
        """Return the token of that name, and what other calls and debates hold of its money.

        For a debate that has begun only calls in flight count, which end: otherwise two of them
        would wait for each other.
        """
        row = db.row(_SELECT_ONE, name=name)
        if row is None or (token := _token(row)).revoked:
            raise OverBudget(f"the token {clip(name)!r} was revoked; it pays for nothing more")
        db.execute(_EXPIRE, hash=token.hash, now=ticks(now))
        (held,) = db.column(_HELD, hash=token.hash, own=rest.name, rest=0 if rest.begun else 1)
        return token, float(held)

    def close(self) -> None:
        """Close the connection."""
        self._access.close()


def match(tokens: list[AccessToken], word: str) -> AccessToken | None:
    """Return the token of that word, in constant time: it tells nothing about near misses."""
    digest, matching = hash_token(word), None
    for token in tokens:
        if compare_digest(token.hash, digest):
            matching = token
    return matching


def hash_token(word: str) -> str:
    """Return the hash of a token's word: 256 random bits need no salt and no slow hash."""
    return sha256(word.encode("utf-8", "surrogateescape")).hexdigest()


def _token(row: Row) -> AccessToken:
    revoked = row.pop("revoked_at") is not None
    return AccessToken(**row | {"created_at": at_tick(row["created_at"])}, revoked=revoked)


_INSERT = """
INSERT INTO tokens (hash, name, created_at, budget_usd, per_minute, mode, scope)
VALUES (:hash, :name, :now, :budget_usd, :per_minute, :mode, :scope)
"""

_REVOKE = "UPDATE tokens SET revoked_at = :now WHERE name = :name AND revoked_at IS NULL"

_SELECT = """
SELECT hash, name, created_at, revoked_at, budget_usd, per_minute, mode, scope, spent_usd
FROM tokens
"""

# The remark becomes SQL on PostgreSQL (dialect.py): there two could read the same balance.
_SELECT_ONE = f"{_SELECT} WHERE name = :name ORDER BY created_at DESC LIMIT 1 /* FOR UPDATE */"

_EXPIRE = "DELETE FROM reservations WHERE token = :hash AND expires < :now"

_HELD = """
SELECT coalesce(sum(usd), 0) FROM reservations
WHERE token = :hash AND id <> :own AND rest <= :rest
"""

_RESERVE = """
INSERT INTO reservations (id, token, usd, rest, expires) VALUES (:id, :token, :usd, :rest, :until)
ON CONFLICT (id) DO UPDATE SET usd = excluded.usd, expires = excluded.expires
"""

# A revoked name may have been reused: the youngest token of that name pays.
_CHARGE = """
UPDATE tokens SET spent_usd = spent_usd + :usd
WHERE hash = (SELECT hash FROM tokens WHERE name = :name ORDER BY created_at DESC LIMIT 1)
"""
