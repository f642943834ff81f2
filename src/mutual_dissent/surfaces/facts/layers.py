"""The four layers of a debate with what was said about it: closing lines, account and ledger."""

from __future__ import annotations

from typing import Any

from mutual_dissent.analysis.recorded import consensus_of
from mutual_dissent.core.closing import Closing
from mutual_dissent.core.response import Response
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.surfaces.facts.accounts import account_to_json
from mutual_dissent.surfaces.facts.circumstances import circumstances
from mutual_dissent.views.aliases import Letters, letters, named
from mutual_dissent.views.four_layers import recorded_layers
from mutual_dissent.views.panel_tables import critique_points, estimate_words
from mutual_dissent.views.safe import one_line, plain

Json = dict[str, Any]
LONGEST = 400


def layers(t: Transcript, round_number: int | None = None) -> Json:
    """The four layers of the last ended round, or of the one that is named.

    `decision` is null before a round has ended.
    """
    found, said = recorded_layers(t, round_number), account_to_json(t)
    round_ = t.round(found["roundNumber"])
    answers = {r.model_alias: r for r in round_.usable} if round_ else {}
    agents = [_agent(t, a, answers.get(a["agentId"])) for a in found["agentResponses"]]
    return {
        **found,
        "decision": found["decision"] if found["roundNumber"] in consensus_of(t) else None,
        "agentResponses": agents,
        "heading": said["account"]["headline"],
        "account": said["account"],
        "ledger": said["ledger"],
        **circumstances(t),
    }


def closing_to_json(t: Transcript, r: Response) -> Json:
    """What an answer says of itself in its closing lines; what it does not say is left out."""
    who = letters(t, r)
    stance = {"stance": plain(r.stance)} if r.stance else {}
    return {**stance, **(_closing(r.closing, who) if r.closing else {})}


def part_to_json(t: Transcript, r: Response) -> Json:
    """An author's part in the debate, its vote and its critique; what it has not is left out."""
    known = {"agentRole": r.agent_role, "perspective": r.perspective, "team": r.team}
    found: Json = {k: one_line(v, LONGEST) for k, v in known.items() if v}
    if r.ballot:
        found["ballot"] = [list(level) for level in r.ballot]
    if critique := critique_points(t, r):
        found["critique"] = critique
    return found


def _agent(t: Transcript, agent: Json, r: Response | None) -> Json:
    return {**agent, **closing_to_json(t, r), **part_to_json(t, r)} if r else agent


def _closing(closing: Closing, who: Letters) -> Json:
    views = {v.seat: _told(v.relation, v.about, who) for v in closing.views}
    change = closing.change
    return {
        **({"estimate": estimate_words(closing.estimate)} if closing.estimate else {}),
        **({"onTheOthers": views} if views else {}),
        **({"changed": _told(change.kind, change.what, who)} if change else {}),
    }


def _told(word: str, more: str, who: Letters) -> str:
    """A word, and what is said beside it: `partly: hiring`."""
    said = one_line(named(more, who), LONGEST)
    return f"{word}: {said}" if said else word
