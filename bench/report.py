"""The benchmark's table: what was measured, against what, and whether the goal was met."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field


@dataclass
class Table:
    rows: list[tuple[str, str, str, bool]] = field(default_factory=list)

    def add(self, what: str, value: float, goal: float, unit: str = "x", note: str = "") -> None:
        """A measure that is good if it is at most `goal`."""
        met = value <= goal
        shown = f"{value:.2f} {unit}" + (f"  ({note})" if note else "")
        self.rows.append((what, shown, f"<= {goal:g} {unit}", met))
        print(f"{'ok  ' if met else 'MISS'} {what}: {shown}", file=sys.stderr, flush=True)

    @property
    def all_met(self) -> bool:
        return all(met for *_, met in self.rows)

    def text(self) -> str:
        """The table, ready to be pasted."""
        lines = ["| measure | value | goal | |", "|---|---|---|---|"]
        lines += [f"| {w} | {v} | {g} | {'met' if m else 'MISSED'} |" for w, v, g, m in self.rows]
        return "\n".join(lines)
