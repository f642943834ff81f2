"""Looking through many stored debates."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from bench import dashboard
from bench.report import Table

MANY = 100_000


def measure(table: Table) -> None:
    """How long the first page takes once the program runs, plain and with a search."""
    from bench.fill import fill
    from mutual_dissent.store.store import Store

    with tempfile.TemporaryDirectory() as home:
        path = Path(home) / "dissent.db"
        fill(path, MANY)
        store = Store(path)
        store.list(limit=1)
        plain = _ms(lambda: store.list(limit=50))
        found = _ms(lambda: store.list(text="harbour", limit=50))
        model = _ms(lambda: store.list(model="gpt", limit=50))
        store.close()
        dashboard.measure(table, Path(home), MANY)
    note = f"with a search {found:.1f} ms, by model {model:.1f} ms"
    table.add(f"`list` over {MANY:,} debates", max(plain, found, model), 50, unit="ms", note=note)


def _ms(work) -> float:
    times = []
    for _ in range(5):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times) * 1000
