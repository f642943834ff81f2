"""Pages from the web as context: fetched once, before anybody is asked, and kept on record."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from mutual_dissent.briefing.inputs.sources import Sources
from mutual_dissent.core.brief import Attachment
from mutual_dissent.core.errors import BadInput, clip
from mutual_dissent.text.sanitize import one_line

if TYPE_CHECKING:
    from mutual_dissent.tools.fetch import FetchedPage, Pages

MOST_PAGES = 10


async def fetch_pages(addresses: Sequence[str], pages: Pages) -> Sources:
    """The text of pages, all fetched at once, and what is to be said of each.

    Raises:
        BadInput: if there are too many, or one cannot or must not be had.
    """
    if len(addresses) > MOST_PAGES:
        raise BadInput(f"at most {MOST_PAGES} addresses can be attached; leave some out")
    found = await asyncio.gather(*(_fetch(a, pages) for a in addresses))
    notes = [_note(a, page) for a, page in zip(addresses, found, strict=True)]
    return Sources(tuple(map(_document, found)), notices=tuple(notes))


async def _fetch(address: str, pages: Pages) -> FetchedPage:
    from mutual_dissent.tools.addresses import NotFetched

    try:
        page = await pages.page(address)
    except NotFetched as e:
        raise BadInput(f"{clip(address, 200)} was not fetched: {e}") from None
    if not page.text:
        raise BadInput(f"{clip(address, 200)} has no text; attach something else")
    return page


def _document(page: FetchedPage) -> Attachment:
    title = f"{one_line(page.title)}\n" if page.title else ""
    return Attachment(name=page.url, text=title + page.text)


def _note(address: str, page: FetchedPage) -> str:
    from mutual_dissent.tools.plain_text import MAX_TEXT

    led = "" if page.url == address else f", which led to {clip(page.url, 200)}"
    title = f' "{one_line(page.title, 100)}",' if page.title else ""
    cut = ", the beginning of it" if len(page.text) >= MAX_TEXT else ""
    return f"fetched {clip(address, 200)}{led}:{title} {len(page.text):,} characters{cut}"
