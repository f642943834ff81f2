"""Panelists and their positions in words."""
