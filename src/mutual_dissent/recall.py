"""Memory of the user's own debates: those on the matter of a new question."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from mutual_dissent.core.brief import Brief
from mutual_dissent.core.errors import NotFound, StoreError
from mutual_dissent.core.values.similar import SimilarDebate
from mutual_dissent.own_record import looks_at
from mutual_dissent.store.store import Store
from mutual_dissent.text.likeness import key_words, most_like
from mutual_dissent.views.phrases import clip

MOST = 3
"""So many are shown."""
LOOKED_THROUGH = 1000
"""The newest finished debates that are looked through, which takes some 30 ms."""


def with_memory(store: Store, brief: Brief, owner: str, *, attach: bool) -> Brief:
    """The brief with its owner's finished debates on the matter, the most alike first.

    Without them where the record cannot be read: who asks now is not kept from it.

    Args:
        attach: whether the panel is told of the first, if that is surely on the matter.
    """
    if not key_words(brief.query):
        return brief
    try:
        rows = store.questions(owner, LOOKED_THROUGH)
        like = most_like(brief.query, [row.query for row in rows])[:MOST]
        found = [rows[one.place] for one in like]
        seen = looks_at(store, [row.transcript_id for row in found])
        similar = tuple(
            SimilarDebate(
                transcript_id=row.transcript_id,
                query=clip(row.query, 200),
                heading=clip(seen[row.transcript_id].heading, 200)
                if row.transcript_id in seen
                else "",
                created_at=row.created_at,
            )
            for row in found
        )
        brief = replace(brief, similar=similar)
        if attach and like and like[0].sure:
            with suppress(NotFound):  # it may have been deleted meanwhile
                brief = _attached(store, brief, similar)
    except StoreError:
        pass
    return brief


def _attached(store: Store, brief: Brief, similar: tuple[SimilarDebate, ...]) -> Brief:
    """The brief whose panel is told of the nearest debate, with a notice that says so."""
    from mutual_dissent.briefing.conversation import PastConversation

    past = store.transcript(similar[0].transcript_id)
    told = PastConversation.of([past.transcript_id], [past]).before(brief)
    [first] = told.similar
    notice = (
        f"the panel is told what you asked {first.words}, debate {first.transcript_id[:8]}; set "
        "recall to show to leave it out"
    )
    return replace(
        told,
        conversation=None,
        similar=(first, *similar[1:]),
        notices=(*told.notices, notice),
    )
