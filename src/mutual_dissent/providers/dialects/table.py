"""The wire dialects by name, as the table of endpoints refers to them."""

from __future__ import annotations

from mutual_dissent.providers.dialects.anthropic import ANTHROPIC
from mutual_dissent.providers.dialects.base import Dialect
from mutual_dissent.providers.dialects.finish import verdict
from mutual_dissent.providers.dialects.google import GOOGLE
from mutual_dissent.providers.dialects.json_values import decode_body
from mutual_dissent.providers.dialects.openai import OPENAI_CHAT

__all__ = ["DIALECTS", "decode_body", "verdict"]

DIALECTS: dict[str, Dialect] = {
    "openai-chat": OPENAI_CHAT,
    "anthropic": ANTHROPIC,
    "google": GOOGLE,
}
