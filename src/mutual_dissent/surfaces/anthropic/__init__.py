"""A panel as a model of Anthropic's Messages API: agents reach it under `/v1/messages`."""

from mutual_dissent.surfaces.anthropic.routes import anthropic

__all__ = ["anthropic"]
