"""Small values that every layer shares."""
