"""Progress of a debate in plain lines: one an event. For pipes and logs, replays and editors."""

from __future__ import annotations

from collections.abc import Iterator

from mutual_dissent.core.events import (
    Answered,
    Asked,
    Event,
    Noted,
    Reopened,
    RoundEnded,
    RoundStarted,
)
from mutual_dissent.core.response import Finish, Response
from mutual_dissent.core.transcript import PANEL_ROLES, PROPOSAL, SAMPLE, Transcript
from mutual_dissent.text.sanitize import one_line, plain
from mutual_dissent.views.answer import is_review
from mutual_dissent.views.findings import agreement_source, round_in_words
from mutual_dissent.views.panel.names import (
    letters,
    name,
    replace_letters,
    with_names,
    with_numbers,
)
from mutual_dissent.views.phrases import (
    effort,
    explanation,
    join_names,
    money,
    plural,
    reason,
    response_name,
    round_name,
    seconds,
)
from mutual_dissent.views.remarks.readable import named_text

MOST_LINE = 160
MOST_CALLED = 4
REOPENINGS = {"scored": "scoring what is on record"}
VERBS = {
    "synthesis": "wrote the answer",
    "digest": "summed up",
    "summary": "summed up earlier rounds",
    "judge": "judged",
    "analysis": "read the debate",
    "inquiry": "looked for questions",
    "follow_up": "answered the follow-up",
    SAMPLE: "gave a sample",
    PROPOSAL: "proposed the procedure",
}


def progress_lines(event: Event, t: Transcript, *, verbose: bool = False) -> Iterator[str]:
    """Yield lines about an event that the transcript already contains."""
    match event:
        case Answered():
            yield _answer_line(event, t)
            if verbose and event.response.content:
                yield plain(named_text(t, event.response))
        case RoundEnded():
            yield from _round_lines(event)
        # That one is said by the line of the failed answer.
        case Noted() if event.code != "absent":
            yield f"note: {one_line(with_names(t, event.text), 400)}"
        case Reopened():
            yield REOPENINGS.get(event.reason, f"{one_line(event.reason, 40)}: going on")
        case _:
            pass


class StepAsks:
    """Names of the panelists asked in a step, held back until its first request."""

    def __init__(self) -> None:
        self._begun: RoundStarted | None = None
        self._reused: set[str] = set()
        self._open = False

    def line(self, event: Event, t: Transcript) -> str | None:
        """Return the line about an event that the transcript already contains, if any."""
        match event:
            case RoundStarted():
                self._begun, self._reused, self._open = event, set(), True
            case RoundEnded():
                self._open = False
            case Answered() if event.reused:
                self._reused.add(event.seat)
            # A continued debate writes its answer anew, in a step that had begun before.
            case Asked() if not self._open and event.role in ("synthesis", "analysis"):
                self._open = True
                return f"{round_name(-1, event.role)}: asking {name(t, event.seat)}"
            case Asked() if self._begun:
                begun, self._begun = self._begun, None
                names = [name(t, s) for s in begun.seats if s not in self._reused]
                place = round_name(begun.round_number, begun.role, t.brief.mode)
                return f"{place}: asking {join_names(list(dict.fromkeys(names)))}"
            case _:
                pass
        return None


def _answer_line(event: Answered, t: Transcript) -> str:
    r = event.response
    who = name(t, r.model_alias)
    if r.chosen:
        return f"{who}'s answer is chosen: {one_line(r.chosen.reason, MOST_LINE)}"
    if r.by_code:
        return "the answer is put together by code"
    if event.reused:
        what = {"digest": "summary", "summary": "summary", "synthesis": "synthesis"}.get(
            r.role, "answer"
        )
        return f"{who}: {what} of the earlier debate reused"
    if not r.usable:
        after = f" after {tried}" if (tried := effort(r)) else ""
        if r.finish is Finish.LATE:
            return f"{who} was {reason(r)}{after}: {explanation(r)}"
        return f"{who} failed{after}: {reason(r)}: {explanation(r)}"
    tokens = r.output_tokens if r.output_tokens is not None else r.token_count
    facts = [
        f"in {seconds(r.latency_ms)}" if r.latency_ms is not None else "",
        plural(tokens, "token") if tokens is not None else "",
        money(r.cost_usd) if r.cost_usd is not None else "",
    ]
    if r.samples:
        # Time, tokens and cost are on the samples' own lines.
        facts = ["", f"sample {r.samples.chosen} of {r.samples.asked}"]
    details = ", ".join(f for f in facts if f)
    said = with_numbers(t, r.bottom_line) if r.role in PANEL_ROLES else ""
    line = replace_letters(said, letters(t, r))
    comes_to = one_line(line, MOST_LINE)
    did = f"{_verb(t, r)}{with_names(t, _judged_response(event))}"
    ended = f": {comes_to}" if comes_to else ""
    return f"{who} {did}{' ' if facts[0] else ', ' if details else ''}{details}{ended}"


def _verb(t: Transcript, r: Response) -> str:
    if r.role == "tool_use":
        called = dict.fromkeys(one_line(str(c.get("name") or "a tool"), 60) for c in r.tool_calls)
        return f"called {join_names(list(called)[:MOST_CALLED])}"
    if not is_review(t) or r.role not in PANEL_ROLES:
        return VERBS.get(r.role, "answered")
    return "checked" if r.verdicts else f"reported {plural(len(r.findings), 'finding')}"


def _judged_response(event: Answered) -> str:
    """Return the name of the response that was judged; the judge's key ends with its key."""
    about = event.key.partition(f"/judge/{event.seat}/")[2]
    return f" {response_name(about)}," if about else ""


def _round_lines(event: RoundEnded) -> Iterator[str]:
    if event.measures.consensus:
        how = agreement_source(event.measures)
        words = round_in_words(event.measures.consensus)
        place = round_name(event.round_number, event.role)
        yield f"{place}: {words}{f' ({how})' if how else ''}"
    yield from _ending_lines(event)


def _ending_lines(event: RoundEnded) -> Iterator[str]:
    """Yield why no further round follows, and the winner of a ranking, where known."""
    ending, tally = event.measures.exit, event.measures.tally
    for words in (ending.details if ending else "", tally.explanation if tally else ""):
        if text := one_line(words, 200):
            yield f"{round_name(event.round_number, event.role)}: {text}"
