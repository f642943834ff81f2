"""An experiment from Python: does a panel of three beat its best member? Nobody is asked here."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from random import Random

from mutual_dissent import MutualDissent
from mutual_dissent.experiments.design.file import parse_experiment
from mutual_dissent.experiments.report.build import build_report, render_report
from mutual_dissent.experiments.run.run import Run
from mutual_dissent.providers.scripted import Scripted

FILE = """
name = "sums"
repeats = 2
[defaults]
panel = ["ada", "bob", "cyd"]
synthesize = false
[grid]
mode = ["reflection"]
[baselines]
self-consistency = true
matched = "samples"
samples = 3
"""


def cast() -> Scripted:
    """Three models that add, each right as often as its name says."""
    dice = Random(7)

    def adds(chance: float):
        def say(ask) -> str:
            a, b = (int(x) for x in ask.head.rpartition("What is ")[2].split("?")[0].split(" + "))
            return f"Answer: {a + b if dice.random() < chance else a + b + 1}"

        return say

    return Scripted({"ada": adds(0.9), "bob": adds(0.7), "cyd": adds(0.6)})


async def main() -> None:
    """Hold all debates, and print what is known first."""
    queries = "".join(
        f'[[query]]\ntext = "What is {i} + {2 * i}?"\nanswer = "{3 * i}"\n' for i in range(3, 15)
    )
    with tempfile.TemporaryDirectory() as home:
        experiment = parse_experiment(FILE + queries, "sums.toml", Path(home))
        async with MutualDissent(home=home, provider=cast()) as md:
            done = await Run(md, experiment).to_the_end()
            print(f"{done.done} debates")
            print(render_report(build_report(md, experiment), "markdown").partition("\n## ")[0])


if __name__ == "__main__":
    asyncio.run(main())
