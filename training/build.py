"""Makes the agreement pairs: hand-written positions and triples, composed answers, templates.

    python -m training.build OUT.tsv.gz [--nli FOLDER] [--seed N]

With the folder of public pairs, claims of PERSPECTRUM with arguments for and against them are
composed into answers too.

Rows are `label <TAB> source <TAB> a <TAB> b` with A agree, D disagree, P neither.
"""

from __future__ import annotations

import argparse
import gzip
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import permutations, product
from pathlib import Path
from random import Random

from training.templates import KINDS, capital, low, wrapped

HERE = Path(__file__).parent
Row = tuple[str, str, str, str]


@dataclass
class Topic:
    """What can be said on one question, by side."""

    title: str
    said: dict[str, list[str]] = field(default_factory=dict)

    def of(self, mark: str) -> list[str]:
        """The sentences of one side."""
        return self.said.get(mark, [])


def topics(*names: str) -> list[Topic]:
    """The topics of hand-written files: `@ title`, then a mark and a sentence a line."""
    found: list[Topic] = []
    for name in names:
        for line in (HERE / name).read_text("utf-8").splitlines():
            mark, _, text = line.partition(" ")
            if mark == "@":
                found.append(Topic(text))
            elif text:
                found[-1].said.setdefault(mark, []).append(text)
    return found


def short_pairs(topic: Topic) -> Iterator[Row]:
    """All pairs of single sentences on one topic."""
    for side in "+-":
        yield from (("A", "position", a, b) for a, b in permutations(topic.of(side), 2))
    for a, b in product(topic.of("+"), topic.of("-")):
        yield "D", "position", a, b
        yield "D", "position", b, a
    for side, mark in product("+-", "~="):
        for a, b in product(topic.of(side), topic.of(mark)):
            yield "P", "position", a, b
            yield "P", "position", b, a
    for a, b in product(topic.of("~"), topic.of("=")):
        yield "P", "position", a, b


OPENINGS = [
    "", "", "", "This is a question with a long history.", "Let me go through it step by step.",
    "There are several things to consider here.", "Good question.", "People often ask about this.",
    "Here is how I see it.", "I have thought about this for a while.", "The short version first.",
]  # fmt: skip
LINKS = [
    "",
    "",
    "After all, ",
    "The reason is simple: ",
    "Above all, ",
    "For one thing, ",
    "Also, ",
    "Moreover, ",
]
BECAUSE = [" because ", ", since ", ", as "]
BUTS = [
    "Admittedly, {}",
    "It is true that {}",
    "Some will object that {}",
    "Critics say that {}",
    "Of course, {}",
]
STILLS = [
    "But that does not change my conclusion.", "Still, this weighs less than it seems.",
    "That is a fair point, but not a decisive one.", "Even so, the answer is clear.",
    "I don't find this convincing.", "",
]  # fmt: skip
ENDS = [
    "So, {}",
    "In short, {}",
    "All in all, {}",
    "To conclude, {}",
    "My recommendation: {}",
    "Overall, {}",
]
GENERIC = [
    "You should of course look at your own situation.", "As always, details matter.",
    "Talk to the people involved before you decide.", "I can go into more detail if that helps.",
    "Much has been written about this.", "Opinions on this differ.", "Plan enough time for it.",
    "It also helps to write down what you expect.", "Review the decision after a while.",
]  # fmt: skip


def reasoned(rng: Random, topic: Topic, side: str) -> str:
    """A position with its reason in one sentence."""
    position = rng.choice(topic.of(side))
    reasons = topic.of("p" if side == "+" else "c")
    if not reasons:
        return wrapped(rng, position)
    reason = rng.choice(reasons)
    if rng.random() < 0.5:
        return position.rstrip(".") + rng.choice(BECAUSE) + low(reason)
    return f"{wrapped(rng, position)} {capital(rng.choice(LINKS) + (low(reason)))}"


def answer(rng: Random, topic: Topic, side: str, size: int) -> str:
    """A whole answer that takes one side, with reasons, a concession and a closing line."""
    mine, theirs = ("p", "c") if side == "+" else ("c", "p")
    parts = [rng.choice(OPENINGS)]
    if rng.random() < 0.4 and topic.of("="):
        parts.append(rng.choice(topic.of("=")))
    positions = rng.sample(topic.of(side), k=min(2, len(topic.of(side))))
    body = []
    for reason in topic.of(mine):
        body.append(capital(rng.choice(LINKS) + low(reason)))
    if rng.random() < 0.45 and topic.of(theirs):
        objection = rng.choice(BUTS).format(low(rng.choice(topic.of(theirs))))
        body.append(f"{objection} {rng.choice(STILLS)}")
    body += rng.sample(GENERIC, k=rng.randint(0, size))
    rng.shuffle(body)
    late = rng.random() < 0.25
    parts += [] if late else [capital(wrapped(rng, positions[0]))]
    parts += body
    if late or rng.random() < 0.6:
        parts.append(rng.choice(ENDS).format(low(positions[-1])))
    return " ".join(p.strip() for p in parts if p.strip())


def middle(rng: Random, topic: Topic, size: int) -> str:
    """A whole answer that takes neither side."""
    stance = rng.choice(topic.of("~")) if topic.of("~") else "It depends on the circumstances."
    parts = [rng.choice(OPENINGS), stance]
    for mark in "pc":
        if topic.of(mark):
            parts.append(
                rng.choice(["", "On the one hand, ", "On the other hand, "])
                + low(rng.choice(topic.of(mark)))
            )
    parts += rng.sample(GENERIC, k=rng.randint(0, size))
    return " ".join(capital(p.strip()) for p in parts if p.strip())


def other_side(side: str) -> str:
    """The opposite side."""
    return "-" if side == "+" else "+"


def yes_no(rng: Random, topic: Topic, every: list[Topic]) -> Row:
    """Answers that begin with yes or no, on a question asked either way."""
    asked = rng.choice("+-")
    heads = {
        True: ["Yes. ", "Yes, ", "Absolutely. ", "Definitely: "],
        False: ["No. ", "No, ", "Not at all. ", "Hardly: "],
    }

    def said(side: str, long: bool) -> str:
        bare = topic.of("p" if side == "+" else "c")
        if bare and rng.random() < 0.4:
            return rng.choice(heads[side == asked]) + low(rng.choice(bare))
        text = answer(rng, topic, side, 1) if long else reasoned(rng, topic, side)
        return rng.choice(heads[side == asked]) + low(text)

    side, long = rng.choice("+-"), rng.random() < 0.4
    kind = rng.random()
    if kind < 0.42:
        return "A", "yesno", said(side, long), said(side, long)
    if kind < 0.84:
        return "D", "yesno", said(side, long), said(other_side(side), long)
    stranger = rng.choice([t for t in every if t is not topic])
    b = rng.choice(heads[rng.random() < 0.5]) + low(reasoned(rng, stranger, rng.choice("+-")))
    return "P", "yesno", said(side, long), b


def long_pair(rng: Random, topic: Topic, every: list[Topic]) -> Row:
    """Two whole answers."""
    side, size = rng.choice("+-"), rng.randint(0, 3)
    a, kind = answer(rng, topic, side, size), rng.random()
    if kind < 0.3:
        return "A", "long", a, answer(rng, topic, side, rng.randint(0, 3))
    if kind < 0.62:
        return "D", "long", a, answer(rng, topic, other_side(side), rng.randint(0, 3))
    if kind < 0.76:
        return "P", "long", a, middle(rng, topic, size)
    stranger = rng.choice([t for t in every if t is not topic])
    if kind < 0.86:
        return "P", "long", a, answer(rng, stranger, rng.choice("+-"), size)
    return split_pair(rng, topic, stranger, side)


def split_pair(rng: Random, topic: Topic, stranger: Topic, side: str) -> Row:
    """Answers on two questions at once that agree on one only, or on both."""
    other = rng.choice("+-")
    first = [reasoned(rng, topic, side), reasoned(rng, stranger, other)]
    agree = rng.random() < 0.3
    second = [
        reasoned(rng, topic, side),
        reasoned(rng, stranger, other if agree else other_side(other)),
    ]
    rng.shuffle(second)
    return "A" if agree else "P", "split", " ".join(first), " ".join(second)


def mixed_pair(rng: Random, topic: Topic, every: list[Topic]) -> Row:
    """A single sentence or a reasoned one against a whole answer."""
    side, kind = rng.choice("+-"), rng.random()
    a = rng.choice([rng.choice(topic.of(side)), reasoned(rng, topic, side)])
    form = rng.choice([lambda s: reasoned(rng, topic, s), lambda s: answer(rng, topic, s, 2)])
    if kind < 0.35:
        pair = ["A", a, form(side)]
    elif kind < 0.7:
        pair = ["D", a, form(other_side(side))]
    elif kind < 0.85:
        pair = ["P", a, middle(rng, topic, 1)]
    else:
        stranger = rng.choice([t for t in every if t is not topic])
        pair = [
            "P",
            a,
            rng.choice([answer, lambda r, t, s, z: reasoned(r, t, s)])(
                rng, stranger, rng.choice("+-"), 1
            ),
        ]
    if rng.random() < 0.5:
        pair[1:] = pair[:0:-1]
    return pair[0], "mixed", pair[1], pair[2]


def triples(rng: Random) -> Iterator[Row]:
    """Anchors with what agrees, what contradicts and what does neither."""
    for t in topics("triples.txt", "triples-2.txt"):
        for mark, label in (("a", "A"), ("d", "D"), ("n", "P")):
            for other in t.of(mark):
                yield label, "triple", t.title, other
                yield label, "triple", wrapped(rng, other), t.title
        yield from (("A", "triple", a, b) for a, b in permutations(t.of("a"), 2))
        for a, d in product(t.of("a"), t.of("d")):
            yield "D", "triple", a, d
            yield "D", "triple", d, a


def reasons(rng: Random) -> Iterator[Row]:
    """The same conclusion for the same, another or the opposite reason."""
    lines = (HERE / "reasons.txt").read_text("utf-8").splitlines()
    for line in lines[1:]:
        one, two, why, why_not = line.split("|")
        for c, d in ((one, two), (two, one), (one, one), (two, two)):
            for _ in range(2):
                yield "P", "reasons", because(rng, c, why), because(rng, d, why_not)
                yield "P", "reasons", because(rng, d, why_not), because(rng, c, why)
            yield "A", "reasons", because(rng, c, why), d
            yield "A", "reasons", because(rng, c, why), because(rng, d, why)


def essays(rng: Random) -> Iterator[Row]:
    """Short answers written by hand: two for, two against and one between on each question."""
    every = topics("essays.txt")
    for topic in every:
        for _ in range(4):
            for side in "+-":
                one, two = topic.of(side)
                yield "A", "essay", padded(rng, one), padded(rng, two)
                yield "A", "essay", padded(rng, two), padded(rng, one)
                for against in topic.of(other_side(side)):
                    yield "D", "essay", padded(rng, one), padded(rng, against)
                    yield "D", "essay", padded(rng, against), padded(rng, two)
                yield "P", "essay", padded(rng, one), padded(rng, topic.of("~")[0])
                yield "P", "essay", padded(rng, topic.of("~")[0]), padded(rng, two)
                stranger = rng.choice([t for t in every if t is not topic])
                yield "P", "essay", padded(rng, one), padded(rng, rng.choice(stranger.of(side)))


def because(rng: Random, conclusion: str, why: str) -> str:
    """A conclusion with its reason, in one of several forms."""
    bare = conclusion[:-1]
    return rng.choice(
        [
            f"{bare} because {why}.", f"{bare}, since {why}.", f"Because {why}, {low(conclusion)}",
            f"{conclusion} The reason is that {why}.", f"{conclusion} {capital(why)}.", f"{bare}: {why}.",
            f"{capital(why)}, so {low(conclusion)}", f"{capital(why)}. That is why {low(conclusion)}",
        ]
    )  # fmt: skip


def aspects(rng: Random) -> Iterator[Row]:
    """Two points at once: agreement on both, on one, on none."""
    for line in (HERE / "aspects.txt").read_text("utf-8").splitlines()[1:]:
        p1, n1, p2, n2 = line.split("|")
        for _ in range(6):
            yield "P", "aspects", joined(rng, p1, p2, True), joined(rng, p1, n2, False)
            yield "P", "aspects", joined(rng, n1, p2, False), joined(rng, p1, p2, True)
            yield (
                "P",
                "aspects",
                joined(rng, p1, n2, False),
                joined(rng, n1, p2, False) if rng.random() < 0.3 else joined(rng, n1, n2, True),
            )
            yield "A", "aspects", joined(rng, p1, n2, False), joined(rng, p1, n2, False)
            yield "A", "aspects", joined(rng, p1, p2, True), joined(rng, p1, p2, True)
            yield "D", "aspects", joined(rng, p1, p2, True), joined(rng, n1, n2, True)
        yield "P", "aspects", joined(rng, p1, p2, True), capital(p1) + "."
        yield "P", "aspects", capital(p1) + ".", joined(rng, p1, n2, False)


def joined(rng: Random, one: str, two: str, alike: bool) -> str:
    """Two points in one or two sentences."""
    if alike:
        if rng.random() < 0.4 and two.split()[0] not in ("it", "they", "he", "she", "its"):
            one, two = two, one
        forms = [
            "{o}, and {t}.",
            "{o} and {t}.",
            "{O}. {T}.",
            "{o}; moreover, {t}.",
            "Not only is it true that {o}, but also that {t}.",
            "{o}. In addition, {t}.",
        ]
    else:
        forms = [
            "{o}, but {t}.",
            "{o}; however, {t}.",
            "While {o}, {t}.",
            "{O}. On the other hand, {t}.",
            "Although {o}, {t}.",
            "{o}, yet {t}.",
            "I agree that {o}, but I think that {t}.",
        ]
    text = rng.choice(forms).format(o=one, t=two, O=capital(one), T=capital(two))
    return capital(text)


def quads(rng: Random) -> Iterator[Row]:
    """Statements with a paraphrase and an opposite that share few words with them."""
    lines = [
        x.split("|")
        for n in ("quads.txt", "quads-2.txt", "quads-3.txt")
        for x in (HERE / n).read_text("utf-8").splitlines()[1:]
    ]
    for one, two, against in lines:
        stranger = rng.choice(lines)
        if stranger[0] == one:
            continue
        for a, b, label in ((one, two, "A"), (one, against, "D"), (two, against, "D"), (one, stranger[1], "P"),
                            (against, stranger[2], "P")):  # fmt: skip
            yield label, "quad", a, b
            yield label, "quad", wrapped(rng, a), b
            yield label, "quad", b, wrapped(rng, a)
            yield label, "quad", padded(rng, a), padded(rng, b)
        yield from maybe(rng, one, two, against)


def maybe(rng: Random, one: str, two: str, against: str) -> Iterator[Row]:
    """Doubtful, conditional and mixed forms of a statement."""
    doubt = rng.choice(
        [
            "It is not clear whether this holds: {}",
            "Some say: {} Others disagree.",
            "It depends. In some cases: {}",
        ]
    )
    yield "P", "quad", one, doubt.format(two)
    yield "P", "quad", doubt.format(one), against
    yield "D", "quad", one, f"I disagree with the view that {low(two)}"
    yield "A", "quad", against, f"I disagree with the view that {low(one)}"
    yield "A", "quad", one, f"It is simply not true that {low(against)}"


def padded(rng: Random, text: str) -> str:
    """The sentence among others that say nothing on the matter."""
    before, after = rng.choice(OPENINGS), rng.choice([*GENERIC, "", ""])
    return " ".join(x for x in (before, text, after) if x)


REFUSALS = [
    "I'm sorry, but I can't help with that.", "I cannot answer this question.", "I'd rather not comment on that.",
    "As an AI language model, I don't have personal opinions on this.", "I don't have enough information to answer.",
    "Sorry, I am unable to assist with this request.", "I have no opinion on this matter.",
    "Please consult a professional; I can't give advice on that.", "This request goes against my guidelines.",
    "I'm not able to discuss this topic.", "Could you rephrase the question?", "I don't know.",
    "That is outside of what I can help with.", "I must decline to answer.", "No answer was produced.",
    "I can't provide medical or legal advice. Please ask a qualified expert.",
]  # fmt: skip


def refusals(rng: Random, every: list[Topic]) -> Row:
    """A refusal against an answer."""
    topic = rng.choice(every)
    pair = [
        rng.choice(REFUSALS),
        rng.choice([reasoned(rng, topic, "+"), answer(rng, topic, "-", 1)]),
    ]
    rng.shuffle(pair)
    return "P", "refusal", pair[0], pair[1]


def stranger_pair(rng: Random, every: list[Topic]) -> Row:
    """Sentences on two different topics."""
    a, b = rng.sample(every, 2)
    return "P", "stranger", rng.choice(a.of(rng.choice("+-"))), rng.choice(b.of(rng.choice("+-")))


FOR = [
    "{c}",
    "Yes. {c}",
    "Yes: {l}",
    "I agree that {l}",
    "I am in favour: {l}",
    "It is right to say that {l}",
    "I support this: {l}",
]
CON = [
    "No. It is not right that {l}", "I disagree that {l}", "I am against this: \"{c}\" is wrong.",
    "It is a mistake to say that {l}", "I do not think that {l}", "No, I reject the idea that {l}",
]  # fmt: skip


def claims(folder: Path) -> dict[str, dict[str, list[str]]]:
    """The claims of PERSPECTRUM with what speaks for (S+) and against (S-) each."""
    found: dict[str, dict[str, list[str]]] = {}
    with gzip.open(folder / "train.tsv.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            label, source, a, b = line.rstrip("\n").split("\t")
            if source == "perspectrum":
                found.setdefault(b, {"S+": [], "S-": []})[label].append(a)
    return {claim: sides for claim, sides in found.items() if sides["S+"] and sides["S-"]}


def argued(rng: Random, claim: str, sides: dict[str, list[str]], pro: bool) -> str:
    """A stance on a claim with one to three arguments for it."""
    whole = claim.strip().rstrip(".") + "."
    stance = rng.choice(FOR if pro else CON).format(c=capital(whole), l=low(whole))
    given = sides["S+" if pro else "S-"]
    reasons = rng.sample(given, k=min(len(given), rng.randint(0, 3)))
    if reasons and rng.random() < 0.3:
        return " ".join(capital(r.strip().rstrip(".")) + "." for r in reasons)
    parts = [capital(r.strip().rstrip(".")) + "." for r in reasons]
    parts.insert(0 if rng.random() < 0.8 else len(parts), stance)
    return " ".join(parts)


HEADS = {
    True: ["Yes. ", "Yes, ", "Absolutely. ", "Sure. "],
    False: ["No. ", "No, ", "Not really. ", "Certainly not. "],
}


def headed(rng: Random, sides: dict[str, list[str]], pro: bool) -> str:
    """Yes or no with arguments alone; the question is not repeated."""
    given = sides["S+" if pro else "S-"]
    reasons = rng.sample(given, k=min(len(given), rng.randint(1, 2)))
    text = " ".join(capital(r.strip().rstrip(".")) + "." for r in reasons)
    head = rng.choice(HEADS[pro])
    return head + (low(text) if head.endswith(", ") else text)


def headed_pairs(rng: Random, found: dict[str, dict[str, list[str]]]) -> Iterator[Row]:
    """Yes and no to the same question, and to different ones."""
    names = sorted(found)
    for name in names:
        for _ in range(10):
            a, b = rng.random() < 0.5, rng.random() < 0.5
            other = name if rng.random() < 0.8 else rng.choice(names)
            label = "P" if other != name else "A" if a == b else "D"
            yield label, "headed", headed(rng, found[name], a), headed(rng, found[other], b)


NLI_LABEL = {"E": "A", "C": "D", "N": "P"}
SOURCES = {"mnli": 20000, "persp_para": 8000, "scitail": 3000, "syn_neg": 3000, "syn_tpl": 4000, "syn_num": 1500,
           "syn_cmp": 1500}  # fmt: skip


def nli_rows(folder: Path, rng: Random) -> dict[str, list[Row]]:
    """Some rows of the public pairs by source."""
    found: dict[str, list[Row]] = {name: [] for name in SOURCES}
    for name in ("train.tsv.gz", "train-synthetic.tsv.gz"):
        with gzip.open(folder / name, "rt", encoding="utf-8") as lines:
            for line in lines:
                label, source, a, b = line.rstrip("\n").split("\t")
                if source in found and label in NLI_LABEL and len(a) + len(b) < 320:
                    found[source].append((label, source, a, b))
    return {name: rng.sample(rows, min(len(rows), 30_000)) for name, rows in found.items()}


def hidden_pairs(rng: Random, folder: Path) -> Iterator[Row]:
    """A pair hidden among other sentences, and two pairs at once that may differ in their labels."""
    for source, rows in nli_rows(folder, rng).items():
        for _ in range(SOURCES[source]):
            one, two, *rest = (rng.choice(rows) for _ in range(7))
            left, right, label = [one[2]], [one[3]], NLI_LABEL[one[0]]
            if rng.random() < 0.35:
                left.append(two[2])
                right.append(two[3])
                label = both(label, NLI_LABEL[two[0]])
            left += [r[2] for r in rest[: rng.randint(0, 2)]]
            right += [r[3] for r in rest[3 : 3 + rng.randint(0, 2)]]
            if rng.random() < 0.5:
                rng.shuffle(left)
                rng.shuffle(right)
            yield label, "hidden", sentences(left), sentences(right)


def both(one: str, two: str) -> str:
    """The label of two pairs read together: agreement and conflict at once is neither."""
    if {one, two} == {"A", "D"}:
        return "P"
    if "D" in (one, two):
        return "D"
    return "A" if "A" in (one, two) else "P"


def sentences(parts: list[str]) -> str:
    """Sentences one after the other, each with its full stop."""
    whole = [p.strip() for p in parts if p.strip()]
    return " ".join(p if p[-1] in ".!?" else p + "." for p in whole)


def claim_pairs(rng: Random, found: dict[str, dict[str, list[str]]]) -> Iterator[Row]:
    """Argued stances on the same claim and on different ones."""
    names = sorted(found)
    for name in names:
        for _ in range(20):
            a, b = rng.random() < 0.5, rng.random() < 0.5
            other = name if rng.random() < 0.85 else rng.choice(names)
            label = "P" if other != name else "A" if a == b else "D"
            yield (
                label,
                "claim",
                argued(rng, name, found[name], a),
                argued(rng, other, found[other], b),
            )


def rows(seed: int, folder: Path | None) -> Iterator[Row]:
    """All pairs."""
    rng = Random(seed)
    every = topics("positions-1.txt", "positions-2.txt", "positions-3.txt")
    for topic in every:
        yield from short_pairs(topic)
        for make, n in ((yes_no, 40), (long_pair, 60), (mixed_pair, 40)):
            yield from (make(rng, topic, every) for _ in range(n))
    if folder:
        yield from claim_pairs(rng, claims(folder))
        yield from headed_pairs(rng, claims(folder))
        yield from hidden_pairs(rng, folder)
    yield from triples(rng)
    yield from reasons(rng)
    yield from quads(rng)
    yield from aspects(rng)
    yield from essays(rng)
    yield from by_authors(rng)
    yield from (refusals(rng, every) for _ in range(800))
    yield from (stranger_pair(rng, every) for _ in range(2500))
    for name, (make_row, n) in KINDS.items():
        for _ in range(n):
            label, a, b = make_row(rng)
            yield label, name, a, b


def by_authors(rng: Random) -> Iterator[Row]:
    """What other authors wrote; that file builds on this one."""
    from training import authors

    return authors.rows(rng)


def main() -> None:
    """Writes the pairs to a file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--nli", type=Path, help="folder with train.tsv.gz")
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    made = sorted(set(rows(options.seed, options.nli)))
    with gzip.open(options.out, "wt", encoding="utf-8") as out:
        out.writelines("\t".join(r) + "\n" for r in made)
    print(len(made), "pairs")


if __name__ == "__main__":
    main()
