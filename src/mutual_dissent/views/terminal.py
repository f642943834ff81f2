"""A finished debate on a terminal. Model text comes in as text, never as markup or control codes.

This module draws with Rich; modules that do not draw must not import it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.box import SIMPLE
from rich.cells import cell_len, set_cell_size
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.markdown import CodeBlock, Markdown, MarkdownElement
from rich.padding import Padding
from rich.rule import Rule
from rich.segment import Segment
from rich.style import Style
from rich.table import Table
from rich.text import Text

from mutual_dissent.analysis.ledger.lookup import ledger_of
from mutual_dissent.core.events import Status
from mutual_dissent.core.figures.forecasts import FORECAST
from mutual_dissent.core.figures.stats import Stats, Tally, stats
from mutual_dissent.core.response import SYNTHESIS_ROUND, Citation, Response
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.core.values.terms import at_terminal
from mutual_dissent.text.markdown_inert import inert
from mutual_dissent.text.markdown_lines import is_verbatim, keep_breaks, undrawn
from mutual_dissent.text.sanitize import one_line, plain
from mutual_dissent.views.account import CHECKED, NOT_CHECKED, Account, account
from mutual_dissent.views.answer import answer, is_review, subject_of
from mutual_dissent.views.findings import (
    RoundFindings,
    agreement_basis,
    decision_words,
    findings,
    last_agreement,
    title_of_changes,
    worth,
)
from mutual_dissent.views.heading import (
    HeadingShape,
    caveat,
    evidence_warning,
    heading,
    shape,
    what_is_missing,
)
from mutual_dissent.views.panel.names import late_names, name, with_names
from mutual_dissent.views.panel.options_table import RATED, options_table
from mutual_dissent.views.panel.own_seat import YOURS
from mutual_dissent.views.phrases import (
    cost,
    explanation,
    overlap,
    plural,
    reason,
    round_name,
)
from mutual_dissent.views.remarks.citations import cite_answer, sources, sources_of_answer
from mutual_dissent.views.remarks.earlier import EARLIER
from mutual_dissent.views.remarks.notes import TOLD, asides, remarks, remarks_in, warnings
from mutual_dissent.views.remarks.readable import closing_words, named_text
from mutual_dissent.views.remarks.user_questions import TITLE, answering, missing, requests
from mutual_dissent.views.scores import score_findings, score_rows

GOOD, CAREFUL, BAD, FAINT = "green", "yellow", "red", "dim"
BAR_WIDTH = 20
ONE_LINE = 200
"""Characters of an answer that counts as one line, about."""
MOST_UNDER_ONE_LINE = 5
"""Lines under an answer of one line, at most."""
HOLDS, OPEN = "who holds what", "open"
IN_SHORT = "the panel in short"


def full_report(
    t: Transcript, *, verbose: bool = False, saved: bool = True, noted: bool = True
) -> RenderableType:
    """Everything a user wants to see when a debate is over.

    Args:
        verbose: also every response in full, and what each panelist cost.
        saved: whether the debate is on record, so that other commands can name it.
        noted: whether also what went wrong.
    """
    under = rest(t, verbose=verbose, saved=saved, noted=noted)
    return Group(first_report(t, verbose=verbose), under)


def first_report(t: Transcript, *, verbose: bool = False) -> RenderableType:
    """First part of the output, as soon as the answer is written: the heading, and the answer."""
    return Group(*_down_to_the_answer(t, verbose=verbose))


def rest(
    t: Transcript,
    *,
    verbose: bool = False,
    saved: bool = True,
    noted: bool = True,
    said: HeadingShape | None = None,
) -> RenderableType:
    """Second part of the output: everything below the answer.

    Args:
        noted: whether also what went wrong.
        said: what the heading showed; if that has changed, it is shown again.
    """
    summary = account(t)
    moved = said is not None and t.brief.mode != FORECAST  # figures stay as they are
    news = _news(t, summary, said) if said and moved else ""
    again = [Text(news, style=tone(t)), Text()] if news else []
    under = under_the_answer(t, summary, verbose=verbose, saved=saved, noted=noted)
    return Group(*again, *under)


def _news(t: Transcript, summary: Account, said: HeadingShape) -> str:
    """The parts of the heading that are new since it was shown, and by what; empty without any.

    All of it is said again only if somebody stands elsewhere.
    """
    now = shape(t)
    checked = now.citations if now.citations != said.citations else ""
    read = [
        what_is_missing(t) if now.missing != said.missing else "",
        now.otherwise if now.otherwise != said.otherwise else "",
    ]
    moved = now.groups != said.groups
    causes = [
        *(["the analyst's reading"] if t.brief.analyst and (moved or any(read)) else []),
        *(["the check of citations"] if checked else []),
    ]
    news = summary.headline if moved else " ".join(filter(None, [*read, checked]))
    if not moved and not any(read):
        return checked
    return f"After {' and '.join(causes)}: {news}" if causes else news


def terminal(t: Transcript, *, verbose: bool = False, saved: bool = True, width: int = 80) -> str:
    """The same as plain text without colours, for a file or a pipe."""
    return as_text(full_report(t, verbose=verbose, saved=saved), width)


def as_text(drawn: RenderableType, width: int = 80) -> str:
    """Something drawn as plain text without colours."""
    import io

    console = Console(
        file=io.StringIO(), width=width, markup=False, emoji=False, highlight=False,
        force_terminal=False, no_color=True,
    )  # fmt: skip
    with console.capture() as captured:
        console.print(drawn, crop=False)
    # Rich fills lines up with blanks to the width.
    return "".join(f"{line.rstrip()}\n" for line in captured.get().split("\n")[:-1])


def tone(t: Transcript) -> str:
    """The colour of the heading: green only if all went as asked and agreement means something."""
    if t.synthesis is None:
        return BAD
    odd = any(r.served_by_another for _, r in t.responses())
    clean = not (t.absent or t.failed_syntheses or evidence_warning(t) or odd)
    if not clean or t.status not in (Status.COMPLETED, Status.ACTIVE):
        return CAREFUL
    last = findings(t)
    if last is None or last.decision.action == "query_detail":
        return ""  # agreement is not known, so that no colour may suggest it
    return GOOD if last.decision.action == "proceed" else CAREFUL


def _down_to_the_answer(t: Transcript, *, verbose: bool) -> Iterator[RenderableType]:
    if verbose:
        yield from _every_response(t)
    yield from _first_lines(t)
    yield Text()
    shown = answer(t)
    if is_review(t) and t.rounds:
        from mutual_dissent.views.review import draw_findings

        yield from draw_findings(t, verbose=verbose)
        yield Text()
    elif shown:  # otherwise the heading says that no answer exists
        yield answer_text(cite_answer(t, shown))
        yield Text()
        if verbose and shown is t.synthesis and (lines := closing_words(t, shown)):
            yield Text("\n".join(lines), style=FAINT)
            yield Text()
    yield from _options_rated(t)


def _first_lines(t: Transcript) -> Iterator[RenderableType]:
    """The query and the heading; of a review what was found comes first."""
    if not is_review(t):
        yield Text(one_line(t.query, 300), style="bold")
        yield Text(heading(t), style=tone(t))
        return
    from mutual_dissent.views.review import told_first

    yield Text(told_first(t), style="bold")
    yield Text(one_line(subject_of(t), 300), style=FAINT)


def _options_rated(t: Transcript) -> Iterator[RenderableType]:
    """The table of a decision, with the lines under it."""
    found = options_table(t)
    if found is None:
        return
    head, *rows = found.rows
    table = Table(title=RATED, title_justify="left", box=SIMPLE, pad_edge=False)
    for column in head:
        table.add_column(Text(column))
    for row in rows:
        table.add_row(*map(Text, row))
    yield table
    yield from (Text(f"- {note}") for note in found.notes)
    yield Text()


def under_the_answer(
    t: Transcript,
    summary: Account,
    *,
    verbose: bool = False,
    saved: bool = True,
    noted: bool = True,
) -> Iterator[RenderableType]:
    """Positions, corrections, open issues and cost; all else if `verbose`."""
    if not verbose and is_short(t):
        yield from _sources(t, verbose=False)
        yield from _in_few_lines(t, summary, saved=saved, noted=noted)
        return
    yield from _sources(t, verbose=verbose)
    yield from _list(HOLDS + caveat(t), summary.holds, style="bold")
    yield from _forecasts(t)
    yield from _list(title_of_changes(t).lower(), summary.corrected, style="bold")
    yield from _list(OPEN, summary.open, style="bold")
    yield from _list(CHECKED, summary.citations or (), style="bold")
    yield from _list(NOT_CHECKED, summary.unchecked or (), style="bold")
    yield from _list(EARLIER, summary.earlier or (), style="bold")
    yield from _list(YOURS, summary.yours or (), style="bold")
    figures = stats(t)
    if verbose:
        yield from _measures(t, figures)
    if noted:
        yield from _notes(remarks(t) if verbose else warnings(t))
    yield from _requests(t, verbose=verbose, saved=saved)
    yield from _scores(t, verbose=verbose)
    yield from _experiment(t)
    if summary.cost and not is_review(t):
        yield Text(summary.cost, style=FAINT)
    if verbose:
        yield Text(_tokens(figures.total).removeprefix(": "), style=FAINT)
        yield _costs(t, figures)
        yield from _worth(t)
    yield from _next_steps(t, verbose=verbose, saved=saved)


def is_short(t: Transcript) -> bool:
    """Return whether the answer is one line, under which an essay would be out of place."""
    text = t.synthesis.text.strip() if t.synthesis else ""
    if is_review(t) or score_rows(t):
        return False
    return bool(text) and "\n" not in text and len(text) <= ONE_LINE


def _in_few_lines(
    t: Transcript, summary: Account, *, saved: bool, noted: bool
) -> Iterator[RenderableType]:
    """At most five lines under a heading, which counts the others; the urgent ones first."""
    last = [x for x in (summary.cost, _steps(t, verbose=False, saved=saved)) if x]
    questions = [answering(t)] if saved and missing(t) else []
    alarms = warnings(t) if noted else ()
    change = "revision" if t.brief.mode == FORECAST else "correction"
    parts = (  # in the order of a full report
        ("position", summary.holds, 3), (change, summary.corrected, 1),
        ("open", summary.open, 2), ("citation", summary.citations or (), 2),
        ("earlier", summary.earlier or (), 1),
    )  # fmt: skip
    room = MOST_UNDER_ONE_LINE - len(last) - len(questions)
    urgent = alarms[: min(2, room)]
    room -= len(urgent)
    chosen: dict[str, int] = {}
    for word, lines, most in reversed(parts):  # the most urgent at the end of a report
        chosen[word] = min(most, len(lines), room)
        room -= chosen[word]
    if summary.yours:  # beyond the five: who sat on the panel asks first how it fared
        yield Text(" ".join(summary.yours))
    shown = [(word, line) for word, lines, _ in parts for line in lines[: chosen[word]]]
    left = [(word, len(lines) - chosen[word]) for word, lines, _ in parts]
    left += [("unchecked citation", len(summary.unchecked or ()))]
    left += [("warning", len(alarms) - len(urgent))]
    yield from (FewLine(f"! {w}", CAREFUL) for w in urgent)
    more = ", ".join(f"{n} open" if w == "open" else plural(n, w) for w, n in left if n > 0)
    if shown or more:
        yield Text(f"{IN_SHORT}{caveat(t)}{f' (and {more} more)' if more else ''}", style="bold")
    yield from (FewLine(f"- {word}: {line}") for word, line in shown)
    yield from (FewLine(line, CAREFUL) for line in questions)
    yield from (FewLine(line, FAINT) for line in last)


@dataclass(frozen=True, slots=True)
class FewLine:
    """A line under a short answer: cut to the width of a terminal, whole in a file or a pipe."""

    text: str
    style: str = ""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if console.is_terminal:
            yield Text(_fitting(self.text, options.max_width), style=self.style, overflow="fold")
        elif self.text[:2] in ("- ", "! "):
            yield _hanging(self.text[0], Text(self.text[2:], style=self.style), style=self.style)
        else:
            yield Text(self.text, style=self.style, overflow="fold")


def _fitting(line: str, width: int) -> str:
    """A line cut after a word; the names in parentheses at its end stay, and none is halved."""
    if cell_len(line) <= width:
        return line
    at = line.rfind(" (") if line.endswith(")") else -1
    tail = line[at:] if at > 0 and cell_len(line[at:]) <= width // 2 else ""
    head = set_cell_size(line, max(1, width - cell_len(tail) - 1))
    words = head if line[len(head) : len(head) + 1] == " " else head.rpartition(" ")[0] or head
    return f"{words.rstrip(' ,;:.-')}…{tail}"


def answer_text(text: str) -> RenderableType:
    """An answer: drawn as Markdown, or as it stands if its line breaks are part of it."""
    if is_verbatim(text):
        return Text(plain(text).strip("\n"))
    return model_markdown(text)


class _Code(CodeBlock):
    """Code: drawn for a terminal; in a pipe or a file as it stands, for a program may read it."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if console.is_terminal:
            yield from super().__rich_console__(console, options)
            return
        code = str(self.text).rstrip()
        yield Text(code, no_wrap=True, overflow="ignore", end="\n")


class _Drawn(Markdown):
    """Markdown whose code is never broken in a pipe."""

    elements: ClassVar[dict[str, type[MarkdownElement]]] = {
        **Markdown.elements,
        "fence": _Code,
        "code_block": _Code,
    }


def model_markdown(text: str) -> Markdown:
    """A model's Markdown, drawn: no links that can be clicked, no HTML swallowed."""
    return _Drawn(undrawn(keep_breaks(inert(text, 1))), hyperlinks=False, code_theme="ansi_dark")


def _every_response(t: Transcript) -> Iterator[RenderableType]:
    for round_ in t.rounds:
        yield from _user_remarks(t, round_.round_number)
        yield _rule(round_name(round_.round_number, round_.round_type, t.brief.mode))
        for response in (*asides(t, round_.round_number), *round_.responses):
            yield from one_response(t, response)
    yield from _user_remarks(t, SYNTHESIS_ROUND)
    before_the_answer = (*asides(t, SYNTHESIS_ROUND), *t.failed_syntheses)
    if before_the_answer:
        yield _rule("synthesis")
    for response in before_the_answer:
        yield from one_response(t, response)
    yield _rule("answer")


def _user_remarks(t: Transcript, round_number: int) -> Iterator[RenderableType]:
    """Remarks of the user to the panel before this round."""
    if texts := remarks_in(t, round_number):
        yield _rule(TOLD)
    for text in texts:
        yield Padding(Text(plain(text)), (0, 0, 1, 2))


def one_response(t: Transcript, r: Response) -> Iterator[RenderableType]:
    """One response of a debate in full, with its facts."""
    title = Table.grid(padding=(0, 2))
    who = name(t, r.model_alias)
    title.add_row(Text(who, style="bold cyan"), Text(response_facts(r), style=FAINT))
    yield title
    if not r.usable:
        yield Text(f"no answer ({reason(r)}): {explanation(r)}", style=BAD)
    if r.content:
        yield Padding(model_markdown(named_text(t, r)), (0, 0, 0, 2))
    for line in closing_words(t, r):
        yield Padding(Text(line, style=FAINT), (0, 0, 0, 2))
    yield Text()


def response_facts(r: Response) -> str:
    """Facts about a response, in a line."""
    from mutual_dissent.views.markdown import facts

    return " · ".join(f.removeprefix("cost ") if f != "cost unknown" else f for f in facts(r))


def _rule(title: str) -> Rule:
    return Rule(Text(title), style=FAINT, align="left")


@dataclass(frozen=True, slots=True)
class TextBar:
    """A number between 0 and 1 as a bar, in ASCII if the terminal knows nothing else."""

    level: float
    style: str

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        full, empty = ("#", ".") if options.ascii_only else ("━", "─")
        width = min(BAR_WIDTH, options.max_width)
        filled = round(max(0.0, min(1.0, self.level)) * width)
        yield Segment(full * filled, Style.parse(self.style))
        yield Segment(empty * (width - filled), Style.parse(FAINT))


def _measures(t: Transcript, figures: Stats) -> Iterator[RenderableType]:
    """Measures, for readers that want to know how the rest came about."""
    from mutual_dissent.views.panel.ledger_words import ledger_words

    if last := findings(t):
        yield from _decision(t, last)
    yield from _agreement(t, figures)
    yield from _movement(t)
    ledger = ledger_of(t)
    if ledger and ledger.source == "analyst":
        yield Text("as the analyst reads it")
        yield Padding(Text(plain(ledger_words(t, ledger))), (0, 0, 1, 2))


def _decision(t: Transcript, last: RoundFindings) -> Iterator[RenderableType]:
    made = last.decision
    known = {"proceed": GOOD, "verify": CAREFUL}.get(made.action, FAINT)
    style = FAINT if caveat(t) else known
    why = one_line(with_names(t, made.reason), 300)
    yield Text(f"{decision_words(made, caveat(t))}: {why}", style=style)
    if last.groupthink:
        signs = "; ".join(one_line(i, 160) for i in last.groupthink.indicators)
        yield _hanging("!", Text(f"possible groupthink: {signs}", style=CAREFUL), style=CAREFUL)
    if last.ending:
        number, ending = last.ending
        yield Text(f"no round after {round_name(number)}: {one_line(ending.details, 160)}")
    yield Text()


def _list(title: str, lines: Sequence[str], style: str = "") -> Iterator[RenderableType]:
    if lines:
        yield Text(title, style=style)
        rows = (_hanging("-", Text(one_line(line, 400)), style=FAINT) for line in lines)
        yield Padding(Group(*rows), (0, 0, 1, 2))


def _movement(t: Transcript) -> Iterator[RenderableType]:
    from mutual_dissent.views.movement import moves

    rows = moves(t)
    if not rows:
        return
    table = Table.grid(padding=(0, 2))
    for move in rows:
        table.add_row(Text(move.seat), Text(move.words))
    yield Text(f"what each changed{caveat(t)}")
    yield Padding(table, (0, 0, 1, 2))


def _sources(t: Transcript, *, verbose: bool) -> Iterator[RenderableType]:
    """Those that the answer names; with `verbose` also those that only panelists name."""
    own, everything = sources_of_answer(t), sources(t)
    shown = everything if verbose else own
    if not shown:
        return
    yield Text("sources")
    lines = [Text(one_line(f"[{i}] {_source(c)}", 400)) for i, c in enumerate(shown, 1)]
    if more := len(everything) - len(shown):
        lines.append(Text(f"and {more} more in the panel's answers", style=FAINT))
    yield Padding(Group(*lines), (0, 0, 1, 2))


def _source(c: Citation) -> str:
    return f"{c.title}: {c.url}" if c.title else c.url


def _worth(t: Transcript) -> Iterator[RenderableType]:
    from mutual_dissent.views.value import NOTHING, value_sentence, worth_lines

    value = worth(t)
    if value is None:
        return
    yield Text()
    yield Text(f"what deliberating was worth{caveat(t)}")
    told = ((w, "" if w.outcome == NOTHING else f"; {w.outcome}") for w in worth_lines(value))
    ways = [with_names(t, f"{w.name} ({w.price}): {w.whose}{compared}") for w, compared in told]
    lines = [_hanging("-", Text(way), style=FAINT) for way in ways]
    yield Padding(Group(Text(one_line(value_sentence(value), 300)), *lines), (0, 0, 1, 2))


def _bars() -> Table:
    table = Table.grid(padding=(0, 1), expand=False)
    table.add_column(overflow="fold")
    table.add_column(width=BAR_WIDTH)
    table.add_column()
    return table


def _agreement(t: Transcript, figures: Stats) -> Iterator[RenderableType]:
    how = last_agreement(t)
    if how is None:
        return
    table, meaningless = _bars(), caveat(t)
    last = findings(t)
    for number, recorded in figures.agreement.items():
        # Without views of answers that were left since, which the analyst alone can tell of.
        now = last.consensus.agreement_level if last and last.round_number == number else recorded
        if now is None:
            table.add_row(Text(round_name(number)), Text(), Text("not measured"))
            continue
        level = now
        style = FAINT if meaningless else {"high": GOOD, "medium": CAREFUL}.get(overlap(level), BAD)
        table.add_row(
            Text(round_name(number)),
            TextBar(level, style),
            Text(f"{level:.2f} {overlap(level)}, {agreement_basis(t, number)}"),
        )
    yield Text(f"agreement{meaningless}")
    yield Padding(table, (0, 0, 1, 2))


def _notes(notes: Sequence[str]) -> Iterator[RenderableType]:
    for note in notes:
        yield _hanging("!", Text(note, style=CAREFUL), style=CAREFUL)
    if notes:
        yield Text()


def _requests(t: Transcript, *, verbose: bool, saved: bool) -> Iterator[RenderableType]:
    """The command that answers what is missing; with `verbose` also each panelist's question."""
    how = [answering(t)] if saved and missing(t) else []
    if verbose and (lines := requests(t)):
        yield from _list(TITLE, [*lines, *how], style=CAREFUL)
    else:
        yield from (Text(line, style=CAREFUL) for line in how)


def _experiment(t: Transcript) -> Iterator[RenderableType]:
    """The experiment that the debate belongs to."""
    tags = t.brief.experiment
    if tags is None:
        return
    values = ", ".join(f"{k}={v}" for k, v in tags.variables.items())
    parts = [f"experiment {tags.experiment_id}", tags.condition, values, tags.finding_ref or ""]
    yield Text(one_line(" · ".join(p for p in parts if p), 300), style=FAINT)


def _scores(t: Transcript, *, verbose: bool) -> Iterator[RenderableType]:
    rows = score_rows(t)
    if not rows:
        return
    table = Table.grid(padding=(0, 2))
    dimensions = list(t.brief.rubric.dimensions)
    table.add_row(
        Text("scores (1 to 5)"), *(Text(one_line(d, 30), style=FAINT) for d in dimensions)
    )
    for row in rows:
        marks = [Text("?" if row.marks[d] is None else str(row.marks[d])) for d in dimensions]
        table.add_row(Text(f"  {row.seat}, {row.place}"), *marks)
    yield table
    for row in rows:
        if row.explanation and (verbose or row.round_number < 0):
            yield Padding(Text(f"{row.seat}, {row.place}: {row.explanation}"), (0, 0, 0, 2))
    for finding in score_findings(t):
        yield Padding(Text(finding), (0, 0, 0, 2))
    yield Text()


def _hanging(mark: str, text: Text, *, style: str) -> Table:
    """A text whose further lines stand under its first word."""
    table = Table.grid(padding=(0, 1))
    table.add_column()
    table.add_column(overflow="fold")  # a language without blanks is not cut
    table.add_row(Text(mark, style=style), text)
    return table


def _cost_line(total: Tally) -> str:
    price = "cost unknown" if total.unpriced and total.cost_usd is None else cost(total)
    retried = f", {plural(total.retries, 'failed attempt')}" if total.retries else ""
    return f"{price} for {plural(total.calls, 'call')}{retried}{_tokens(total)}"


def _tokens(total: Tally) -> str:
    """The tokens, as far as known: files of earlier programs have only their sum."""
    cached = f" ({total.cached_tokens:,} cached)" if total.cached_tokens else ""
    if total.input_tokens or total.output_tokens:
        return f": {total.input_tokens:,} tokens in{cached}, {total.output_tokens:,} out"
    return f": {plural(total.tokens, 'token')}" if total.tokens else ""


def _forecasts(t: Transcript) -> Iterator[RenderableType]:
    """The panel's figure from round to round, as a small table."""
    if t.brief.mode != FORECAST:
        return
    from mutual_dissent.views.panel.forecast_rounds import BY_ROUND, forecast_rows

    rows = list(forecast_rows(t))
    if not rows:
        return
    table = Table.grid(padding=(0, 2))
    for i, row in enumerate(rows):
        table.add_row(*(Text(cell, style="" if i else FAINT) for cell in row))
    yield Text(BY_ROUND, style="bold")
    yield Padding(table, (0, 0, 1, 2))


def _costs(t: Transcript, figures: Stats) -> RenderableType:
    from mutual_dissent.views.markdown import in_panel_order

    table = Table.grid(padding=(0, 2))
    for seat, tally in in_panel_order(t, figures):
        table.add_row(Text(f"  {name(t, seat)}"), Text(_cost_line(tally), style=FAINT))
    return table


def _next_steps(t: Transcript, *, verbose: bool, saved: bool) -> Iterator[RenderableType]:
    yield Text(_steps(t, verbose=verbose, saved=saved), style=FAINT)


def _steps(t: Transcript, *, verbose: bool, saved: bool) -> str:
    if not saved:
        return "not saved"
    short = one_line(t.transcript_id[:8], 8)
    unfinished = t.status is not Status.COMPLETED
    if unfinished:
        on = at_terminal("resume", short, max_cost="USD" if t.closed_reason == "budget" else "")
    elif who := late_names(t):
        on = f"{at_terminal('resume', short, late=True)} asks {who} again"
    elif t.brief.mode == FORECAST and t.outcome is None:
        on = f"{at_terminal('outcome', short, 'yes|no|FIGURE')} once it is known"
    else:
        on = at_terminal("export", short)
    return " · ".join([short, at_terminal("show", short, verbose=not verbose), on])
