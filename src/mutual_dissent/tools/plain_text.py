"""Pages as plain text. Each character is looked at a fixed number of times, whatever the page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

MAX_HTML = 2_000_000
MAX_TEXT = 300_000
_HIDDEN = ("script", "style", "noscript", "template", "svg", "head", "title", "iframe", "textarea")
_INLINE = frozenset(
    "a abbr b bdi bdo cite code data dfn em font i kbd mark q s samp small span strong sub sup "
    "time u var wbr".split()
)
# Nothing here goes on beyond the next `<`, so that many of them cost no more than few.
_TAG = re.compile(r"""</?([a-zA-Z][a-zA-Z0-9-]{0,40})(?:[^<>"']|"[^"<]*+"|'[^'<]*+')*+>""")
_TITLE = re.compile(r"<title[^<>]{0,200}>([^<]{0,2000})", re.IGNORECASE)
_NUMERIC = re.compile(r"&#[xX]?[0-9a-fA-F]{8,}+;?")  # no such character, and slow to read
_CHARSET = re.compile(rb"charset\s{0,9}=\s{0,9}[\"']?([A-Za-z0-9_-]{1,40})")
_KNOWN_CHARSETS = re.compile(
    r"utf-?8|utf-16(le|be)?|(us-)?ascii|latin-?1|iso-8859-\d{1,2}|(windows-|cp)125\d|"
    r"shift_jis|euc-(jp|kr)|gbk|gb2312|gb18030|big5|koi8-[ru]"
)
_BLANKS = re.compile(r"[^\S\n]+")
_LINES = re.compile(r"\s*\n\s*")


def decode_page(body: bytes, charset: str | None) -> str:
    """The characters of a page; in UTF-8 where it names no encoding that we trust."""
    named = (charset or "").strip().lower()
    if not named and (found := _CHARSET.search(body[:2048])):
        named = found[1].decode("ascii").lower()
    if not _KNOWN_CHARSETS.fullmatch(named):
        named = "utf-8"
    try:
        return body.decode(named, "replace").lstrip("\ufeff")
    except LookupError:  # such as iso-8859-99
        return body.decode("utf-8", "replace").lstrip("\ufeff")


def title_of(page: str) -> str:
    """The title of an HTML page, in one line."""
    found = _TITLE.search(page[:100_000])
    return " ".join(readable(found[1]).split())[:300] if found else ""


def text_of(page: str) -> str:
    """Visible text of an HTML page, a line for each block."""
    return tidy(readable("".join(_visible(page[:MAX_HTML]))))


def tidy(text: str) -> str:
    """The text without control characters, blank lines and runs of blanks."""
    plain = "".join(c if c.isprintable() or c == "\n" else " " for c in text)
    return _LINES.sub("\n", _BLANKS.sub(" ", plain)).strip()[:MAX_TEXT]


def readable(text: str) -> str:
    """The text with its character references resolved."""
    return unescape(_NUMERIC.sub(" ", text)) if "&" in text else text


def _visible(page: str) -> Iterator[str]:
    at = 0
    while (start := page.find("<", at)) >= 0:
        yield page[at:start]
        if page.startswith("<!--", start):
            at = _after(page, "-->", start + 4)
        elif match := _TAG.match(page, start):
            name, at = match[1].lower(), match.end()
            yield "" if name in _INLINE else "\n"
            if name in _HIDDEN and page[start + 1] != "/" and page[at - 2] != "/":
                end = re.compile(f"</{name}", re.IGNORECASE).search(page, at)
                at = _after(page, ">", end.end()) if end else len(page)
        elif page[start + 1 : start + 2].isalpha() or page[start + 1 : start + 2] in (
            "/",
            "!",
            "?",
        ):
            at = _after(page, ">", start)
        else:
            yield "<"
            at = start + 1
    yield page[at:]


def _after(text: str, end: str, at: int) -> int:
    """The place after the next `end`; the text's own end if there is none."""
    found = text.find(end, at)
    return len(text) if found < 0 else found + len(end)
