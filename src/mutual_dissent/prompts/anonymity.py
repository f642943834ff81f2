"""Naming: what gives an author away is withheld from those who are not to know whose a text is.

Only what names one model, and what introduces its author, is taken out. Makers and families are
what debates are about as often as not ("Google Cloud", "O(n log n)"), and stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from mutual_dissent.core.brief import Brief
from mutual_dissent.core.panel import Panelist, Route, base_name

WITHHELD = "[name withheld]"
_NO_NAME = frozenset({"", "local", "cli", "acp"})  # places, not makers, and words of every day
_ALSO = {"openai": ("chatgpt",), "x-ai": ("xai",), "meta-llama": ("meta",)}
"""What makers, and models by them, go by besides the names in their ids."""
_SHORTEST_FAMILY = 3
_SHORTEST_ID = 4
"""Characters of an id that is withheld wherever it stands; `o1` may be anything."""

_Names = tuple[tuple[str, ...], tuple[str, ...]]
"""Ids of models, and other names."""
_Seats = tuple[tuple[str, Route], ...]

_MAKING = "made|built|trained|developed|created"
_KIND = r"an? (?:[\w-]{1,20} ){0,3}(?:AI|model|assistant|chatbot|LLM) "
_SELF = r"\b(?:I am|I['’]m|my name is|ich bin|ich heiße|je suis|soy|sono|eu sou) |我是|私は"
_BEING = "I am|I['’]m|I was|I['’]ve been|I have been"
# "I was trained by X", "I'm a large language model made by X", "as an AI built by X"
_MADE = rf"\b(?:(?:{_BEING}) (?:{_KIND})?|as {_KIND})(?:{_MAKING}) by "
# What may follow a name in an introduction; in "I am Claude Monet" something else does.
_NEXT = f"by|from|and|a|an|the|{_MAKING}|von|und|de|et|y|di|e"
_END = rf"(?=\s{{0,3}}(?:[,.;:!?)\n*_、。，]|$|です|(?:{_NEXT})\b))"
# Not \b: in "私はClaudeです" the name touches a letter.
_WHOLE = "(?![A-Za-z0-9_])"
# The second name of an introduction: "I'm Claude, an AI assistant made by Anthropic".
_ALSO_MADE = rf",? (?:{_KIND})?(?:(?:{_MAKING}) )?(?:by|from) |, (?:ein Modell )?von "


def strip_introductions(text: str, panel: Iterable[Panelist], brief: Brief) -> str:
    """The text without the ids of some panelists, and without introductions by their names."""
    return _without(text, *_unsaid(brief, panel))


@lru_cache(maxsize=128)
def _without(text: str, ids: tuple[str, ...], names: tuple[str, ...]) -> str:
    """The same; kept, since every reader is shown the same answers."""
    if ids and _may_name(text, ids):
        text = _any_of(ids).sub(WITHHELD, text)
    if names and _may_name(text, names):
        text = _introduced(names).sub(_hidden, text)
    return text


def own_names(text: str, panelist: Panelist, brief: Brief) -> tuple[str, ...]:
    """The names by which a text gives away who wrote it, in the order in which they stand there."""
    ids, names = _unsaid(brief, (panelist,))
    if not _may_name(text, (*ids, *names)):
        return ()
    found = [(m.start(), m[0]) for m in _any_of(ids).finditer(text)] if ids else []
    for m in _introduced(names).finditer(text) if names else ():
        found += [(m.start(g), m[g]) for g in ("name", "role", "maker") if m[g]]
    return tuple(dict.fromkeys(name for _, name in sorted(found)))


def _may_name(text: str, names: Iterable[str]) -> bool:
    """Return whether a text may hold one of these names; a search by pattern takes longer.

    Beyond ASCII a pattern finds letters equal that no lower case makes the same: it decides.
    """
    if not text.isascii():
        return True
    low = text.lower()
    return any(n in low or not n.isascii() for n in names)


class _Subject:
    """Matter of a debate, recognised by the hashes of its texts.

    It lets go of the texts once they are read, so that no cache keeps long documents.
    """

    __slots__ = ("_print", "_texts")

    def __init__(self, brief: Brief) -> None:
        attached, earlier = brief.context, brief.earlier
        self._texts = (brief.query, *(a.text for a in attached), *(e.text for e in earlier))
        # Lengths as well: two texts with one hash are hardly of one length, too.
        self._print = tuple((hash(t), len(t)) for t in self._texts)

    def __hash__(self) -> int:
        return hash(self._print)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Subject) and self._print == other._print

    def read(self) -> str:
        return "\n".join(self._texts)

    def let_go(self) -> None:
        self._texts = ()


def _unsaid(brief: Brief, panel: Iterable[Panelist]) -> _Names:
    """The ids and the other names of some panelists that the query does not speak of."""
    return _of_some(_seated(panel), _seated(brief.panel), _Subject(brief))


def _seated(panel: Iterable[Panelist]) -> _Seats:
    """Names of panelists, without their private context."""
    return tuple((p.seat, p.route) for p in panel)


@lru_cache(maxsize=256)
def _of_some(some: _Seats, everybody: _Seats, subject: _Subject) -> _Names:
    """The same, worked out once: every request of a debate needs it."""
    known = frozenset(n.casefold() for s in everybody for n in (*_ids(*s), *_words(*s)))
    # What the query speaks of is its matter: withheld, answers about it could not be understood.
    said = _NO_NAME | _mentioned(known, subject)
    subject.let_go()
    ids = {i.casefold() for s in some for i in _ids(*s)} - said
    names = {n.casefold() for s in some for n in _words(*s)} - said
    return _longest_first(ids), _longest_first(names)


def _longest_first(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(names, key=lambda n: (-len(n), n)))


def _ids(seat: str, route: Route) -> Iterator[str]:
    """Names that mean one model and nothing else: no plain word, and nothing very short."""
    short = route.model_id.rpartition("/")[2].partition(":")[0]
    for id_ in (route.model_id, short):
        # "sonar" is a word of every day; "sonar-pro" is not.
        if len(id_) >= _SHORTEST_ID and not id_.isalpha():
            yield id_
    if "#" in seat or "@" in seat:
        yield seat


def _words(seat: str, route: Route) -> Iterator[str]:
    """Its alias, its id, its family and its maker: names where somebody introduces itself."""
    yield base_name(seat)
    yield route.model_id
    yield route.vendor
    maker, _, model = route.model_id.rpartition("/")
    maker = maker.partition("/")[0]
    yield maker
    for known in (route.vendor, maker):
        yield from _ALSO.get(known, ())
    family = re.match(r"[A-Za-z]+", model)
    yield family[0] if family and len(family[0]) >= _SHORTEST_FAMILY else ""


@lru_cache(maxsize=64)
def _mentioned(names: frozenset[str], subject: _Subject) -> frozenset[str]:
    """The names that a text uses; looked for once a debate, since the text may be long."""
    text = subject.read()
    return frozenset(n for n in names - _NO_NAME if _any_of((n,)).search(text))


@lru_cache(maxsize=256)
def _any_of(names: tuple[str, ...]) -> re.Pattern[str]:
    listed = "|".join(map(re.escape, names))
    return re.compile(rf"(?<!\w)(?:{listed})(?!\w)", re.IGNORECASE)


@lru_cache(maxsize=64)
def _introduced(names: tuple[str, ...]) -> re.Pattern[str]:
    """Return where an author says who it is, or who made it: "I'm Claude, made by Anthropic"."""
    listed = "|".join(map(re.escape, names))
    said = rf"(?:{_SELF}|{_MADE})(?P<name>{listed}){_WHOLE}{_END}"
    # "As Claude, I ..."
    part = rf"\bas (?P<role>{listed}){_WHOLE}(?=,? I\b)"
    more = rf"(?:(?:{_ALSO_MADE})(?P<maker>{listed}){_WHOLE})?"
    return re.compile(rf"(?:{said}|{part}){more}", re.IGNORECASE | re.MULTILINE)


def _hidden(found: re.Match[str]) -> str:
    """An introduction with its names withheld."""
    text, start = found[0], found.start()
    for group in ("maker", "role", "name"):  # from its end, so that places stay where they are
        if found[group]:
            text = text[: found.start(group) - start] + WITHHELD + text[found.end(group) - start :]
    return text


def told_label(label: str) -> str:
    """Sentence that tells a panelist what the others call it."""
    return f"You are {label} of this panel."
