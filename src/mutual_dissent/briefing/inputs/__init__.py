"""Inputs: what users bring beside the question, from files, folders and repositories."""
