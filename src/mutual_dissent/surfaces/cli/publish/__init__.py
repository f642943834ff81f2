"""Stored debates as pages for everyone, which play them without a server."""
