"""Requests of REST clients, read and checked."""
