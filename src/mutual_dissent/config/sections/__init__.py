"""Sections of the configuration that one part alone reads."""
