"""Features of the words of two claims, which the agreement model weighs."""
