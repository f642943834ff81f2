"""Prices of calls: the table, and its cache on disk."""
