"""Secrets: names of files that hold them, and the shapes of keys, so that none leaves unseen."""

from __future__ import annotations

import re

SHAPES = {
    "OpenAI, Anthropic or OpenRouter key": r"\bsk-(?:ant-|or-|proj-)?[A-Za-z0-9_-]{24,}",
    "Google key": r"\bAIza[0-9A-Za-z_-]{30,}",
    "xAI key": r"\bxai-[A-Za-z0-9]{32,}",
    "Groq key": r"\bgsk_[A-Za-z0-9]{32,}",
    "Perplexity key": r"\bpplx-[A-Za-z0-9]{32,}",
    "GitHub token": r"\bgh[pousr]_[A-Za-z0-9]{32,}",
    "AWS key": r"\bAKIA[0-9A-Z]{16}\b",
    "private key": r"-----BEGIN [A-Z ]*PRIVATE KEY-----",
}
"""Kind of key -> what it looks like."""

_SECRET_NAME = re.compile(
    r"(?:^|/)(?:\.env(?:\.(?!example$|sample$|template$|dist$)[^/]*)?|[^/]*\.(?:pem|key|p12|pfx|jks"
    r"|keystore|kdbx|ovpn|tfstate)|id_(?:rsa|dsa|ecdsa|ed25519)[^/]*|\.netrc|\.pgpass|\.htpasswd"
    r"|\.pypirc|\.npmrc|credentials(?:\.[^/]*)?|secrets?\.(?:json|ya?ml|toml|ini|env|txt)"
    r"|service[-_]account[^/]*\.json|\.git-credentials)$",
    re.IGNORECASE,
)
_KEYS = re.compile("|".join(f"(?P<k{i}>{shape})" for i, shape in enumerate(SHAPES.values())))


def is_secret_name(path: str) -> bool:
    """Return whether a file is one for secrets, by its name alone; `id_rsa.pub` is none."""
    return bool(_SECRET_NAME.search(path)) and not path.endswith(".pub")


def key_in(text: str) -> tuple[str, int] | None:
    """The kind of the first key in a text, and its line; None if there is none."""
    found = _KEYS.search(text)
    if found is None or found.lastgroup is None:
        return None
    return list(SHAPES)[int(found.lastgroup[1:])], text.count("\n", 0, found.start()) + 1
