"""The sources that a vendor names with an answer, each kept once."""

from __future__ import annotations

from mutual_dissent.core.response import Citation
from mutual_dissent.providers.dialects.base import PartialAnswer
from mutual_dissent.providers.dialects.json_values import string

MAX_CITATIONS = 500
MAX_URL = 2000
MAX_TITLE = 300
MAX_CLAIM = 600
MAX_CLAIMS = 5


def cite(reading: PartialAnswer, url: object, title: object = None, claim: object = None) -> None:
    """Add a source; a title that comes later completes one that had none, a claim is added to it.

    Only web addresses count: other schemes could do harm where they are shown as links.
    """
    if not (type(url) is str and url.startswith(("http://", "https://")) and len(url) <= MAX_URL):
        return
    places: dict[str, int] = reading.state.setdefault("cited", {})
    place = places.get(url)
    named = string(title)[:MAX_TITLE]
    if place is not None:
        if named and not reading.citations[place].title:
            reading.citations[place] = Citation(url=url, title=named)
    elif len(places) < MAX_CITATIONS:
        places[url] = len(reading.citations)
        reading.citations.append(Citation(url=url, title=named))
    said = " ".join(string(claim)[:MAX_CLAIM].split())
    if said and url in places:
        claims = reading.cited_for.setdefault(url, [])
        if said not in claims and len(claims) < MAX_CLAIMS:
            claims.append(said)
