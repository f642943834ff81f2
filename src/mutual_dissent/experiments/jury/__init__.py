"""Judges of an experiment: which may judge, and how reliable they are."""
