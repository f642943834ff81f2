"""Debates as a file to download: JSON, CSV or Parquet."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, Literal

from fastapi import APIRouter, Request, Response

from mutual_dissent.core.errors import BadInput, DissentError
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.store.debates.search import ListedDebate
from mutual_dissent.store.store import Store
from mutual_dissent.surfaces.http.backend import HostedBackend
from mutual_dissent.surfaces.web.research.list import row_to_plain
from mutual_dissent.surfaces.web.research.messages import UNKEPT
from mutual_dissent.surfaces.web.research.selection import Chosen, read_body
from mutual_dissent.views.documents import formats
from mutual_dissent.views.documents.csv import COLUMNS, answer_rows, table_to_csv
from mutual_dissent.views.documents.parquet import table_to_parquet

MOST_WHOLE, MOST_ROWS = 5_000, 200_000
MEDIA = {"json": "application/json", "csv": "text/csv", "parquet": "application/vnd.apache.parquet"}
DEBATE_COLUMNS = tuple(
    "transcript_id query status mode preset topology panel models vendors synthesizer created_at "
    "updated_at duration_s rounds calls failed tokens total_cost_usd unpriced agreement exit score "
    "rating tags reason experiment_id campaign_id condition replay_of conversation".split()
)


class Export(Chosen):
    """Debates to export, and the format. `table` says what a row of it is."""

    format: Literal["json", "csv", "parquet"]
    table: Literal["answers", "debates"] = "answers"

    @property
    def whole(self) -> bool:
        """Return whether every debate has to be read in full."""
        return self.format == "json" or self.table == "answers"


def add(router: APIRouter, hosted: HostedBackend) -> None:
    """Add the route."""

    @router.post("/export")
    async def export(request: Request) -> Response:
        """Return the selected debates as a download."""
        wanted = await read_body(request, Export)
        body = await asyncio.to_thread(_file_bytes, hosted.md.store, wanted)
        what = "debates" if wanted.format == "json" else wanted.table
        name = f"{what}-{datetime.now(UTC):%Y-%m-%d}.{wanted.format}"
        return Response(
            body,
            media_type=MEDIA[wanted.format],
            headers={**UNKEPT, "Content-Disposition": f'attachment; filename="{name}"'},
        )


def _file_bytes(store: Store, wanted: Export) -> bytes:
    rows = _rows(store, wanted)
    if wanted.format == "json":
        texts = (formats.json(t).rstrip() for t in _read(store, rows))
        return ("[\n" + ",\n".join(texts) + "\n]\n").encode("utf-8", "replace")
    columns: Sequence[str] = COLUMNS if wanted.whole else DEBATE_COLUMNS
    cells = _answers(store, rows) if wanted.whole else map(_debate, rows)
    if wanted.format == "parquet":
        return table_to_parquet(columns, cells)
    return table_to_csv(columns, cells).encode("utf-8", "replace")


def _rows(store: Store, wanted: Export) -> list[ListedDebate]:
    most = MOST_WHOLE if wanted.whole else MOST_ROWS
    if (count := wanted.count(store)) > most:
        raise BadInput(
            f"{count:,} debates are too many for one file of this kind, which takes {most:,}; "
            "narrow the search, or export one row for each debate as CSV"
        )
    return wanted.rows(store, most)


def _read(store: Store, rows: Sequence[ListedDebate]) -> Iterator[Transcript]:
    """Yield the debates one by one, without unreadable ones."""
    for row in rows:
        with suppress(DissentError):
            yield store.transcript(row.transcript_id)


def _answers(store: Store, rows: Sequence[ListedDebate]) -> Iterator[dict[str, Any]]:
    for t in _read(store, rows):
        yield from answer_rows(t)


def _debate(row: ListedDebate) -> dict[str, Any]:
    return {k: _flat(v) for k, v in row_to_plain(row).items()}


def _flat(value: Any) -> Any:
    """Return a value that fits into a cell."""
    if isinstance(value, list):
        return "; ".join(value)
    if isinstance(value, datetime):
        return value.isoformat()
    return value if value is None or isinstance(value, int | float) else str(value)
