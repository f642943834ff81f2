"""Limits of a debate: money, time, patience."""
