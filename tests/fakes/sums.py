"""An experiment of two sums, as small as one can be."""

from __future__ import annotations

FILE = """
name = "sums"
[[query]]
text = "2 + 2?"
answer = "4"
[[query]]
text = "3 + 3?"
answer = "6"
[defaults]
panel = ["ada", "bob"]
[[condition]]
name = "panel"
[baselines]
"""
