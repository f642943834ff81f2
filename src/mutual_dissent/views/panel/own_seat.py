"""The fate of the user's own answer, where it sat on the panel."""

from __future__ import annotations

from collections.abc import Iterator

from mutual_dissent.core.closing import Relation
from mutual_dissent.core.measures import AGREE, DISAGREE, PARTLY
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.views.findings import findings
from mutual_dissent.views.panel.names import in_panel_order, names

YOURS = "How your answer fared"
_FINAL: dict[Relation, str] = {
    "agree": "The final answer has your position.",
    "partly": "The final answer has your position in part.",
    "disagree": "The final answer does not have your position.",
}


def own_fate(t: Transcript) -> tuple[str, ...]:
    """Lines on who agreed with the user, who changed because of it, and what the answer has."""
    me = t.brief.me
    if me is None or t.latest_of(me.seat) is None:
        return ()
    return tuple(line for line in (_agreed(t, me.seat), *_moved(t, me.seat), _final(t, me.seat))
                 if line)  # fmt: skip


def _agreed(t: Transcript, me: str) -> str:
    last = findings(t)
    pairs = [p for p in last.consensus.pairs if me in (p.a, p.b)] if last else []
    said = {relation: [p.b if p.a == me else p.a for p in pairs if p.relation == relation]
            for relation in (AGREE, PARTLY, DISAGREE)}  # fmt: skip
    words = []
    if said[AGREE]:
        words.append(f"{_who(t, said[AGREE])} {_verb(said[AGREE], 'agrees', 'agree')} with you")
    if said[PARTLY]:
        verb = "" if words else f" {_verb(said[PARTLY], 'agrees', 'agree')} with you"
        words.append(f"{_who(t, said[PARTLY])}{verb} in part")
    if said[DISAGREE]:
        also = "" if words else " agree with you"
        verb = _verb(said[DISAGREE], "does not", "do not")
        words.append(f"{_who(t, said[DISAGREE])} {verb}{also}")
    return f"{'; '.join(words)}." if words else ""


def _moved(t: Transcript, me: str) -> Iterator[str]:
    moved = [
        r.model_alias
        for round_ in t.rounds
        for r in round_.usable
        if r.closing and (c := r.closing.change) and c.kind != "nothing" and me in c.because_of
    ]
    if moved:
        yield f"{_who(t, dict.fromkeys(moved))} changed something because of you."


def _final(t: Transcript, me: str) -> str:
    closing = t.synthesis.closing if t.synthesis else None
    view = closing.view_of(me) if closing else None
    return _FINAL[view.relation] if view else ""


def _who(t: Transcript, seats: list[str] | dict[str, None]) -> str:
    return names(t, in_panel_order(t, seats))


def _verb(seats: list[str], one: str, many: str) -> str:
    return one if len(seats) == 1 else many
