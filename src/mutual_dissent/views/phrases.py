"""Small phrases that every view says in the same way: money, time, reasons, rounds."""

from __future__ import annotations

from mutual_dissent.core.figures.stats import Tally
from mutual_dissent.core.response import ErrorKind, Finish, Response
from mutual_dissent.core.values.defects import CHECK, REVIEW, REVIEW_MODE
from mutual_dissent.text.sanitize import one_line

HIGH, MEDIUM = 0.7, 0.4

REASONS = {
    ErrorKind.AUTH: "key refused",
    ErrorKind.FORBIDDEN: "model not allowed",
    ErrorKind.CREDITS: "no credits",
    ErrorKind.RATE_LIMIT: "rate limit",
    ErrorKind.CONNECTION: "no connection",
    ErrorKind.BAD_REQUEST: "request not accepted",
    ErrorKind.UNKNOWN_MODEL: "unknown model",
    ErrorKind.UNSEEN: "cannot see the pictures, and nobody could describe them",
}
"""Everyday words for a kind of failure."""

UNSENT = "not asked"
"""Outcome of a request that was never sent."""

UNUSABLE = {Finish.EMPTY: "empty answer", Finish.INCOMPLETE: "answer broken off"}
"""Outcomes of a call that returned no usable answer."""


_GOES_ON = frozenset("though although but except however only apart".split())

DIGITS = ((1.0, 2), (0.0001, 4))
"""Least sum in dollars -> digits after its point; a smaller one is said to be under the last."""


def money(dollars: float | None) -> str:
    """Dollars, with as many digits as the sum needs; `unknown` where no price is known."""
    if dollars is None:
        return "unknown"
    if not dollars:
        return "$0"
    found = next((digits for least, digits in DIGITS if dollars >= least), None)
    return f"under ${DIGITS[-1][0]}" if found is None else f"${dollars:,.{found}f}"


def cost(tally: Tally) -> str:
    """Cost of some calls; calls of unknown price are named, never counted as free."""
    if not tally.unpriced:
        return money(tally.cost_usd) if tally.cost_usd is not None else "nothing billed"
    if tally.cost_usd is None:
        return "unknown"
    return f"{money(tally.cost_usd)} + {plural(tally.unpriced, 'call')} of unknown price"


def seconds(milliseconds: int | None) -> str:
    """A duration; empty if it is not known."""
    return "" if milliseconds is None else f"{milliseconds / 1000:.1f} s"


NOT_WAITED_FOR = "not waited for"
"""Outcome of a panelist that was late; it may not have failed."""

_PLURALS = {"try": "tries", "query": "queries"}


def plural(n: int, noun: str) -> str:
    """A number with its noun: `1 call`, `1,200 tokens`."""
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {_PLURALS.get(noun, f'{noun}s')}"


def reason(response: Response) -> str:
    """Reason why a response is not an answer, in a word or two."""
    return reason_for(response.finish, response.error_kind)


def reason_for(finish: Finish, kind: ErrorKind | None) -> str:
    """Reason why there is no answer, where a call ended in this way."""
    if finish is Finish.UNSENT and kind is not ErrorKind.UNSEEN:
        return UNSENT
    if finish is Finish.LATE:
        return NOT_WAITED_FOR
    if kind is None and finish is Finish.COMPLETE:
        return Finish.FAILED.value  # files of earlier programs tell only that there was an error
    if kind is ErrorKind.CONNECTION and finish is Finish.INCOMPLETE:
        return UNUSABLE[Finish.INCOMPLETE]  # there was a connection, and half an answer
    if kind is ErrorKind.BAD_RESPONSE:
        return UNUSABLE.get(finish, "unusable answer")
    return REASONS.get(kind, kind.value) if kind else finish.value


def effort(response: Response) -> str:
    """Effort of a failed call in all: `3 tries in 2.3 s`; empty if unknown."""
    if not response.tries:
        return ""
    if not response.attempts:
        return seconds(response.latency_ms)
    own = sum(a.latency_ms for a in response.attempts) + (response.latency_ms or 0)
    waited = (response.timestamp - response.attempts[0].started_at).total_seconds()
    took = seconds(max(own, int(waited * 1000)))  # clocks may have been set back
    return f"{plural(response.tries, 'try')} in {took}"


def explanation(response: Response) -> str:
    """Reason why a response is not an answer, in a sentence that does not repeat `reason`."""
    error = (response.error or "").removeprefix(f"{reason(response)}: ")
    return one_line(error or f"the answer was {response.finish.value}")


def overlap(level: float) -> str:
    """Word for a degree of agreement."""
    return "high" if level >= HIGH else "medium" if level >= MEDIUM else "low"


OF_A_REVIEW = {REVIEW: "finding", CHECK: "checking"}


def round_name(number: int, role: str = "", mode: str = "") -> str:
    """Name of a round; the steps of a review have names of their own."""
    if mode == REVIEW_MODE and role in OF_A_REVIEW:
        part = f", part {number + 1}" if number and role == REVIEW else ""
        return f"{OF_A_REVIEW[role]}{part}"
    if role not in ("", "initial", "reflection"):
        return {"follow_up": "follow-up"}.get(role, role)
    return "synthesis" if number < 0 else "initial answers" if number == 0 else f"round {number}"


def response_name(key: str) -> str:
    """Name of the response with a key: `claude, round 1`; files may have other keys."""
    number, _, rest = key.partition("/")
    role, _, seat = rest.partition("/")
    if not seat or not number.removeprefix("-").isdecimal():
        return one_line(key, 60)
    # Cut, since the number in a stranger's file may have any length.
    place = "initial answer" if role == "initial" else round_name(int(number[:9]), role)
    return one_line(f"{seat}, {place}", 60)


def clip(text: str, most: int) -> str:
    """The text on one line, cut after a word if it is much too long."""
    flat = one_line(text, max(4 * most, 400))
    if len(flat) <= most:
        return flat
    head = flat[:most]
    at = head.rfind(" ")
    return f"{(head[:at] if at > most // 2 else head).rstrip(' ,;:.-')}…"


def join_names(items: list[str]) -> str:
    """Names in a sentence: `a, b and c`."""
    return " and ".join(filter(None, (", ".join(items[:-1]), *items[-1:])))


def with_remark(word: str, remark: str) -> str:
    """A word and the remark beside it: `partly: hiring`, but `nothing, though I am less sure`."""
    if not remark:
        return word
    goes_on = remark.split(maxsplit=1)[0].casefold().rstrip(",") in _GOES_ON
    return f"{word}, {remark}" if goes_on else f"{word}: {remark}"
