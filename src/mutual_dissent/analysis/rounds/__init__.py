"""Measures of a round: agreement, movement, and how far they can be trusted."""
