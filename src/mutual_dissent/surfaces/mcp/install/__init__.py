"""Entries in the clients' own configuration."""
