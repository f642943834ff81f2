"""Relations between words: synonyms, opposites, and the words that negate a sentence.

A small hand-made table of English. Each word stands for a concept with a sign, so that synonyms
are equal, antonyms are the same concept with the other sign, and "not safe" is "dangerous".
"""

from __future__ import annotations

import re
from functools import lru_cache

# concept: words that mean it | words that mean its opposite
_TABLE = """
danger: dangerous danger risky risk hazardous harmful unsafe perilous threat threatening hazard | \
safe safety harmless secure riskless benign
good: good beneficial acceptable positive excellent advantageous favorable favourable desirable \
worthwhile valuable worth sensible wise accept approve endorse agree support favor favour \
advocate benefit prefer | bad unacceptable negative terrible disadvantageous unfavorable \
undesirable worthless awful unwise reject oppose disapprove disagree object against detrimental
better: better superior preferable best | worse inferior worst
increase: increase rise grow raise higher growth boost gain expand expansion upward rises \
rose grew risen | decrease fall decline reduce lower drop shrink cut \
reduction diminish contraction downward fell lowers
improve: improve improvement | worsen deteriorate
high: high large big huge major substantial significant considerable great | low small little \
minor tiny negligible insignificant minimal slight
fast: fast quick rapid speedy faster quicker fastest rapidly | slow sluggish slower slowest slowly
cheap: cheap inexpensive affordable cheaper cheapest | expensive costly pricey unaffordable
easy: easy simple straightforward simpler easier trivial effortless | hard difficult complex \
complicated harder tough challenging
possible: possible feasible achievable doable viable practicable | impossible infeasible \
unfeasible unachievable unviable impracticable
true: true correct accurate factual valid | false incorrect wrong inaccurate untrue \
mistaken invalid erroneous
legal: legal lawful permitted allowed permissible allow permit legalize legalise | illegal \
unlawful forbidden prohibited banned prohibit forbid ban outlaw impermissible
begin: begin start commence launch open initiate began begun | end stop cease finish close \
terminate halt
pass: pass succeed success successful succeeded win won | fail failure unsuccessful failed lose lost
keep: keep retain maintain preserve continue | abandon discard abolish remove eliminate scrap \
quit discontinue repeal
add: add include insert introduce | exclude omit delete
present: present exist presence available exists | absent missing absence unavailable lacking
alive: alive living | dead deceased
hot: hot warm warmer hotter | cold cool colder cooler chilly
heavy: heavy heavier | lightweight lighter
strong: strong robust powerful stronger sturdy | weak fragile feeble weaker brittle
early: early earlier | late later
old: old older ancient | young younger new newer recent
rich: rich wealthy affluent | impoverished
likely: likely probable probably expected | unlikely improbable doubtful
necessary: necessary essential required needed vital crucial indispensable mandatory need require \
requirement compulsory obligatory must | unnecessary optional needless dispensable superfluous \
voluntary
useful: useful helpful effective practical efficacious help | useless unhelpful \
ineffective pointless ineffectual futile
efficient: efficient | inefficient wasteful
reliable: reliable dependable trustworthy stable consistent | unreliable undependable \
untrustworthy unstable flaky inconsistent
ethical: ethical moral | unethical immoral
fair: fair just equitable | unfair unjust inequitable
healthy: healthy wholesome healthful nutritious | unhealthy unwholesome
certain: certain sure definite | unsure indefinite
reversible: reversible | irreversible
sustainable: sustainable | unsustainable
ready: ready mature prepared | unready immature unprepared
public: public | private
central: centralized centralised central | decentralized decentralised
open: open-source | proprietary closed-source
manual: manual hand-made | automatic automated automate
natural: natural | artificial synthetic
internal: internal inside inner | external outside outer
temporary: temporary transient short-term | permanent lasting long-term
cause: cause produce create generate lead trigger caused | prevent avert forestall
buy: buy purchase acquire bought | sell sold
attack: attack | defend defense defence
profitable: profitable profit | unprofitable loss
guilty: guilty | innocent
empty: empty vacant | full
optimistic: optimistic optimism bullish hopeful | pessimistic pessimism bearish
flat: flat | round spherical sphere
synchronous: synchronous sync | asynchronous async
popular: popular | unpopular
dynamic: dynamic | static
onsite: in-person onsite office | remote remotely telework home
developer: developer programmer engineer coder dev
software: software code program
use: use adopt choose pick select recommend employ utilize utilise opt | avoid
company: company firm business corporation enterprise organization organisation
employee: employee worker staff personnel workforce
person: person people human individual folk
car: car automobile vehicle
doctor: doctor physician
child: child kid children
student: student pupil
teacher: teacher educator instructor
city: city town municipality
country: country nation state
job: job employment occupation
money: money cash fund funding
cost: cost price expense
house: house home-building dwelling residence
film: film movie
answer: answer response reply
result: result outcome consequence
method: method approach technique
problem: problem issue difficulty
ai: ai artificial-intelligence ml-system
usa: usa us america united-states
uk: uk britain united-kingdom
eu: eu european-union
climate-change: climate-change global-warming
database: database db postgres-db
test: test testing
bug: bug defect
language: language tongue
build: build construct make develop implement
show: show demonstrate indicate reveal prove suggest
think: think believe consider hold
start-up: startup
government: government administration
law: law legislation statute
tax: tax levy
gun: gun firearm
meat: meat flesh
plant-based: vegan vegetarian
medicine: medicine drug medication
""".strip()

PHRASES = {
    "software engineer": "developer",
    "software engineers": "developers",
    "software developer": "developer",
    "software developers": "developers",
    "artificial intelligence": "ai",
    "united states": "usa",
    "united kingdom": "uk",
    "european union": "eu",
    "climate change": "climate-change",
    "global warming": "climate-change",
    "open source": "open-source",
    "closed source": "closed-source",
    "long term": "long-term",
    "short term": "short-term",
    "working from home": "working remotely",
    "work from home": "work remotely",
    "in person": "in-person",
    "go up": "increase",
    "goes up": "increase",
    "going up": "increase",
    "go down": "decrease",
    "goes down": "decrease",
    "going down": "decrease",
    "lead to": "cause",
    "leads to": "causes",
    "in favor of": "support",
    "in favour of": "support",
    "no doubt": "certainly",
    "not only": "",
    "not just": "",
    "not merely": "",
    "no matter": "whatever",
    "no longer": "not",
    "no evidence": "not shown",
    "no more than": "at most",
    "no less than": "at least",
    "no fewer than": "at least",
    "not necessarily": "not always",
    "anything but": "not",
    "far from": "not",
    "by no means": "not",
    "in no way": "not",
    "bad idea": "bad",
    "good idea": "good",
    "a myth": "false",
    "not true that": "deny-that",
    "not the case that": "deny-that",
    "false that": "deny-that",
    "untrue that": "deny-that",
    "wrong that": "deny-that",
    "incorrect that": "deny-that",
    "unlikely that": "deny-that",
    "disagree that": "deny-that",
    "doubt that": "deny-that",
    "deny that": "deny-that",
    "myth that": "deny-that",
    "not agree that": "deny-that",
    "not think": "deny-that",
    "wrong to say that": "deny-that",
    "false to say that": "deny-that",
    "reject the idea that": "deny-that",
    "reject the claim that": "deny-that",
    "refute the claim that": "deny-that",
    "refute the idea that": "deny-that",
    "no evidence that": "deny-that",
    "no reason to": "not",
    "fail to": "not",
    "fails to": "not",
    "failed to": "not",
    "refuse to": "not",
    "refuses to": "not",
    "not do without": "need",
    "do without": "not need",
    "not believe": "deny-that",
    "a mistake": "bad",
    "cannot be overstated": "is high",
    "rather than": "instead-of",
    "instead of": "instead-of",
    "as opposed to": "instead-of",
    "go with": "use",
    "goes with": "uses",
    "stay with": "keep",
    "stick with": "keep",
    "get rid of": "eliminate",
}

NEGATORS = frozenset(
    "not no never none nobody nothing neither nor without hardly scarcely barely rarely seldom "
    "lack lacks lacking instead-of".split()
)
"""Words that turn the next word that means something."""

BEFORE_GERUND = frozenset("avoid avoids avoiding stop stops quit from against".split())
"""Negate a verb that follows: "avoid eating meat"; "against" a thing is an opposite."""

DENIAL = "deny-that"
"""Stands for "it is not true that": negates what the clause says about its subject."""

BREAKS = frozenset(
    "but because since although though while whereas however so yet therefore thus if unless "
    "which who where when".split()
)
"""Words that end a negation."""

CONDITIONS = re.compile(
    r"\b(?:if|unless|depend(?:s|ing)?|provided(?: that)?|as long as|assuming|only when|in case|"
    r"under certain|in some cases|sometimes|context)\b"
)
HEDGES = re.compile(
    r"\b(?:may|might|could|perhaps|possibly|maybe|unclear|uncertain|unsure|not sure|unknown|"
    r"hard to say|difficult to say|cannot be determined|insufficient evidence|no consensus|"
    r"it seems|appears? to)\b"
)

_CONTRACTIONS = (
    (re.compile(r"\bwon['’]t\b"), "will not"),
    (re.compile(r"\bcan['’]?not\b|\bcan['’]t\b"), "can not"),
    (re.compile(r"\bshan['’]t\b"), "shall not"),
    (re.compile(r"(?<=[a-z])n['’]t\b"), " not"),
    (re.compile(r"['’](?:s|re|m|ve|ll|d)\b"), ""),
)
_DENIED = re.compile(
    r"^(?:the )?(?:claim|idea|notion|view|belief) that (.{1,400}?) is "
    r"(?:false|wrong|untrue|mistaken|incorrect|a myth)\b"
)
# The longest first: "no evidence that" before "no evidence".
_PHRASE = re.compile(
    r"\b(?:" + "|".join(sorted(map(re.escape, PHRASES), key=len, reverse=True)) + r")\b"
)
_SUFFIXES = (
    ("ies", "y"), ("sses", "ss"), ("ments", ""), ("ment", ""), ("ing", ""), ("edly", ""),
    ("ed", ""), ("ly", ""), ("es", ""), ("s", ""),
)  # fmt: skip
# Such as unusual and unwanted, by an adjective's ending; not under, unit, until, unless, uncle.
_UN = re.compile(
    r"^un(?!der|i|til|less|cle)(?=[a-z]{4})[a-z]*(?:able|ible|ed|ful|ing|al|ive|ary|ic|fair)$"
)


def normal(text: str) -> str:
    """The text in lower case, contractions spelled out and fixed phrases as single words."""
    low = _DENIED.sub(r"deny-that \1", text.lower())
    for pattern, full in _CONTRACTIONS:
        low = pattern.sub(full, low)
    return _PHRASE.sub(lambda m: PHRASES[m[0]], low)


@lru_cache(maxsize=8192)
def concept(word: str) -> tuple[str, int]:
    """Concept and sign of a word: `unsafe` is (`danger`, 1), `safe` (`danger`, -1)."""
    if entry := _CONCEPTS.get(word) or _CONCEPTS.get(stem(word)):
        return entry
    if word.endswith(("er", "est")) and (entry := _comparative_root(word)):
        return entry
    if word.startswith("non-") and len(word) > 6:
        name, sign = concept(word[4:])
        return name, -sign
    if _UN.match(word):
        name, sign = concept(word[2:])
        return name, -sign
    return stem(word), 1


def _comparative_root(word: str) -> tuple[str, int] | None:
    """Concept of a comparative, if the table has it: `safer`."""
    bare = word.removesuffix("er") if word.endswith("er") else word.removesuffix("est")
    for root in (bare, f"{bare}e", bare[:-1], f"{bare[:-1]}y"):
        if entry := _CONCEPTS.get(root):
            return entry
    return None


def has_opposite(name: str) -> bool:
    """Return whether the table has words for the opposite of a concept."""
    return name in _OPPOSED


def stem(word: str) -> str:
    """The word without the endings of number, tense and manner."""
    for suffix, instead in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3 and not _whole(word, suffix):
            word = word[: -len(suffix)] + instead
            break
    # "Planned" has doubled its n; "pass" and "sell" end in two letters by themselves.
    if len(word) > 4 and word[-1] == word[-2] and word[-1] not in "sl":
        word = word[:-1]
    return word[:-1] if len(word) > 3 and word.endswith("e") else word


def _whole(word: str, suffix: str) -> bool:
    """Return whether an ending belongs to the word itself: `class`, `virus`, `analysis`."""
    return suffix == "s" and word[-2:] in ("ss", "us", "is")


def _read(table: str) -> dict[str, tuple[str, int]]:
    entries: dict[str, tuple[str, int]] = {}
    for line in table.splitlines():
        name, _, words = line.partition(":")
        same, _, opposite = words.partition("|")
        for sign, group in ((1, same), (-1, opposite)):
            for word in group.split():
                # Of a word in two lines the first counts.
                entries.setdefault(word, (name, sign))
                entries.setdefault(stem(word), (name, sign))
    return entries


_CONCEPTS = _read(_TABLE)
_OPPOSED = frozenset(name for name, sign in _CONCEPTS.values() if sign < 0)
