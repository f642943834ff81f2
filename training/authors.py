"""Pairs by several authors: short statements and whole answers, from the files in `authors/`.

A short file has four fields a line: a statement, the same, the opposite, and neither of the two. A
long file has, for each question, two answers for, two against and one between.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

from mutual_dissent.semantics.claims import claims, ends
from training.build import Row, Topic, other_side, padded, topics
from training.templates import wrapped

FOLDER = Path(__file__).parent / "authors"
Line = tuple[str, str, str, str]


def rows(rng: Random) -> Iterator[Row]:
    """All pairs of all authors."""
    for path in sorted(FOLDER.glob("*-short.txt")):
        yield from short(rng, lines(path))
    for path in sorted(FOLDER.glob("*-long.txt")):
        yield from whole(rng, topics(str(path)))


def lines(path: Path) -> list[Line]:
    """The statements of one file; a line that is not of four fields is an error."""
    found = []
    for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
        if line.strip() and not line.startswith("#"):
            fields = [f.strip() for f in line.split(" | ")]
            if len(fields) != 4 or not all(fields):
                raise SystemExit(f"{path.name}, line {number}: four fields, split by ' | '")
            found.append((fields[0], fields[1], fields[2], fields[3]))
    return found


def short(rng: Random, every: list[Line]) -> Iterator[Row]:
    """Statements alone, among other words, and two of them at once."""
    for line in every:
        one, same, against, beside = line
        alone = ((one, same, "A"), (one, against, "D"), (same, against, "D"))
        both_ways = (*alone, (same, one, "A"), (one, beside, "P"), (same, beside, "P"))
        for a, b, label in both_ways:  # as many agree as contradict
            yield label, "author", a, b
        for a, b, label in (*alone[:2], (one, beside, "P")):
            yield label, "author+", wrapped(rng, b), a
            yield label, "author+", padded(rng, a), padded(rng, b)
        yield from doubled(rng, line, rng.choice([x for x in every if x is not line]))


def doubled(rng: Random, line: Line, other: Line) -> Iterator[Row]:
    """Two statements on each side: both the same, both opposite, one of each; and strangers."""
    for mine, theirs, label in ((1, 1, "A"), (2, 2, "D"), (1, 2, "P"), (2, 1, "P")):
        b = [line[mine], other[theirs]]
        rng.shuffle(b)
        yield label, "author+", f"{line[0]} {other[0]}", " ".join(b)
    yield "P", "author+", line[0], other[rng.randrange(3)]


def whole(rng: Random, every: list[Topic], times: int = 3) -> Iterator[Row]:
    """Whole answers for, against and between, shown in different ways."""
    for topic in every:
        for side in "+-":
            one, two = topic.of(side)
            for a, b in ((one, two), (two, one)) * times:
                yield "A", "whole", shown(rng, a), shown(rng, b)
                yield "D", "whole", shown(rng, a), _against(rng, topic, side)
                yield "P", "whole", shown(rng, a), shown(rng, topic.of("~")[0])
            stranger = rng.choice([t for t in every if t is not topic])
            yield "P", "whole", shown(rng, one), shown(rng, rng.choice(stranger.of(side)))


def shown(rng: Random, answer: str) -> str:
    """An answer as it is, by its ends, by its gist, or without one of its sentences."""
    form = rng.random()
    if form < 0.4:
        return answer
    if form < 0.65:
        return ends(answer)
    if form < 0.75:
        return gist(answer, 2)
    texts = [c.text for c in claims(answer)]
    if len(texts) > 3:
        texts.pop(rng.randrange(1, len(texts) - 1))
    return " ".join(texts)


def gist(answer: str, sentences: int) -> str:
    """The claims that carry the position, in the order in which they were said."""
    found = claims(answer)
    best = sorted(range(len(found)), key=lambda i: (-found[i].weight, i))[:sentences]
    return " ".join(found[i].text for i in sorted(best))


def _against(rng: Random, topic: Topic, side: str) -> str:
    return shown(rng, rng.choice(topic.of(other_side(side))))
