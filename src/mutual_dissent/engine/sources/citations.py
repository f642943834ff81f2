"""Citations checked: their pages are read once, and the analyst is asked about the passages."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from mutual_dissent.analysis.citations.claims import cited_claims
from mutual_dissent.analysis.citations.verdicts import judgements, schema, to_judge
from mutual_dissent.core.panel import EMBEDDED, Panelist
from mutual_dissent.core.ports import CitedPages
from mutual_dissent.core.response import SYNTHESIS_ROUND, Response
from mutual_dissent.core.sight import Names, Seen
from mutual_dissent.core.step import Need, Script, Step, Turn
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.core.values.citation import CITATIONS, UNREAD, CitedClaim, CitedPassage
from mutual_dissent.prompts.fences import Fence

PROMPT = "common/citations"
SECONDS = 30.0
"""The time that all pages together may take."""
AT_ONCE = 5
LATE = "there was no time left for it"


def unread_claims(t: Transcript) -> list[CitedClaim]:
    """Citations to look at; none where the same were looked at before."""
    wanted = cited_claims(t)
    return [] if wanted == [c.cited for c in t.cited] else wanted


async def read_pages(
    claims: Sequence[CitedClaim], pages: CitedPages, seconds: float
) -> tuple[CitedPassage, ...]:
    """Every citation with what its page says; each page is fetched once, within this time."""
    by_page: dict[str, list[CitedClaim]] = {}
    for claim in claims:
        by_page.setdefault(claim.url, []).append(claim)
    gate, found = asyncio.Semaphore(AT_ONCE), dict[CitedClaim, CitedPassage]()

    async def read(url: str, about: list[CitedClaim]) -> None:
        async with gate:
            came = await pages.read(url, [c.claim for c in about])
        for claim, (state, passage, reason) in zip(about, came, strict=True):
            found[claim] = CitedPassage(cited=claim, state=state, passage=passage, reason=reason)

    tasks = [asyncio.create_task(read(url, about)) for url, about in by_page.items()]
    try:
        await asyncio.wait(tasks, timeout=max(0.0, min(SECONDS, seconds)))
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return tuple(found.get(c) or CitedPassage(cited=c, state=UNREAD, reason=LATE) for c in claims)


def script(t: Transcript) -> Script:
    """Ask the analyst about all passages at once, if there are any."""
    who, open_ = t.brief.analyst, to_judge(t)
    if who and who.route.vendor != EMBEDDED and open_:
        yield question(t, who, open_)


def question(t: Transcript, who: Panelist, asked: Sequence[tuple[int, CitedPassage]]) -> Step:
    """The step that asks about passages."""
    key = f"{SYNTHESIS_ROUND}/{CITATIONS}/{who.seat}"
    fence = Fence.of(t.brief.nonce, key)
    pairs = (
        f"Citation {n}.\n{fence.quote('claim', c.cited.claim)}\n{fence.quote('passage', c.passage)}"
        for n, c in asked
    )
    turn = Turn(
        panelist=who,
        prompt=PROMPT,
        sees=_nothing,
        schema=schema(),
        checks=(_is_readable,),
        blanks={"citations": "\n\n".join(pairs)},
    )
    return Step(turns=(turn,), role=CITATIONS, round_number=SYNTHESIS_ROUND, need=Need.NOTHING)


def _nothing(so_far: Transcript, reader: Panelist) -> Seen:
    return Seen(names=Names.LETTERS)


def _is_readable(response: Response, _: Panelist) -> str | None:
    """A reply is one JSON object with verdicts by number."""
    return None if judgements(response) else "it holds no JSON object with the citations' verdicts"
