"""A table as a Parquet file, for data frames: columns have types, and text stays as it is."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from mutual_dissent.core.errors import BadInput

NEEDED = "Parquet needs polars; run: pip install 'mutual-dissent[research]', or choose CSV"


def table_to_parquet(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> bytes:
    """A table; a column is numeric if all of its cells are.

    Raises:
        BadInput: if the library for it is not installed.
    """
    try:
        import polars as pl
    except ModuleNotFoundError:
        raise BadInput(NEEDED) from None
    cells: dict[str, list[Any]] = {c: [] for c in columns}
    for row in rows:
        for c in columns:
            cells[c].append(row[c])
    out = io.BytesIO()
    pl.DataFrame([pl.Series(c, _alike(cells[c])) for c in columns]).write_parquet(out)
    return out.getvalue()


def _alike(cells: list[Any]) -> list[Any]:
    """Cells of one type: numbers if all are, else text."""
    known = [c for c in cells if c is not None]
    if known and all(isinstance(c, int | float) for c in known):
        whole = all(isinstance(c, int) for c in known)
        return [c if c is None or whole else float(c) for c in cells]
    return [None if c is None else str(c).encode("utf-8", "replace").decode() for c in cells]
