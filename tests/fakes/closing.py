"""Answers that end with closing lines, as panelists write them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fakes.debates import transcript
from mutual_dissent.core.transcript import Transcript


def closed(
    bottom_line: str, others: str = "", changed: str = "", *, prose: str = "", estimate: str = ""
) -> str:
    """An answer and its closing lines; in `others` panelists are named by their seats."""
    lines = [prose or f"I have thought about it. {bottom_line}", ""]
    lines += [f"BOTTOM LINE: {bottom_line}"]
    lines += [f"ESTIMATE: {estimate}"] if estimate else []
    lines += [f"ON THE OTHERS: {others}"] if others else []
    lines += [f"CHANGED: {changed}"] if changed else []
    return "\n".join(lines)


def related(
    lines: Mapping[str, str], camps: Sequence[Sequence[str]], about: str = ""
) -> dict[str, list[str]]:
    """Seat -> a first answer and one after reading: those of a camp agree, others do not.

    Args:
        lines: seat -> its bottom line in both.
        about: what those of different camps differ on.
    """
    camp = {seat: i for i, seats in enumerate(camps) for seat in seats}
    why = f": {about}" if about else ""

    def views(seat: str) -> str:
        others = (s for s in lines if s != seat)
        return "; ".join(
            f"{s} agree" if camp[s] == camp[seat] else f"{s} disagree{why}" for s in others
        )

    return {s: [closed(line), closed(line, views(s), "nothing")] for s, line in lines.items()}


def a_split(about: str = "the horizon", **more: object) -> Transcript:
    """Three for Go, and one for Rust."""
    lines = {"claude": "Go.", "gpt": "Go.", "grok": "Go.", "p4": "Rust, if one person knows it."}
    said = related(lines, [("claude", "gpt", "grok"), ("p4",)], about)
    return transcript(said, **{"query": "Rust or Go?", "synthesis": "Go.", **more})
