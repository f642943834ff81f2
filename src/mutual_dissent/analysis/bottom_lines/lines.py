"""The one sentence that an answer without closing lines comes to, if it can be told."""

from __future__ import annotations

import re

from mutual_dissent.analysis.bottom_lines.closed_answers import closed_answer
from mutual_dissent.analysis.bottom_lines.questions import QuestionAsked, read_question
from mutual_dissent.analysis.bottom_lines.refusals import does_not_answer, takes_no_position
from mutual_dissent.analysis.bottom_lines.remainder import remainder
from mutual_dissent.analysis.bottom_lines.words import (
    DENIALS,
    ENGLISH,
    emphasised_texts,
    fold_case,
    is_denied,
    is_english,
    is_structured,
    plain,
    seems_english,
    sentences,
    stem,
    strip_emphasis,
    tokens,
    without_headings,
)

# What an author itself calls its answer: "**Bottom line:** Go.", "TL;DR: no".
_STATED = re.compile(
    r"^[ \t>*_#-]{0,6}(?:bottom line|final answer|answer|in short|tl;?dr|verdict|short answer)"
    r"[ \t*_]{0,4}[:：][ \t*_]{0,4}(?P<line>\S[^\n]{0,600})",
    re.IGNORECASE | re.MULTILINE,
)
# Narrower, for the last line alone: it is compared before a bottom line is.
_ENDING = re.compile(
    r"^[ \t>*_#-]{0,6}(?:the )?(?:final )?answer[ \t*_]{0,4}[:：][ \t*_]{0,4}(?P<line>\S.{0,200})$",
    re.IGNORECASE,
)
# "**Go.** It compiles fast." and an answer that is "**Go**" and nothing else
_BOLD_LEAD = re.compile(
    r"^\*\*(?P<bold>[^*\n]{1,120}[.!])\*\*[ \t]+\S|^\*\*(?P<end>[^*\n]{1,120})\*\*[.!]?\s*$"
)
# "Great question!", "Sure.", "Here is a plan": sentences that no answer comes to.
_EMPTY = re.compile(
    r"^(?:(?:what |that(?:'s| is) |this is )?an? )?(?:great|good|nice|excellent|"
    r"interesting|fascinating|important|tough|wonderful) (?:question|point|"
    r"topic|choice)\b|^(?:sure|certainly|of course|absolutely|okay|ok|hello|"
    r"hi|thanks|thank you|welcome)\b[^.]{0,60}$|^(?:let me|let's|here(?:'s|"
    r" is| are)|i'?d be happy|i'?ll|i will|i hope|happy to|hope this|feel free|"
    r"if you|would you|do you|could you|please|to answer|below)\b|^(?:gute|"
    r"interessante) frage|^(?:bonne|excellente) question|^(?:buena|gran) pregunta|"
    r"^ottima domanda|^(?:boa|otima) pergunta|^goede vraag|^dobre pytanie|"
    r"^(?:хороший|отличный) вопрос|^好问题|^良い質問"
)
_YES_NO_LEAD = re.compile(
    r"^(?:yes|no|ja|nein|oui|non|si|sim|nao|nee|tak|nie|да|нет)\s*(?:[.,;:!–—]|"
    r"-\s|$)|^(?:是的|不是|はい|いいえ)"
)
# "So the answer is Bexley A20."
_CONCLUSION = re.compile(
    r"^(?:(?:so|therefore|thus|hence|in conclusion|in short)[,\s]{1,2})?the "
    r"(?:final |correct |short )?answer (?:to (?:this|your|the) question )?is:?\s+"
    r"(?P<line>\S.{0,300})$",
    re.IGNORECASE,
)
_ASKING = frozenset(
    map(stem, "what which when where whom whose year month date many much does were have".split())
)
_TURN = re.compile(r"^(?:however|but|actually|correction|on second thought|that said)\b")
_LONGEST_LINE = 420  # characters
_LONGEST_ANSWER = 2_000  # of an answer whose facts are looked for
_MOST = 8  # sentences that are looked through


def line_of(text: str, query: str = "") -> str | None:
    """The sentence that an answer comes to, without markup; None if it cannot be told."""
    line = marked_line(text, query)
    return strip_emphasis(line) if line else None


def marked_line(text: str, query: str = "") -> str | None:
    """The same with its emphasis, which distinguishes a value from the words around it."""
    if takes_no_position(text):
        return None
    what = read_question(query)
    whole = plain(text)
    prose = without_headings(whole).strip()
    # From the plainest on: what the author itself calls its answer, a lead, the last sentence, the
    # only sentence, and of short answers to closed questions the first fitting fact.
    if stated := _stated_line(prose):
        return stated
    spoken = [s for s in sentences(prose) if tokens(s)]
    kept = [s for s in spoken if not _is_empty(s)]
    if not kept:
        return None
    if lead := _lead(prose, kept, what):
        return lead
    if what.kind and (ending := _CONCLUSION.match(kept[-1])):
        return ending["line"]
    if "```" in text:
        return None  # the answer is what is in the box
    if len(kept) == 1 and len(spoken) <= 3 and "\n\n" not in prose:
        return kept[0] if len(kept[0]) <= _LONGEST_LINE else None
    # Here no value tells which of several sentences is the answer.
    if what.kind in (None, "yes_no") or what.is_open or len(prose) > _LONGEST_ANSWER:
        return None
    if is_structured(text):
        opening = [s for s in sentences(_opening(whole)) if tokens(s) and not _is_empty(s)]
        return _fact(opening[:_MOST], what)
    return _fact(kept[:_MOST], what)


def stated_answer(text: str, query: str = "") -> str | None:
    """The closed answer that ends a text, on a line such as `Answer: 913`; None without one.

    Authors end so when asked to: that line is compared before any sentence about it.
    """
    last = text[-_LONGEST_ANSWER:].rstrip().rpartition("\n")[2]
    ending = _ENDING.match(last)
    line = strip_emphasis(ending["line"]).strip() if ending else ""
    return line if line and closed_answer(line, read_question(query)) else None


def _opening(whole: str) -> str:
    """The first paragraph of an answer that continues with headings and lists."""
    return re.split(r"\n\s*\n|\n#", whole.strip(), maxsplit=1)[0]


def _stated_line(prose: str) -> str | None:
    stated = [m["line"] for m in _STATED.finditer(prose)]
    lines = [s[0] for f in stated if (s := sentences(f))]
    lines = [line for line in lines if tokens(line)]
    # An author that states two different bottom lines has stated none.
    return lines[-1] if lines and len({fold_case(strip_emphasis(x)) for x in lines}) == 1 else None


def _lead(prose: str, kept: list[str], what: QuestionAsked) -> str | None:
    first = kept[0]
    small = fold_case(strip_emphasis(first))
    if _YES_NO_LEAD.match(small) and what.kind in (None, "yes_no") and len(first) <= _LONGEST_LINE:
        return None if any(_takes_back(s) for s in kept[1:3]) else first
    if prose.startswith(first[:20]) and (bold := _BOLD_LEAD.match(prose)):
        text = bold["bold"] or bold["end"]
        if len(tokens(text)) <= 14 and (bold["bold"] or len(kept) == 1):
            return f"**{text}**"
    return None


def _takes_back(sentence: str) -> bool:
    """Return whether a sentence after a yes or no says the opposite."""
    small = re.sub(
        r"^(?:actually|or rather|well|wait)[,\s]+", "", fold_case(strip_emphasis(sentence))
    )
    return bool(_YES_NO_LEAD.match(small))


def _fact(kept: list[str], what: QuestionAsked) -> str | None:
    """The first sentence that gives a value of the kind asked for, if none takes it back."""
    values = [(s, closed_answer(s, what)) for s in kept if len(s) <= 700]
    able = [(s, v) for s, v in values if v and _is_about(s, what)]
    if not able:
        return kept[0] if kept and denies_question(strip_emphasis(kept[0]), what) else None
    # Names abound in prose: the nearest to the question counts. Of dates and numbers, the first.
    best = max(able, key=lambda sv: _nearness(sv[0], what)) if what.kind == "name" else able[0]
    sentence, value = best
    if any(_denies(s, what) for s, _ in values[: values.index(best)]):
        return None
    for other, v in values[values.index(best) + 1 :]:
        if v and v.value != value.value and _TURN.match(fold_case(other)):
            return None
    return sentence


def _nearness(sentence: str, what: QuestionAsked) -> int:
    """Number of the question's words in a sentence; emphasis counts twice."""
    shared = what.stems & {stem(w) for w in tokens(sentence) if len(w) > 3}
    return len(shared) + 2 * bool(emphasised_texts(sentence))


def _denies(sentence: str, what: QuestionAsked) -> bool:
    """Return whether a sentence denies what the question takes for granted."""
    words = {w for w in what.words if len(w) > 3}
    return is_denied(strip_emphasis(sentence)) and 2 * len(words & set(tokens(sentence))) >= len(
        words
    )


def _is_about(sentence: str, what: QuestionAsked) -> bool:
    """Return whether a sentence is about the question: it has its words, or a full name from it."""
    own = set(tokens(sentence))
    words = {stem(w) for w in what.words if len(w) > 3} - _ASKING
    shared = words & {stem(w) for w in own}
    near = len(shared) >= 3 or 3 * len(shared) >= len(words)
    names = {w for w in what.names & own if not w.isdigit()}
    return near or len(names) >= 2 or len(own) <= 6 or "**" in sentence


def _is_empty(sentence: str) -> bool:
    small = fold_case(strip_emphasis(sentence)).strip(" \"'")
    return bool(_EMPTY.match(small)) or small.endswith(("?", ":")) or does_not_answer(sentence)


_PLAIN = frozenset(
    """not never didnt wasnt isnt hasnt doesnt werent arent hadnt havent""".split()
)  # words that deny a whole sentence, and not one thing in it
_OTHERWISE = frozenset(
    """but until till only instead rather however than before after if unless except or yet although
    though while whereas just merely first alone""".split()
)
_MOST_NEW = 1  # word that the question has not
_LONGEST = 60  # words
_BIG = re.compile(r"\b(?:[^\W\d_a-z]|\d)[\w'’-]*")


def denies_question(clean: str, asked: QuestionAsked) -> bool:
    """Return whether a line denies the question's sentence and gives no value instead."""
    if asked.kind not in ("name", "date", "year") or asked.is_advice or asked.is_negative:
        return False
    words = tokens(clean)
    readable = asked.is_english and (is_english(clean) or seems_english(clean))
    if len(words) > _LONGEST or not readable or _OTHERWISE & set(words):
        return False
    denials = [w for w in words if w in DENIALS]
    # Two denials may cancel each other.
    if len(denials) != 1 or denials[0] not in _PLAIN:
        return False
    claim = " ".join(w for w in words if w not in DENIALS)
    key_words = {stem(w) for w in asked.words - ENGLISH if len(w) > 3}
    shared = key_words & {stem(w) for w in words}
    # It has to deny what was asked about, and not something else.
    if 2 * len(shared) < len(key_words) or _names_another(clean, asked):
        return False
    return len(remainder(claim, asked)) <= _MOST_NEW


def _names_another(clean: str, asked: QuestionAsked) -> bool:
    """Return whether a line has a name of its own: `Jonas did not` leaves open who did."""
    own = [w for piece in _BIG.findall(clean) for w in tokens(piece)]
    return any(w not in ENGLISH and stem(w) not in asked.stems for w in own)
