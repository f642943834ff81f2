"""What the words of two claims show by themselves: features that the agreement model weighs."""
