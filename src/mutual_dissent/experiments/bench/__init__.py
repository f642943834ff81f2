"""Benchmarks as experiments."""
