"""Judges of an experiment: who may judge, and how reliable they are."""
