"""A debate as one HTML file to share: no script, nothing from elsewhere, readable in any browser.

All text of models and users passes through `markup`; the policy in the head forbids anything
that could come through nevertheless.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mutual_dissent.core.figures.stats import stats
from mutual_dissent.core.response import SYNTHESIS_ROUND, Response
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.text.markdown_html import to_markup, words
from mutual_dissent.text.markdown_lines import keep_breaks
from mutual_dissent.text.sanitize import one_line
from mutual_dissent.views.account import CHECKED, NOT_CHECKED, account
from mutual_dissent.views.answer import answer, subject_of
from mutual_dissent.views.documents.html_style import STYLE, policy
from mutual_dissent.views.findings import decision_words, findings, title_of_changes, worth
from mutual_dissent.views.markdown import facts, in_panel_order, record
from mutual_dissent.views.movement import leader, moves
from mutual_dissent.views.panel.names import name, with_names
from mutual_dissent.views.panel.options_table import RATED, options_table
from mutual_dissent.views.panel.own_seat import YOURS
from mutual_dissent.views.panel.tables import panel_tables
from mutual_dissent.views.phrases import cost, explanation, reason, round_name
from mutual_dissent.views.remarks.citations import cite_answer, sources
from mutual_dissent.views.remarks.earlier import EARLIER
from mutual_dissent.views.remarks.notes import TOLD, asides, remarks, remarks_in
from mutual_dissent.views.remarks.readable import closing_words, named_text
from mutual_dissent.views.remarks.user_questions import requests
from mutual_dissent.views.research.one import figures
from mutual_dissent.views.scores import score_findings, score_rows
from mutual_dissent.views.value import price, value_sentence, worth_lines


@dataclass(frozen=True, slots=True, kw_only=True)
class Staging:
    """Additions that turn the report into a page that plays the debate.

    Attributes:
        times: round, role and seat of an answer -> when it was asked for, begun and there.
        opening: markup under the answer, which nobody has to wait for; `closing` comes last.
        style: rules after the report's own; `script` is the only script that may run.
    """

    times: Mapping[tuple[int, str, str], tuple[float, float, float]] = field(default_factory=dict)
    opening: str = ""
    closing: str = ""
    style: str = ""
    script: str = ""


STILL = Staging()
WIDE = 4
"""Columns that a phone has room for; tables with more are scrolled."""


def to_html(t: Transcript, staging: Staging = STILL) -> str:
    """The report of a debate."""
    parts = (
        _opening(t), _answer(t, staging), [staging.opening], _options_rated(t), _account(t),
        _notes(t), _decision(t), _agreement(t), _figures(t), _movement(t), _scores(t),
        _worth(t), _rounds(t, staging), _sources(t), _costs(t), _record(t), [staging.closing],
    )  # fmt: skip
    body = "\n".join(line for part in parts for line in part if line)
    return page(subject_of(t), body, style=STYLE + staging.style, script=staging.script)


def page(title: str, body: str, *, style: str = STYLE, script: str = "") -> str:
    """A whole page around some markup, with a policy that allows this style and script alone."""
    runs = f"\n<script>{script}</script>" if script else ""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy(style, script)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{words(title, 120) or 'Debate'}</title>\n<style>{style}</style>\n</head>\n"
        f"<body>\n<main>\n{body}\n</main>{runs}\n</body>\n</html>\n"
    )


def to_fragment(t: Transcript) -> str:
    """Summary of a debate as a part of another page: without style and scripts."""
    parts = (_opening(t), _answer(t, STILL), _options_rated(t), _account(t), _notes(t))
    summary = account(t)
    body = "\n".join(line for part in parts for line in part)
    return f"<div>\n{body}\n<p><small>{words(summary.cost)}</small></p>\n</div>\n"


def _opening(t: Transcript) -> Iterator[str]:
    query = subject_of(t)
    title = one_line(query, 160)
    yield f"<h1>{words(title, 160) or 'Debate'}</h1>"
    yield f'<p class="muted">{words(account(t).headline, 1600)}</p>'
    if title != query.strip():
        yield f'<h2>Question</h2><div class="said">{to_markup(query)}</div>'


def _answer(t: Transcript, staging: Staging) -> Iterator[str]:
    shown = answer(t)
    text = (
        to_markup(keep_breaks(cite_answer(t, shown)), 3) if shown else "<p>There is no answer.</p>"
    )
    when = _when(staging, t.synthesis) if shown is t.synthesis else ""
    yield f'<h2>Answer</h2><div class="answer said"{when}>{text}</div>'


def _options_rated(t: Transcript) -> Iterator[str]:
    found = options_table(t)
    if found:
        head, *rows = found.rows
        yield f"<h2>{RATED}</h2>{_table(head, rows)}"
        yield _bullet_list(found.notes)


def _account(t: Transcript) -> Iterator[str]:
    """Positions, corrections and open issues."""
    summary = account(t)
    for title, lines in (
        ("Who holds what", summary.holds),
        (title_of_changes(t), summary.corrected),
        ("Open", summary.open),
        (CHECKED, summary.citations),
        (NOT_CHECKED, summary.unchecked),
        (EARLIER, summary.earlier),
        (YOURS, summary.yours),
    ):
        if lines:
            yield f"<h2>{title}</h2>{_bullet_list(lines)}"


def _decision(t: Transcript) -> Iterator[str]:
    last = findings(t)
    if last is None:
        return
    made = last.decision
    yield f"<h2>Decision</h2><p><strong>{words(decision_words(made))}</strong>: "
    yield f"{words(with_names(t, made.reason))}</p>"


def _agreement(t: Transcript) -> Iterator[str]:
    """Views that panelists have of each other, after the last round in which any is known."""
    told = [r for r in panel_tables(t)["rounds"] if any(_relations(row) for row in r["rows"])]
    if not told:
        return
    last, seats = told[-1], told[-1]["seats"]
    rows = [
        [name(t, row["seat"]), *("" if s == row["seat"] else _relation(row, s) for s in seats)]
        for row in last["rows"]
    ]
    yield f"<h2>Agreement, {words(last['name'])}</h2>"
    yield _table(["", *(f"on {name(t, s)}" for s in seats)], rows)


def _relation(row: dict[str, Any], seat: str) -> str:
    return _relations(row).get(seat, "not known")


def _relations(row: dict[str, Any]) -> dict[str, str]:
    """Seats that a panelist has a view of -> agree, partly or disagree."""
    return {v["seat"]: v["relation"] for v in row["views"] if v["relation"]}


def _notes(t: Transcript) -> Iterator[str]:
    notes = [*t.brief.notices, *remarks(t), *requests(t)]
    if notes:
        yield f"<h2>Notes</h2>{_bullet_list(notes)}"


def _figures(t: Transcript) -> Iterator[str]:
    shown = [f for f in figures(t) if f.has_data]
    if shown:
        yield "<h2>Figures</h2>"
    for f in shown:
        note = f'<p class="muted small">{words(f.note)}</p>' if f.note else ""
        # On a phone it keeps its size and scrolls, which keys can do, too.
        drawn = f'<div class="scroll" tabindex="0" role="region" aria-label="{words(f.title)}">'
        yield (
            f"<figure><figcaption>{words(f.title)}</figcaption>{drawn}{f.svg}</div>{note}</figure>"
        )


def _movement(t: Transcript) -> Iterator[str]:
    rows = [[m.seat, m.words] for m in moves(t)]
    if rows:
        yield "<h2>Movement</h2>"
        yield _table(["seat", "what it changed"], rows)
        yield f"<p>{words(leader(t))}</p>" if leader(t) else ""


def _scores(t: Transcript) -> Iterator[str]:
    rows = score_rows(t)
    if not rows:
        return
    dimensions = list(t.brief.rubric.dimensions)
    marks = [[_mark(r.marks[d]) for d in dimensions] for r in rows]
    cells = [[f"{r.seat}, {r.place}", *m, r.explanation] for r, m in zip(rows, marks, strict=True)]
    yield f"<h2>Scores</h2>{_table(['response', *dimensions, 'explanation'], cells)}"
    yield _bullet_list(score_findings(t))


def _mark(mark: int | None) -> str:
    return "not readable" if mark is None else str(mark)


def _worth(t: Transcript) -> Iterator[str]:
    value = worth(t)
    if value is None:
        return
    rows = [
        [w.name, with_names(t, w.whose), w.answer, w.outcome, w.price] for w in worth_lines(value)
    ]
    head = ["instead of deliberating", "whose", "it would have said", "compared", "cost"]
    yield f"<h2>Value</h2><p>{words(value_sentence(value))}</p>{_table(head, rows)}"
    yield f'<p class="muted">The debate took {words(price(value.spent))}.</p>'


def _rounds(t: Transcript, staging: Staging) -> Iterator[str]:
    if t.rounds:
        yield "<h2>Rounds</h2>"
    for round_ in t.rounds:
        name = round_name(round_.round_number, round_.round_type, t.brief.mode)
        yield from _user_remarks(t, round_.round_number)
        yield f"<h3>{words(name, 60).capitalize()}</h3>"
        shown = (*asides(t, round_.round_number), *round_.responses)
        yield from (_response(t, r, _when(staging, r)) for r in shown)
    yield from _user_remarks(t, SYNTHESIS_ROUND)
    others = [*asides(t, SYNTHESIS_ROUND), *t.failed_syntheses]
    if others:
        yield "<h3>Synthesis</h3>"
        yield from (_response(t, r, _when(staging, r)) for r in others)


def _user_remarks(t: Transcript, round_number: int) -> Iterator[str]:
    """Remarks of the user to the panel before this round."""
    if texts := remarks_in(t, round_number):
        yield f"<h3>{TOLD.capitalize()}</h3>"
        yield from (f'<div class="said">{to_markup(keep_breaks(text))}</div>' for text in texts)


def _when(staging: Staging, r: Response | None) -> str:
    """Attributes that say whose answer it is and when it came."""
    times = staging.times.get((r.round_number, r.role, r.model_alias)) if r else None
    if r is None or times is None:
        return ""
    asked, begun, there = times
    return (
        f' data-seat="{words(r.model_alias, 60)}" data-asked="{asked:.2f}" '
        f'data-begun="{begun:.2f}" data-there="{there:.2f}"'
    )


def _response(t: Transcript, r: Response, when: str) -> str:
    about = " · ".join(words(x) for x in facts(r))
    text = (
        f'<div class="said">{to_markup(keep_breaks(named_text(t, r)))}</div>' if r.content else ""
    )
    why = "" if r.usable else f'<p class="wrong">{words(f"{reason(r)}: {explanation(r)}")}</p>'
    comes_to = "".join(f'<p class="muted">{words(x, 1000)}</p>' for x in closing_words(t, r))
    cites = _bullet_list([c.url for c in r.citations]) if r.usable and r.citations else ""
    return (
        f"<details{when}><summary>{words(name(t, r.model_alias), 60)} "
        f'<span class="muted small">{about}</span></summary>{why}{text}{comes_to}{cites}</details>'
    )


def _sources(t: Transcript) -> Iterator[str]:
    shown = [f"{c.title} {c.url}" if c.title else c.url for c in sources(t)]
    if shown:
        yield f"<h2>Sources</h2><ol>{''.join(f'<li>{words(s)}</li>' for s in shown)}</ol>"


def _costs(t: Transcript) -> Iterator[str]:
    figures_ = stats(t)
    if not figures_.per_seat:
        return
    models = {p.seat: p.model_id for p in reversed(t.brief.everyone)}
    lines = [*in_panel_order(t, figures_), ("total", figures_.total)]
    rows = [
        [name(t, seat), models.get(seat, ""), f"{x.calls:,}", f"{x.input_tokens:,}",
         f"{x.output_tokens:,}", cost(x)]
        for seat, x in lines
    ]  # fmt: skip
    head = ["seat", "model", "calls", "tokens in", "tokens out", "cost"]
    yield f"<h2>Cost</h2>{_table(head, rows)}"


def _record(t: Transcript) -> Iterator[str]:
    rows = [[name, value] for name, value in record(t) if value]
    yield f"<h2>Record</h2>{_table([], rows)}"


def _bullet_list(lines: Iterable[str]) -> str:
    return f"<ul>{''.join(f'<li>{words(line)}</li>' for line in lines)}</ul>"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    top = f"<thead><tr>{''.join(f'<th>{words(h)}</th>' for h in head)}</tr></thead>" if head else ""
    body = "".join("<tr>" + "".join(f"<td>{words(c)}</td>" for c in r) + "</tr>" for r in rows)
    # What scrolls can be reached by keys, too.
    wide = ' wide" tabindex="0' if len(head) > WIDE else ""
    return f'<div class="scroll{wide}"><table>{top}<tbody>{body}</tbody></table></div>'
