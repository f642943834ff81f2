"""Citations: the sources that answers name, each once, and their numbers in a text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from urllib.parse import parse_qsl, urlencode, urlsplit

from mutual_dissent.core.response import Citation, Response

MOST = 200
"""The most sources that are collected."""
MAX_TEXT = 500_000
MAX_URL = 2_000
MAX_TITLE = 300
# Bounded and without overlap, so that a long hostile text takes no time worth mentioning.
_LINK = re.compile(
    r"\[([^\[\]\n]{1,300})\]"
    r"\((https?://(?:[^\s<>\"\[\]()]|\([^\s<>\"\[\]()]{0,200}\)){1,2000}+)\)",
    re.IGNORECASE,
)
_URL = re.compile(r"https?://[^\s<>\"'`\[\]{}|\\^]{1,2000}", re.IGNORECASE)
_EITHER = re.compile(
    f"(?P<link>{_LINK.pattern})|(?P<angle><(?={_URL.pattern}>))?(?P<bare>{_URL.pattern})"
    "(?(angle)>|)",
    re.IGNORECASE,
)
# "[1][2]" after a sentence; not an index as in "a[1]", an escaped "\[1]" or a link "[1](...)".
_MARK = re.compile(r"([ \t]?)(?<![\w\]\\])((?:\[\d{1,3}\])++)(?!\()")
_NUMBER = re.compile(r"\d+")
# "[1] https://...", "1. Title, https://...": a line of an answer's own list of sources.
REFERENCE = re.compile(r"^[ \t>*-]{0,8}\[?(\d{1,3})[\].:)]{1,2}[ \t]", re.MULTILINE)
# "(https://...)" would become "([1])".
_TWICE = re.compile(r"(?<!\])\((\[\d{1,3}\](?:[;,]? ?\[\d{1,3}\]){0,20})\)")
_CODE = re.compile(r"(```.*?(?:```|\Z)|`[^`\n]{1,500}`)", re.DOTALL)
# Where a reader came from: it makes no other page.
_TRACKING = re.compile(r"(utm_\w+|gclid|fbclid|msclkid|mc_[ce]id|igshid|ref_src)", re.IGNORECASE)
_DEFAULT_PORTS = {"http": 80, "https": 443}


def collect_citations(responses: Iterable[Response]) -> tuple[Citation, ...]:
    """Every source of the usable answers, in the order in which it was first named.

    Those that a vendor or a structured answer lists come before the addresses in its text.
    """
    by_page: dict[str, Citation] = {}
    for response in responses:
        if not response.usable:
            continue
        for citation in (*response.citations, *in_text(response.text)):
            key = normalise_url(citation.url)
            if key is None or (key not in by_page and len(by_page) >= MOST):
                continue
            known = by_page.get(key)
            if known is None or (citation.title and not known.title):
                url = known.url if known else citation.url
                by_page[key] = Citation(url=url, title=_plain(citation.title))
    return tuple(by_page.values())


def in_text(text: str) -> Iterator[Citation]:
    """The web addresses in a text, with their titles where they are Markdown links."""
    for match in _EITHER.finditer(text[:MAX_TEXT]):
        url, title, _ = _parts(match)
        yield Citation(url=url, title=title)


def number_citations(text: str, citations: Sequence[Citation], own: Sequence[Citation] = ()) -> str:
    """The text with `[n]` where it names the n-th source; marks that it has already are kept.

    An address gives way to its number, a Markdown link to its title and number. Code is left
    alone. Where a text has a list of sources, its marks and that list get these numbers, and the
    list keeps its addresses.

    Args:
        text: a synthesis, or an answer.
        citations: all sources, in the order of their numbers.
        own: the sources that the marks in the text refer to, where it numbers its own: they are
            renumbered, and a mark that leads nowhere is taken out.
    """
    places = {key: i for i, c in enumerate(citations, 1) if (key := normalise_url(c.url))}
    head, rest = text[:MAX_TEXT], text[MAX_TEXT:]
    pieces = _CODE.split(head)
    listed = listed_sources("".join(pieces[::2]))
    if not _has_marks(pieces[::2], listed):
        listed = {}
    meant = listed or dict(enumerate(own, 1))
    # `split` keeps what it splits by: every second piece is code.
    for i in range(0, len(pieces), 2):
        lines = pieces[i].splitlines(keepends=True) if listed else [pieces[i]]
        pieces[i] = "".join(_numbered_line(x, places, meant, listed) for x in lines)
    return "".join(pieces) + rest


def marks(text: str) -> frozenset[int]:
    """The numbers of sources that a text refers to: those of `[2][3]`, outside code."""
    prose = "".join(_CODE.split(text[:MAX_TEXT])[::2])
    return frozenset(int(n) for m in _MARK.finditer(prose) for n in _NUMBER.findall(m[2]))


def listed_sources(text: str) -> dict[int, Citation]:
    """Number -> source, by the list of sources that a text has.

    Where some numbers stand in brackets, only those count: "1. Open https://..." is a step.
    """
    listed: dict[int, Citation] = {}
    bracketed: dict[int, Citation] = {}
    for line in text.splitlines():
        number = REFERENCE.match(line)
        if number and (source := next(in_text(line), None)):
            kind = bracketed if "[" in number[0] else listed
            kind.setdefault(int(number[1]), source)
    return bracketed or listed


def normalise_url(url: str) -> str | None:
    """Normalised form that two addresses of one page share; None if the address is not safe.

    Scheme, `www.`, default port, fragment, tracking parameters, their order and a slash at the end
    make no difference.
    """
    # Sources are shown as links: an address that could break out of one is none.
    if len(url) > MAX_URL or not url.isprintable() or any(c in url for c in ' \\"<>'):
        return None
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return None
    scheme = parts.scheme.lower()
    # "https://bank.example@evil.example/" shows one host and leads to another.
    if scheme not in _DEFAULT_PORTS or not host or "@" in parts.netloc:
        return None
    shown_port = f":{port}" if port and port != _DEFAULT_PORTS[scheme] else ""
    asked = parse_qsl(parts.query, keep_blank_values=True)
    kept = sorted((k, v) for k, v in asked if not _TRACKING.fullmatch(k))
    query = f"?{urlencode(kept)}" if kept else ""
    return f"{host.removeprefix('www.').rstrip('.')}{shown_port}{parts.path.rstrip('/')}{query}"


def _has_marks(pieces: Iterable[str], listed: Mapping[int, Citation]) -> bool:
    """Return whether a text refers to its list: else that is a list like any other."""
    lines = (x for piece in pieces for x in piece.splitlines() if not REFERENCE.match(x))
    marks = (m[2] for x in lines for m in _MARK.finditer(x)) if listed else ()
    return any(int(n) in listed for mark in marks for n in _NUMBER.findall(mark))


def _numbered_line(
    text: str,
    places: dict[str, int],
    meant: Mapping[int, Citation],
    listed: Mapping[int, Citation],
) -> str:
    entry = REFERENCE.match(text)
    source = listed.get(int(entry[1])) if entry else None
    if entry and source and source == next(in_text(text), None):
        place = places.get(normalise_url(source.url) or "", entry[1])
        return f"{text[: entry.start(1)]}{place}{text[entry.end(1) :]}"
    if meant:
        text = _renumber(text, places, meant, keep=bool(listed))
    return _TWICE.sub(r"\1", _with_numbers(text, places)) if places else text


def _with_numbers(text: str, places: dict[str, int]) -> str:
    def number(match: re.Match[str]) -> str:
        url, title, after = _parts(match)
        place = places.get(normalise_url(url) or "")
        if place is None:
            return match[0]
        return f"{title} [{place}]{after}" if title else f"[{place}]{after}"

    return _EITHER.sub(number, text)


def _renumber(text: str, places: dict[str, int], own: Mapping[int, Citation], *, keep: bool) -> str:
    def number(match: re.Match[str]) -> str:
        marks = [int(n) for n in _NUMBER.findall(match[2])]
        if keep and not all(n in own for n in marks):
            return match[0]
        sources = [own[n] for n in marks if n in own]
        numbers = [places.get(normalise_url(c.url) or "") for c in sources]
        made = "".join(f"[{n}]" for n in dict.fromkeys(numbers) if n)
        return match[1] + made if made else ""

    return _MARK.sub(number, text)


def _parts(match: re.Match[str]) -> tuple[str, str, str]:
    """Address, title and what follows but belongs to the sentence."""
    whole = match["link"]
    if whole:
        title, url = match[2], match[3]
        return url, _plain(title), ""
    url = match["bare"]
    end = len(url)
    # "(see https://a.example/b)." has the bracket and the full stop of its sentence.
    while end and (url[end - 1] in ".,;:!?*_~" or (url[end - 1] == ")" and _closes(url[:end]))):
        end -= 1
    return url[:end], "", url[end:]


def _closes(url: str) -> bool:
    """Return whether a bracket at the end closes one that was opened before the address."""
    return url.count(")") > url.count("(")


def _plain(title: str) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in title).split())[:MAX_TITLE]
