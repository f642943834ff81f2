"""Watching a debate on a terminal: panes fill as the answers come; the screen is clean after."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from rich.cells import cell_len
from rich.console import Console

from fakes.debates import Fault, debate, panelist, streamed
from fakes.hostile import PAYLOADS
from fakes.patience import in_proportion
from fakes.screens import Terminal
from mutual_dissent.core.events import Answered, Asked, Closed, Reopened, RoundStarted, Token
from mutual_dissent.core.panel import Panelist, Route
from mutual_dissent.core.transcript import fold
from mutual_dissent.surfaces.cli.live.board import KEPT, Board, Pane
from mutual_dissent.surfaces.cli.live.panes import Painter, columns_for, frame
from mutual_dissent.surfaces.cli.live.view import watch

ANSWERS = {
    "claude": ["Canberra, I am sure of it.", "Still Canberra."],
    "gpt": ["Sydney is the largest city.", "Canberra then."],
    "grok": ["Perth is far away.", Fault(text="the vendor is busy")],
}


def on(terminal: Terminal, width: int = 120, height: int = 40) -> Console:
    return Console(file=terminal, force_terminal=True, width=width, height=height)


async def told(items, look=None):
    """The items one by one; `look` is called when the next one is asked for."""
    for item in items:
        yield item
        if look:
            look(item)


async def test_the_first_text_of_an_answer_is_on_screen_before_anything_else_happens():
    terminal, seen = Terminal(), []

    def look(item):
        if isinstance(item, Token) and item.text.startswith("Canberra, I"):
            seen.append("Canberra, I" in terminal.shown)

    await watch(told(streamed(debate(ANSWERS)), look), on(terminal), live=True)
    assert seen == [True]


async def test_when_it_is_over_the_screen_is_clean_and_the_transcript_whole():
    terminal, events = Terminal(), debate(ANSWERS)
    terminal.write("$ dissent ask\n")
    found = await watch(told(streamed(events)), on(terminal), live=True)
    assert terminal.shown == "$ dissent ask"
    assert terminal.cursor_shown
    assert found == fold(events)


async def test_a_watcher_who_is_stopped_leaves_a_clean_screen():
    terminal, begun = Terminal(), asyncio.Event()

    async def endless():
        for item in streamed(debate(ANSWERS)):
            yield item
            if isinstance(item, Token):
                begun.set()
                await asyncio.Event().wait()

    watching = asyncio.create_task(watch(endless(), on(terminal), live=True))
    await begun.wait()
    assert "claude" in terminal.shown
    watching.cancel()
    with pytest.raises(asyncio.CancelledError):
        await watching
    assert terminal.shown == ""
    assert terminal.cursor_shown


async def test_an_error_of_the_debate_comes_through_and_the_screen_is_clean():
    terminal = Terminal()

    async def broken():
        for item in list(streamed(debate(ANSWERS)))[:9]:
            yield item
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        await watch(broken(), on(terminal), live=True)
    assert terminal.shown == ""


async def test_a_terminal_that_is_gone_does_not_end_the_debate():
    class Gone(Terminal):
        def write(self, text: str) -> int:
            raise OSError(5, "Input/output error")

    events = debate(ANSWERS)
    assert await watch(told(streamed(events)), on(Gone()), live=True) == fold(events)


async def test_a_view_that_cannot_draw_does_not_end_the_debate(caplog):
    class Odd(Terminal):
        def write(self, text: str) -> int:
            if "claude" not in text:
                return super().write(text)
            raise KeyError("not today")

    events = debate(ANSWERS)
    assert await watch(told(streamed(events)), on(Odd()), live=True) == fold(events)
    assert "the live view stopped drawing" in caplog.text


async def test_a_flood_of_text_is_drawn_a_few_times_not_a_thousand():
    terminal, board = Terminal(), Board()
    async with Painter(board, on(terminal)) as painter:
        for item in streamed(debate({"claude": ["word " * 2000], "gpt": ["x"]}), piece=5):
            painter.take(item)
        assert painter.frames < 10


def board_after(items, until=lambda item: False) -> Board:
    board = Board()
    for item in items:
        board.take(item, 100.0)
        if until(item):
            break
    return board


def drawn(board: Board, width: int = 120, height: int = 40, now: float = 107.9) -> list[str]:
    terminal = Terminal()
    console = on(terminal, width, height)
    console.print(frame(board, console, now, 95.0))
    return terminal.shown.split("\n")


def writing() -> Board:
    return board_after(
        streamed(debate(ANSWERS)), lambda i: isinstance(i, Token) and i.panelist == "gpt"
    )


def test_panes_stand_side_by_side_where_there_is_room():
    assert any("claude" in line and "grok" in line for line in drawn(writing(), 120))
    assert any("claude" in line and "gpt" in line for line in drawn(writing(), 80))


@pytest.mark.parametrize(
    ("panes", "width", "columns"),
    [(4, 120, 2), (4, 160, 4), (3, 120, 3), (5, 120, 3), (9, 200, 5), (1, 200, 1), (0, 80, 1)],
)
def test_rows_of_panes_are_filled_evenly(panes, width, columns):
    assert columns_for(panes, width) == columns


def test_panes_are_stacked_on_a_narrow_terminal():
    assert not any("claude" in line and "gpt" in line for line in drawn(writing(), 79))


def test_each_pane_says_how_its_panelist_does():
    text = "\n".join(drawn(writing()))
    assert "done · 2.1 s · 6 tokens · $0.0031" in text
    assert "writing · 7 s · ~3 tokens" in text
    assert "asked · 7 s" in text
    assert "lab/claude-1" in text


def test_a_failure_shows_its_reason():
    board = board_after(
        streamed(debate(ANSWERS)), lambda i: isinstance(i, Answered) and not i.response.usable
    )
    text = "\n".join(drawn(board))
    assert "failed: rate limit" in text
    assert "the vendor is busy" in text


def test_an_answer_that_is_reused_is_that_of_who_wrote_it():
    events = debate({"claude": ["Yes."], "gpt": ["No."]})
    at = next(i for i, e in enumerate(events) if isinstance(e, Answered) and e.seat == "gpt")
    other = replace(events[at].response, model_alias="claude")
    events[at] = replace(events[at], response=other, reused=True)
    text = "\n".join(drawn(board_after(events, lambda i: i is events[at])))
    assert "gpt" not in text
    assert "of the earlier debate, reused" in text


def test_the_figures_tell_round_agreement_cost_and_time():
    board = board_after(
        streamed(debate(ANSWERS)), lambda i: isinstance(i, RoundStarted) and i.round_number == 1
    )
    assert drawn(board)[-1] == "round 1 of 1 · split 1:1:1 · $0.0093 · 12 s"


def test_where_figures_do_not_fit_whole_ones_are_left_out():
    board = board_after(streamed(debate(ANSWERS)), lambda i: isinstance(i, Closed))
    *_, wide = drawn(board, 120)
    *_, narrow = drawn(board, 30)
    assert set(narrow.split(" · ")) < set(wide.split(" · "))
    assert narrow.endswith("12 s")


async def test_a_frame_is_shown_whole_or_not_at_all():
    class Watched(Terminal):
        def _put(self, piece: str) -> None:
            assert self.in_frame or not piece.strip(), f"{piece!r} is drawn outside of a frame"
            super()._put(piece)

    terminal = Watched()
    await watch(told(streamed(debate(ANSWERS))), on(terminal), live=True)
    assert "claude" in terminal.getvalue()
    assert not terminal.in_frame


def test_a_model_that_is_in_the_seats_name_is_not_named_twice():
    ada = replace(panelist("local:smollm2#2", "smollm2", "local"), persona="skeptic")
    pane = Pane(key="k", seat=ada.seat, role="initial", panelist=ada)
    assert "local:smollm2#2 · skeptic ─" in drawn(Board(panes={"k": pane}), 80)[0]


def test_the_synthesis_has_a_pane_of_its_own():
    text = drawn(
        board_after(
            streamed(debate(ANSWERS)), lambda i: isinstance(i, Token) and i.role == "synthesis"
        )
    )
    assert any("synthesis by claude" in line for line in text)
    assert not any("gpt" in line for line in text)


def test_judging_is_one_line():
    at = debate(ANSWERS)[-1].at
    started = RoundStarted(at=at, round_number=-1, role="judge", seats=("gpt", "gpt"))
    board = board_after([*debate(ANSWERS), started])
    assert drawn(board)[-1].startswith("judging, 0 of 2")


def test_a_text_that_starts_over_is_withdrawn():
    items = list(streamed(debate(ANSWERS)))
    first = next(i for i, item in enumerate(items) if isinstance(item, Token))
    board = board_after(items[: first + 1])
    assert "Canberra, I" in "\n".join(drawn(board))
    again = replace(items[first], text="Anew", restart=True)
    assert board.take(again, 100.0), "a new start is shown at once"
    text = "\n".join(drawn(board))
    assert "Anew" in text
    assert "Canberra" not in text


def test_only_the_end_of_a_long_answer_is_kept_and_drawn():
    items = debate({"claude": ["x"], "gpt": ["y"]})[:4]
    board = board_after(items)
    key = next(iter(board.panes))
    piece = Token(panelist="claude", round_number=0, role="initial", key=key, text="word " * 40_000)
    for _ in range(10):
        board.take(piece, 100.0)
    board.take(replace(piece, text="THEEND"), 100.0)
    assert len(board.panes[key].text) <= 2 * KEPT
    with in_proportion(10):
        assert any("THEEND" in line for line in drawn(board))


def test_lines_break_where_they_broke_before_while_text_grows():
    board = board_after(debate({"claude": ["x"], "gpt": ["y"]})[:4])
    key = next(iter(board.panes))
    token = Token(panelist="claude", round_number=0, role="initial", key=key, text="")
    moved = 0
    before: set[str] = set()
    for n in range(600):
        board.take(replace(token, text=f"word{n} "), 100.0)
        lines = [line[:58] for line in drawn(board, 120, 14)[1:-3]]
        moved += bool(n > 120 and not before & set(lines[:-2]))
        before = set(lines)
    assert moved <= 6


@pytest.mark.parametrize("panel", [1, 2, 3, 4, 5, 8, 16])
@pytest.mark.parametrize(("width", "height"), [(20, 5), (40, 10), (80, 24), (100, 12), (200, 60)])
def test_a_frame_always_fits_the_terminal(panel, width, height):
    seats = {f"seat{n}": ["word 日本 " * 200] for n in range(panel)}
    board = board_after(streamed(debate(seats, synthesis=None)), lambda i: isinstance(i, Answered))
    lines = drawn(board, width, height)
    assert len(lines) < height
    assert all(cell_len(line) <= width for line in lines)


@pytest.mark.parametrize("payload", PAYLOADS.values(), ids=PAYLOADS.keys())
async def test_nothing_hostile_reaches_the_terminal_while_it_is_written(payload, caplog):
    terminal = Terminal()  # fails on every sequence that is not the view's own
    evil = Panelist(
        seat=f"eve{payload}",
        route=Route(vendor="openrouter", model_id=f"lab/{payload}"),
        persona=payload,
    )
    events = debate(
        {evil.seat: [payload * 3], "bob": [Fault(text=payload)], "cy": [payload]},
        panel=[evil],
        query=payload,
        synthesis=payload,
    )
    for piece in (1, 7):
        await watch(told(streamed(events, piece)), on(terminal), live=True)
        for item in streamed(events, piece):
            board = board_after(streamed(events, piece), lambda i, item=item: i == item)
            if isinstance(item, Token | Answered):
                drawn(board)
                drawn(board, 60, 8)
    assert "5;45m" not in terminal.getvalue()
    assert not caplog.records, "every frame was drawn"


def test_what_was_in_flight_when_a_process_died_waits_to_be_asked_again():
    recorded = debate(ANSWERS)
    asked = next(i for i, e in enumerate(recorded) if isinstance(e, Answered)) + 1
    at = recorded[-1].at
    board = board_after([*recorded[:asked], Reopened(at=at, reason="resumed")])
    states = {p.seat: p.state for p in board.panes.values()}
    assert states == {"claude": "done", "gpt": "waiting", "grok": "waiting"}
    again = next(e for e in recorded if isinstance(e, Asked) and e.seat == "gpt")
    board.take(again, 100.0)
    assert board.panes[again.key].state == "asked"


async def test_a_resumed_debates_record_is_not_animated():
    terminal, events = Terminal(), debate(ANSWERS)
    frames = []

    async def recorded():
        for event in events:
            yield event
            frames.append(terminal.getvalue().count("claude"))

    await watch(recorded(), on(terminal), live=True)
    assert set(frames) == {0}


def test_a_persona_is_named_in_its_pane():
    skeptic = replace(panelist("claude"), persona="skeptic")
    board = board_after(debate(ANSWERS, panel=[skeptic])[:3])
    assert any("claude · skeptic" in line for line in drawn(board))


def test_a_closed_debate_can_still_be_drawn():
    board = board_after(debate(ANSWERS))
    assert isinstance(debate(ANSWERS)[-1], Closed)
    assert drawn(board)
