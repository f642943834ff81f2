"""Answers of the tools: their classes, schemas and size."""
