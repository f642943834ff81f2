"""Mutual Dissent: ask a panel of language models instead of one."""

__version__ = "0.1.0"
