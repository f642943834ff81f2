"""`make bench`: what the product adds to its slowest calls, as ratios to a floor.

`python -m bench NAME` takes one measure alone, by the name of its module.
"""

from __future__ import annotations

import asyncio
import inspect
import sys
from collections.abc import Coroutine
from importlib import import_module

from bench import (
    agreement,
    appends,
    debates,
    experiments,
    held,
    limits,
    mcp,
    page,
    prompt_size,
    reading,
    scaling,
    shares,
    sse,
    startup,
    stored,
    strangers,
)
from bench.report import Table
from mutual_dissent.surfaces.process.signals import collect_seldom, fast_loop


def main() -> int:
    """Run every measure, or those that are named, and print a table; 1 if a goal was missed."""
    table = Table()
    collect_seldom()  # as every command does; this and the loop hold for the floor, too
    print("measuring; the machine should be idle\n", file=sys.stderr)
    if sys.argv[1:]:
        for name in sys.argv[1:]:
            done = import_module(f"bench.{name}").measure(table)
            if inspect.iscoroutine(done):
                _run(done)
    else:
        _measure_all(table)
    print(table.text())
    return 0 if table.all_met else 1


def _run(measure: Coroutine[None, None, None]) -> None:
    with asyncio.Runner(loop_factory=fast_loop) as runner:
        runner.run(measure)


def _measure_all(table: Table) -> None:
    startup.measure(table)
    prompt_size.measure(table)
    _run(debates.measure(table))
    _run(shares.measure(table))
    _run(limits.measure(table))
    startup.first_token(table)
    stored.measure(table)
    experiments.measure(table)
    mcp.measure(table)
    sse.measure(table)
    page.measure(table)
    held.measure(table)
    reading.measure(table)
    agreement.measure(table)
    strangers.measure(table)
    appends.measure(table)
    scaling.measure(table)


if __name__ == "__main__":
    sys.exit(main())
