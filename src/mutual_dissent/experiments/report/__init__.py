"""The report of an experiment."""
