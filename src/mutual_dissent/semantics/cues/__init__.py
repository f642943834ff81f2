"""Cues in two claims that decide without the model."""
