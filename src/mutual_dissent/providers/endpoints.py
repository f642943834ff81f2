"""The table of vendors: where each is, which dialect it speaks, which variable holds its key."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from mutual_dissent.core.values.secret import Key

DialectName = Literal["openai-chat", "openai-responses", "anthropic", "google"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """A vendor's address. The key goes to this base URL's host and nowhere else.

    Attributes:
        vendor: its name in routes and settings.
        dialect: the wire it speaks.
        base_url: the URL that the dialect's path is added to, without a slash at the end.
        key: its key; None where none is configured.
        key_env: the variable that its key is read from.
        key_prefix: what its keys begin with, where they can be told by it.
        needs_key: whether it can be called at all without one.
        concurrency: the most calls in flight; None for as many as it turns out to take.
        per_minute: the most calls that start in a minute; None for no limit.
        price_id: the vendor's name in the price table, where it differs.
        token_field: the field that limits the answer's length, where the dialect has several.
        takes_tools: whether it can be offered tools.
    """

    vendor: str
    dialect: DialectName
    base_url: str
    key: Key | None = field(default=None, repr=False)
    key_env: str = ""
    key_prefix: str = ""
    base_url_env: str = ""
    needs_key: bool = True
    concurrency: int | None = None
    per_minute: int | None = None
    price_id: str = ""
    token_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"  # noqa: S105  (no password)
    takes_tools: bool = True


def _row(
    vendor: str, dialect: DialectName, base_url: str, key_prefix: str = "", **more: object
) -> Endpoint:
    name = vendor.upper()
    values: dict[str, object] = {
        "key_prefix": key_prefix,
        "key_env": f"{name}_API_KEY",
        "base_url_env": f"{name}_BASE_URL",
        "price_id": vendor,
    }
    return Endpoint(vendor=vendor, dialect=dialect, base_url=base_url, **{**values, **more})  # type: ignore[arg-type]


TABLE: dict[str, Endpoint] = {
    row.vendor: row
    for row in (
        _row("openrouter", "openai-chat", "https://openrouter.ai/api/v1", "sk-or-"),
        _row(
            "openai",
            "openai-chat",
            "https://api.openai.com/v1",
            "sk-",
            # Its newer models refuse `max_tokens`, the name that all others know.
            token_field="max_completion_tokens",  # noqa: S106  (no password)
        ),
        _row("anthropic", "anthropic", "https://api.anthropic.com", "sk-ant-"),
        _row("google", "google", "https://generativelanguage.googleapis.com", "AIza"),
        _row("xai", "openai-chat", "https://api.x.ai/v1", "xai-", price_id="x-ai"),
        _row("groq", "openai-chat", "https://api.groq.com/openai/v1", "gsk_"),
        # Searches for every answer, and refuses tools.
        _row("perplexity", "openai-chat", "https://api.perplexity.ai", "pplx-", takes_tools=False),
        _row(
            "ollama",
            "openai-chat",
            "http://127.0.0.1:11434/v1",
            key_env="",
            needs_key=False,
            base_url_env="OLLAMA_HOST",
            concurrency=4,
        ),
        _row("lmstudio", "openai-chat", "http://127.0.0.1:1234/v1", key_env="", needs_key=False),
        _row("llamacpp", "openai-chat", "http://127.0.0.1:8080/v1", key_env="", needs_key=False),
        _row("vllm", "openai-chat", "http://127.0.0.1:8000/v1", key_env="", needs_key=False),
    )
}
SERVERS = {"ollama": "Ollama", "lmstudio": "LM Studio", "llamacpp": "llama.cpp", "vllm": "vLLM"}
"""Vendors that are programs on the user's machine, and their names for people."""
