"""A panel as a model of Google's generateContent: the Gemini CLI reaches it under `/v1beta`."""

from mutual_dissent.surfaces.google.routes import google

__all__ = ["google"]
