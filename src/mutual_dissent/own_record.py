"""Record of the user's own graded debates: how often agreement like this one's was right."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any

from mutual_dissent.analysis.scores.chance import ENOUGH, own_table, table_to_plain
from mutual_dissent.core.errors import DissentError, StoreError
from mutual_dissent.core.transcript import fold
from mutual_dissent.store.debates.filters import ListFilters
from mutual_dissent.store.store import Store
from mutual_dissent.views.track_record import (
    VERSION,
    Look,
    each_query_once,
    from_text,
    look,
    to_text,
)

MOST = 1000
"""So many graded debates count at most, of each experiment and of those that a judge scored."""

NEW = 100
"""So many are read at a time that were not looked at before: whoever asks now is not kept waiting.
"""


def own_chances(store: Store, experiments: Callable[[], Sequence[str]]) -> dict[str, Any] | None:
    """The table that the user's own debates with known answers make; None below 50 of a kind.

    Args:
        experiments: the names of the user's experiments, whose queries may have known answers.
    """
    if store.count() < ENOUGH:
        return None
    wanted = [ListFilters(min_score=0.0), *(ListFilters(experiment=name) for name in experiments())]
    if sum(store.count(**one) for one in wanted) < ENOUGH:
        return None
    looks = {name: seen for one in wanted for name, seen in _newest(store, one).items()}
    table = own_table(each_query_once(looks.values()))
    return table_to_plain(table) if max(table.graded.values(), default=0) >= ENOUGH else None


def _newest(store: Store, wanted: ListFilters) -> dict[str, Look]:
    ids = [row.transcript_id for row in store.list(**wanted, limit=MOST)]
    return looks_at(store, ids, at_most=NEW)


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
