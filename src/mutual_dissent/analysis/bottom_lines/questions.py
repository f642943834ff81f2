"""Kind of a query: it asks for a year, a date, a number, a name, an option, or yes or no."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from mutual_dissent.analysis.bottom_lines.words import (
    ENGLISH,
    fold_case,
    is_english,
    is_negated,
    plain,
    stem,
    strip_emphasis,
    tokens,
)

# "In which year was ...", "What school year did ..."
_YEAR = re.compile(
    r"\b(?:what|which|in what|in which) (?:\w+ ){0,2}years?\b|\byear (?:was|"
    r"did|is)\b|\bin welchem jahr|\bquelle annee|\ben que ano|\bin che anno|"
    r"\bin quale anno|\bem que ano|\bin welk jaar|\bw ktorym roku|\bв каком году|"
    r"哪一?年|何年"
)
_DATE = re.compile(
    r"\b(?:what|which) (?:\w+ ){0,3}(?:date|day|month)s?\b|^when\b|\bwhen (?:did|"
    r"was|were|is|will|does)|\b(?:date|day|month and year) (?:of|on which|"
    r"did|was|when)\b|^wann\b|^quand\b|^cuando\b|^quando\b|^wanneer\b|^kiedy\b|"
    r"^когда\b|什么时候|いつ"
)
# Also in "On what day, month and year", which asks for more than a year.
_DAY = re.compile(r"\b(?:what|which) (?:exact )?(?:day|date|month)\b")
# The words of a noun phrase before its last one: `Ann Holt's second` in `Ann Holt's second album`.
_PHRASE = (
    r"(?:(?!(?:of|in|for|on|at|by|to|that|who|which|when|with|from|best|main|most|biggest)\b)"
    r"[\w.,'’-]{1,30} ){0,9}"
)
_QUANTITY = (
    r"(?:height|length|distance|speed|weight|population|area|duration|elevation|altitude|capacity|"
    r"budget|attendance|diameter|radius|circumference|wavelength|depth|width|volume|mass|frequency|"
    r"density|salary|revenue|prize money|age|temperature|percentage|total number|number)"
)
_TITLE = (
    r"(?:names?|surname|title|subtitle|nickname|pseudonym|motto|profession|occupation|"
    r"nationality|rank|hometown|birthplace|alma mater|cause of death)"
)
_BEARER = (
    r"(?:city|country|town|village|municipality|state|province|county|region|district|borough|"
    r"canton|prefecture|parish|suburb|neighbou?rhood|continent|island|peninsula|river|lake|ocean|"
    r"sea|mountain|valley|desert|street|square|park|bridge|dam|tower|castle|palace|building|"
    r"cathedral|temple|mosque|church|cemetery|theat(?:er|re)|stadium|arena|airport|station|hotel|"
    r"hospital|school|university|college|academy|institut(?:e|ion)|seminary|library|museum|gallery|"
    r"company|corporation|firm|label|publisher|brand|bank|agency|ministry|court|team|club|band|"
    r"group|orchestra|choir|artist|author|writer|poet|actor|actress|singer|player|person|scientist|"
    r"mathematician|physicist|chemist|engineer|architect|designer|composer|director|painter|"
    r"sculptor|photographer|judge|coach|captain|president|minister|governor|mayor|senator|"
    r"king|queen|emperor|pope|bishop|award|prize|medal|trophy|scholarship|fellowship|song|track|"
    r"album|opera|symphony|ballet|poem|painting|sculpture|book|novel|film|movie|"
    r"episode|series|show|game|magazine|newspaper|journal|exhibition|ship|vessel|aircraft|rocket|"
    r"spacecraft|satellite|language|religion|planet|element|asteroid|crater|battle|treaty|"
    r"operation|regiment|embassy|organi[sz]ation|society|constituency|party|musical|competition|"
    r"tournament|championship|league|festival|conference|database|framework|tool|website|"
    r"operating system|character|dynasty)"
)
"""Nouns for things with a proper name."""
_NUMBER = re.compile(
    r"\bhow (?:many|much|old|long|tall|high|far|deep|fast|heavy|big|large|"
    rf"often|wide)\b|\bwhat (?:is|was|were|are) {_PHRASE}{_QUANTITY}\b|"
    r"\bwhat (?:\w+ ){0,2}(?:percentage|percent|proportion|number|"
    r"age|population|height|length|distance|score|price|cost|speed|weight|"
    r"temperature|amount|total|rate|probability|value)\b|\bat what age|\bwie ?viele?\b|"
    r"\bwie (?:lange?|hoch|alt|weit|schwer|gross)\b|\bcombien\b|\bcuant[oa]s?\b|"
    r"\bquant[oaie]s?\b|\bhoeveel\b|\bile\b|\bсколько\b|多少|几个|幾|いくつ|何人|いくら"
)
# Numbers that are names: two of them are the same or not, and never nearly the same.
_CODE = re.compile(
    r"\b(?:accession|registration|catalogue|catalog|model|phone|serial|flight|id) number"
)
_NAME = re.compile(
    r"\b(?:who|whom|whose|where|which)\b|\bwhat (?:is|was|are|were) (?:the )?(?:\w+ ){0,4}(?"
    r":name|title|capital|nickname|code|word|term|language|currency)s?\b|\bwhat (?:[\w.'’-]+"
    r" ){1,3}(?:did|does|was|is|were|are|do|has|have|had)\b|\bname (?:of|the)\b|"
    r"\b(?:called|named|titled)\b|\b(?:give|state) the\b|\bwelche[rsmn]?\b|"
    r"\bwer\b|\bwo\b|\bquel(?:le)?s?\b|\bqui\b|\bou\b|\bquien\b|\bcual\b|\bdonde\b|"
    r"\bchi\b|\bqual[ei]?\b|\bdove\b|\bquem\b|\bonde\b|\bwie\b|\bwelke?\b|"
    r"\bwaar\b|\bkto\b|\bktory\b|\bgdzie\b|\bкто\b|\bкакой\b|\bгде\b|谁|哪|誰|"
    rf"どこ|どの|\bwhat(?:'s| is| was| are| were) {_PHRASE}{_TITLE}\b|"
    rf"\bwhat (?:(?!(?:the|an?|this|that|your|our|my|did|does|do|is|was|are|were|has|have|had|will|"
    rf"should|would|could|can|if|about)\b)[\w.'’-]+ ){{0,3}}{_BEARER}s? "
    r"(?!should|would|could|can|do we|is best)\w"
)
# Asks for a text, a plan or a reason: no single value answers that.
_OPEN = re.compile(
    r"^(?:please |can you |could you |i want you to |i need to |act as )?(?:explain|"
    r"describe|write|discuss|compare|list|suggest|outline|design|plan|summari[sz]e|"
    r"create|generate|implement|build|act|help|tell me about)\b|\b(?:why|how (?:do|"
    r"does|did|can|could|should|would|to|is|are)|what (?:should|would|could|"
    r"can|do you think)|best way|pros and cons|warum|pourquoi|por que|perche|"
    r"waarom)\b"
)
# "Is it safe?", "And should we move?"; not "Is what he says ..."
_YES_NO = re.compile(
    r"^(?:so |and |but |then |also |well )?(?:is|are|was|were|do|does|did|"
    r"can|could|should|will|would|has|have|had|may|might|must|shall|am)\b(?! (?:what|"
    r"which|who|how|why|when|where))"
)
# "What colour ...", "Which instrument ...": the answer is written without a capital.
_COMMON = re.compile(
    r"\b(?:what|which) (?:\w+ ){0,2}(?:types?|kinds?|sorts?|colou?rs?|positions?|"
    r"professions?|occupations?|jobs?|roles?|instruments?|diseases?|illness|"
    r"conditions?|materials?|animals?|reasons?|causes?|methods?|gender|sex|"
    r"degrees?|ranks?|subjects?|fields?|majors?|sports?|genres?|shapes?|forms?|"
    r"breeds?|species|crimes?|weapons?|ingredients?|ailments?|injur(?:y|ies)|"
    r"feature|words?)\b"
)
_PROPER = re.compile(
    r"\b(?:who|whom|whose|where|named?|names|surname|called|titled?|capital)\b|"
    rf"\b(?:what|which) (?:[\w.'’-]+ ){{0,4}}{_BEARER}"
)
# Places and works have names of their own in each language: Wien, Vienna.
_THING = re.compile(
    r"\b(?:where|city|country|town|village|municipality|state|province|county|region|district|"
    r"borough|island|river|mountain|capital|title|titled|song|album|book|novel|film|movie)\b"
)
# "Where ...", "Which countries are ...", "Name one ...": two other answers may both be right.
_WIDE = re.compile(
    r"\bwhere\b|"
    r"\b(?:what|which) (?:\w+ ){0,2}\w+[^sui]s (?:are|were|have|do|did|won|form|should|can)\b|"
    r"\b(?:one|any|some|examples?) of\b|\bname (?:one|an?|any|some)\b|\ban example\b"
)
_WH = re.compile(r"(?:\w+ ){0,2}(?:what|which|who|whom|whose|when|where|how many|how much)\b")
# "Which is better, tea or coffee?" has options; "Who or what did it?" has none.
_LISTED = re.compile(r"[,:]\s[^,:]{1,40}(?:,[^,:]{1,40}){0,6}\s(?:or|vs|oder|ou)\s", re.IGNORECASE)
# Not the first word, which has a capital in every sentence.
_NAMES = re.compile(r"(?<=\S )\W?([A-Z][\w'’.-]*|\d[\w.,-]*)")
# "Should we use Rust, Go" before "or Zig?": without capitals it may be "..., now or later?".
_NAME_LIST = re.compile(r"\s([A-Z]\w*(?:,\s[A-Z]\w*)+),?$")
_PARTS = re.compile(r"[,;:?!()\n]")
# Options under letters or numbers: "A) Rust B) Go", "(1) stay (2) leave".
_ITEM = re.compile(r"(?:^|[\s(])\(?([A-Ha-h]|[1-9])[).:]\s+(?=\S)")
_LIGHT = ENGLISH | frozenset("use using choose pick take rather better".split())
_ASKED_WITH = re.compile(r"\b([a-z]{2,8}) (?:what|which|whom|whose)\b|\b([a-z]{2,8})\W{0,3}$")
_ADVICE = re.compile(
    r"\b(?:should|shall|would|could|ought|recommend|suggest|prefer|better|best|worth|advise)\b"
)
_AGE = re.compile(r"\bhow old\b|\bage\b")
_LONGEST = 2_000


@dataclass(frozen=True, slots=True)
class QuestionAsked:
    """Reading of a query; `kind` is None if that cannot be told or is open."""

    kind: str | None = None
    options: tuple[str, ...] = ()
    letters: frozenset[str] = frozenset()
    stems: frozenset[str] = frozenset()
    is_open: bool = False
    is_common: bool = False  # a common noun is asked for: a colour, a profession
    is_proper: bool = False  # a name is asked for: of a person, a place, a work
    is_thing: bool = False  # a place or a work, which other languages call otherwise
    is_wide: bool = False  # more than one answer may be right: a city, and its country
    is_who: bool = False  # a person or a place, which stands in no quotation marks
    is_negative: bool = False
    text: str = ""
    squeezed: str = ""
    is_english: bool = False
    words: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()  # its capitalised words and its numbers
    initials: str = ""  # of its words in their order, those that say nothing left out
    asked_with: frozenset[str] = frozenset()  # prepositions before `which` or at its end
    is_advice: bool = False  # what to do is asked, not what is so
    is_age: bool = False


@lru_cache(maxsize=256)
def read_question(query: str) -> QuestionAsked:
    """Read what the query asks for."""
    text = strip_emphasis(plain(query[-_LONGEST:] if len(query) > _LONGEST else query))
    small = fold_case(text)
    words = frozenset(tokens(text))
    options = _options(text)
    return QuestionAsked(
        kind=_kind(small, options),
        options=options,
        letters=frozenset(m.casefold() for m in _ITEM.findall(query[:_LONGEST])),
        stems=frozenset(map(stem, words)),
        is_open=bool(_OPEN.search(small)),
        is_common=bool(_COMMON.search(small)),
        is_proper=bool(_PROPER.search(small) or _CODE.search(small)),
        is_thing=bool(_THING.search(small)),
        is_wide=bool(_WIDE.search(small)),
        is_who=bool(re.search(r"\b(?:who|whom|whose|where)\b", small)),
        is_negative=is_negated(text),
        text=text,
        is_english=is_english(text),
        squeezed="".join(tokens(text)),
        words=words,
        names=frozenset(tokens(" ".join(_NAMES.findall(text)))),
        initials="".join(w[0] for w in tokens(text) if w not in ENGLISH),
        asked_with=frozenset(sum(_ASKED_WITH.findall(small), ())),
        is_advice=bool(_ADVICE.search(small)),
        is_age=bool(_AGE.search(small)),
    )


def asks_yes_no(clause: str) -> bool:
    """Return whether a clause in one case begins as a question for yes or no does."""
    return bool(_YES_NO.match(clause))


def asks_number(clause: str) -> bool:
    """Return whether a clause in one case asks for a quantity."""
    return bool(_NUMBER.search(clause))


def _kind(small: str, options: tuple[str, ...]) -> str | None:
    # The order matters: "registration number" is a name though it says number, "on what day" a date
    # though it may go on with "and year", "how many ... when" a number.
    if options:
        return "choice"
    if _YES_NO.match(small):
        return "yes_no"
    if _YEAR.search(small) and not _DAY.search(small):
        return "year"
    if _CODE.search(small):
        return "name"
    if _DAY.search(small):
        return "date"
    if _NUMBER.search(small):
        return "number"
    if _DATE.search(small):
        return "date"
    return "name" if _NAME.search(small) and not _OPEN.search(small) else None


def _options(text: str) -> tuple[str, ...]:
    """The things that a query lets one choose between: `Rust or Go?`."""
    if "?" not in text and len(text) > 120:
        return ()
    last = [s for s in re.split(r"(?<=[?.!])\s", text) if "?" in s] or [text]
    small = last[0].strip()
    if _WH.match(fold_case(small)) and not _LISTED.search(small):
        return ()
    where = list(re.finditer(r"\s(?:or|vs\.?|versus|oder|ou|lub|или)\s", small, re.IGNORECASE))
    # With two times "or" it is not plain what is set against what.
    if len(where) != 1:
        return ()
    left, right = small[: where[0].start()], small[where[0].end() :]
    names = _NAME_LIST.search(left) if right[:1].isupper() else None
    is_list = names and _YES_NO.match(fold_case(small))
    first = _last_words(_PARTS.split(names[1] if names and is_list else left))
    second = _first_words(right)
    if not first or not second or first[-1] == second:
        return ()
    return (*first, second)


def _last_words(pieces: list[str]) -> list[str]:
    """The last word before `or`, and of a list before it."""
    words = tokens(pieces[-1])
    if not words or words[-1] in _LIGHT:
        return []
    found = [words[-1]]
    for piece in reversed(pieces[:-1]):
        listed = tokens(piece)
        if len(listed) != 1 or listed[0] in _LIGHT:
            break
        found.insert(0, listed[0])
    return found


def _first_words(text: str) -> str:
    words = [w for w in tokens(_PARTS.split(text)[0]) if w not in ("the", "a", "an", "to", "use")]
    return words[0] if words and words[0] not in _LIGHT else ""
