"""Metrics, health and logs of the server."""
