"""Small phrases that every view says in the same way: money, time, reasons, rounds."""

from __future__ import annotations

from mutual_dissent.core.response import Finish, Response
from mutual_dissent.core.stats import Tally
from mutual_dissent.views.safe import one_line

HIGH, MEDIUM = 0.7, 0.4


def money(dollars: float | None) -> str:
    """Dollars, with as many digits as the sum needs; `unknown` where no price is known."""
    if dollars is None:
        return "unknown"
    if dollars >= 1:
        return f"${dollars:,.2f}"
    if 0 < dollars < 0.0001:
        return "under $0.0001"
    return f"${dollars:.4f}" if dollars else "$0"


def cost(tally: Tally) -> str:
    """What some calls cost; calls of unknown price are said, never counted as free."""
    if not tally.unpriced:
        return money(tally.cost_usd) if tally.cost_usd is not None else "nothing billed"
    if tally.cost_usd is None:
        return "unknown"
    return f"{money(tally.cost_usd)} + {plural(tally.unpriced, 'call')} of unknown price"


def seconds(milliseconds: int | None) -> str:
    """A duration; empty where it is not known."""
    return "" if milliseconds is None else f"{milliseconds / 1000:.1f} s"


def plural(n: int, noun: str) -> str:
    """A number with its noun: `1 call`, `1,200 tokens`."""
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def reason(response: Response) -> str:
    """Why a response is no answer, in a word."""
    if response.error_kind is None and response.finish is Finish.COMPLETE:
        return Finish.FAILED.value  # files of earlier programs tell only that there was an error
    return (response.error_kind or response.finish).value


def explanation(response: Response) -> str:
    """Why a response is no answer, in a sentence."""
    return one_line(response.error or f"the answer was {response.finish.value}")


def overlap(level: float) -> str:
    """What a degree of agreement is called."""
    return "high" if level >= HIGH else "medium" if level >= MEDIUM else "low"


def round_name(number: int, role: str = "") -> str:
    """What a round is called."""
    if role not in ("", "initial", "reflection"):
        return role
    return "synthesis" if number < 0 else "initial answers" if number == 0 else f"round {number}"


def response_name(key: str) -> str:
    """What the response with a key is called: `claude, round 1`."""
    number, role, seat = key.split("/", 2)
    place = "initial answer" if role == "initial" else round_name(int(number), role)
    return one_line(f"{seat}, {place}", 60)


def listed(items: list[str]) -> str:
    """Names in a sentence: `a, b and c`."""
    return " and ".join(filter(None, (", ".join(items[:-1]), *items[-1:])))
