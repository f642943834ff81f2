"""Experiments as they run: plan, budget, registry."""
