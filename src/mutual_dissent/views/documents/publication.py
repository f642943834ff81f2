"""Publication of a debate: its course, and nothing of its owner's that is not part of it.

It is taken out of the events, before anything is made of them, so that no view can show it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from mutual_dissent.analysis.review.report import NOT_REVIEWED
from mutual_dissent.core.brief import NOT_ATTACHED, Attachment, Brief
from mutual_dissent.core.events import Answered, Event, Opened, Reopened, Status
from mutual_dissent.core.panel import Panelist
from mutual_dissent.core.response import Response
from mutual_dissent.core.tool import Use
from mutual_dissent.core.transcript import DESCRIPTION, Transcript
from mutual_dissent.core.values.picture import Picture
from mutual_dissent.text.sanitize import one_line
from mutual_dissent.views.phrases import join_names, plural
from mutual_dissent.views.remarks.lookups import REFUSED, SEARCHES

LEFT_OUT = (
    "Left out: texts of attachments, descriptions of pictures, what was looked up in a folder, "
    "names of what was not attached, notices from before the debate, private contexts and "
    "personas, who owned the debate, earlier conversation, known answers, experiments, folders, "
    "settings; what looks like a key is masked."
)
MOST_NAMES = 12
NOT_SHOWN = "not shown"
UNNAMED = "some files, whose names are left out"


def public_events(events: Iterable[Event]) -> list[Event]:
    """The events of a debate without what is only its owner's."""
    return [_public(e) for e in events]


def exposures(debates: Sequence[Transcript]) -> Iterator[str]:
    """Yield what everyone will be able to read, in a sentence each."""
    yield f"Everyone will be able to read {plural(len(debates), 'debate')}:"
    for t in debates:
        ending = "" if t.status is Status.COMPLETED else "  (not finished)"
        yield f"  {t.transcript_id[:8]}  {one_line(t.query, 70)}{ending}"
    what = ["the whole question", "every answer", "models", "costs", "errors"]
    attached = [a.name for t in debates for a in t.brief.context]
    if attached:
        more = f", and {len(attached) - MOST_NAMES} more" if len(attached) > MOST_NAMES else ""
        names = ", ".join(one_line(a, 60) for a in attached[:MOST_NAMES])
        what.append(f"the names of what was attached ({names}{more}), which answers may quote")
    if any(t.brief.workspace for t in debates):
        what.append("what answers quote from the folder that the panel read in")
    if any(t.brief.tools for t in debates):
        what.append("what was searched for on the web, with the addresses and what was found there")
    if any(t.remarks for t in debates):
        what.append("what you told the panel")
    if any(t.brief.me for t in debates):
        what.append("what you wrote on the panel")
    yield f"That is {join_names(what)}."
    yield LEFT_OUT


def _public(event: Event) -> Event:
    match event:
        case Opened():
            return replace(event, brief=_public_brief(event.brief), settings={})
        case Reopened(brief=Brief() as brief):
            return replace(event, brief=_public_brief(brief))
        case Answered():
            return replace(event, response=_public_response(event.response))
        case _:
            return event


def _public_response(r: Response) -> Response:
    """An answer without what it was told from the owner's folder, or saw on the owner's pictures.

    An answer itself may quote both: that is said before anything is published.
    """
    r = replace(
        r,
        uses=tuple(map(_public_use, r.uses)),
        tool_calls=tuple({"name": str(c.get("name") or "")} for c in r.tool_calls),
        attempts=tuple(replace(a, partial="") for a in r.attempts),
    )
    if r.role != DESCRIPTION:
        return r
    said = NOT_SHOWN if r.text.strip() else ""
    bare = replace(r, content=said, position=None, reasoning=None, key_points=(), analysis={})
    return replace(bare, closing=None, citations=(), cited_for={}, requests=())


def _public_use(use: Use) -> Use:
    """A search of the web as it was; of any other tool only that it was used."""
    if use.name in SEARCHES:
        return replace(use, wire={})
    found = f"{REFUSED}{NOT_SHOWN}" if use.result.startswith(REFUSED) else NOT_SHOWN
    return Use(id="", name=use.name, arguments={}, result=found, failed=use.failed)


def _public_brief(brief: Brief) -> Brief:
    return replace(
        brief,
        panel=tuple(_public_seat(p) for p in brief.panel),
        synthesizer=_public_seat(brief.synthesizer),
        fallbacks=tuple(_public_seat(p) for p in brief.fallbacks),
        judge=_public_seat(brief.judge) if brief.judge else None,
        analyst=_public_seat(brief.analyst) if brief.analyst else None,
        # Made anew, so that whatever else comes to be attached stays out.
        context=tuple(map(_public_attachment, brief.context)),
        describers=tuple(_public_seat(p) for p in brief.describers),
        earlier=(),
        similar=(),
        conversation=None,
        replay_of=None,
        ground_truth=None,
        experiment=None,
        own_chances=None,
        workspace=None,
        client=None,
        notices=_public_notices(brief.notices),
        owner="",
    )


def _public_attachment(a: Attachment) -> Attachment:
    """Its name, and whether it is a picture."""
    kind = a.picture.media_type if a.picture else ""
    seen = Picture(media_type=kind, sha256="", width=0, height=0, size=0) if a.picture else None
    return Attachment(name=_public_name(a.name), text="", picture=seen)


def _public_notices(notices: Iterable[str]) -> tuple[str, ...]:
    """That something was left out of what the panel read: others are for the owner alone."""
    gaps = (b for n in notices for b in (NOT_ATTACHED, NOT_REVIEWED) if n.startswith(b))
    return tuple(f"{gap} {UNNAMED}" for gap in dict.fromkeys(gaps))


def _public_seat(p: Panelist) -> Panelist:
    return replace(p, context="", instructions="")


def _public_name(name: str) -> str:
    """The name of a file; of a whole path only its end, which names nobody's folders."""
    parts = name.replace("\\", "/").split("/")
    is_whole = not parts[0] or parts[0].endswith(":") or parts[0].startswith("~")
    return parts[-1] if is_whole and len(parts) > 1 and "://" not in name else name
