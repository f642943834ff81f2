"""A debate as a page that plays it again: the report, with the times at which all of it happened.

The page is whole without its script, which only hides what has not happened yet. That one script,
by its digest, is all that may run there; it finds its times as numbers in attributes, and no text
of a model ever passes through it as anything but text. Everything is in one file: from a folder
(`file://`) browsers load neither modules nor anything whose digest could be checked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta
from itertools import pairwise

from mutual_dissent.core.events import Answered, Asked, Closed, Event, Remarked, Reopened, Resolved
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.text.markdown_html import words
from mutual_dissent.views.documents.html import Staging, page, to_html
from mutual_dissent.views.panel.names import name
from mutual_dissent.views.phrases import clip, plural
from mutual_dissent.views.remarks.progress import StepAsks, progress_lines

LONGEST_WAIT, LONGEST_PAUSE = 60.0, 1.0
"""Seconds that nothing happens for at most: within a debate, and until it went on after a stop."""
THINKING = 0.12
"""Share of its time in which an answer shows no text, where it is not on record."""
SPEEDS = (1, 2, 4, 8, 16, 32)
PATIENCE = 45.0
"""Seconds that watching should take at the speed it begins with."""

STYLE = """
[hidden] { display: none !important; }
.replay { background: var(--surface); border: 1px solid var(--line); border-radius: 8px;
  padding: 12px 14px; margin: 14px 0 12px; }
.controls { display: flex; flex-wrap: wrap; gap: 8px 10px; align-items: center; }
.controls button, .controls select { font: inherit; font-size: 13px; color: var(--text);
  background: var(--raised); border: 1px solid var(--line-strong); border-radius: 6px;
  padding: 4px 10px; min-height: 32px; }
.controls button { min-width: 74px; cursor: pointer; }
.controls input { flex: 1 1 140px; min-width: 100px; accent-color: var(--accent); }
.controls label, .controls output { font-size: 13px; color: var(--muted);
  font-variant-numeric: tabular-nums; }
.now { margin: 8px 0; font-size: 13px; color: var(--muted); min-height: 3.2em; }
.stage { display: grid; gap: 10px; grid-template-columns: repeat(auto-fit, minmax(240px, 1fr)); }
@media (min-width: 720px) { .stage.even { grid-template-columns: 1fr 1fr; } }
.pane { background: var(--ground); border: 1px solid var(--line); border-radius: 6px;
  padding: 8px 12px; min-width: 0; }
.pane > h3 { margin: 0; color: var(--text); }
.pane > p { margin: 0 0 4px; font-size: 12.5px; color: var(--muted); }
.pane > .said { height: 180px; overflow-y: auto; font-size: 13.5px; }
.pane.last { grid-column: 1 / -1; border-left: 3px solid var(--accent); }
.pane.last > .said { height: 240px; }
.course { list-style: none; padding: 0; }
.course time { color: var(--muted); font-variant-numeric: tabular-nums; margin-right: 8px; }
@media (max-width: 560px) { .pane > .said { height: 110px; } main { padding: 20px 14px 40px; } }
@media print { .replay { display: none; } }
"""


def to_replay(t: Transcript, events: Sequence[Event], script: str, *, home: str = "") -> str:
    """The page that plays a debate.

    Args:
        t: what the events come to.
        events: its log, which has the times.
        script: what plays it.
        home: the address of the page that lists this one, if there is one.
    """
    clock = Clock(events)
    back = f'<p><a href="{words(home)}">All debates</a></p>' if home else ""
    staging = Staging(
        times=_times(events, clock),
        opening=_controls(clock.length),
        closing=f"{_course(t, events, clock)}{back}",
        style=STYLE,
        script=script,
    )
    return to_html(t, staging)


def to_index(debates: Sequence[tuple[str, Transcript]]) -> str:
    """The page that lists others, by their addresses."""
    entries = "".join(
        f'<li><p><a href="{words(address)}">{words(t.query, 160) or "Debate"}</a><br>'
        f'<span class="muted small">{t.created_at:%Y-%m-%d}, {words(_who(t))}</span></p></li>'
        for address, t in debates
    )
    told = f"{plural(len(debates), 'debate')}, to read, or to watch as held."
    return page("Debates", f'<h1>Debates</h1>\n<p class="muted">{told}</p>\n<ul>{entries}</ul>')


class Clock:
    """Seconds since a debate began, without its pauses and the longest of its waits."""

    def __init__(self, events: Sequence[Event]) -> None:
        now, times = 0.0, [0.0]
        for before, event in pairwise(events):
            is_pause = isinstance(event, Reopened | Resolved)
            passed = (event.at - before.at) / timedelta(seconds=1)
            now += min(max(0.0, passed), LONGEST_PAUSE if is_pause else LONGEST_WAIT)
            times.append(now)
        self._times = {e.seq: at for e, at in zip(events, times, strict=True)}
        self.length = now

    def at(self, event: Event) -> float:
        """Return when an event happened."""
        return self._times[event.seq]


def _who(t: Transcript) -> str:
    return ", ".join(name(t, p.seat) for p in t.panelists)


def _times(
    events: Sequence[Event], clock: Clock
) -> dict[tuple[int, str, str], tuple[float, float, float]]:
    asked: dict[str, float] = {}
    found = {}
    for event in events:
        if isinstance(event, Asked):
            asked[event.key] = clock.at(event)
        elif isinstance(event, Answered):
            r, there = event.response, clock.at(event)
            since = asked.get(event.key, there)
            took = there - since
            first = r.first_token_ms
            waits = took * THINKING if first is None else min(max(0, first) / 1000, took)
            found[r.round_number, r.role, r.model_alias] = (since, since + waits, there)
    return found


def _controls(length: float) -> str:
    speed = next((s for s in SPEEDS if length / s <= PATIENCE), SPEEDS[-1])
    speeds = "".join(
        f'<option value="{s}"{" selected" if s == speed else ""}>{s} &times;</option>'
        for s in SPEEDS
    )
    return (
        '<section class="replay" aria-label="Replay" hidden>\n<div class="controls">'
        '<button type="button" class="play">Play</button>'
        '<button type="button" class="next">Next</button>'
        f'<label>Speed <select class="speed">{speeds}</select></label>'
        f'<input type="range" class="place" aria-label="Time" min="0" max="{length:.2f}" '
        'step="0.05" value="0"><output class="clock"></output></div>\n'
        '<p class="now" role="status"></p>\n<div class="stage"></div>\n'
        '<p class="muted small">The text of an answer is spread evenly over the time that it took; '
        "long waits are shortened.</p>\n</section>"
    )


def _course(t: Transcript, events: Sequence[Event], clock: Clock) -> str:
    lines = "".join(
        f'<li data-at="{at:.2f}"><time>{_minutes(at)}</time>{words(line, 300)}</li>'
        for at, line in _moments(t, events, clock)
    )
    return f'<h2>Course</h2><ol class="course">{lines}</ol>'


def _minutes(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


def _moments(t: Transcript, events: Sequence[Event], clock: Clock) -> Iterator[tuple[float, str]]:
    asking = StepAsks()
    for event in events:
        at = clock.at(event)
        if line := asking.line(event, t):
            yield at, line
        yield from ((at, line) for line in progress_lines(event, t))
        match event:
            case Remarked():
                yield at, f"the panel is told: {clip(event.text, 200)}"
            case Closed():
                yield at, f"{event.status.value}{f': {event.text}' if event.text else ''}"
            case _:
                pass
