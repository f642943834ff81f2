"""The sign-in page: a box for the start address or its token.

It is self-contained (no script, file or request), since unknown clients are served nothing else.
"""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256

from starlette.responses import Response

from mutual_dissent.surfaces.http.errors import Problem

WORD = "token="
LONGEST = 2_000
"""Characters of pasted text that are read."""

_STYLE = """
:root { color-scheme: light dark; --ground: #f6f7f9; --surface: #fff; --line: #b6bfcc;
  --text: #171b24; --muted: #505b6d; --accent: #2456c4; --on-accent: #fff; --wrong: #a32632 }
@media (prefers-color-scheme: dark) { :root { --ground: #0f1218; --surface: #161a22;
  --line: #3d4658; --text: #e4e8f0; --muted: #9aa5b8; --accent: #7aa2f7; --on-accent: #0b1020;
  --wrong: #f28b8b } }
* { box-sizing: border-box }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 16px;
  background: var(--ground); color: var(--text); font: 15px/1.5 Inter, system-ui, sans-serif }
main { width: 100%; max-width: 520px; padding: 24px; background: var(--surface);
  border: 1px solid var(--line); border-radius: 10px }
h1 { margin: 0 0 8px; font-size: 18px } p { margin: 0 0 14px; color: var(--muted) }
form { display: grid; gap: 6px } .row { display: flex; gap: 8px; flex-wrap: wrap }
input, button { font: inherit; padding: 8px 12px; border: 1px solid var(--line);
  border-radius: 6px }
input { flex: 1; min-width: 180px; background: var(--ground); color: var(--text) }
button { background: var(--accent); border-color: var(--accent); color: var(--on-accent);
  font-weight: 600 }
p.wrong { color: var(--wrong); margin: 0 0 14px } code { font-family: ui-monospace, monospace }
"""

_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Mutual Dissent</title><style>{style}</style></head>
<body><main><h1>The way in</h1>
<p><code>dissent serve</code> prints an address when it starts; a server that was started anew has a
new one. Paste it here, or the token in it.</p>{wrong}
<form method="get"><label for="token">Address or token</label>
<div class="row"><input id="token" name="token" type="text" autocomplete="off" spellcheck="false"
required autofocus><button>Open</button></div></form></main></body></html>
"""

_WRONG = '<p class="wrong" role="alert">This is not the token of the server that runs now.</p>'

# The one style within the page is let in by its hash, and nothing else is.
_HASH = b64encode(sha256(_STYLE.encode()).digest()).decode()
POLICY = (
    f"default-src 'none'; style-src 'sha256-{_HASH}'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)


def threshold(problem: Problem, *, again: bool) -> Response:
    """Return the sign-in page.

    Args:
        problem: why the request was refused.
        again: whether a wrong token was sent.
    """
    page = _PAGE.format(style=_STYLE, wrong=_WRONG if again else "")
    return Response(
        page,
        problem.status,
        media_type="text/html",
        headers={**problem.headers, "content-security-policy": POLICY},
    )


def pasted_token(given: str) -> str:
    """Return the token in pasted text: an address that has one, or the token itself."""
    # "http://127.0.0.1:8080/?token=abc", or only "abc".
    _, word, rest = given[:LONGEST].strip().rpartition(WORD)
    return rest.partition("&")[0] if word else given.strip()
