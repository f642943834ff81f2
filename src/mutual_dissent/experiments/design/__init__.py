"""Experiments as they are designed: the file, conditions, queries."""
