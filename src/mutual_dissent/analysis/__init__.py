"""Pure measures, one question a file."""
