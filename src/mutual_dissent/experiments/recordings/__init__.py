"""Debates replayed over recorded answers and reviews."""
