"""The value meter in words: the answers of cheaper ways, and their cost."""

from __future__ import annotations

from dataclasses import dataclass

from mutual_dissent.analysis.scores.value import (
    BEST_SINGLE,
    LARGEST,
    PLAIN_VOTE,
    STOP_EARLY,
    TWO_FIRST,
    UNKNOWN_LEADER,
    Alternative,
    Spent,
    Value,
)
from mutual_dissent.core.figures.stats import Tally
from mutual_dissent.text.sanitize import one_line
from mutual_dissent.views.phrases import cost, join_names, plural

NAMES = {
    BEST_SINGLE: "best single answer",
    PLAIN_VOTE: "plain vote",
    STOP_EARLY: "stop after the initial answers",
    TWO_FIRST: "ask two first",
}
SAME = {
    True: "another outcome than the debate's",
    False: "the same outcome as the debate's",
    None: "whether the debate's is the same was not measured",
}

NOTHING = "not measured"
"""Outcome of a way that has no one answer to compare."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueRow:
    """One way to an answer beside the debate's own."""

    name: str
    whose: str
    outcome: str
    price: str
    answer: str


def worth_lines(value: Value) -> list[ValueRow]:
    """The cheaper ways of which something is known, each in a line."""
    return [_line(a) for a in value.alternatives if _is_known(a)]


def _is_known(a: Alternative) -> bool:
    """Return whether its answer could be known: only a judge or a vote tells who is best alone."""
    return a.basis != UNKNOWN_LEADER and not (a.name == BEST_SINGLE and a.basis == LARGEST)


def value_sentence(value: Value) -> str:
    """Sentence on whether deliberating changed what cheaper ways would have returned."""
    return value.summary


def price(spent: Spent) -> str:
    """Calls and dollars: `4 calls, $0.0124`."""
    tally = Tally(calls=spent.calls, cost_usd=spent.cost_usd, unpriced=spent.unpriced)
    known = cost(tally)
    return f"{plural(spent.calls, 'call')}, {'cost unknown' if known == 'unknown' else known}"


def _whose(a: Alternative) -> str:
    """The answer that the way would have returned: whose, and why that one."""
    who = join_names([one_line(s, 40) for s in a.seats])
    if a.basis == LARGEST:
        return f"the first answer of {who}, of the largest group"
    if a.basis.startswith("held by "):
        return f"what {who} held at first ({a.basis.removeprefix('held by ')})"
    if a.answer is None and "tie" not in a.basis:
        return f"no one answer: whether {who} agree was not measured"
    if a.answer is None:
        return f"no one answer: {a.basis} ({who})"
    return f"the first answer of {who}: {a.basis}"


def _line(a: Alternative) -> ValueRow:
    gain = f" ({a.gain:+.1f} by deliberating)" if a.gain is not None else ""
    return ValueRow(
        name=NAMES.get(a.name, a.name),
        whose=_whose(a),
        outcome=f"{SAME[a.changed] if a.answer else NOTHING}{gain}",
        price=price(a.spent),
        answer=one_line(a.answer or ("a tie" if a.changed else "not measured"), 160),
    )
