"""Scores of answers, and chances learned from them."""
