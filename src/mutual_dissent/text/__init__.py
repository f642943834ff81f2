"""Characters and words, for every layer. Pure."""
