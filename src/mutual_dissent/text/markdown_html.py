"""Markdown of strangers as HTML that can do nothing: a few tags without attributes, all else text.

No address can be followed, nothing is fetched, no style or script comes in: HTML is shown as text,
no tag has an attribute, and links are shown as their words and host.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any
from urllib.parse import urlsplit

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

from mutual_dissent.text.sanitize import one_line, plain

LONGEST, DEEPEST = 400_000, 12
Tokens = Sequence[Token]


class _MarkdownReader(MarkdownIt):
    """Accepts every address: links are shown, and cannot be followed."""

    def validateLink(self, url: str) -> bool:  # noqa: ARG002, N802 - markdown-it's own name
        """Accept it."""
        return True

    def normalizeLink(self, url: str) -> str:  # noqa: N802
        """Leave it."""
        return url


class _Inert(RendererHTML):
    """Writes tags without attributes; markdown-it finds its methods by the kinds of tokens."""

    def renderToken(self, tokens: Tokens, idx: int, options: Any, env: Any) -> str:  # noqa: ARG002, N802
        """A tag, or nothing for the paragraphs of a tight list."""
        token, tag = tokens[idx], {"s": "del"}.get(tokens[idx].tag, tokens[idx].tag)
        if token.type in ("heading_open", "heading_close"):
            tag = f"h{min(6, env['top'] + int(tag[1]) - 1)}"
        if token.hidden:
            return ""
        is_closed = token.nesting <= 0 and token.block and token.level == 0
        return f"<{'/' if token.nesting < 0 else ''}{tag}>" + "\n" * is_closed

    def fence(self, tokens: Tokens, idx: int, options: Any, env: Any) -> str:  # noqa: ARG002
        """Code as it is, without regard to its language."""
        # The language would become a class, and tags here have no attributes.
        return f"<pre><code>{escape(tokens[idx].content.removesuffix(chr(10)))}</code></pre>\n"

    code_block = fence

    def link_open(self, tokens: Tokens, idx: int, _: Any, env: Any) -> str:
        """Nothing: the words of a link stand for themselves."""
        env.setdefault("links", []).append(tokens[idx].attrGet("href"))
        return ""

    def link_close(self, _tokens: Tokens, _idx: int, _: Any, env: Any) -> str:
        """The host that the link would lead to."""
        return f" <span>[{_host(env['links'].pop())}]</span>"

    def image(self, tokens: Tokens, idx: int, options: Any, env: Any) -> str:  # noqa: ARG002
        """The words of a picture, and its host: nothing is fetched."""
        token = tokens[idx]
        return f"{escape(token.content)} <span>[{_host(token.attrGet('src'))}]</span>"


_OPTIONS = {"html": False, "xhtmlOut": False, "maxNesting": DEEPEST}
_READER = (
    _MarkdownReader("commonmark", _OPTIONS, renderer_cls=_Inert)
    .enable(["table", "strikethrough"])
    # An entity may stand for a control character, which `plain` has taken out of the rest.
    .disable(["entity", "autolink", "html_inline", "html_block"])
)


def to_markup(text: str, top: int = 4) -> str:
    """A model's Markdown as HTML; its headings begin at the level `top`."""
    html: str = _READER.render(plain(text[:LONGEST]), {"top": top})
    return html.strip()


def words(text: str, limit: int = 400) -> str:
    """A line of a model's text, escaped."""
    return escape(one_line(text, limit), quote=True)


def _host(address: object) -> str:
    try:
        host = urlsplit(str(address)).netloc
    except ValueError:
        host = ""
    return words(host or str(address), 60)
