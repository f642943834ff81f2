"""A debate as one Markdown document: the answer first, then everything it rests on."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator

from mutual_dissent.analysis.ledger.lookup import ledger_of
from mutual_dissent.core.figures.stats import Stats, Tally, stats
from mutual_dissent.core.response import SYNTHESIS_ROUND, Response
from mutual_dissent.core.transcript import Round, Transcript
from mutual_dissent.text.markdown_inert import inert, inert_line
from mutual_dissent.text.markdown_lines import keep_breaks
from mutual_dissent.text.sanitize import one_line
from mutual_dissent.views.account import CHECKED, NOT_CHECKED, account
from mutual_dissent.views.answer import answer, subject_of
from mutual_dissent.views.findings import (
    RoundFindings,
    agreement_basis,
    decision_words,
    findings,
    last_agreement,
    title_of_changes,
    worth,
)
from mutual_dissent.views.heading import evidence_warning
from mutual_dissent.views.movement import leader, moves
from mutual_dissent.views.panel.ledger_words import ledger_words
from mutual_dissent.views.panel.names import name, with_names
from mutual_dissent.views.panel.options_table import RATED, options_table
from mutual_dissent.views.panel.own_seat import YOURS
from mutual_dissent.views.phrases import (
    cost,
    effort,
    explanation,
    money,
    overlap,
    plural,
    reason,
    round_name,
    seconds,
)
from mutual_dissent.views.remarks.citations import cite_answer, sources
from mutual_dissent.views.remarks.earlier import EARLIER
from mutual_dissent.views.remarks.notes import SHOWN, TOLD, asides, remarks, remarks_in
from mutual_dissent.views.remarks.readable import closing_words, named_text
from mutual_dissent.views.remarks.user_questions import TITLE, answering, requests
from mutual_dissent.views.scores import ScoreRow, score_findings, score_rows
from mutual_dissent.views.value import price, value_sentence, worth_lines


def to_markdown(t: Transcript, *, full: bool = True) -> str:
    """The report of a debate.

    Args:
        full: with every response of every round; otherwise the answer and the figures alone.
    """
    sections = [
        _opening(t),
        _answer(t),
        _options_rated(t),
        _account(t),
        _notes(t),
        _requests(t),
        _decision(t),
        _agreement(t),
        _movement(t),
        _ledger(t),
        _scores(t),
        _rounds(t) if full else [],
        _sources(t),
        _worth(t),
        _costs(t),
        _record(t),
    ]
    return "\n\n".join("\n".join(lines) for lines in sections if lines) + "\n"


def _opening(t: Transcript) -> list[str]:
    query = subject_of(t)
    title = one_line(query, 120)
    whole = [] if title == query.strip() else ["", "## Query", "", inert(query)]
    return [
        f"# {inert_line(title) or 'Debate'}",
        "",
        f"**{inert_line(account(t).headline)}**",
        *whole,
    ]


def _answer(t: Transcript) -> list[str]:
    shown = answer(t)
    return [
        "## Answer",
        "",
        keep_breaks(inert(cite_answer(t, shown))) if shown else "There is no answer.",
    ]


def _options_rated(t: Transcript) -> list[str]:
    lines = options_rated(t)
    return [f"## {RATED}", "", *lines] if lines else []


def options_rated(t: Transcript) -> list[str]:
    """The table of a decision in Markdown, with the lines under it; empty without one."""
    found = options_table(t)
    if found is None:
        return []
    head, *rows = ([inert_line(c) for c in row] for row in found.rows)
    lines = [head, ["---"] * len(head), *rows]
    notes = [f"- {inert_line(note)}" for note in found.notes]
    return [*(f"| {' | '.join(row)} |" for row in lines), "", *notes]


def _account(t: Transcript) -> list[str]:
    """Positions, corrections and open issues."""
    summary = account(t)
    parts = {
        "Who holds what": summary.holds,
        title_of_changes(t): summary.corrected,
        "Open": summary.open,
        CHECKED: summary.citations,
        NOT_CHECKED: summary.unchecked,
        EARLIER: summary.earlier,
        YOURS: summary.yours,
    }
    lines: list[str] = []
    for title, lines_ in parts.items():
        if lines_:
            lines += ["", f"## {title}", "", *(f"- {inert_line(x)}" for x in lines_)]
    return lines[1:]


def _decision(t: Transcript) -> list[str]:
    last = findings(t)
    if last is None:
        return []
    made = last.decision
    why = inert_line(one_line(with_names(t, made.reason), 400))
    lines = [f"**{decision_words(made)}**: {why}"]
    lines += ["", *(f"- {inert_line(line)}" for line in _circumstances(last))]
    return ["## Decision", "", *_caveat(t), *lines]


def _circumstances(last: RoundFindings) -> Iterator[str]:
    yield one_line(last.consensus.reasoning, 400)
    if last.groupthink:
        yield f"Possible groupthink: {'; '.join(last.groupthink.indicators)}."
        yield last.groupthink.recommendation
    if last.ending:
        number, ending = last.ending
        yield f"No round after {round_name(number)}: {ending.details}."


def _ledger(t: Transcript) -> list[str]:
    """The analyst's whole reading, with every quote."""
    ledger = ledger_of(t)
    if ledger is None or ledger.source != "analyst":
        return []
    lines = [
        # Indented lines of the plain text become entries of a list.
        line if not line.startswith(" ") else f"- {line.strip()}"
        for line in map(str.rstrip, ledger_words(t, ledger).split("\n"))
    ]
    shown = [f"- {inert_line(x[2:])}" if x.startswith("- ") else inert_line(x) for x in lines]
    spaced = [x for s in shown for x in ((s, "") if s and not s.startswith("- ") else (s,))]
    return ["## As the analyst reads it", "", *spaced]


def _caveat(t: Transcript) -> list[str]:
    warning = evidence_warning(t)
    return [f"*{inert_line(warning)}*", ""] if warning else []


def _movement(t: Transcript) -> list[str]:
    rows = [[inert_line(m.seat), inert_line(m.words)] for m in moves(t)]
    if not rows:
        return []
    after = ["", inert_line(leader(t))] if leader(t) else []
    head = ["seat", "what it changed"]
    return ["## Movement", "", *_caveat(t), *_table(head, rows), *after]


def _sources(t: Transcript) -> list[str]:
    shown = [f"{c.title} {c.url}" if c.title else c.url for c in sources(t)]
    lines = [f"{n}. {inert_line(one_line(s, 400))}" for n, s in enumerate(shown, 1)]
    return ["## Sources", "", *lines] if lines else []


def _worth(t: Transcript) -> list[str]:
    value = worth(t)
    if value is None:
        return []
    rows = [
        [inert_line(x) for x in (w.name, with_names(t, w.whose), w.answer, w.outcome, w.price)]
        for w in worth_lines(value)
    ]
    head = ["instead of deliberating", "whose", "it would have said", "compared", "cost"]
    after = f"The debate took {price(value.spent)}."
    sentence = inert_line(one_line(value_sentence(value), 400))
    return ["## Value", "", *_caveat(t), sentence, "", *_table(head, rows), "", inert_line(after)]


def _notes(t: Transcript) -> list[str]:
    notes = [f"- {inert_line(n)}" for n in (*t.brief.notices, *remarks(t))]
    return ["## Notes", "", *notes] if notes else []


def _requests(t: Transcript) -> list[str]:
    lines = [f"- {inert_line(line)}" for line in requests(t)]
    after = ["", inert_line(answering(t))]
    return [f"## {TITLE.capitalize()}", "", *lines, *after] if lines else []


def _agreement(t: Transcript) -> list[str]:
    levels, how = stats(t).agreement, last_agreement(t)
    if not levels or how is None:
        return []
    rows = [
        [
            round_name(n),
            f"{level:.2f}",
            overlap(level),
            agreement_basis(t, n),
            _attendance(t.round(n)),
        ]
        for n, level in levels.items()
    ]
    head = ["round", "agreement", "level", "known", "answers"]
    return ["## Agreement", "", *_table(head, rows)]


def _attendance(round_: Round | None) -> str:
    return f"{len(round_.usable)} of {len(round_.responses)}" if round_ else ""


def _scores(t: Transcript) -> list[str]:
    rows = score_rows(t)
    if not rows:
        return []
    dimensions = list(t.brief.rubric.dimensions)
    head = ["response", *(inert_line(d) for d in dimensions), "explanation"]
    body = [_score_cells(row, dimensions) for row in rows]
    findings = [f"- {inert_line(f)}" for f in score_findings(t)]
    return ["## Scores", "", *_table(head, body), "", *findings]


def _score_cells(row: ScoreRow, dimensions: list[str]) -> list[str]:
    marks = ["not readable" if row.marks[d] is None else str(row.marks[d]) for d in dimensions]
    return [inert_line(f"{row.seat}, {row.place}"), *marks, inert_line(row.explanation)]


def _rounds(t: Transcript) -> list[str]:
    parts: list[str] = []
    for round_ in t.rounds:
        name = round_name(round_.round_number, round_.round_type, t.brief.mode)
        parts += _user_remarks(t, round_.round_number)
        parts += [f"### {inert_line(one_line(name, 60)).capitalize()}", ""]
        for response in (*asides(t, round_.round_number), *round_.responses):
            parts += [*_response(response, t), ""]
    parts += _user_remarks(t, SYNTHESIS_ROUND)
    syntheses = [*asides(t, SYNTHESIS_ROUND), *t.failed_syntheses]
    syntheses += [t.synthesis] if t.synthesis else []
    if syntheses:
        parts += ["### Synthesis", ""]
        for response in syntheses:
            shown_above = response is t.synthesis
            parts += [*_response(response, t, body=not shown_above), ""]
    return ["## Rounds", "", *parts[:-1]] if parts else []


def _user_remarks(t: Transcript, round_number: int) -> list[str]:
    """Remarks of the user to the panel before this round."""
    lines = [
        line for text in remarks_in(t, round_number) for line in (keep_breaks(inert(text, 4)), "")
    ]
    return [f"### {TOLD.capitalize()}", "", *lines] if lines else []


def _response(r: Response, t: Transcript, *, body: bool = True) -> list[str]:
    title = f"#### {inert_line(name(t, r.model_alias))}"
    about = " · ".join(inert_line(x) for x in facts(r))
    if body:
        text = keep_breaks(inert(named_text(t, r), 4)) if r.content else "(no text)"
    else:
        text = "Shown above as the answer."
    if not r.usable:
        why = f"**No answer ({inert_line(reason(r))}):** {inert_line(explanation(r))}"
        partial = ["", "What had arrived:", "", text] if r.content else []
        return [title, "", about, "", why, *partial]
    lines = [f"- {inert_line(x)}" for x in closing_words(t, r)]
    comes_to = ["", *lines] if lines else []
    return [title, "", about, "", text, *comes_to, *_citations(r)]


def _citations(r: Response) -> list[str]:
    sources = [
        inert_line(one_line(f"{c.title} {c.url}" if c.title else c.url, 400)) for c in r.citations
    ]
    listed = [f"{n}. {source}" for n, source in enumerate(sources, start=1)]
    return ["", "Sources:", "", *listed] if listed else []


def facts(r: Response) -> list[str]:
    """Facts about one response: its model, how long it took, its cost."""
    tokens = r.output_tokens if r.output_tokens is not None else r.token_count
    known = [
        SHOWN.get(r.role, ""),
        one_line(r.model_id, 80),
        f"via {one_line(r.provider, 30)}" if r.provider else "",
        f"persona {one_line(r.persona, 40)}" if r.persona else "",
        f"role {one_line(r.agent_role, 40)}" if r.agent_role else "",
        f"perspective {one_line(r.perspective, 60)}" if r.perspective else "",
        f"team {one_line(r.team, 40)}" if r.team else "",
        f"stance {one_line(r.stance, 20)}" if r.stance else "",
        f"estimate {one_line(r.closing.estimate.words, 120)}"
        if r.closing and r.closing.estimate
        else "",
        f"confidence {r.confidence:.2f}" if r.confidence is not None else "",
        f"effort {r.routing.effort}" if r.routing and r.routing.effort else "",
        f"served by {one_line(r.served_model or '', 80)}" if r.served_by_another else "",
        seconds(r.latency_ms) if r.usable else effort(r),
        f"sample {r.samples.chosen} of {r.samples.asked}" if r.samples else "",
        plural(tokens, "token") if tokens is not None and not r.samples else "",
        f"cost {money(r.cost_usd)}" if r.usable and not (r.samples or r.by_code) else "",
        r.finish.value if r.usable and r.finish.value != "complete" else "",
        plural(len(r.attempts), "failed attempt") if r.usable and r.attempts else "",
        f"flagged: {one_line('; '.join(r.flags), 200)}" if r.flags else "",
    ]
    return [k for k in known if k]


def _costs(t: Transcript) -> list[str]:
    figures = stats(t)
    if not figures.per_seat:
        return []
    models = {p.seat: p.model_id for p in reversed(t.brief.everyone)}
    order = in_panel_order(t, figures)
    rows = [_cost_cells(name(t, s), models.get(s, ""), x) for s, x in order]
    total = _cost_cells("total", "", figures.total)
    head = ["seat", "model", "calls", "tokens in", "of these cached", "tokens out", "cost"]
    reused = f"Reused, not bought again: {plural(figures.reused.calls, 'answer')}."
    after = ["", reused] if figures.reused.calls else []
    return ["## Cost", "", *_table(head, [*rows, total]), *after]


def in_panel_order(t: Transcript, figures: Stats) -> list[tuple[str, Tally]]:
    """Usage of each seat that was asked: the panel first, in its order."""
    # Reversed, so that a panelist which also writes or judges keeps its seat on the panel.
    place = {p.seat: i for i, p in reversed(list(enumerate(t.brief.everyone)))}
    bought = [(seat, tally) for seat, tally in figures.per_seat.items() if tally.calls]
    return sorted(bought, key=lambda line: place.get(line[0], len(place)))


def _cost_cells(seat: str, model: str, tally: Tally) -> list[str]:
    numbers = (tally.calls, tally.input_tokens, tally.cached_tokens, tally.output_tokens)
    names = [inert_line(one_line(x, 80)) for x in (seat, model)]
    return [*names, *(f"{n:,}" for n in numbers), inert_line(cost(tally))]


def _record(t: Transcript) -> list[str]:
    lines = [f"- {name}: {inert_line(one_line(value, 400))}" for name, value in record(t) if value]
    return ["## Record", "", *lines]


def record(t: Transcript) -> Iterator[tuple[str, str]]:
    """Yield, by name, the values that it takes to find this debate and to run it again."""
    brief = t.brief
    yield "transcript", t.transcript_id
    yield "asked", f"{t.created_at:%Y-%m-%d %H:%M:%S} UTC"
    yield "status", f"{t.status.value}{f' ({t.closed_reason})' if t.closed_reason else ''}"
    yield "replay of", brief.replay_of or ""
    yield "goes on from", brief.conversation or ""
    held = plural(len(t.rounds), "round")
    yield "mode", f"{brief.mode}, {brief.topology}, {held} held, quorum {brief.quorum}"
    yield "panel", ", ".join(f"{p.seat} ({p.model_id})" for p in brief.panel)
    by_code = t.synthesis is not None and t.synthesis.by_code
    writer = f"{brief.synthesizer.seat} ({brief.synthesizer.model_id})"
    yield "synthesizer", "none; the answer is put together by code" if by_code else writer
    yield "judge", f"{brief.judge.seat} ({brief.judge.model_id})" if brief.judge else ""
    yield "peers", "by name" if brief.named else f"anonymous, shuffled by seed {brief.seed}"
    yield "attached", ", ".join(a.name for a in brief.context)
    yield "known answer", brief.ground_truth or ""
    yield "version", t.version
    yield "prompts", prompts_version(t)
    yield from _experiment(t)


def prompts_version(t: Transcript) -> str:
    """One short name for the prompt texts that were used; empty if they are not on record."""
    if not t.prompts:
        return ""
    whole = "\n".join(f"{name} {digest}" for name, digest in sorted(t.prompts.items()))
    return hashlib.sha256(whole.encode("utf-8", "replace")).hexdigest()[:12]


def _experiment(t: Transcript) -> Iterator[tuple[str, str]]:
    tags = t.brief.experiment
    if tags is None:
        return
    yield "experiment", tags.experiment_id
    yield "experiment source", tags.source_tool
    yield "experiment campaign", tags.campaign_id or ""
    yield "experiment condition", tags.condition
    yield "experiment variables", ", ".join(f"{k}={v}" for k, v in tags.variables.items())
    yield "experiment finding", tags.finding_ref or ""


def _table(head: list[str], rows: Iterable[list[str]]) -> list[str]:
    lines = [head, ["---"] * len(head), *rows]
    return [f"| {' | '.join(line)} |" for line in lines]
