"""Yes, no, the letter of an option or its name: only if it is plainly stated."""

from __future__ import annotations

import re

from mutual_dissent.analysis.bottom_lines.kinds import ClosedAnswer
from mutual_dissent.analysis.bottom_lines.names import ALIASES
from mutual_dissent.analysis.bottom_lines.questions import QuestionAsked
from mutual_dissent.analysis.bottom_lines.remainder import remainder
from mutual_dissent.analysis.bottom_lines.words import (
    ENGLISH,
    emphasised_texts,
    fold_case,
    is_english,
    is_negated,
    seems_english,
    stem,
    strip_emphasis,
    tokens,
)

_YES = r"yes|yeah|yep|ja|jawohl|oui|si|sim|tak|да|是的?|はい|ええ|対|对|예|네"
_NO = r"no|nope|nein|non|nao|nee|nie|нет|不是?|否|いいえ|いや|아니요|아니오"
_LEAD = re.compile(
    r"^(?:absolutely|definitely|certainly|in short|short answer|clearly|answer)?[,:\s]{0,3}"
    rf"(?:(?P<yes>{_YES})|(?P<no>{_NO}))(?=\s*(?:$|[.,;:!。，、！–—]|-\s|\())"
)
# One that is missing makes "Yes, if ..." a plain yes; one too many costs a pair at most.
_LIMITS = re.compile(
    r"\b(?:but|however|unless|if|provided|providing|except|apart|although|though|while|whereas|"
    r"depends?|depending|assuming|subject to|as long as|so long as|only|just|solely|partly|"
    r"partially|mostly|mainly|largely|usually|generally|sometimes|often|some|most|many|few|when|"
    r"whenever|until|till|after|before|during|once|without|under|over|above|below|at least|at most|"
    r"up to|in principle|in theory|in part|otherwise|other than|"
    r"aber|wenn|falls|sofern|solange|ausser|nur|bis|ab|erst|nach|vor|ohne|"
    r"mais|sauf|si|sinon|a condition|pourvu|seulement|des que|sans|sous|"
    r"pero|salvo|excepto|solo|siempre que|sin|ma|se|tranne|purche|senza|"
    r"mas|exceto|desde que|apenas|sem|maar|als|tenzij|mits|behalve|alleen|zonder|"
    r"ale|chyba|jesli|pod warunkiem|oprocz|tylko|jezeli|но|если|кроме|только|при)\b|"
    r"但|如果|只|除|ただし|なら|場合|だけ|면|만"
)
"""A condition, an exception or a restriction."""
_SURELY = frozenset(
    """absolutely definitely certainly clearly course surely sure indeed please obviously naturally
    claro natuerlich naturlich sicher auf jeden keinen fall bien sur bien sure certo certamente
    natuurlijk zeker oczywiscie конечно it they you we i he she that this them one""".split()
)
# What follows gives reasons, and may deny or limit anything without touching the answer.
_REASON = re.compile(r"\b(?:because|since|for the reason)\b.*$", re.DOTALL)
_DONT = re.compile(
    r"\b(?:should not|shouldn'?t|do not|don'?t|would not|wouldn'?t|must not|mustn'?t|"
    r"is not|isn'?t|are not|aren'?t|will not|won'?t|does not|doesn'?t|"
    r"did not|didn'?t|cannot|can not|can'?t|was not|wasn'?t|were not|weren'?t|could not|"
    r"couldn'?t|has not|hasn'?t|have not|haven'?t)\b"
)
# May be moved within a sentence without changing who does what: "with a team of three".
_PLACE = re.compile(r"\b(?:with|for|in|on|at)\b[^,;]{1,80}$")
_ADVICE = re.compile(
    r"^(?:(?:i|we|you)(?:['’]d| would| should)? )?(?:strongly |clearly |definitely )?(?:recomme"
    r"nd|choose|pick|use|prefer|suggest|take|go with|go for|opt for|stick with|"
    r"vote for|favou?r)(?: using| to use)? |^(?:the |my )?(?:final |correct |"
    r"short |best |right )?(?:answer|choice|pick|option|recommendation|vote|"
    r"winner)(?: is|:| would be)? |^(?:it(?:['’]s| is)|that(?:['’]s| is)) ",
    re.IGNORECASE,
)
# An option by its letter: "B", "Option B", "The correct answer is (b).", "选项 B".
_LETTER = re.compile(
    r"^(?:(?:the )?(?:correct |right |best |final )?(?:answer|option|choice|plan|variant|variante|"
    r"antwort|opcion|opzione|opcao|optie|opcja|вариант|reponse|选项|選択肢)\s*(?:is|"
    r"ist|:|=)?\s*)?\(?(?P<letter>[a-h]|[1-9])\)?(?:[.):]|$)"
)
_ADVISING = frozenset(
    """recommend choose pick use using prefer suggest take go opt stick vote favor favour would
    should best better choice option answer start""".split()
)


def without_advice(text: str) -> str:
    """The line without `I recommend` or the like before its value."""
    return _ADVICE.sub("", text, count=1)


def yes_no(clean: str, asked: QuestionAsked) -> ClosedAnswer | None:
    """Yes or no, if the line begins with it or repeats the question."""
    small = fold_case(clean).replace("’", "'")
    # "Is it not safe?" and "yes" means either; of two questions, nobody knows which is answered.
    if asked.is_negative or asked.is_open or asked.text.count("?") > 1:
        return None
    if lead := _LEAD.match(small):
        return _after_yes_no("yes" if lead["yes"] else "no", small[lead.end() :], asked)
    if asked.kind != "yes_no" or not is_english(clean):
        return None
    return _restatement(small, asked)


def _after_yes_no(value: str, after: str, asked: QuestionAsked) -> ClosedAnswer | None:
    """Read on after a yes, which is narrowed, or a no, which is mostly explained."""
    rest = _REASON.sub("", after)
    # A number limits as well: "Yes, in 2026".
    limited = bool(_LIMITS.search(rest)) or any(map(str.isdigit, rest))
    extra = [r for r in remainder(rest, asked) if r not in _SURELY]
    negated = is_negated(rest)
    if value == "yes":
        extra += ["not"] if negated else []
    elif not negated and not extra and _content(rest):
        return None  # `No, it is safe`, asked whether it is safe
    elif not limited and (seems_english(rest) or is_english(rest)):
        extra = []
    english = not rest.strip(" .!") or is_english(rest) or seems_english(rest)
    known = english and not any(part.partition("-")[2] in asked.stems for part in extra)
    return ClosedAnswer(
        "yes_no", value, on_condition=limited, rest=tuple(extra), is_understood=known
    )


def _content(text: str) -> list[str]:
    return [w for w in tokens(text) if w not in ENGLISH and w not in _SURELY]


def _restatement(small: str, asked: QuestionAsked) -> ClosedAnswer | None:
    """Yes or no, if the line repeats the question, with or without a not."""
    small = _REASON.sub("", small)
    denials = _DONT.findall(small)
    left = _DONT.sub(" ", small)
    if len(denials) > 1 or is_negated(left) or _LIMITS.search(_without_asked(left, asked)):
        return None
    question = list(dict.fromkeys(map(stem, _content(asked.text))))
    answer = list(dict.fromkeys(map(stem, _content(left))))
    # Every word is the question's, and three quarters of these are there.
    if not answer or set(answer) - set(question) or 4 * len(answer) < 3 * len(question):
        return None
    first = list(dict.fromkeys(map(stem, _content(_PLACE.sub("", left)))))
    if first != [s for s in question if s in first]:
        return None  # `Spain beat France` does not say yes to `Did France beat Spain?`
    return ClosedAnswer("yes_no", "no" if denials else "yes")


def _without_asked(small: str, asked: QuestionAsked) -> str:
    return " ".join(w for w in small.split() if w.strip(".,;:!") not in asked.words)


def letter(clean: str, asked: QuestionAsked) -> ClosedAnswer | None:
    """The letter or number of an option, alone or before its text."""
    small = fold_case(clean).strip()
    match = _LETTER.match(without_advice(small))
    # A bare "3" is a number unless the question numbers its options.
    if not match or (match["letter"].isdigit() and not asked.letters):
        return None
    after = without_advice(small)[match.end() :]
    rest = remainder(_REASON.sub("", after), asked)
    limited = bool(_LIMITS.search(_without_asked(after, asked))) or is_negated(after)
    if rest and not asked.letters:
        return None
    return ClosedAnswer("choice", match["letter"], on_condition=limited, rest=rest)


def choice(line: str, asked: QuestionAsked) -> ClosedAnswer | None:
    """The one of the question's options that the line is for."""
    options = {ALIASES.get(option, option) for option in asked.options}
    clean = strip_emphasis(_without_others(line, asked.options))
    small = fold_case(clean).replace("’", "'")
    rest = _REASON.sub("", small)
    named = [w for w in (ALIASES.get(w, w) for w in tokens(rest)) if w in options]
    if len(set(named)) != 1 or is_negated(rest):
        return None
    value = named[0]
    spoken = {*asked.options, value} & set(tokens(rest))
    light = {stem(w) for w in _ADVISING | _SURELY}
    extra = tuple(r for r in remainder(rest, asked, " ".join(spoken)) if r not in light)
    limited = bool(_LIMITS.search(_without_asked(rest, asked)))
    marked = {ALIASES.get(w, w) for text in emphasised_texts(line)[:1] for w in tokens(text)}
    leads = re.match(rf"\W*(?:{'|'.join(map(re.escape, spoken))})\b", without_advice(rest))
    # Merely to name one option is not to be for it, unless it leads, is in bold or stands alone.
    if not extra or leads or value in marked:
        return ClosedAnswer("choice", value, on_condition=limited, rest=extra)
    return None


def _without_others(line: str, options: tuple[str, ...]) -> str:
    """The line without `, not Rust` or `rather than Rust`, if Rust is an option."""
    names = "|".join(map(re.escape, options))
    return re.sub(
        rf"(?:,\s|\sand)\s?not (?:{names})\b|\s(?:rather than|instead of|over) (?:{names})\b",
        "",
        line,
        flags=re.IGNORECASE,
    )
