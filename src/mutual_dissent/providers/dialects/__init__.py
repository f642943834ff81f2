"""The vendors' dialects: requests written, answers read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mutual_dissent.core.values.by_name import ByName

if TYPE_CHECKING:
    from mutual_dissent.providers.dialects.base import Dialect

DIALECTS: ByName[Dialect] = ByName(
    __name__,
    {
        "openai-chat": "openai.OPENAI_CHAT",
        "openai-responses": "openai_responses.OPENAI_RESPONSES",
        "anthropic": "anthropic.ANTHROPIC",
        "google": "google.GOOGLE",
    },
)
"""The wire dialects by name, as the table of endpoints refers to them."""
