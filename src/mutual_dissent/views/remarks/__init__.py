"""Remarks beside the answer: notes, citations, questions to the user."""
