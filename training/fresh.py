"""Pairs of whole answers and of statements with a near miss, from answers.txt and quads-4.txt."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

from mutual_dissent.semantics.claims import claims
from training.build import Row, Topic, other_side, padded, topics
from training.templates import wrapped

HERE = Path(__file__).parent


def whole(rng: Random, times: int = 5) -> Iterator[Row]:
    """Two answers for, two against and one between on each question, cut in different ways."""
    every = topics("answers.txt")
    for topic in every:
        for _ in range(times):
            for side in "+-":
                one, two = topic.of(side)
                yield "A", "whole", shown(rng, one), shown(rng, two)
                for mine in (one, two):
                    yield "D", "whole", shown(rng, mine), _against(rng, topic, side)
                    yield "P", "whole", shown(rng, mine), shown(rng, topic.of("~")[0])
                stranger = rng.choice([t for t in every if t is not topic])
                yield "P", "whole", shown(rng, one), shown(rng, rng.choice(stranger.of(side)))


def near(rng: Random) -> Iterator[Row]:
    """Statements with a paraphrase, an opposite, and a near miss that is neither."""
    lines = [line.split("|") for line in (HERE / "quads-4.txt").read_text("utf-8").splitlines()[1:]]
    for one, same, against, beside in lines:
        pairs = ((one, same, "A"), (one, against, "D"), (same, against, "D"))
        for a, b, label in (*pairs, (one, beside, "P"), (same, beside, "P")):
            yield label, "near", a, b
            yield label, "near", wrapped(rng, b), a
        for a, b, label in (pairs[0], pairs[1], (one, beside, "P")):
            yield label, "near", padded(rng, a), padded(rng, b)


def shown(rng: Random, answer: str) -> str:
    """An answer as it is, by its gist, or without one of its later sentences."""
    form = rng.random()
    if form < 0.35:
        return answer
    if form < 0.55:
        return gist(answer, 2)
    texts = [c.text for c in claims(answer)]
    if len(texts) > 3:
        texts.pop(rng.randrange(2, len(texts)))
    return " ".join(texts)


def gist(answer: str, sentences: int) -> str:
    """The claims that carry the position, in the order in which they were said."""
    found = claims(answer)
    best = sorted(range(len(found)), key=lambda i: (-found[i].weight, i))[:sentences]
    return " ".join(found[i].text for i in sorted(best))


def _against(rng: Random, topic: Topic, side: str) -> str:
    return shown(rng, rng.choice(topic.of(other_side(side))))
