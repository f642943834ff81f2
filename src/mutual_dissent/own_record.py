"""The user's own debates: how often agreement was right in them, which are on a new matter."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import Any, Generic, TypeVar

from mutual_dissent.analysis.scores.track_record import OWN_ENOUGH
from mutual_dissent.analysis.scores.weights import GradedAnswer
from mutual_dissent.core.brief import Brief, SimilarDebate
from mutual_dissent.core.errors import DissentError, NotFound, StoreError
from mutual_dissent.core.transcript import fold
from mutual_dissent.store.debates.filters import ListFilters
from mutual_dissent.store.store import Store
from mutual_dissent.text.likeness import key_words, most_like
from mutual_dissent.views.phrases import clip
from mutual_dissent.views.track_record import (
    VERSION,
    Look,
    OwnRecord,
    answers_once,
    each_query_once,
    from_text,
    look,
    own_seat_record,
    to_text,
)

_T = TypeVar("_T")

Answers = list[tuple[str, GradedAnswer]]
"""Graded answers, each with the name of its query."""

MOST = 1000
"""So many graded debates count at most, of each experiment and of those that a judge scored."""

NEW = 100
"""So many are read at a time that were not looked at before: whoever asks now is not kept waiting.
"""


class SharedReading(Generic[_T]):
    """A reading of the record in a thread, made once for all who ask while it is being made."""

    def __init__(self, read: Callable[[], _T]) -> None:
        self._read = read
        self._task: asyncio.Future[_T] | None = None

    async def get(self) -> _T:
        """Return what the reading finds."""
        task = self._task
        # A program may run several loops, one after the other, or in threads.
        if task is None or task.done() or task.get_loop() is not asyncio.get_running_loop():
            task = self._task = asyncio.ensure_future(asyncio.to_thread(self._read))
        return await asyncio.shield(task)


def own_chances(store: Store, experiments: Callable[[], Sequence[str]]) -> dict[str, Any] | None:
    """The table that the user's own debates with known answers make; None below 50 of a kind.

    Args:
        experiments: the names of the user's experiments, whose queries may have known answers.
    """
    # Counts are cheap if they end soon, reading debates is not; both are between a question and
    # its first call.
    if store.count(at_most=OWN_ENOUGH) < OWN_ENOUGH:
        return None
    wanted = _with_known_answers(experiments)
    if sum(store.count(**one, at_most=OWN_ENOUGH) for one in wanted) < OWN_ENOUGH:
        return None
    from mutual_dissent.analysis.scores.chance import own_table, table_to_plain

    table = own_table(each_query_once(_looks(store, wanted, at_most=NEW)))
    return table_to_plain(table) if max(table.graded.values(), default=0) >= OWN_ENOUGH else None


def own_answers(store: Store, experiments: Callable[[], Sequence[str]]) -> Answers:
    """Every graded answer of the user's debates, with its query; a model once with each query."""
    return answers_once(_looks(store, _with_known_answers(experiments), at_most=None))


def own_seat(store: Store) -> OwnRecord | None:
    """The user's own record, on the panel, against the panel's; None where nothing is graded."""
    return own_seat_record(_looks(store, [ListFilters(graded=True)], at_most=None))


def _with_known_answers(experiments: Callable[[], Sequence[str]]) -> list[ListFilters]:
    return [
        ListFilters(min_score=0.0),
        *(ListFilters(experiment=name) for name in experiments()),
        ListFilters(graded=True),
    ]


def _looks(store: Store, wanted: Sequence[ListFilters], at_most: int | None) -> list[Look]:
    """Look at the newest debates of each sort; those that turned out count last, so they hold."""
    looks: dict[str, Look] = {}
    for one in wanted:
        ids = [row.transcript_id for row in store.list(**one, limit=MOST)]
        looks |= looks_at(store, ids, at_most=at_most)
    return list(looks.values())


def looks_at(store: Store, ids: Sequence[str], *, at_most: int | None = None) -> dict[str, Look]:
    """Id -> what that debate comes to, without those that cannot be read.

    Args:
        at_most: how many are read that were not looked at before; all of them unless told.
    """
    kept = store.summaries(ids, VERSION)
    looks = {name: seen for name, text in kept.items() if (seen := from_text(text))}
    unread = (name for name in ids if name not in looks)
    new = dict(_read(store, islice(unread, at_most)))
    if new:
        texts = {name: (seq, to_text(seen)) for name, (seq, seen) in new.items()}
        with suppress(StoreError):  # in a place that is not ours to write in, nothing is kept
            store.summarise(texts, VERSION)
    looks |= {name: seen for name, (_, seen) in new.items()}
    return {name: looks[name] for name in ids if name in looks}


def _read(store: Store, ids: Iterator[str]) -> Iterator[tuple[str, tuple[int, Look]]]:
    """Each debate's last event, and what the debate comes to; not if its log is damaged."""
    for name in ids:
        with suppress(DissentError):
            events, lost = store.remnant(name)
            if not lost:
                debate = fold(events)
                yield name, (debate.last_seq, look(debate))


MOST_SIMILAR = 3
"""So many debates on the matter are shown."""
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
        like = most_like(brief.query, [row.query for row in rows])[:MOST_SIMILAR]
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
