"""Decisions: options rated on criteria."""
