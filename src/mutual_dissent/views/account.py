"""What is said about a debate in words, once for all views."""

from __future__ import annotations

from dataclasses import dataclass

from mutual_dissent.core.stats import Tally, stats
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.views.heading import heading
from mutual_dissent.views.measures import findings
from mutual_dissent.views.phrases import cost, listed, plural
from mutual_dissent.views.safe import one_line


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """What stands above and under an answer; each part is empty where there is nothing to say.

    Attributes:
        headline: what the panel holds, in words.
        holds: who holds what, a group a line, the largest first.
        corrected: what panelists corrected in the debate.
        open: what stays open, and what would settle it.
        cost: what it cost.
        source: how it is known who agrees with whom.
    """

    headline: str
    holds: tuple[str, ...] = ()
    corrected: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    cost: str = ""
    source: str = ""


def account(t: Transcript) -> Account:
    """What is said about a debate, by every view in the same words."""
    return Account(headline=heading(t), holds=_holds(t), cost=_cost(stats(t).total))


def _holds(t: Transcript) -> tuple[str, ...]:
    found = findings(t)
    groups = found.consensus.clusters if found else ()
    return tuple(
        f"{listed([one_line(m, 40) for m in g.members])}: {one_line(g.summary, 400)}"
        for g in groups
    )


def _cost(total: Tally) -> str:
    return f"{cost(total)} for {plural(total.calls, 'call')}" if total.calls else ""
