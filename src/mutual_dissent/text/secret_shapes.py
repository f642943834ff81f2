"""Secrets: names of files that hold them, and the shapes of keys, so that none leaves unseen.

Who is too careful leaves out a file, and says so; who is not careful enough has given a key away.
"""

from __future__ import annotations

import re

SHAPES = {
    "OpenAI, Anthropic or OpenRouter key": r"\bsk-(?:ant-|or-|proj-)?[A-Za-z0-9_-]{24,}",
    "Google key": r"\b(?:AIza[0-9A-Za-z_-]{30,}|GOCSPX-[0-9A-Za-z_-]{20,})",
    "xAI key": r"\bxai-[A-Za-z0-9]{32,}",
    "Groq key": r"\bgsk_[A-Za-z0-9]{32,}",
    "Perplexity key": r"\bpplx-[A-Za-z0-9]{32,}",
    "GitHub token": r"\b(?:gh[pousr]_[A-Za-z0-9]{32,}|github_pat_[A-Za-z0-9_]{30,})",
    "GitLab token": r"\bglpat-[A-Za-z0-9_-]{20,}",
    "npm or PyPI token": r"\b(?:npm_[A-Za-z0-9]{36}|pypi-[A-Za-z0-9_-]{40,})",
    "Hugging Face token": r"\bhf_[A-Za-z0-9]{30,}",
    "AWS key": r"\bA(?:KIA|SIA)[0-9A-Z]{16}\b",
    "Slack token": r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}|hooks\.slack\.com/services/T\w+/B\w+/\w{16,}",
    "Stripe key": r"\b[sr]k_live_[A-Za-z0-9]{16,}",
    "SendGrid key": r"\bSG\.[\w-]{16,64}\.[\w-]{16,}",
    "Telegram token": r"\b\d{8,10}:[A-Za-z0-9_-]{35}\b",
    "signed token": r"\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}",
    "bearer token": r"\b[Bb]earer\s+(?=[^\s'\"]*\d)[A-Za-z0-9._~+/=-]{16,}",
    "private key": r"-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-\d",
}
"""Kind of key -> what it looks like."""

_SECRET_NAME = re.compile(
    r"(?:^|/)(?:\.env(?:rc|\.(?!example$|sample$|template$|dist$)[^/]*)?"
    r"|[^/]*\.(?:env|pem|key|ppk|p8|p12|pfx|jks|keystore|keytab|kdbx|ovpn|tfvars"
    r"|tfstate(?:\.backup)?)"
    r"|id_(?:rsa|dsa|ecdsa|ed25519)[^/]*|[._]netrc|\.(?:pgpass|htpasswd|pypirc|npmrc|boto|s3cfg"
    r"|my\.cnf|dockercfg|terraformrc|git-credentials|vault[-_](?:token|pass)[^/]*|renviron)"
    r"|\.\w+_history|\.(?:ssh|aws|gnupg|azure)/.*|\.docker/config\.json|\.kube/config|kubeconfig"
    r"|gh/hosts\.ya?ml|rclone\.conf|wp-config\.php|local\.settings\.json|auth\.json|shadow"
    r"|credentials(?:\.[^/]*)?|application_default_credentials\.json|client_secret[^/]*\.json"
    r"|(?:[^/]*[-_.])?(?:secrets?|passwords?)\.(?:json|ya?ml|toml|ini|env|txt|properties|conf|cfg)"
    r"|[^/]*service[-_]account[^/]*\.json)$",
    re.IGNORECASE,
)
_KEYS = re.compile("|".join(f"(?P<k{i}>{shape})" for i, shape in enumerate(SHAPES.values())))

_NAMES = (
    r"passw(?:or)?d|pwd|passphrase|secret|token"
    r"|(?:api|access|account|auth|encryption|private|secret|signing|subscription)[_.-]?key"
)
# Values that are set in code, YAML, JSON and XML: `api_key: VALUE`, `"token": "VALUE"`.
_ASSIGNED = re.compile(
    rf"(?:{_NAMES})[\w.-]{{0,20}}['\"]?\s{{0,5}}(?:=>|:=|[:=,>]|\svalue\s?=)"
    r"\s{0,5}(?:(?P<quote>['\"])(?P<quoted>[^'\"\s]{8,200})(?P=quote)"
    r"|(?P<bare>[^\s'\"#,;<>{}()\[\]$`]{8,200})(?=$|[\s,;#<'\"]))",
    re.IGNORECASE | re.MULTILINE,
)
# A password between the user and the host, as addresses of databases have it.
_IN_ADDRESS = re.compile(r"\b[a-z][a-z0-9+.-]{1,20}://[^\s/:@\"'<>]{1,80}:([^\s/:@\"'<>]{5,200})@")
# Not secrets: "changeme123", "<your-key-1>", "${TOKEN_1}", "os.environ[...]", paths, addresses.
_STAND_IN = re.compile(
    r"example|sample|placeholder|change.?me|dummy|xxx|\.\.\.|\*\*|redacted|<|\{|\$|%\(|^your|^my[-_]"
    r"|^(?:os|process|settings|config|self|env|secrets|args|options)\.|://|^/|^\.|\\",
    re.IGNORECASE,
)
SETTINGS = frozenset(
    "bash bat cfg cnf conf config dockerfile env ini json json5 log makefile plist properties "
    "props ps1 sh toml txt xml yaml yml zsh".split()
)
"""Endings of files in which a value needs no quotation marks."""

MASK = "***"


def is_secret_name(path: str) -> bool:
    """Return whether a file is one for secrets, by its name alone; `id_rsa.pub` is none."""
    return bool(_SECRET_NAME.search(path)) and not path.endswith(".pub")


def key_in(text: str, name: str = "") -> tuple[str, int] | None:
    """The kind of the first key in a text, and its line; None if there is none.

    Args:
        name: the name of its file, which says how values are written in it.
    """
    found = _KEYS.search(text)
    if found and found.lastgroup:
        return list(SHAPES)[int(found.lastgroup[1:])], _line(text, found)
    # In code a bare value is a name: `token = make_token2`.
    bare = name.rpartition("/")[2].rpartition(".")[2].lower() in SETTINGS
    for given in _ASSIGNED.finditer(text):
        value = given["quoted"] or (given["bare"] if bare else "")
        if value and _is_made_up(value):
            return "password or key", _line(text, given)
    for given in _IN_ADDRESS.finditer(text):
        if _is_made_up(given[1]):
            return "password in an address", _line(text, given)
    return None


def mask_keys(text: str) -> str:
    """A text with stars in the place of keys, and of passwords in addresses."""
    masked = _KEYS.sub(MASK, text)
    return _IN_ADDRESS.sub(lambda m: m[0].replace(f":{m[1]}@", f":{MASK}@"), masked)


def _is_made_up(value: str) -> bool:
    """Return whether a value looks like a secret, not like a word or what stands for one."""
    mixed = any(c.isdigit() for c in value) and any(c.isalpha() for c in value)
    return mixed and not _STAND_IN.search(value)


def _line(text: str, found: re.Match[str]) -> int:
    return text.count("\n", 0, found.start()) + 1
