"""Claims: single sentences of an answer, in a form that rules can compare."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from mutual_dissent.semantics.lexical.lexicon import (
    BEFORE_GERUND,
    BREAKS,
    CONDITIONS,
    DENIAL,
    HEDGES,
    NEGATORS,
    concept,
    has_opposite,
    normal,
)
from mutual_dissent.semantics.lexical.quantities import QuantityRange, is_number_or_unit, quantities

HEAD, TAIL = 4_000, 2_000
"""Characters of a long answer that are read, at its beginning and at its end."""
MOST_SENTENCES = 60
LONGEST = 400
PRINCIPAL = 4

LIGHT = frozenset("use think show answer result method person build have get say point".split())
"""Concepts that say little by themselves."""
EXCLUSIVE = frozenset("choose pick select recommend opt prefer best".split())

_STOP = frozenset(
    "a an and are as at be been being both by can could did do does each for from had has have he "
    "her here him his i in into is it its itself just may me might my of on or other our own shall "
    "she should such than that the their them then there these they this those to too very was we "
    "were what will with would you your also still really quite rather about only any one ones "
    "every all most many some much let im am well even get got over some sometimes always usually "
    "generally often few yes no more".split()
)
_AUXILIARY = frozenset(
    "is are was were be been will would can could should shall may might must do does did has have "
    "had".split()
)
_QUANTIFIERS = {
    "all": "all", "every": "all", "always": "all", "each": "all", "everyone": "all",
    "most": "most", "usually": "most", "generally": "most", "many": "most", "often": "most",
    "some": "some", "sometimes": "some", "few": "few",
}  # fmt: skip
_PUNCTUATION = frozenset(",;:!?.")
_SENTENCE = re.compile(r"(?<=[.!?])[\"'’”)*]*\s+(?=[\"'“(*]*[A-Z0-9])|\n+")
# Marks of lists, headings and quotations, "1." or "2)", bold and code, "[12]".
_MARKS = re.compile(r"^[\s>#*•\-–]+|^\s*\d{1,2}[.)]\s+|[*_`]{1,3}|\[\d{1,3}\]")
# Words such as open-source, node.js, c++ and c# stay whole.
_TOKEN = re.compile(r"[^\W_]+(?:[-.+#][^\W_]+|\+\+|#)*|[,;:!?]|\.(?!\w)")
_NAME = re.compile(r"\b[A-Z][\w.+#-]*")
# "Although it is dear, it is worth it" claims what stands after the comma.
_CONCESSION = re.compile(
    r"^(?:although|though|while|whereas|despite|even though|even if|granted)\b[^,]{0,250},\s*",
    re.IGNORECASE,
)
_CONCLUSION = re.compile(
    r"^(?:overall|in (?:conclusion|short|summary|sum)|to (?:conclude|sum up)|therefore|thus|"
    r"ultimately|bottom line|(?:my|the|final) (?:final )?(?:answer|recommendation|position|verdict|"
    r"conclusion)|on balance|so,|answer:|verdict:|position:|conclusion)",
    re.IGNORECASE,
)
# "Yes and no" is neither.
_YES = re.compile(r"^(?:yes|yeah|yep|absolutely|definitely|certainly|correct|true|agreed)\b(?!\s+and\s+no)")  # fmt: skip # noqa: E501
_NO = re.compile(r"^(?:no|nope|absolutely not|definitely not|certainly not|incorrect|false)\b(?=\s*[,.;:!—–-]|\s*$)")  # fmt: skip # noqa: E501
_UNIQUE = re.compile(
    r"\bthe (?:(?:single|very|most|real|true) )?(?:best|most|first|last|only|main|primary|largest|"
    r"biggest|smallest|highest|tallest|longest|fastest|capital|answer|winner|correct|right|cause|"
    r"author|inventor|creator|founder|president|leader)\b|\b(?:written|invented|discovered|created|"
    r"founded|painted|composed|won|caused|directed|built) by\b"
)


@dataclass(frozen=True, slots=True)
class ComparativeClaim:
    """Something is more (or, with sign -1, less) of a quality than something else."""

    left: frozenset[str]
    quality: str
    sign: int
    right: frozenset[str]


@dataclass(frozen=True, slots=True)
class ParsedClaim:
    """One sentence, read by rules.

    Attributes:
        signs: concept -> 1 if it is affirmed, -1 if it is denied.
        shown: concept -> the word it was written as.
        names: the concepts that are written like names.
        subject: the concepts before the first verb of being.
        chosen: things that it says to use, if any.
        exclusive: whether only one thing can be chosen.
        quantifier: `all`, `most`, `some`, `some-not`, or empty.
        head: `yes` or `no`, if the sentence begins with it.
    """

    text: str
    signs: dict[str, int]
    shown: dict[str, str]
    names: frozenset[str]
    subject: frozenset[str]
    chosen: frozenset[str]
    exclusive: bool
    quantities: tuple[QuantityRange, ...]
    comparison: ComparativeClaim | None
    quantifier: str
    conditional: bool
    hedged: bool
    head: str


def clip_ends(text: str) -> str:
    """The beginning and the end of a text, where answers state their position."""
    return text if len(text) <= HEAD + TAIL else f"{text[:HEAD]}\n{text[-TAIL:]}"


@lru_cache(maxsize=256)
def sentences(text: str) -> tuple[str, ...]:
    """The sentences of an answer's beginning and end, without marks of layout."""
    found = []
    for piece in _SENTENCE.split(clip_ends(text)):
        if bare := _MARKS.sub("", piece).strip()[:LONGEST]:
            found.append(bare)
        if len(found) == MOST_SENTENCES:
            break
    return tuple(found)


@lru_cache(maxsize=256)
def principal(text: str) -> tuple[ParsedClaim, ...]:
    """Main claims of an answer: its conclusion, if it names one, then its first claims."""
    stated = [s for s in sentences(text) if not s.endswith((":", "?"))] or list(sentences(text))
    # The first two are taken anyway.
    closing = [s for s in stated[2:] if _CONCLUSION.match(s)][-1:]
    chosen = dict.fromkeys([*stated[:1], *closing, *stated[1:]])
    read = (claim(s) for s in list(chosen)[: PRINCIPAL * 2])
    return tuple(c for c in read if c.signs or c.head or c.quantities)[:PRINCIPAL]


@lru_cache(maxsize=1024)
def claim(sentence: str) -> ParsedClaim:
    """Read the claim of one sentence."""
    bare = _CONCESSION.sub("", sentence)
    low = normal(bare)
    tokens = _TOKEN.findall(low)
    signs, shown = _signs(tokens)
    head = "yes" if _YES.match(low) else "no" if _NO.match(low) else ""
    chosen, firm = _choice(tokens)
    return ParsedClaim(
        text=sentence,
        signs=signs,
        shown=shown,
        names=frozenset(
            n for m in _NAME.findall(bare) if (n := concept(m.lower().rstrip(".-"))[0]) in signs
        ),
        subject=_subject(tokens),
        chosen=chosen,
        exclusive=firm or _UNIQUE.search(low) is not None,
        quantities=quantities(low),
        comparison=_comparison(tokens),
        quantifier=_quantifier(tokens),
        conditional=CONDITIONS.search(low) is not None,
        hedged=HEDGES.search(low) is not None,
        head=head,
    )


class _Turning:
    """Reads the words of a sentence from left to right, and which of them are negated."""

    def __init__(self) -> None:
        self.signs: dict[str, int] = {}
        self.shown: dict[str, str] = {}
        self.turn, self.denied, self.after_verb = 1, False, False
        self.since: list[str] = []

    def word(self, token: str) -> None:
        name, sign = concept(token)
        if self.denied and self.after_verb:
            sign, self.denied = -sign, False
        sign *= self.turn
        if not (token.endswith("ly") and len(token) > 4 and not has_opposite(name)):
            self.turn = 1  # "not morally wrong" is about wrong
        # Affirmed and denied in one sentence: neither.
        self.signs[name] = sign if self.signs.get(name, sign) == sign else 0
        self.shown.setdefault(name, token)
        if self.denied:
            self.since.append(name)

    def clause(self) -> None:
        if self.denied and self.since:
            # Without a verb of being: what has an opposite, else what follows the subject.
            known = (n for n in self.since if has_opposite(n))
            name = next(known, self.since[min(1, len(self.since) - 1)])
            self.signs[name] = -self.signs[name]
        self.turn, self.denied, self.after_verb = 1, False, False
        self.since = []


def _signs(tokens: list[str]) -> tuple[dict[str, int], dict[str, str]]:
    """Every concept's sign, and the word it was written as."""
    reading = _Turning()
    choosing = False
    before = ""
    for token, after in zip(tokens, (*tokens[1:], ""), strict=False):
        choosing = choosing or _is_choice(token)
        if token in _PUNCTUATION or token in BREAKS:
            reading.clause()
        elif token == DENIAL:
            reading.denied, reading.after_verb = True, False
        elif _turns(token, after, choosing):
            reading.turn = -reading.turn
        elif token in _AUXILIARY:
            reading.after_verb = True
        elif token not in _STOP and not is_number_or_unit(token, before):
            reading.word(token)
        before = token
    reading.clause()
    return reading.signs, reading.shown


def _is_choice(token: str) -> bool:
    return token.startswith(("prefer", "favor", "favour")) or concept(token)[0] == "use"


def _turns(word: str, after: str, choosing: bool) -> bool:
    """Return whether a word negates the next one that carries meaning."""
    if word in NEGATORS:
        is_head = word == "no" and (not after or after in _PUNCTUATION)
        return not is_head and after not in _QUANTIFIERS  # "not all" says that some are not
    # "Prefer tea over coffee" is against coffee; elsewhere it is a place or an amount.
    if word == "over":
        return choosing
    if word in ("less", "fewer"):
        # "Less safe" is about safe; "less than" is a bound.
        return after.isalpha() and after != "than"
    return word in BEFORE_GERUND and after.endswith("ing") and len(after) > 4


def _meant(tokens: list[str]) -> list[str]:
    """The concepts of some tokens up to the end of their clause."""
    names = []
    for token in tokens:
        if token in _PUNCTUATION or token in BREAKS or token in ("instead-of", "over"):
            break
        if token not in _STOP and token not in NEGATORS and not token[0].isdigit():
            names.append(concept(token)[0])
    return names


def _subject(tokens: list[str]) -> frozenset[str]:
    verb = next((i for i, t in enumerate(tokens) if t in _AUXILIARY), 0)
    return frozenset(_meant(tokens[:verb]))


def _choice(tokens: list[str]) -> tuple[frozenset[str], bool]:
    """Things that a sentence says to use, and whether its verb excludes all others."""
    for i, token in enumerate(tokens):
        name, sign = concept(token)
        is_denied = any(t in NEGATORS for t in tokens[max(0, i - 3) : i])
        if sign == 1 and not is_denied and (name == "use" or token.startswith("prefer")):
            objects = [n for n in _meant(tokens[i + 1 :]) if n != "use"][:3]
            bare = token.rstrip("s").removesuffix("ed")
            return frozenset(objects), bare in EXCLUSIVE or "recommend" in token
    return frozenset(), False


def _comparison(tokens: list[str]) -> ComparativeClaim | None:
    if "than" not in tokens:
        return None
    at = tokens.index("than")
    before = [t for t in tokens[:at] if t not in _STOP]
    if not before:
        return None
    quality, sign = concept(before[-1])
    if before[-2:-1] == ["less"]:
        sign = -sign
    if any(t in NEGATORS for t in tokens[:at]):
        sign = -sign
    left = frozenset(_things([t for t in tokens[:at] if t not in BREAKS])) - {quality}
    right = frozenset(_things(tokens[at + 1 :]))
    return ComparativeClaim(left=left - right, quality=quality, sign=sign, right=right - left)


def _things(tokens: list[str]) -> list[str]:
    """The concepts of some tokens, and the numbers that tell things apart: `option one`."""
    return _meant(tokens) + [t for t in tokens if t in ("one", "two", "three") or t[0].isdigit()]


def _quantifier(tokens: list[str]) -> str:
    for i, token in enumerate(tokens):
        if kind := _QUANTIFIERS.get(token):
            return "some-not" if i and tokens[i - 1] == "not" else kind
    return ""
