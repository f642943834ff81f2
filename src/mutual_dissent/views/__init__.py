"""Pure renderings of a transcript."""
