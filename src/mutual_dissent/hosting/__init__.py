"""Debates that belong to the store, not to the connection that started them."""

from mutual_dissent.hosting.channel import AnswerPiece, Batch, Channel
from mutual_dissent.hosting.sessions import Busy, Sessions

__all__ = ["AnswerPiece", "Batch", "Busy", "Channel", "Sessions"]
