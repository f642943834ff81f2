"""A panel as an OpenAI-compatible model: other people's chat clients reach it under `/v1`."""

from mutual_dissent.surfaces.openai.routes import openai

__all__ = ["openai"]
