"""Measures of a round: who agrees, who moved, how far that can be trusted."""
