"""The vendors' dialects: requests written, answers read."""
