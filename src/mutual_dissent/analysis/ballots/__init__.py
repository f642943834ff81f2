"""Ballots read from answers, and their count."""

UNREAD = "ballot: not readable"
"""The flag of an answer without a ranking that can be read; every view looks for it."""
