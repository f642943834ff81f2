"""A line read as a closed answer: a number, a choice, yes or no, a date or a name."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from mutual_dissent.analysis.bottom_lines.names import ALIASES, Name, name_in
from mutual_dissent.analysis.bottom_lines.numbers import (
    LARGER,
    MONTHS,
    Date,
    Number,
    dates,
    numbers,
    years,
)
from mutual_dissent.analysis.bottom_lines.questions import Asked
from mutual_dissent.analysis.bottom_lines.words import (
    emphasised,
    folded,
    is_denied,
    is_english,
    is_ideographic,
    is_negated,
    seems_english,
    stem,
    tokens,
    unmarked,
)

_YES = r"yes|yeah|yep|ja|jawohl|oui|si|sim|tak|да|是的?|はい|ええ|対|对|예|네"
_NO = r"no|nope|nein|non|nao|nee|nie|нет|不是?|否|いいえ|いや|아니요|아니오"
_LEAD = re.compile(
    r"^(?:absolutely|definitely|certainly|in short|short answer|clearly|answer)?[,:\s]{0,3}"
    rf"(?:(?P<yes>"
    rf"{_YES})|(?P<no>{_NO}))(?=\s*(?:$|[.,;:!。，、！–—]|-\s|\())"
)
_BUT = re.compile(
    r"\b(?:but|however|unless|only if|if|provided|except|although|though|depends|"
    r"partly|mostly|aber|wenn|falls|mais|sauf|pero|salvo|ma|se|mas|maar|als|"
    r"tenzij|ale|chyba|jesli|но|если)\b|但|如果|ただし"
)
_ADVICE = re.compile(
    r"^(?:(?:i|we|you)(?:'d| would| should)? )?(?:strongly |clearly |definitely )?(?:recomme"
    r"nd|choose|pick|use|prefer|suggest|take|go with|go for|opt for|stick with|"
    r"vote for|favou?r)(?: using| to use)? |^(?:the |my )?(?:final |correct |"
    r"short |best |right )?(?:answer|choice|pick|option|recommendation|vote|"
    r"winner)(?: is|:| would be)? |^(?:it(?:'s| is)|that(?:'s| is)) "
)
_LETTER = re.compile(
    r"^(?:(?:the )?(?:correct |right |best |final )?(?:answer|option|choice|"
    r"antwort|opcion|opzione|opcao|optie|opcja|вариант|reponse|选项|選択肢)\s*(?:is|"
    r"ist|:|=)?\s*)?\(?(?P<letter>[a-h]|[1-9])\)?(?:[.):]|$)"
)
_OPTION = re.compile(
    r"\b(?:option|choice|answer|plan|variant|variante|opcion|opzione)\s+\(?([a-h]|[1-9])\b"
)
_CONTRAST = re.compile(
    r",?\s+(?:(?:and|but)\s+)?(?:not|rather than|instead of|as opposed to|unlike)\s+[^,.;]{1,120}"
    r"(?=[,.;]|$)",
    re.IGNORECASE,
)
_DONT = re.compile(
    r"\b(?:should not|shouldn'?t|do not|don'?t|would not|wouldn'?t|need not|"
    r"must not|is not|isn'?t|are not|aren'?t|will not|won'?t|does not|doesn'?t|"
    r"did not|didn'?t|cannot|can'?t|was not|wasn'?t|were not|weren'?t|could not|"
    r"couldn'?t|has not|hasn'?t|have not|haven'?t|never|advise against|recommend against|"
    r"not recommended|not worth|avoid)\b"
)
_TWISTS = re.compile(
    r"\b(?:only|unless|if|until|without|hardly|unlikely|doubt|mistake|overkill|"
    r"premature|regret|but|however|although|instead|rather|too|no longer|yet|"
    r"wrong|bad|reject|stop|against|than|because)\b"
)
_BESIDE = frozenset(
    """the a an about around approximately roughly nearly almost some circa ca percent per cent in
    on of it is was i we would recommend suggest prefer use choose pick between from to and million
    billion thousand k answer year years old zero one two three four five six seven
    eight nine ten eleven twelve monday tuesday wednesday thursday friday saturday sunday""".split()
) | frozenset(MONTHS)
_FOR = re.compile(
    r"\b(?:use|using|choose|pick|recommend|go with|prefer|better|best|winner|"
    r"wins?|should|ideal|right choice|suits?|stick|favou?r|take|adopt|start with)\b"
)
_FROM = re.compile(
    r"\b(?:than|over|but|if|unless|versus|vs|too|worse|worst|lose|loses|both|terrible|bad|mistake|"
    r"overkill|drop|leave|replace|stop|away|from|migrate|abandon|either|neither|depends)\b"
)
_LONGEST = 700


@dataclass(frozen=True, slots=True)
class Closed:
    """A closed answer: its kind, its normalised value, and what else matters when compared."""

    kind: str
    value: str
    number: Number | None = None
    date: Date | None = None
    name: Name | None = None
    on_condition: bool = False
    numbers: frozenset[str] = frozenset()
    rest: frozenset[str] = frozenset()  # words beside the value that are not understood
    is_negated: bool = False


def closed_answer(line: str, asked: Asked) -> Closed | None:
    """The line as a closed answer to what was asked; None if it is none or cannot be read."""
    found = _closed(line, asked)
    clean = unmarked(line)
    if found is None or found.kind in ("yes_no", "choice") or _is_english(clean, asked):
        return found
    return replace(found, rest=_not_understood(clean[:_LONGEST], asked, found))


def _closed(line: str, asked: Asked) -> Closed | None:
    line = line[:_LONGEST]
    clean = unmarked(line).strip()
    if not clean:
        return None
    if asked.kind == "choice":
        return _choice(line, asked)
    if asked.kind in (None, "yes_no"):
        return _yes_no(clean, asked) or _letter(clean, asked) or _bare(line, clean, asked)
    if asked.letters and (found := _letter(clean, asked)):
        return found
    return _asked_for(line, asked)


def _asked_for(line: str, asked: Asked) -> Closed | None:
    kept = _CONTRAST.sub("", line)
    clean = unmarked(kept)
    if is_denied(_without_quotes(clean)) or not _is_readable(clean, asked):
        return None
    if asked.kind == "year":
        return _year(kept, asked)
    if asked.kind == "date":
        return _date(kept, asked)
    if asked.kind == "number":
        return _number(kept, asked)
    name = name_in(kept, asked)
    if name is None:
        return None
    beside = frozenset(n.shown for n in numbers(clean)) | {d.shown for d in years(clean)}
    beside -= {n.shown for n in numbers(asked.text)} | {d.shown for d in years(asked.text)}
    return Closed("name", " ".join(name.words), name=name, numbers=beside)


def _without_quotes(text: str) -> str:
    return re.sub(r"[\"“„«][^\"“”„«»]{1,160}[\"”“»]", " ", text)


def _is_readable(clean: str, asked: Asked) -> bool:
    """Whether the line is English, or so short that few of its words are not understood."""
    return _is_english(clean, asked) or (len(tokens(clean)) <= 24 and not is_negated(clean))


def _is_english(clean: str, asked: Asked) -> bool:
    return is_english(clean) or (asked.is_english and seems_english(clean))


def _not_understood(clean: str, asked: Asked, found: Closed) -> frozenset[str]:
    """The words of a line in another language that are neither its value nor in the question."""
    if is_ideographic(clean):
        left = re.sub(r"[\d\s.,。，、！!:：]", "", clean)
        return frozenset([left]) - {""} if set(left) - set(asked.text) else frozenset()
    words = {w for w in tokens(clean) if not any(map(str.isdigit, w))}
    if found.number:
        words -= {folded(found.number.after), *_BESIDE}
    if found.name:
        words -= {w for text in tokens(found.name.text) for w in (text, stem(text))}
    return frozenset(words - asked.words - _BESIDE)


def _only(found: list[str], marked: list[str]) -> str | None:
    """The one value of several mentions: if there are more, the one that is emphasised."""
    if len(set(found)) == 1:
        return found[0]
    return marked[0] if len(set(marked)) == 1 else None


def _year(line: str, asked: Asked) -> Closed | None:
    clean = unmarked(line)
    known = {d.year for d in years(asked.text)}
    outside = re.sub(r"\([^()]{0,80}\)", lambda m: " " * len(m.group()), clean)
    found = [d for d in years(outside) if d.year not in known]
    marked = [d for text in emphasised(line) for d in years(text) if d.year not in known]
    value = _only([d.shown for d in found], [d.shown for d in marked])
    date = next((d for d in found if d.shown == value), None)
    if not value or not date:
        return None
    whole = next((d for d in dates(clean) if d.year == date.year), None)
    return Closed("date", value, date=replace(date, month=whole.month) if whole else date)


def _date(line: str, asked: Asked) -> Closed | None:
    clean = unmarked(line)
    known = {d.shown for d in dates(asked.text)}
    found = [d for d in dates(clean) if d.shown not in known]
    marked = [d.shown for text in emphasised(line) for d in dates(text) if d.shown not in known]
    value = _only([d.shown for d in found], marked)
    if not found and not known:
        spans = years(clean)
        value = _only([d.shown for d in spans], [])
        found = spans
    date = next((d for d in found if d.shown == value), None)
    return Closed("date", value, date=date) if value and date else None


def _number(line: str, asked: Asked) -> Closed | None:
    clean = re.sub(r"\([^()]{0,80}\)", lambda m: " " * len(m.group()), unmarked(line))
    if LARGER.search(clean):
        return None
    known = {n.shown for n in numbers(asked.text)}
    found = [n for n in numbers(clean, in_words=True) if n.shown not in known and not _is_year(n)]
    marked = [n.shown for text in emphasised(line) for n in numbers(text, in_words=True)]
    value = _only([n.shown for n in found], marked)
    if value is None:
        near = [n for n in found if n.after and stem(n.after) in asked.stems]
        value = _only([n.shown for n in near], [])
    number = next((n for n in found if n.shown == value), None)
    return Closed("number", value, number=number) if value and number else None


def _is_year(number: Number) -> bool:
    plain = number.low == number.high and not number.unit and number.step == 1 and not number.after
    return plain and 1500 <= number.low <= 2100


def _yes_no(clean: str, asked: Asked) -> Closed | None:
    small = folded(clean).replace("’", "'")
    if asked.is_negative:
        return None
    lead = _LEAD.match(small)
    if lead:
        rest = small[lead.end() :]
        given = frozenset(n.shown for n in numbers(rest))
        value = "yes" if lead["yes"] else "no"
        return Closed(
            "yes_no",
            value,
            on_condition=bool(_BUT.search(rest)),
            numbers=given,
            is_negated=value == "yes" and is_negated(rest),
        )
    if asked.kind != "yes_no" or not is_english(clean):
        return None
    return _restated(clean, small, asked)


def _restated(clean: str, small: str, asked: Asked) -> Closed | None:
    """Yes or no where the line says the question again, with or without a not."""
    said = [w for w in tokens(clean) if len(w) > 3]
    wanted = {s for s in asked.stems if len(s) > 3}
    if not wanted or len(tokens(clean)) > 30:
        return None
    share = len({stem(w) for w in said} & wanted) / len(wanted)
    turns = _DONT.findall(small)
    left = _DONT.sub(" ", small)
    if turns:
        once = (
            len(turns) == 1 and not is_negated(left) and not re.search(r"\bonly\b|\bunless\b", left)
        )
        return Closed("yes_no", "no") if once and share >= 0.34 else None
    extra = [w for w in said if stem(w) not in asked.stems]
    plain = share >= 0.75 and not _TWISTS.search(small) and not is_negated(clean)
    return Closed("yes_no", "yes") if plain and len(extra) <= 1 else None


def _letter(clean: str, asked: Asked) -> Closed | None:
    small = folded(clean).strip()
    found = _LETTER.match(small)
    bare = found and (found.end() >= len(small) - 1 or asked.letters)
    if found and bare and not (found["letter"].isdigit() and not asked.letters):
        return Closed("choice", found["letter"])
    named = set(_OPTION.findall(small))
    if len(named) == 1 and not is_negated(clean) and (is_english(clean) or len(tokens(clean)) <= 3):
        return Closed("choice", named.pop())
    return None


def _choice(line: str, asked: Asked) -> Closed | None:
    options = {ALIASES.get(option, option) for option in asked.options}
    clean = unmarked(line)
    small = folded(clean).replace("’", "'")
    for text in (emphasised(line) or [""])[0], _ADVICE.sub("", small, count=1):
        lead = re.match(r"\W*([\w#+.]*[\w#+])\W{0,3}(?:$|(?=because\b|since\b))", _clause(text))
        if lead and (option := ALIASES.get(folded(lead[1]), folded(lead[1]))) in options:
            return Closed("choice", option)
    kept = unmarked(_CONTRAST.sub("", line))
    named = {ALIASES.get(w, w) for w in tokens(kept)} & options
    plain = is_english(kept) and not is_negated(kept) and not _FROM.search(small)
    if len(named) == 1 and plain and _FOR.search(small):
        return Closed("choice", named.pop())
    return None


def _clause(text: str) -> str:
    """What stands before the first comma or the like."""
    return re.split(r"[.,;:!–—(](?=\s|$|\S{0,2}$)", folded(text), maxsplit=1)[0]


def _bare(line: str, clean: str, asked: Asked) -> Closed | None:
    """A line that is nothing but a value, and words that introduce it."""
    small = folded(clean).replace("’", "'")
    core = clean[len(clean) - len(_ADVICE.sub("", small, count=1)) :].strip(" .!*\"'“”")
    words = tokens(core)
    if not words or len(words) > 8 or is_negated(clean):
        return None
    found = numbers(core, in_words=True)
    if len(found) == 1 and _covers(found[0], core):
        return Closed("number", found[0].shown, number=found[0])
    day = dates(core)
    if len(day) == 1 and day[0].end - day[0].start >= len(core) - 12 and len(words) <= 4:
        return Closed("date", day[0].shown, date=day[0])
    if len(words) <= 3 and all(w[0].isupper() for w in core.split()) and not asked.is_open:
        name = name_in(core, Asked())
        return Closed("name", " ".join(name.words), name=name) if name else None
    return None


def _covers(number: Number, core: str) -> bool:
    before, after = tokens(core[: number.start]), tokens(core[number.end :])
    light = {
        "about",
        "around",
        "approximately",
        "roughly",
        "circa",
        "etwa",
        "environ",
        "some",
        "the",
    }
    return set(before) <= light and len(after) <= 2
