"""Answers that several surfaces share, as plain values for each to format."""
