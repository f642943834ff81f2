"""What deliberation was worth in the stored debates, by mode, preset and model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from mutual_dissent.core.errors import DissentError
from mutual_dissent.core.transcript import fold
from mutual_dissent.views.track_record import Look, ModelRecord, look, models, outcomes

if TYPE_CHECKING:
    from mutual_dissent.store.search import Row
    from mutual_dissent.store.sqlite import Store

PAGE = 200


@dataclass(frozen=True, slots=True)
class Seen:
    """What was looked at, and how many debates could not be read or were left out."""

    looks: list[Look]
    unreadable: int
    left_out: int

    def models(self, name: str | None = None) -> list[ModelRecord]:
        """The record of every model, or of those that go by a name."""
        return [m for m in models(self.looks) if name is None or _is_called(m, name)]

    def plain(self, model: str | None = None) -> dict[str, Any]:
        """All of it for programs."""
        return {
            "looked_at": len(self.looks),
            "left_out": self.left_out,
            "unreadable": self.unreadable,
            "modes": [asdict(o) for o in outcomes(self.looks, lambda x: x.mode)],
            "presets": [asdict(o) for o in outcomes(self.looks, lambda x: x.preset)],
            "models": [asdict(m) for m in self.models(model)],
        }


def look_back(store: Store, mode: str | None, limit: int, wanted: dict[str, Any]) -> Seen:
    """The newest debates that are wanted, read one after the other."""
    looks: list[Look] = []
    unreadable = left_out = 0
    for row in _rows(store, wanted):
        if mode is not None and row.mode != mode:
            continue
        if len(looks) + unreadable >= limit and mode is None:
            left_out = store.count(**wanted) - len(looks) - unreadable
            break
        if len(looks) + unreadable >= limit:
            left_out += 1
            continue
        try:
            looks.append(look(fold(store.events(row.transcript_id))))
        except DissentError:
            unreadable += 1
    return Seen(looks, unreadable, left_out)


def _rows(store: Store, wanted: dict[str, Any]) -> Iterator[Row]:
    offset = 0
    while page := store.list(**wanted, limit=PAGE, offset=offset):
        yield from page
        offset += len(page)


def _is_called(record: ModelRecord, name: str) -> bool:
    return name.lower() in {n.lower() for n in (record.model_id, *record.aliases)}
