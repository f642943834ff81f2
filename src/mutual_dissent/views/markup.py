"""Markdown of strangers as HTML that can do nothing: a few tags without attributes, all else text.

Nothing is passed through. Text is escaped, and every tag is written here: no address can be
followed, nothing is fetched, no style or script comes in. Links are shown as their words and host.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html import escape
from urllib.parse import urlsplit

from mutual_dissent.views.safe import one_line, plain

LONGEST, DEEPEST = 400_000, 6

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r"^ {0,3}(#{1,6})[ \t]+(.*)$")
_RULE = re.compile(r"^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$")
_QUOTE = re.compile(r"^ {0,3}> ?")
_ITEM = re.compile(r"^( {0,3})(?:[-*+]|(\d{1,9})[.)])[ \t]+")
_DIVIDER = re.compile(r"^[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")
_INLINE = re.compile(
    # Every part ends before a character that could begin another one: no text is read twice.
    r"`(?P<code>[^`\n]{1,2000}+)`"
    r"|!?\[(?P<words>[^\[\]\n]{0,500}+)\]\([ \t]{0,9}+<?+(?P<address>[^\s()<>]{0,2000}+)>?+"
    r"(?:[ \t][^()\n]{0,300}+)?+\)"
    r"|\*\*(?P<strong>[^*\n]{1,2000}+)\*\*"
    r"|\*(?P<em>[^*\s][^*\n]{0,2000}+)\*"
    r"|~~(?P<gone>[^~\n]{1,2000}+)~~"
)
_TAGS = {"strong": "strong", "em": "em", "gone": "del"}

Block = tuple[str, int]
"""The HTML of a block, and the line after it."""


def to_markup(text: str, top: int = 4) -> str:
    """Somebody's Markdown as HTML; its headings begin at the level `top`."""
    return "\n".join(_blocks(plain(text[:LONGEST]).split("\n"), top, 0))


def words(text: str, limit: int = 400) -> str:
    """A line of somebody's text, escaped."""
    return escape(one_line(text, limit), quote=True)


def inline(text: str) -> str:
    """Somebody's Markdown within a line."""
    parts, at = [], 0
    for found in _INLINE.finditer(text):
        parts += [escape(text[at : found.start()], quote=True), _marked(found)]
        at = found.end()
    return "".join([*parts, escape(text[at:], quote=True)])


def _marked(found: re.Match[str]) -> str:
    kind = found.lastgroup or ""
    if kind == "code":
        return f"<code>{escape(found['code'], quote=True)}</code>"
    if kind == "address":
        shown = escape(found["words"].strip(), quote=True)
        return f"{shown} <span>[{_host(found['address'])}]</span>".lstrip()
    tag = _TAGS[kind]
    return f"<{tag}>{escape(found[kind], quote=True)}</{tag}>"


def _host(address: str) -> str:
    try:
        host = urlsplit(address).netloc
    except ValueError:
        host = ""
    return words(host or address, 60)


def _blocks(lines: list[str], top: int, depth: int) -> Iterator[str]:
    at = 0
    while at < len(lines):
        if not lines[at].strip():
            at += 1
            continue
        html, at = next(
            found for read in _READERS if (found := read(lines, at, top, depth)) is not None
        )
        yield html


def _fence(lines: list[str], at: int, top: int, depth: int) -> Block | None:
    opened = _FENCE.match(lines[at])
    if opened is None:
        return None
    end = at + 1
    while end < len(lines) and not lines[end].lstrip().startswith(opened[1]):
        end += 1
    code = escape("\n".join(lines[at + 1 : end]), quote=True)
    return f"<pre><code>{code}</code></pre>", end + 1


def _heading(lines: list[str], at: int, top: int, depth: int) -> Block | None:
    found = _HEADING.match(lines[at])
    if found is None:
        return None
    level = min(6, top + len(found[1]) - 1)
    return f"<h{level}>{inline(found[2].strip(' #'))}</h{level}>", at + 1


def _rule(lines: list[str], at: int, top: int, depth: int) -> Block | None:
    return ("<hr>", at + 1) if _RULE.match(lines[at]) else None


def _table(lines: list[str], at: int, top: int, depth: int) -> Block | None:
    if "|" not in lines[at] or at + 1 >= len(lines) or not _DIVIDER.match(lines[at + 1]):
        return None
    end = at + 2
    while end < len(lines) and "|" in lines[end]:
        end += 1
    head = "".join(f"<th>{inline(c)}</th>" for c in _cells(lines[at]))
    body = "".join(
        "<tr>" + "".join(f"<td>{inline(c)}</td>" for c in _cells(line)) + "</tr>"
        for line in lines[at + 2 : end]
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>", end


def _cells(line: str) -> list[str]:
    return [c.strip() for c in line.strip().strip("|").split("|")]


def _quote(lines: list[str], at: int, top: int, depth: int) -> Block | None:
    if not _QUOTE.match(lines[at]) or depth >= DEEPEST:
        return None
    end = at
    while end < len(lines) and _QUOTE.match(lines[end]):
        end += 1
    inside = [_QUOTE.sub("", line) for line in lines[at:end]]
    return f"<blockquote>{''.join(_blocks(inside, top, depth + 1))}</blockquote>", end


def _list(lines: list[str], at: int, top: int, depth: int) -> Block | None:
    first = _ITEM.match(lines[at])
    if first is None or depth >= DEEPEST:
        return None
    tag, items, end = ("ol" if first[2] else "ul"), [], at
    while (
        end < len(lines) and (found := _ITEM.match(lines[end])) and bool(found[2]) == bool(first[2])
    ):
        inside, end = _item(lines, end, found)
        items.append(f"<li>{_tight(inside, top, depth + 1)}</li>")
    return f"<{tag}>{''.join(items)}</{tag}>", end


def _item(lines: list[str], at: int, found: re.Match[str]) -> tuple[list[str], int]:
    """The lines of an item without its mark and indentation, and the line after it."""
    width, inside = len(found[0]), [lines[at][found.end() :]]
    at += 1
    while at < len(lines):
        line = lines[at]
        indented = line.startswith((" " * 2, "\t"))
        if not indented and (not line.strip() or _begins(line)):
            break
        inside.append(line[: min(width, 4)].lstrip() + line[min(width, 4) :] if indented else line)
        at += 1
    while (
        at < len(lines)
        and not lines[at].strip()
        and at + 1 < len(lines)
        and _ITEM.match(lines[at + 1])
    ):
        at += 1
    return inside, at


def _tight(lines: list[str], top: int, depth: int) -> str:
    """What an item says; a lone paragraph stands without its tag."""
    blocks = list(_blocks(lines, top, depth))
    if blocks and blocks[0].startswith("<p>"):
        blocks[0] = blocks[0].removeprefix("<p>").removesuffix("</p>")
    return "".join(blocks)


def _paragraph(lines: list[str], at: int, top: int, depth: int) -> Block | None:
    end = at + 1
    while end < len(lines) and lines[end].strip() and not _begins(lines[end]):
        end += 1
    said = inline(chr(10).join(lines[at:end]).strip())
    return f"<p>{said.replace('  ' + chr(10), '<br>' + chr(10))}</p>", end


def _begins(line: str) -> bool:
    """Whether a line begins a block of its own."""
    return any(p.match(line) for p in (_FENCE, _HEADING, _RULE, _QUOTE, _ITEM))


_READERS: tuple[Callable[[list[str], int, int, int], Block | None], ...] = (
    _fence, _heading, _rule, _table, _quote, _list, _paragraph,
)  # fmt: skip
