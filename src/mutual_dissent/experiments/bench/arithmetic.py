"""Fifty sums with known answers, made by code: a data set that needs no file and no licence."""

from __future__ import annotations

from random import Random

SIZE = 50
SEED = 2026


def sums(size: int = SIZE, seed: int = SEED) -> list[dict[str, str]]:
    """Return word problems of two to four steps, the same on every run."""
    rng = Random(seed)
    makers = (_shop, _trip, _harvest, _ladder, _tank)
    return [
        {"id": f"sum-{i + 1:02}", "query": text, "answer": str(answer), "kind": "number"}
        for i in range(size)
        for text, answer in (makers[i % len(makers)](rng),)
    ]


def _shop(rng: Random) -> tuple[str, int]:
    a, b, pens, books, off = (rng.randint(*r) for r in ((2, 9), (7, 19), (3, 24), (2, 9), (1, 9)))
    text = (
        f"A pen costs {a} dollars and a book {b} dollars. Somebody buys {pens} pens and {books} "
        f"books, and gets {off} dollars off. How many dollars are paid?"
    )
    return text, a * pens + b * books - off


def _trip(rng: Random) -> tuple[str, int]:
    speed, hours, slower = rng.randint(40, 110), rng.randint(2, 7), rng.randint(5, 30)
    later = rng.randint(2, 5)
    text = (
        f"A train goes {speed} kilometres an hour for {hours} hours, then {slower} kilometres an "
        f"hour slower for {later} hours. How many kilometres does it go in all?"
    )
    return text, speed * hours + (speed - slower) * later


def _harvest(rng: Random) -> tuple[str, int]:
    trees, each, crate = rng.randint(6, 30), rng.randint(20, 90), rng.choice((8, 12, 15, 16))
    text = (
        f"Each of {trees} trees bears {each} apples. They are packed into crates of {crate}. How "
        "many apples are left over once every crate is full?"
    )
    return text, trees * each % crate


def _ladder(rng: Random) -> tuple[str, int]:
    up, down, days = rng.randint(4, 18), rng.randint(1, 3), rng.randint(5, 24)
    text = (
        f"A snail climbs {up} metres each day and slips back {down} metres each night. How many "
        f"metres up is it at the end of day {days}, before it slips back?"
    )
    return text, up * days - down * (days - 1)


def _tank(rng: Random) -> tuple[str, int]:
    full, rate, leak, minutes = (
        rng.randint(*r) for r in ((600, 900), (14, 30), (2, 9), (10, 19))
    )  # fmt: skip
    text = (
        f"A tank holds {full} litres and is empty. {rate} litres a minute run in and {leak} litres "
        f"a minute run out for {minutes} minutes. How many litres are missing until it is full?"
    )
    return text, full - (rate - leak) * minutes
