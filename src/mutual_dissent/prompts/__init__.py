"""Prompts: Markdown files, filled, fenced and hashed."""
