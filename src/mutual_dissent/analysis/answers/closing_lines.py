"""Closing lines, read leniently: any case, bold, bullets, other order. Nothing is invented."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import islice
from unicodedata import normalize

from mutual_dissent.analysis.answers.closing_names import (
    BOTTOM,
    CHANGED,
    CONFIDENCE,
    ESTIMATE,
    OTHERS,
    may_be_named,
    parse_closing_name,
    parse_translated_name,
)
from mutual_dissent.analysis.answers.labels import KnownLabels
from mutual_dissent.analysis.answers.own_words import quoted_lines
from mutual_dissent.core.closing import Change, Closing, Estimate, Kind, Relation, View

# In characters; bounds of what is kept, and of the time that hostile text can cost.
MOST_LINE = 600
MOST_ABOUT = 200
MOST_TEXT = 400_000
MOST_CAUSES = 8  # words for "because" that are tried

# What may stand between closing lines and below them: nothing, `---`, "```", "### Closing lines".
_NOTHING_MORE = re.compile(
    r"^\s*(?:[-*_=]{3,}|`{3,}\w*|#{1,6}\s*closing lines.{0,3}|\**closing lines\**:?)?\s*$",
    re.IGNORECASE,
)
_FENCE = re.compile(r"^\s{0,8}(`{3,}|~{3,})")
_NO_POSITION = re.compile(r"(?:none|no answer|no position|n/?a|-)[.\s]*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ClosingRead:
    """Parts of an answer: its prose, its closing lines, and its stated confidence."""

    prose: str
    closing: Closing
    confidence: float | None


def closing_lines(text: str, labels: Mapping[str, str], own: str = "") -> ClosingRead | None:
    """Closing lines of an answer and the prose before them; None if it has none.

    Args:
        labels: label -> seat, as its author was shown them.
        own: its author's seat; what it says about itself is not a view of another panelist.
    """
    # Closing lines stand at the end, so that of a huge text only the end is searched.
    lines = text[-MOST_TEXT:].splitlines() if len(text) > MOST_TEXT else text.splitlines()
    spans = _named_lines(lines)
    if not spans:
        return None
    # Models draft a line, think again and write it anew: the last one of a name counts.
    last = {f[2]: f for f in spans}
    values = {name: value for name, (_, _, _, value) in last.items()}
    known = KnownLabels(labels)
    bottom = one_line(values.get(BOTTOM, ""), MOST_LINE)
    views = views_in(values.get(OTHERS, ""), known, own)
    closing = Closing(
        bottom_line="" if _NO_POSITION.fullmatch(bottom) else bottom,
        estimate=estimate_in(values.get(ESTIMATE, "")),
        views=views,
        change=change_in(values.get(CHANGED, ""), known, own),
        raw="\n".join(line for at, end, _, _ in sorted(last.values()) for line in lines[at:end]),
    )
    prose = text[: len(text) - MOST_TEXT] if len(text) > MOST_TEXT else ""
    # Who answers in closing lines alone is still shown with a text.
    prose += _prose(lines, spans) or closing.bottom_line
    return ClosingRead(prose, closing, share_in(values.get(CONFIDENCE, "")))


Found = tuple[int, int, str, str]
"""First line, line after the last one, name and value of a closing line."""


def _named_lines(lines: list[str]) -> list[Found]:
    """Lines with a closing name in order, outside of quotations and code; the last one counts.

    Translated names count at the very end only, and several together: elsewhere they are headings.
    """
    quoted = quoted_lines(lines)
    maybe = [i for i, line in enumerate(lines) if may_be_named(line)]
    inside = _in_code(lines, maybe)
    own = [(i, lines[i]) for i in maybe if i not in quoted and i not in inside]
    asked = [(i, pair) for i, line in own if (pair := parse_closing_name(line))]
    have = {name for _, (name, _) in asked}
    rest = [(i, line) for i, line in own if i not in dict(asked)]
    # "Fazit: ..." above a BOTTOM LINE is a heading of the prose, so that names as asked for win.
    more = [(i, t) for i, line in rest if (t := parse_translated_name(line)) and t[0] not in have]
    if not more:
        return _spans(lines, asked)
    spans = _spans(lines, sorted([*asked, *more]))
    start, last = len(lines), set[str]()
    for at, end, name, _ in reversed(spans):
        if not all(_NOTHING_MORE.match(line) for line in lines[end:start]):
            break
        start = at
        last.add(name)
    # One translated name alone, as "Fazit: take an umbrella", is how prose ends anyway.
    if len(last) < 2 or not any(i >= start for i, _ in more):
        return _spans(lines, asked)
    return [
        *_spans(lines, [a for a in asked if a[0] < start]),
        *(s for s in spans if s[0] >= start),
    ]


def _spans(lines: list[str], names: list[tuple[int, tuple[str, str]]]) -> list[Found]:
    spans = []
    for n, (at, (name, value)) in enumerate(names):
        until = names[n + 1][0] if n + 1 < len(names) else len(lines)
        end = at + 1
        while end < until and lines[end].strip() and not _NOTHING_MORE.match(lines[end]):
            end += 1  # a value that was wrapped, or listed below its name
        # ON THE OTHERS may have a line for each panelist; any other value is wrapped once or twice.
        if (name != OTHERS or not parse_closing_name(lines[at])) and end - at > 3:
            end = at + 1  # prose that follows a line is no part of it
        # "CONFIDENCE: 80 %" is complete: the next line may be the first of a letter or a poem.
        if name == CONFIDENCE and parse_closing_name(lines[at]) and is_bare_share(value):
            end = at + 1
        spans.append((at, end, name, "\n".join([value, *lines[at + 1 : end]])))
    return spans


def _in_code(lines: list[str], maybe: list[int]) -> set[int]:
    """The lines of code, except for a block at the very end if no line before it has a name.

    Some models write all closing lines as a code block; one after closing lines only repeats them.
    """
    fences = [i for i, line in enumerate(lines) if _is_fence(line)]
    inside: set[int] = set()
    # A block that is never closed runs to the end of the text.
    for start, end in zip(fences[::2], [*fences[1::2], len(lines)], strict=False):
        is_last = not any(line.strip() for line in lines[end + 1 :])
        if not is_last or any(parse_closing_name(lines[i]) for i in maybe if i < start):
            inside.update(range(start, end))
    return inside


def _prose(lines: list[str], spans: list[Found]) -> str:
    """The text without its closing lines.

    Amid the prose a bottom line stays as a sentence. A line that only looks like another closing
    line (an estimate in a plan, a change in a list of changes) stays as it is.
    """
    taken = {i for at, end, _, _ in spans for i in range(at, end)}
    tail = len(lines)
    while tail and (tail - 1 in taken or _NOTHING_MORE.match(lines[tail - 1])):
        tail -= 1
    prose: list[str] = []
    done = 0
    for at, end, name, value in spans:
        if at < tail:
            prose += [*lines[done:at], *_amid(name, value, lines[at:end])]
            done = end
    prose += lines[done:tail]
    return "\n".join([*prose, *_closed_fence(prose, lines[tail:])]).rstrip()


def _amid(name: str, value: str, raw: list[str]) -> list[str]:
    """Lines that stay of a closing line that has prose after it."""
    if name == OTHERS or (name == CONFIDENCE and is_bare_share(value)):
        return []
    return [value.strip()] if name == BOTTOM else raw


def _closed_fence(prose: list[str], rest: list[str]) -> list[str]:
    """The end of a block of code that the closing lines stand behind, or in."""
    if sum(map(_is_fence, prose)) % 2 == 0:
        return []
    return [line for line in rest if _is_fence(line)][:1]


def _is_fence(line: str) -> bool:
    return ("```" in line or "~~~" in line) and _FENCE.match(line) is not None


# The order matters where two words begin alike: 同意しない is tried before 同意.
_RELATION_WORDS: tuple[tuple[str, Relation], ...] = (
    (
        (
            r"disagree\w*|oppos\w+|reject\w*|widerspr\w+|"
            # "do not agree", "can't concur", "not in agreement", "no agreement", "not the same"
            r"(?:\bnot|n['’]t|cannot|\bnever|no longer) (?:in |the |really |at all )?"
            r"(?:agree\w*|concur\w*|same)|\bno agreement|"
            r"nicht (?:damit )?einverstanden|nicht (?:zu\b|zustimm\w*)|anderer meinung|"
            r"pas d['’]accord|(?:en )?d[ée]saccord|no (?:estoy |est[áa] )?de acuerdo|"
            r"(?:en )?desacuerdo|non (?:sono )?(?:d['’]accordo|concord\w+)|n[ãa]o concord\w+|"
            r"(?:in )?disaccordo|discord\w+|oneens|niet (?:mee |akkoord|eens)+|"
            r"nie zgadzam|не согла\w+|несогла\w+|против|"
            r"لا أتفق|أختلف|غير متفق|غير موافق|不同意|不赞成|反对|反対|"
            r"(?:同意|賛成)(?:しない|できない|しません|できません)"
        ),
        "disagree",
    ),
    (
        (
            r"part(?:ly|ial(?:ly)?)?|in part|somewhat|"
            r"(?:\bnot|n['’]t|cannot) (?:fully|entirely|wholly|completely|quite) "
            r"(?:in )?(?:agree\w*|concur\w*|the same)|teilweise|zum teil|en partie|partiel\w*|"
            r"en parte|parcial\w*|in parte|parzial\w*|em parte|deels|gedeeltelijk|częściowo|"
            r"частично|отчасти|部分\w*|一部\w*|جزئيًا|جزئيا"
        ),
        "partly",
    ),
    (
        (
            r"could(?: not|n['’]t) agree more|agree\w*|concur\w*|same|stimm\w* zu|zustimm\w*|"
            r"einverstanden|d['’]accord|de acuerdo|"
            r"d['’]accordo|concord\w+|acordo|eens|zgadzam\w*|zgoda|согла\w+|同意\w*|赞成|賛成\w*|أتفق|متفق|موافق"
        ),
        "agree",
    ),
)
_RELATION = re.compile(
    "|".join(f"(?P<{name}>{words})" for words, name in _RELATION_WORDS), re.IGNORECASE
)
_IN_PART = re.compile(
    r"\W{0,3}(?:" + next(words for words, name in _RELATION_WORDS if name == "partly") + r")\b",
    re.IGNORECASE,
)
# What is left of the word after "partly": "partially agree on: hiring", "en partie d'accord".
_AGAIN = re.compile(
    r"^(?:(?:dis)?agree\w{0,4}|d['’]accordo?|(?:de )?acuerdo|acordo|einverstanden)\b"
    r"(?:\s(?:on|with|mit|avec|con|com)\b)?[\s:,]{0,5}",
    re.IGNORECASE,
)
_AROUND = " :;,.–—-*_"
_PIECE = re.compile(r"[;；\n]")
# What stands before a label in a list: "- **A**: agree", "2) B partly".
_BULLET = re.compile(r"^[\s*_\-•–·\d.)]{0,8}")


def views_in(text: str, known: KnownLabels, own: str = "") -> tuple[View, ...]:
    """`A agree; B partly: hiring; C disagree: horizon`, however it is written."""
    by_seat: dict[str, View] = {}
    last = ""
    for piece in map(partial(_BULLET.sub, ""), _PIECE.split(text[: MOST_LINE * 8])):
        views = list(_views(piece, known))
        for view in views:
            if view.seat != own:
                by_seat.setdefault(view.seat, view)
        # A relation in the piece makes it a view of an unknown label: "E disagree: all of it".
        if not views and last in by_seat and not _RELATION.search(piece):
            about = _about(f"{by_seat[last].about}; {piece}")  # a reason in two parts
            by_seat[last] = replace(by_seat[last], about=about)
        # A reason ends with an empty line; what follows belongs to nobody.
        last = views[-1].seat if views else last if piece else ""
    return tuple(by_seat.values())


def relation_in(word: str) -> Relation | None:
    """Relation that a word or two name, in any known language; None if they name none."""
    views = views_in(f"A {word[:MOST_ABOUT]}", KnownLabels({"A": "A"}))
    return views[0].relation if views else None


def _views(piece: str, known: KnownLabels) -> Iterator[View]:
    """Views stated in one piece: of one label, or of several labels before one word."""
    word = _RELATION.search(piece)
    if word is None:
        return
    relation = next(name for _, name in _RELATION_WORDS if word[name])
    about = piece[word.end() :]
    if relation == "agree" and (less := _IN_PART.match(about)):  # "de acuerdo en parte"
        relation, about = "partly", about[less.end() :]
    # "A agree. B partly: hiring": commas and full stops part views only before the next one.
    if more := _further(tuple(known.seats)).search(about):
        yield from _views(about[more.end() :], known)
        about = about[: more.start()]
    for seat in _seats_in(piece[: word.start()], known):
        yield View(seat=seat, relation=relation, about=_about(about))


@lru_cache(maxsize=64)
def _further(labels: tuple[str, ...]) -> re.Pattern[str]:
    """Pattern for the end of one view, before another label with its word."""
    words = "|".join(words for words, _ in _RELATION_WORDS)
    return re.compile(rf"[,.]\s*(?={_any_of(labels)}\W{{0,4}}(?:{words}))", re.IGNORECASE)


@lru_cache(maxsize=64)
def _listed(labels: tuple[str, ...]) -> re.Pattern[str]:
    # Not \b, which does not part "A同意"; and "claude#2" must not be read as "claude".
    return re.compile(rf"(?<![A-Za-z0-9_#]){_any_of(labels)}(?![A-Za-z0-9_#])")


def _any_of(labels: tuple[str, ...]) -> str:
    names = sorted({*labels, *(label.rpartition(" ")[2] for label in labels)}, key=len)
    # Longest first, or "claude" would match before "claude#2"; (?!) matches nothing.
    return "(?:" + ("|".join(re.escape(n) for n in reversed(names)) or "(?!)") + ")"


_SEAT_KINDS = re.compile(
    r"\b(?:panelists?|experts?|answers?|with|mit|avec|con|com|met)\b", re.IGNORECASE
)


def _seats_in(text: str, known: KnownLabels) -> list[str]:
    """The seats behind the labels that a text lists, and nothing else."""
    plain = text if text.isascii() else normalize("NFKC", text)
    bare = _SEAT_KINDS.sub(" ", plain)
    tokens = _listed(tuple(known.seats)).findall(bare)
    return list(dict.fromkeys(seat for token in tokens if (seat := known.seat(token))))


def _about(text: str) -> str:
    bare = one_line(text, MOST_ABOUT).strip(_AROUND)
    bare = _AGAIN.sub("", bare).strip(_AROUND)  # "partially agree: hiring"
    while bare[:1] == "(" and bare[-1:] == ")" and "(" not in bare[1:]:
        bare = bare[1:-1].strip(_AROUND)
    return bare


_KIND_WORDS: tuple[tuple[str, Kind], ...] = (
    (
        (
            r"nothing|no(?:ne)?\b|not? change\w*|unchanged|nichts|nein|rien|non\b|nada|ninguno?|"
            r"niente|nulla|niets|nee\b|nic\b|ничего|нет|没有|無|无|なし|变更无|لا شيء|لا تغيير"
        ),
        "nothing",
    ),
    (
        (
            r"details?|minor|wording|detalles?|detalhes?|dettagli\w*|einzelheit\w*|szczegół\w*|"
            r"детал\w+|细节|詳細|細部|تفصيل|تفاصيل"
        ),
        "detail",
    ),
    (r"yes|ja\b|oui|s[ií]\b|sim\b|tak\b|да\b|是|はい|نعم", "yes"),
)
_KIND = re.compile(
    r"\W{0,6}(?:" + "|".join(f"(?P<{k}>{w})" for w, k in _KIND_WORDS) + ")", re.IGNORECASE
)
# "nothing really, though I am less sure": these words go with "nothing", and say no more.
_EMPTY = re.compile(
    r"^(?:(?:really|much|at all|else|of substance|in substance|"
    r"(?:substanti|significant|fundamental|essential|material)\w*|"
    r"major|important|big|real|changes?|to report|"
    r"(?:in|about|to) my (?:position|answer|view|bottom line|estimate|conclusion))\b[\s:;,.–—-]*)+",
    re.IGNORECASE,
)
_BECAUSE = re.compile(
    r"\b(?:because(?: of)?|due to|after reading|thanks to|wegen|aufgrund|weil|à cause de|grâce à|"
    r"parce que|por(?: causa de)?|debido a|gracias a|a causa di|grazie a|vanwege|z powodu|"
    r"из-за|благодаря)\b|因为|由于|のため|بسبب",
    re.IGNORECASE,
)
_WAYS = (
    ("from", "to"),
    ("von", "zu|auf"),
    ("de", "para"),
    # Before "a", which is a verb in French: "il n'y a pas de rouge".
    ("de", "à"),
    ("de", "a"),
    ("da", "a"),
    ("van", "naar"),
    ("от|с", "к|до|на"),
    ("z", "na|do"),
    ("从", "到"),
)
"""Words for "from" and "to", by language."""

# What is quoted after "from" is taken whole: it may have a word for "to" in it.
_QUOTED = r"«[^»]{1,300}»|“[^”]{1,300}”|„[^“]{1,300}“|\"[^\"]{1,300}\"|「[^」]{1,300}」"
_FROM_TO = [
    re.compile(
        rf"^\W{{0,6}}(?:{a})\s({_QUOTED}|.{{1,300}}?)\s(?:{b})\s(.{{1,300}})$",
        re.IGNORECASE | re.DOTALL,
    )
    for a, b in _WAYS
]

_BOTH_WAYS = re.compile(
    r"^\W{0,6}de\s[^«“„\"].{0,300}?\s(?:para\s.{1,300}?\sa|a\s.{1,300}?\spara)\s", re.IGNORECASE
)
"""Spanish "a" or Portuguese "para": it is unclear which of the two leads to the new position."""


def change_in(text: str, known: KnownLabels, own: str = "") -> Change | None:
    """`nothing`, `detail: ...` or `yes: from ... to ..., because of C: ...`."""
    match = _KIND.match(text)
    if match is None:
        return None
    kind = next(k for _, k in _KIND_WORDS if match[k])
    rest = text[match.end() :].strip(" :：;,.\n*_–—-")
    if kind == "nothing":
        return Change(kind=kind, what=one_line(_EMPTY.sub("", rest), MOST_ABOUT))
    main, because = _cause(rest, known)
    moved = None if _BOTH_WAYS.match(main) else _first_way(main)
    return Change(
        kind=kind,
        what=one_line(rest, MOST_LINE),
        before=one_line(moved[1], MOST_ABOUT) if moved else "",
        after=one_line(moved[2], MOST_ABOUT).strip(" ,.;") if moved else "",
        because_of=tuple(s for s in _seats_in(because, known) if s != own),
    )


def _first_way(main: str) -> re.Match[str] | None:
    return next((m for way in _FROM_TO if (m := way.match(main))), None)


def _cause(rest: str, known: KnownLabels) -> tuple[str, str]:
    """Split a change into what changed and the beginning of the stated reason.

    A word for "because" may mean something else ("por" is "by", too). The first one after which a
    panelist is named counts; without such a word, the first.
    """
    ways = [
        (rest[: m.start()].rstrip(" ,;("), _named_first(rest[m.end() :])) for m in _causes(rest)
    ]
    return next((way for way in ways if _seats_in(way[1], known)), ways[0] if ways else (rest, ""))


def _causes(rest: str) -> list[re.Match[str]]:
    return list(islice(_BECAUSE.finditer(rest), MOST_CAUSES))


def _named_first(why: str) -> str:
    # "B and C: hiring is easier than A thinks" names the causes before the colon.
    return why.partition(":")[0] if ":" in why[:60] else " ".join(why.split()[:8])


# "1,200", "1.200", "1 200", "1'200", "-4", "2e6"
_NUMBER = r"[-−+]?\d(?:[\d,.'’  ]{0,30}\d)?(?:[eE][+-]?\d{1,3})?"
_SCALES = {
    "dozen": 12.0, "dozens": 12.0,
    "k": 1e3, "thousand": 1e3, "tausend": 1e3, "mille": 1e3, "mil": 1e3,
    "m": 1e6, "mn": 1e6, "mio": 1e6, "million": 1e6, "millions": 1e6, "millionen": 1e6,
    "millones": 1e6, "bn": 1e9, "billion": 1e9, "billions": 1e9, "mrd": 1e9, "milliarden": 1e9,
    "milliards": 1e9, "trillion": 1e12, "万": 1e4, "億": 1e8, "亿": 1e8,
}  # fmt: skip
_WIDE = str.maketrans("０１２３４５６７８９，．（）［］【】〜～", "0123456789,.()[][]~~")
"""Signs of full width, as they are written in Japanese and Chinese."""

_SCALE = "|".join(sorted((s for s in _SCALES if s.isascii()), key=len, reverse=True))
# After a blank "m" is metres: "12 m", but "12m" and "12 M" are millions.
_AMOUNT = rf"({_NUMBER})(?:\s?(?!(?<=\s)(?-i:m)\b)((?:{_SCALE})\b|[万億亿])\.?)?"
# Money and people are not measured in metres: "€ 12 m", "12 m users".
_BLANK_BEFORE_MILLION = re.compile(r"(?<=\d) (?=m\b)")
_NOT_IN_METRES = re.compile(
    r"[$€£¥₹]|\b(?:usd|eur|euros?|dollars?|gbp|pounds?|chf|francs?|yen|jpy|rupees?|inr|people|users|"
    r"inhabitants|residents|customers|copies|barrels|tons|tonnes|tokens)\b",
    re.IGNORECASE,
)
_CLOCK = re.compile(r"\d\s?:\s?\d")
# "about 1,200 km", "€ 2.5 million": a few words, the number with its scale, the unit.
_VALUE = re.compile(rf"[^\d−+-]{{0,40}}?{_AMOUNT}\s*([^\d\[(]{{0,60}})", re.IGNORECASE)
_ASIDE = re.compile(r"[,;]\s|\bi\.e")
_FURTHER = re.compile(rf"{_AMOUNT}\s*([^\d\[(]{{0,60}})", re.IGNORECASE)
# "50-100", "two dozen to 65", "75 € – 83 €", "2 to 3 million"
_RANGE = re.compile(
    rf"{_AMOUNT}\s*[^\d\[\](),;]{{0,20}}?\s*(?:to|[-–—−~]|bis|à|a|until|and|до|至|から)\s*[^\d]{{0,6}}?{_AMOUNT}",
    re.IGNORECASE,
)


_DOLLARS = {
    "us$": "dollars",
    "$": "dollars",
    "usd": "dollars",
    "a$": "AUD",
    "au$": "AUD",
    "c$": "CAD",
    "ca$": "CAD",
    "nz$": "NZD",
    "hk$": "HKD",
    "s$": "SGD",
    "r$": "BRL",
}
_CURRENCIES = {**_DOLLARS, "€": "euros", "eur": "euros", "£": "pounds", "gbp": "pounds",
               "₹": "INR", "₩": "KRW", "₽": "RUB", "₺": "TRY"}  # fmt: skip
_CODES = "USD|EUR|GBP|CHF|JPY|CNY|INR|AUD|CAD|NZD|SEK|NOK|DKK|PLN|CZK|BRL|SGD|HKD|KRW|ZAR|MXN"
# "$500", "-$300", "USD 480", "€ -20": the sign may stand on either side of the currency.
_MONEY = re.compile(
    rf"(?:(?<![\d\w)\]])(?P<minus>[-−+]) ?)?"
    rf"(?P<money>(?<![a-z])[a-z]{{0,2}}\$|[€£¥₹₩₽₺]|\b(?:{_CODES})\b) ?(?=[-−+~≈]?\d)",
    re.IGNORECASE,
)
_MINUS = re.compile(
    rf"(?<![\d)\]] )\b(?:minus|negative) (?=[$€£¥₹]|(?:{_CODES}) ?\d|\d)", re.IGNORECASE
)
_MONEY_NAMED = re.compile(
    rf"[$€£¥₹₩₽₺]|\b(?:{_CODES}|euros?|dollars?|pounds?|francs?|yen|yuan|rupees?|cents?)\b",
    re.IGNORECASE,
)


def estimate_in(text: str) -> Estimate | None:
    """Read `75 people [50 to 100]` as number, unit and range; None if it is not an estimate."""
    text = " ".join(text[:MOST_LINE].translate(_WIDE).replace("**", "").split())
    text = _MINUS.sub("-", text)
    if _NOT_IN_METRES.search(text):
        text = _BLANK_BEFORE_MILLION.sub("", text)
    sign = _MONEY.search(text)
    found = _estimate(_MONEY.sub(lambda m: m["minus"] or "", text))
    # A currency later on belongs to another figure: "3 servers at $500".
    if found is None or sign is None or any(map(str.isdigit, text[: sign.start()])):
        return found
    if _MONEY_NAMED.search(found.unit):
        return found
    money = sign["money"].casefold()
    gap = "" if found.unit.startswith("/") else " "
    currency = _CURRENCIES.get(money, money.upper())
    return replace(found, unit=f"{currency}{gap}{found.unit}".strip())


def _estimate(text: str) -> Estimate | None:
    text = _in_digits(text)
    if _CLOCK.search(text):
        return None  # a time of day, or a ratio, is no quantity with a unit
    bracket = re.search(r"[\[(]([^\])]{3,120})[\])]", text)
    inner = _RANGE.search(bracket[1]) if bracket else None
    head = text[: bracket.start()] if bracket else text
    bare_range = None if bracket else _RANGE.search(text)
    if bare_range:
        # "2 to 3 million": a scale that is said once, at the end, holds for both.
        low, high = (
            amount(bare_range[1], bare_range[2] or bare_range[4]),
            amount(*bare_range.group(3, 4)),
        )
        first = _VALUE.match(text[: bare_range.start()])
        value = amount(first[1], first[2]) if first else None
        if low is not None and high is not None and low <= high:
            if first and value is not None and low <= value <= high:
                return Estimate(value=value, unit=_unit(first[3]), low=low, high=high)
            unit = _unit(text[bare_range.end() :][:60])
            # Its author named no number; the middle is for medians, and views show the range.
            return Estimate(value=(low + high) / 2, unit=unit, low=low, high=high, stated=False)
    match = _VALUE.match(head)
    value = amount(match[1], match[2]) if match else None
    if match is None or value is None:
        return None
    low, high = (
        (amount(inner[1], inner[2] or inner[4]), amount(inner[3], inner[4]))
        if inner
        else (None, None)
    )
    if low is None or high is None or low > high:
        low = high = None
    if low is not None and high is not None and not low <= value <= high:
        return _within(head[match.end(2) if match[2] else match.end(1) :], low, high)
    return Estimate(value=value, unit=_unit(match[3]), low=low, high=high)


def _unit(text: str) -> str:
    return _ASIDE.split(text, maxsplit=1)[0].strip(" .,;:*_~±")


def _within(text: str, low: float, high: float) -> Estimate | None:
    """Estimate of a later number, if the first lies outside its range: `3 dozen, i.e. 42`."""
    for match in _FURTHER.finditer(text):
        value = amount(match[1], match[2])
        if value is not None and low <= value <= high:
            return Estimate(value=value, unit=_unit(match[3]), low=low, high=high)
    return None


_UNITS = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
_UNITS += " sixteen seventeen eighteen nineteen"
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_ONES = {word: n for n, word in enumerate(_UNITS.split(), 1)}
_SPELT = {**_ONES, **{word: 10 * n for n, word in enumerate(_TENS.split(), 2)}}
_SPELT_OUT = re.compile(
    rf"\b(?:({_TENS.replace(' ', '|')})[- ]({'|'.join(list(_ONES)[:9])})|({'|'.join(_SPELT)}))\b",
    re.IGNORECASE,
)
_FRACTIONS = {"¼": ".25", "½": ".5", "¾": ".75"}


def _in_digits(text: str) -> str:
    """The text with digits for small numbers in English words, and for fractions."""
    for sign, digits in _FRACTIONS.items():
        text = re.sub(rf"(\d)\s?{sign}", rf"\g<1>{digits}", text)
    return _SPELT_OUT.sub(
        lambda m: str(_SPELT[(m[3] or m[1]).lower()] + _SPELT.get((m[2] or "").lower(), 0)), text
    )


def amount(digits: str, scale: str | None = None) -> float | None:
    """The number that some digits with separators stand for, in either convention."""
    bare = re.sub(r"[  '’]", "", digits).replace("−", "-")
    commas, points = bare.count(","), bare.count(".")
    if commas and points:
        last = max(bare.rfind(","), bare.rfind("."))
        bare = re.sub(r"[.,]", "", bare[:last]) + "." + bare[last + 1 :]
    # "1.200 Euro" are 1200, "1.200.000" too; "0.125" stays a fraction.
    elif commas + points > 1 or re.fullmatch(r"[-+]?[1-9]\d{0,2}[.,]\d{3}", bare):
        bare = re.sub(r"[.,]", "", bare)
    else:
        bare = bare.replace(",", ".")
    try:
        value = float(bare) * _SCALES.get((scale or "").lower(), 1.0)
    except ValueError:
        return None
    return value if abs(value) < 1e18 else None


# "80 %", "0.8", "8/10", "about 85", Arabic "%85"; a minus ("-1") or "1500" is no share.
_PART = r"(?<![-−\d.,])(\d{1,3}(?!\d)(?:[.,]\d{1,6})?)\s*"
_OF = r"(%|％|percent|prozent|per cent|(?:/|out of|of|von|sur)\s*\d{1,3}(?![\d%]))"
_SHARE = re.compile(rf"\D{{0,12}}?{_PART}{_OF}?", re.IGNORECASE)
# "fairly high (80%)": after more words only with a sign, or any number in a sentence would do.
_SHARE_LATER = re.compile(rf"\D{{0,60}}?{_PART}{_OF}", re.IGNORECASE)
_SHARES = re.compile(
    rf"(\D{{0,60}}?){_PART}{_OF}?\s*(-|–|—|−|~|to|bis|à|and|und|et)\s*(\d{{1,3}}(?!\d)(?:[.,]\d{{1,6}})?)"
    rf"\s*{_OF}?",
    re.IGNORECASE,
)

_BETWEEN = re.compile(r"between|zwischen|entre", re.IGNORECASE)


def share_in(text: str) -> float | None:
    """Read `80 %`, `0.8` or `8/10` as a number from 0 to 1, `55-60 %` as the middle of the two.

    None for anything else.
    """
    text = text.strip()
    if between := _middle_share(text):
        return between
    match = _SHARE.match(text) or _SHARE_LATER.match(text)
    return _share(match[1], match[2]) if match else None


def _middle_share(text: str) -> float | None:
    """The middle of two shares that are given as a range."""
    match = _SHARES.match(text)
    if match is None:
        return None
    lead, first, of_first, joint, second, of_second = match.groups()
    # "80 % and 3 of them" is no range.
    if joint.casefold() in ("and", "und", "et") and not _BETWEEN.search(lead):
        return None
    low, high = _share(first, of_first or of_second), _share(second, of_second or of_first)
    far_in = len(lead) > 12 and not (of_first or of_second)
    if low is None or high is None or low >= high or far_in:
        return None
    return round((low + high) / 2, 4)


def _share(digits: str, mark: str | None) -> float | None:
    value = float(digits.replace(",", "."))
    whole = re.search(r"\d+", mark) if mark else None
    if whole:
        # "8/0": out of bounds, and so None below.
        value = value / float(whole[0]) if float(whole[0]) else 2.0
    # Without a sign "0.8" is a share and "85" per cent; "0.8 %" is less than a hundredth.
    elif mark or value > 1:
        value /= 100
    return round(value, 4) if 0 <= value <= 1 else None


def is_bare_share(text: str) -> bool:
    """Return whether a text is a share and nothing else; prose never says so little."""
    return re.fullmatch(r"[\s*_`]{0,8}%?\s?\d{1,3}\s?%?[\s*_`.]{0,8}", text) is not None


def one_line(text: str, most: int) -> str:
    """The text on one line, without marks around it, cut to a length."""
    return " ".join(text[: most * 4].replace("**", "").split())[:most].strip().strip("*_`").strip()
