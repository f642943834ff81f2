"""Debates in the record: appended, listed, searched, locked."""
