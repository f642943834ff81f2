"""A debate as a decision record: what was decided, against what, and what would change it.

Every part is a view of what is on record; a part on which the record says nothing is left out.
"""

from __future__ import annotations

from collections.abc import Iterator

from mutual_dissent.analysis.ledger.lookup import ledger_of
from mutual_dissent.core.events import Status
from mutual_dissent.core.measures import AGREE
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.text.markdown_inert import inert, inert_line
from mutual_dissent.text.markdown_lines import keep_breaks
from mutual_dissent.text.sanitize import one_line
from mutual_dissent.views.account import account, corrections, in_dispute
from mutual_dissent.views.answer import answer, is_review, subject_of
from mutual_dissent.views.heading import evidence_warning, turned_out
from mutual_dissent.views.markdown import options_rated, record
from mutual_dissent.views.panel.names import letters, name, names, replace_letters
from mutual_dissent.views.panel.positions import Group, Positions, standing
from mutual_dissent.views.phrases import clip
from mutual_dissent.views.remarks.earlier import earlier_lines
from mutual_dissent.views.remarks.notes import remarks
from mutual_dissent.views.remarks.readable import named_text
from mutual_dissent.views.remarks.user_questions import missing

LINE = 600
"""Characters of a line, about."""
VERDICTS = "What each says of the text"
PROVENANCE = ("panel", "synthesizer", "mode", "version", "transcript")


def to_adr(t: Transcript) -> str:
    """The decision record of a debate, in Markdown."""
    stands = standing(t)
    title = one_line(subject_of(t), 120)
    decided = answer(t)
    # The debate itself goes on: an outcome may be put on record a year later.
    date = decided.timestamp if decided else t.updated_at or t.created_at
    parts = {
        "Status": [_status(t, stands), *_earlier(t)],
        "Date": [f"{date:%Y-%m-%d}"],
        "Context": list(_context(t, title)),
        "Decision": list(_decision(t, stands)),
        # A review has findings, not options: what its reviewers say of the text is no choice.
        VERDICTS: _bullets(list(account(t).holds)) if is_review(t) else [],
        "Options considered": [] if is_review(t) else _rated(t) + _bullets(_options(t, stands)),
        "Consequences": _bullets([turned_out(t)]),
        "Dissent": _bullets(_dissent(t, stands)),
        "What would change it": _bullets(missing(t)),
        "Provenance": _bullets(_provenance(t, stands)),
    }
    sections = [f"## {head}\n\n" + "\n".join(lines) for head, lines in parts.items() if lines]
    return "\n\n".join([f"# {inert_line(title) or 'Decision'}", *sections]) + "\n"


def _status(t: Transcript, s: Positions) -> str:
    """Status of a decision: a panel proposes; whether that was accepted is not on record."""
    if t.status is not Status.COMPLETED:
        return f"unfinished ({t.status.value})"
    if answer(t) is None:
        return "undecided"
    return "proposed; the panel is split" if s.is_tied and s.is_divided else "proposed"


def _earlier(t: Transcript) -> list[str]:
    """Earlier debates on the matter: superseded, contradicted, confirmed, or only named."""
    lines = _bullets(earlier_lines(t))
    return ["", *lines] if lines else []


def _context(t: Transcript, title: str) -> Iterator[str]:
    """The question where the title has not room for it, what nobody denies, what the user said."""
    if title != subject_of(t).strip():
        yield inert(t.query)
        yield ""
    if t.brief.context:
        yield f"Attached: {inert_line(', '.join(a.name for a in t.brief.context))}"
        yield ""
    for remark in t.remarks:
        yield f"Said in the debate: {inert_line(clip(remark, LINE))}"
        yield ""
    ledger = ledger_of(t)
    if ledger and ledger.source == "analyst" and ledger.common_ground:
        yield "Nobody denies:"
        yield ""
        yield from _bullets(
            [replace_letters(s.statement, letters(t)) for s in ledger.common_ground]
        )


def _decision(t: Transcript, s: Positions) -> Iterator[str]:
    shown = answer(t)
    if shown is None:
        return
    bottom = shown.bottom_line or (s.groups[0].statement if s.is_unanimous else "")
    if bottom:
        yield f"**{inert_line(clip(replace_letters(bottom, letters(t)), LINE))}**"
        yield ""
    yield keep_breaks(inert(named_text(t, shown)))


def _rated(t: Transcript) -> list[str]:
    """The table of options by criteria, where the panel rated them."""
    lines = options_rated(t)
    return [*lines, "", "Recommended in the end:", ""] if lines else []


def _options(t: Transcript, s: Positions) -> Iterator[str]:
    """Every position with its holders, and those that were given up in the debate."""
    for group in s.groups:
        if group.statement:
            yield f"{group.statement.rstrip('. ')} ({_holders(t, group)} of {s.answers})"
    if s.silent:
        yield f"no position: {names(t, s.silent)}"
    for line in corrections(t, ledger_of(t)):
        yield f"changed in the debate: {line}"


def _holders(t: Transcript, group: Group) -> str:
    words = f", in the words of {name(t, group.spokesman)}" if group.spokesman else ""
    return f"{names(t, group.seats)}{words}: {len(group.seats)}"


def _dissent(t: Transcript, s: Positions) -> Iterator[str]:
    """Positions beside the one decided on, contested issues, and claims that were not taken up."""
    if is_review(t):
        return
    decided = _decided_on(t, s)
    for i, group in enumerate(s.groups):
        if group is decided:
            continue
        # How far they are from the first is all that is known, and so it is with that one's view.
        relation = decided.relation if decided and i == 0 else group.relation
        if relation in ("other", "partly"):
            how = "in part another view" if relation == "partly" else "another view"
            words = f": {group.statement}" if group.statement else ""
            yield f"{names(t, group.seats)}, {how}{words}"
    yield from in_dispute(t, ledger_of(t))


def _decided_on(t: Transcript, s: Positions) -> Group | None:
    """The position that the answer takes by its writer's own account, where it is not the first."""
    final = t.synthesis.closing if t.synthesis else None
    agreeing = {v.seat for v in final.views if v.relation == AGREE} if final else set()
    taken = [g for g in s.groups if agreeing.issuperset(g.seats)]
    return taken[0] if taken and taken[0] is not s.groups[0] else None


def _provenance(t: Transcript, s: Positions) -> Iterator[str]:
    facts = dict(record(t))
    yield from (f"{k}: {facts[k]}" for k in PROVENANCE if facts.get(k))
    told = account(t)
    yield f"cost: {told.cost.removeprefix('cost ')}" if told.cost else ""
    yield f"the panel: {told.headline}" if told.headline else ""
    yield evidence_warning(t)
    yield from (*t.brief.notices, *remarks(t))


def _bullets(lines: Iterator[str] | list[str]) -> list[str]:
    return [f"- {inert_line(clip(line, LINE))}" for line in dict.fromkeys(lines) if line]
