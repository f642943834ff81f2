"""Bottom lines beside estimates: whether a line is its figure, or a decision that has one."""

from __future__ import annotations

import re
from functools import lru_cache

from mutual_dissent.analysis.bottom_lines.numbers import ESTIMATES, numbers
from mutual_dissent.analysis.bottom_lines.questions import asks_number, asks_yes_no
from mutual_dissent.analysis.bottom_lines.remainder import TURNS
from mutual_dissent.analysis.bottom_lines.words import (
    ENGLISH,
    fold_case,
    plain,
    sentences,
    stem,
    strip_emphasis,
    tokens,
)
from mutual_dissent.core.closing import Estimate

# What else asks for a quantity: "what would it save", "estimate the effort", "give me a figure".
_QUANTITY = re.compile(
    r"\bwhat (?:would|will|does|do|could|might|can) (?:[\w'’-]+ ){1,4}?"
    r"(?:save|cost|earn|pay|bring|take|yield|weigh|spend|lose|gain)\b|"
    r"^(?:please |can you |could you )?(?:estimate|calculate|compute|guess|forecast|predict)\b|"
    r"\b(?:a|your|the) (?:figure|estimate|ballpark|number) (?:for|of)\b|\bschatze\b"
)
# "Should we", "is it worth moving", "decide whether", in languages that quantities are read in.
_DECIDES = re.compile(
    r"\b(?:should|shall|ought|worth (?:it|the|our|my|your|\w+ing)|whether|decide|recommend|advise|"
    r"better|advisable|sensible|go or no-go|go/no-go|soll(?:en|te|ten|t)?|lohnt|ob|besser|"
    r"doit|devons|devrions|devrait|faut-il|vaut|mieux|debemos|deberiamos|deberia|"
    r"conviene|vale la pena|mejor|dovremmo|dobbiamo|meglio|devemos|deveriamos|melhor|"
    r"moeten|zouden|moet|beter|czy|lepiej|стоит ли|следует|должны|лучше)\b|"
    r"应该|應該|值得|是否|还是|べき|ほうがいい|方がいい"
)
# As a question begins: "which region", "is our plan", "can we"; not "is left", "which is 490 long".
_OPENS = re.compile(
    r"(?:(?:in|to|on|from|for|with|at) )?which (?!is\b|was\b|are\b|has\b|took\b)|"
    r"what(?:'s| is| would be| are) (?:the |our |my )?(?:single )?best (?!estimate|guess)|"
    r"welche|quel|cual|quale|qual\b|welke?\b"
)
_SUBJECT = re.compile(
    r"(?:so |and |but |then |also |well )?\w+ (?:i|we|you|he|she|it|they|there|this|that|these|"
    r"those|the|an?|my|our|your|his|her|its|their|one|anyone|someone|any|all|[^\W\d]{4,})\b"
)
# "How many people should we hire?" asks for nothing but the number.
_HOW_MANY = re.compile(
    r"^(?:and |so |but |then |also |und |et |y |e )?(?:by |in |for |at |to |within )?"
    r"(?:how (?:many|much|long|old|far|big|large|often|soon|high|tall)|what (?:percentage|share|"
    r"number|price|salary|budget|amount)|wie ?viele?|wie (?:lange?|hoch|weit)|combien|"
    r"cuant[oa]s?|quant[oaie]s?|hoeveel|ile)\b"
)
# "(in kilograms)", ", in dollars,": they part no question.
_INSERTED = re.compile(r"\([^()]{0,60}\)|, in [^,]{1,30},")
_CLAUSES = re.compile(
    r"([,;:–—，、；]| - )?\s*\b(and|und|et|y|oraz|и)\b(?= (?!\d))|([,;:–—，、；]| - )",
    re.IGNORECASE,
)
# "Move or stay": a short clause that sets one thing against another.
_OFFERS = re.compile(r"(?:[\w.'’-]+ ){1,5}(?:or|vs|versus|oder|ou|lub|или) (?:[\w.'’-]+ ?){1,4}$")
_PARTS = re.compile(r"\s*(?:[;:()–—]|,(?!\d)|(?<!\d)\.(?=\s)|\s-\s)\s*")
_OF_FIGURES = frozenset(
    f"{ESTIMATES} estimate estimated median range roughly approximately circa ca saving savings "
    "month months year years day days week weeks hour hours minute minutes percent per monthly "
    "yearly annually annual weekly daily dollar dollars usd euro euros eur pound pounds gbp".split()
)
_ANSWERS = frozenset("yes no not only".split())
_MOST = 4_000
_HOLDING = TURNS | frozenset(
    "unless provided once when where assuming without too wenn falls si se".split()
)


def is_figure(line: str, estimate: Estimate, query: str) -> bool:
    """Return whether a bottom line states its estimate and nothing more.

    It does if only a quantity is asked for, or if it has no words beside the figure. In doubt it
    says more: then agreement on the figure is none on the line.
    """
    if not line.strip() or _is_bare(line, estimate, frozenset()):
        return True
    if decision_asked(query):
        return False
    if any(_asks_quantity(fold_case(clause)) for clause, _ in _clauses(query)):
        return True
    return _is_bare(line, estimate, frozenset(map(stem, tokens(query[-_MOST:]))))


def decision_asked(query: str) -> str:
    """The part of a query that asks for more than a quantity: a decision; empty without one."""
    found = (clause for clause, leads in _clauses(query) if _asks_decision(clause, leads=leads))
    return next((f"{clause}?" for clause in found), "")


def without_figure(line: str, estimate: Estimate | None) -> str:
    """A decision without the part that only gives its figure: `Move; it saves 8,550 a month`.

    A part that sets a condition, or turns the meaning, stays.
    """
    if estimate is None:
        return line
    own = {f"{v:,.15g}" for v in (estimate.value, estimate.low, estimate.high) if v is not None}
    own |= {figure.replace(",", "") for figure in own}
    clean = strip_emphasis(line)
    parts = [part for part in _PARTS.split(clean) if part]
    kept = [part for part in parts if not _tells_figure(part, own)]
    return clean if not kept or len(kept) == len(parts) else ", ".join(kept)


def _tells_figure(part: str, own: set[str]) -> bool:
    figures = re.findall(r"\d[\d.,]*\d|\d", part)
    given = bool(figures) and all(f in own or f.replace(",", "") in own for f in figures)
    return given and not _HOLDING & frozenset(tokens(part))


def _is_bare(line: str, estimate: Estimate, known: frozenset[str]) -> bool:
    """Return whether a line has a number, and no words but those of figures, and known ones."""
    clean = strip_emphasis(line)
    figures = numbers(clean, in_words=True)
    if not figures and not any(map(str.isdigit, clean)):
        return False
    spelled = [w for n in figures for w in tokens(clean[n.start : n.end])]
    light = _OF_FIGURES.union(ENGLISH - _ANSWERS, tokens(estimate.unit), spelled)
    words = [w for w in tokens(clean) if not w[0].isdigit()]
    return all(w in light or stem(w) in known for w in words)


@lru_cache(maxsize=256)
def _clauses(query: str) -> tuple[tuple[str, bool], ...]:
    """The clauses of a query's questions, or else of all of it, and whether they stand first.

    One that is joined by `and` may be a question of its own, as the first one is; one after a
    comma alone goes on with what stands before it.
    """
    text = strip_emphasis(plain(query[-_MOST:]))
    said = sentences(text)
    asking = [s for s in said if re.search(r"[?？]", s)] or said
    found = []
    for sentence in asking:
        whole, at, leads = _INSERTED.sub(" ", sentence), 0, True
        for cut in [*_CLAUSES.finditer(whole), None]:
            clause = " ".join(whole[at : cut.start() if cut else None].split()).strip(" .?!？")
            if clause:
                found.append((clause, leads))
            if cut:
                at, leads = cut.end(), bool(cut[2]) or cut[0].strip() in (";", ":", "；")
    return tuple(found)


def _asks_decision(clause: str, *, leads: bool) -> bool:
    small = fold_case(clause)
    opens = leads and asks_yes_no(small) and bool(_SUBJECT.match(small))
    # "Do a rough estimate" asks for no yes.
    if opens and not re.match(r"(?:do|have) (?:an?|the|some|your|this)\b", small):
        return True
    if _asks_quantity(small) or re.match(r"(?:if|when|given|suppose|assuming)\b", small):
        return False
    return bool(_DECIDES.search(small) or (leads and (_OPENS.match(small) or _OFFERS.match(small))))


def _asks_quantity(small: str) -> bool:
    return asks_number(small) or bool(_QUANTITY.search(small) or _HOW_MANY.match(small))
