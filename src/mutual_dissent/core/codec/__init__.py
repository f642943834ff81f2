"""Values as JSON, and JSON as values."""
