"""Authentication: by token, by the cookie of the start page, or from this machine."""

from __future__ import annotations

from dataclasses import dataclass, field
from hmac import compare_digest
from html import escape
from secrets import token_urlsafe
from urllib.parse import quote

from starlette.responses import RedirectResponse, Response

from mutual_dissent.store.tokens import AccessToken, Tokens, match
from mutual_dissent.surfaces.http.backend import Caller
from mutual_dissent.surfaces.http.errors import ApiError, is_under
from mutual_dissent.surfaces.http.rate_limit import Rates
from mutual_dissent.surfaces.http.request_checks import FOREIGN, is_here
from mutual_dissent.surfaces.http.request_head import Head
from mutual_dissent.surfaces.http.threshold import pasted_token
from mutual_dissent.surfaces.http.token_budget import TokenBudget

PARAMETER = "token"
BEARER = {"www-authenticate": 'Bearer realm="mutual-dissent"'}


def _secret() -> str:
    return token_urlsafe(32)


@dataclass(frozen=True, slots=True)
class CookieEntry:
    """Sign-in for a person: by a secret start address, then by a cookie.

    The cookie is another secret than the one in the address, which stays in a browser's history.
    """

    start: str = field(default_factory=_secret, repr=False)
    pass_: str = field(default_factory=_secret, repr=False)

    def greeting(self, head: Head) -> Response | None:
        """Answer the start address: set the cookie, and lead to the page without the token."""
        if head.method != "GET" or head.is_socket or head.is_api:
            return None
        token = head.query(PARAMETER)
        if token is None or not _same(pasted_token(token), self.start):
            return None
        # One slash: two would lead to another host.
        answer = _redirect(head, quote("/" + head.path.lstrip("/\\")))
        answer.set_cookie(
            cookie_name(head.port), self.pass_, path="/", httponly=True, samesite="strict"
        )
        return answer

    def has_cookie(self, head: Head) -> bool:
        """Return whether a request comes from a page that was opened by the start address."""
        return any(_same(v, self.pass_) for v in head.cookie(cookie_name(head.port)))


def cookie_name(port: int) -> str:
    """Return the cookie's name. Browsers share cookies across ports, so the name has the port."""
    return f"dissent-{port}"


def _redirect(head: Head, target: str) -> Response:
    """Lead to the page.

    A browser that came by a foreign page's link omits our SameSite cookie after a redirect, since
    that page started the navigation. A refresh by our own page starts a new one.
    """
    if head.one(b"sec-fetch-site") not in FOREIGN:
        return RedirectResponse(target, 303)
    refresh = f'<!doctype html><meta http-equiv="refresh" content="0; url={escape(target)}">'
    return Response(refresh, media_type="text/html")


class Admission:
    """Authenticates callers, and tells what each may spend."""

    def __init__(
        self, tokens: Tokens, purse: TokenBudget, entry: CookieEntry, rates: Rates
    ) -> None:
        self._tokens, self._purse, self._entry, self._rates = tokens, purse, entry, rates
        self._closed = False

    def caller(self, head: Head, host: str) -> Caller:
        """Return the caller of a request.

        Raises:
            Refused: with status 401 or 429.
        """
        # Before tokens: the pages of this server work without the database being asked for each
        # file.
        if self._entry.has_cookie(head):
            return Caller()
        tokens = self._tokens.every()
        # Once a token was active, revoking the last one must not open the API to all.
        self._closed = self._closed or any(not t.revoked for t in tokens)
        word = _bearer(head) or _api_key(head)
        token = match(tokens, word) if word else None
        if token and not token.revoked:
            self._rates.take(token.name, token.per_minute)
            return self._caller(token)
        if token is None and self._is_open(head, host):
            return Caller()
        raise _refusal(head, token, word)

    def may_stay(self, caller: Caller) -> bool:
        """Return whether the caller's token is still valid; callers without one always may stay."""
        return not caller.name or any(t.name == caller.name for t in self._tokens.active())

    def _caller(self, token: AccessToken) -> Caller:
        left = self._purse.remaining(token)
        return Caller(name=token.name, mode=token.mode, max_cost=left, scope=token.scope)

    def _is_open(self, head: Head, host: str) -> bool:
        """Return whether no token is needed: API calls from this machine, while none exists."""
        if not head.came_to_loopback or not is_here(host, head.port):
            return False
        return is_under(head.path, "/healthz") or (head.is_api and not self._closed)


def _bearer(head: Head) -> str | None:
    scheme, _, word = (head.one(b"authorization") or "").partition(" ")
    return word.strip() if scheme.lower() == "bearer" else None


def _api_key(head: Head) -> str | None:
    """The token where Anthropic's and Google's clients put their key."""
    if is_under(head.path, "/v1"):
        return head.one(b"x-api-key")
    return head.one(b"x-goog-api-key") if is_under(head.path, "/v1beta") else None


def _refusal(head: Head, token: AccessToken | None, word: str | None) -> ApiError:
    if not head.is_api:
        sentence = "open the address that `dissent serve` printed when it started; it has a token"
    elif token is not None:
        sentence = f"the token {token.name!r} was revoked; ask for a new one"
    elif word:
        sentence = "this token is not known here; make one with: dissent token new NAME"
    else:
        sentence = "a token is needed: send Authorization: Bearer TOKEN (dissent token new NAME)"
    return ApiError(401, "unauthorized", sentence, BEARER)


def _same(given: str, secret: str) -> bool:
    # As bytes: compare_digest refuses texts that are not ASCII, and a client may send any.
    return compare_digest(given.encode("utf-8", "surrogateescape"), secret.encode())
