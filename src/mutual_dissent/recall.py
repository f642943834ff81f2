"""Memory of the user's own debates: those on the matter of a new question."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from mutual_dissent.core.codec.camel import Shape, about
from mutual_dissent.core.errors import StoreError
from mutual_dissent.own_record import looks_at
from mutual_dissent.store.store import Store
from mutual_dissent.text.likeness import key_words, most_like
from mutual_dissent.views.phrases import clip

MOST = 3
"""So many are shown."""
LOOKED_THROUGH = 1000
"""The newest finished debates that are looked through, which takes some 30 ms."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SimilarDebate(Shape):
    """An earlier debate on the matter."""

    transcript_id: str = field(metadata=about("Its id.", alias="sessionId"))
    query: str = field(metadata=about("Its question, cut after 200 characters."))
    heading: str = field(metadata=about("What its panel held, in words, cut in the same way."))
    created_at: datetime

    @property
    def words(self) -> str:
        """Sentence about it: `on 3 May 2026: "Go or Rust?" (3 of 4: Go.)`."""
        held = f" ({self.heading})" if self.heading else ""
        return f'on {self.created_at.day} {self.created_at:%B %Y}: "{self.query}"{held}'


def similar_debates(store: Store, query: str, owner: str = "") -> tuple[SimilarDebate, ...]:
    """The owner's finished debates on the matter of a query, the most alike first.

    None where the record cannot be read: who asks now is not kept from it.
    """
    if not key_words(query):
        return ()
    try:
        rows = store.questions(owner, LOOKED_THROUGH)
        like = [rows[place] for place in most_like(query, [row.query for row in rows])[:MOST]]
        seen = looks_at(store, [row.transcript_id for row in like])
    except StoreError:
        return ()
    return tuple(
        SimilarDebate(
            transcript_id=row.transcript_id,
            query=clip(row.query, 200),
            heading=clip(seen[row.transcript_id].heading, 200) if row.transcript_id in seen else "",
            created_at=row.created_at,
        )
        for row in like
    )
