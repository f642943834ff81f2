"""A process that has everything loaded and forks a debate on demand, to be killed.

Reads lines `HOME URL run` or `HOME URL resume ID`; each forks a child whose pid it prints at once.
When the child ends, the next line is its exit code.
"""

from __future__ import annotations

import asyncio
import os
import sys

from mutual_dissent import MutualDissent
from mutual_dissent.core.brief import Attachment
from mutual_dissent.stream import collect_transcript

ALL_ROUNDS = {"rounds": 2, "exit_consensus": "off", "exit_convergence": "off"}
HOW = {
    "star": {"topology": "star"},
    "adversarial": {"mode": "adversarial", **ALL_ROUNDS},
    "escalate": {"mode": "escalate", "analyst": "none"},
    "forecast": {"mode": "forecast", "analyst": "none", **ALL_ROUNDS},
    "review": {
        "mode": "review",
        "analyst": "none",
        "context": [
            Attachment(
                name="pay.py", text="rate = 2\nhours = read()\ntax = rate / hours\nprint(total)\n"
            )
        ],
    },
}
SEATS = [f"openai:m{i}" for i in range(4)]


def warm() -> None:
    """Load once, for all children, what a debate loads."""
    from mutual_dissent.core.panel import Route
    from mutual_dissent.providers import router
    from mutual_dissent.providers.http import pool, vendor
    from mutual_dissent.providers.prices.table import PriceTable

    assert all((vendor, pool, router))
    PriceTable().context_window(Route(vendor="openai", model_id="gpt-4o"))


async def debate(home: str, url: str, what: str, name: str) -> None:
    env = {"HOME": home, "OPENAI_API_KEY": "sk-test", "OPENAI_BASE_URL": url}
    async with MutualDissent(home=home, env=env) as md:
        if what == "resume":
            transcript = await collect_transcript(md.resume(name))
        else:
            more = HOW.get(what, {})
            transcript = await md.debate(
                "Tabs or spaces?", panel=SEATS, synthesizer=SEATS[0], seed=1, **more
            )
        assert transcript.synthesis is not None, transcript.closed_text


def main() -> None:
    warm()
    for line in sys.stdin:
        home, url, what, name, *_ = [*line.split(), ""]
        pid = os.fork()
        if pid == 0:
            asyncio.run(debate(home, url, what, name))
            os._exit(0)
        print(pid, flush=True)
        _, status = os.waitpid(pid, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    main()
