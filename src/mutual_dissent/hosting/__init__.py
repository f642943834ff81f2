"""Debates that belong to the store, not to the connection that started them."""

from mutual_dissent.hosting.channel import Batch, Channel, Piece
from mutual_dissent.hosting.sessions import Busy, Sessions

__all__ = ["Batch", "Busy", "Channel", "Piece", "Sessions"]
