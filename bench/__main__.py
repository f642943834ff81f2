"""`make bench`: what the product adds to its slowest calls, as ratios to a floor."""

from __future__ import annotations

import asyncio
import sys

from bench import (
    agreement,
    debates,
    experiments,
    limits,
    mcp,
    page,
    prompt_size,
    reading,
    sse,
    startup,
    stored,
    strangers,
)
from bench.report import Table


def main() -> int:
    """Run every measure and print them as one table; 1 if a goal was missed."""
    table = Table()
    print("measuring; the machine should be idle\n", file=sys.stderr)
    startup.measure(table)
    prompt_size.measure(table)
    asyncio.run(debates.measure(table))
    asyncio.run(limits.measure(table))
    startup.first_token(table)
    stored.measure(table)
    experiments.measure(table)
    mcp.measure(table)
    sse.measure(table)
    page.measure(table)
    reading.measure(table)
    agreement.measure(table)
    strangers.measure(table)
    print(table.text())
    return 0 if table.all_met else 1


if __name__ == "__main__":
    sys.exit(main())
