"""The wire dialects by name, as the table of endpoints refers to them."""

from __future__ import annotations

from mutual_dissent.providers.anthropic import ANTHROPIC
from mutual_dissent.providers.dialect import Dialect
from mutual_dissent.providers.finish import verdict
from mutual_dissent.providers.google import GOOGLE
from mutual_dissent.providers.openai_chat import OPENAI_CHAT
from mutual_dissent.providers.vendor_json import decode_body

__all__ = ["DIALECTS", "decode_body", "verdict"]

DIALECTS: dict[str, Dialect] = {
    "openai-chat": OPENAI_CHAT,
    "anthropic": ANTHROPIC,
    "google": GOOGLE,
}
