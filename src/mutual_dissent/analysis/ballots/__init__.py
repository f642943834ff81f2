"""Ballots read from answers, and their count."""
