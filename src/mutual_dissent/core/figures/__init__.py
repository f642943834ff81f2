"""Sums and estimates over answers, and the money that calls share."""
