"""Measured worth of deliberation in the stored debates, by mode, preset and model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mutual_dissent.core.codec.camel import Shape
from mutual_dissent.own_record import looks_at
from mutual_dissent.views.track_record import Look, ModelRecord, Outcomes, models, outcomes

if TYPE_CHECKING:
    from mutual_dissent.store.debates.filters import ListFilters
    from mutual_dissent.store.store import Store

PAGE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class TrackRecord(Shape):
    """Worth of deliberation in the newest debates."""

    looked_at: int
    left_out: int
    unreadable: int
    modes: tuple[Outcomes, ...]
    presets: tuple[Outcomes, ...]
    answers: tuple[Outcomes, ...]
    models: tuple[ModelRecord, ...]


@dataclass(frozen=True, slots=True)
class ReadDebates:
    """Debates that were examined, and how many were unreadable or left out."""

    looks: list[Look]
    unreadable: int
    left_out: int

    def models(self, name: str | None = None) -> list[ModelRecord]:
        """The record of every model, or of the models with one name."""
        return [m for m in models(self.looks) if name is None or _is_called(m, name)]

    def record(self, model: str | None = None) -> TrackRecord:
        """All of it for programs."""
        return TrackRecord(
            looked_at=len(self.looks),
            left_out=self.left_out,
            unreadable=self.unreadable,
            modes=tuple(outcomes(self.looks, lambda x: x.mode)),
            presets=tuple(outcomes(self.looks, lambda x: x.preset)),
            answers=tuple(outcomes(self.looks, lambda x: x.answer)),
            models=tuple(self.models(model)),
        )


def look_back(store: Store, mode: str | None, limit: int, wanted: ListFilters) -> ReadDebates:
    """Read the newest debates that match; those examined before come from the cache."""
    wanted = {**wanted, "mode": mode}
    looks: list[Look] = []
    unreadable = offset = 0
    while page := store.list(**wanted, limit=min(PAGE, limit - offset), offset=offset):
        found = looks_at(store, [row.transcript_id for row in page])
        looks += found.values()
        unreadable += len(page) - len(found)
        offset += len(page)
    return ReadDebates(looks, unreadable, max(0, store.count(**wanted) - offset))


def _is_called(record: ModelRecord, name: str) -> bool:
    return name.lower() in {n.lower() for n in (record.model_id, *record.aliases)}
